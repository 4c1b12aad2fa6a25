import type { Market } from '../domain/market.ts';
import { addUnits, NO_UNITS, subtractUnits, unitsOf, type Units } from '../domain/money.ts';
import { timeframeMs, type Timeframe } from '../domain/timeframe.ts';
import { followsCloses } from '../execution/algorithms/bracket.ts';
import { heldOf } from '../execution/algorithms/bracket-stock.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import { algorithmFromJson, algorithmToJson } from '../execution/algorithms/algorithm-json.ts';
import type {
  AlgorithmOrder,
  AlgorithmStep,
  AlgorithmView,
  Close,
} from '../execution/algorithms/algorithm-step.ts';
import { advanceAlgorithm, type Algorithm } from '../execution/algorithms/algorithms.ts';
import { updateQuotes, type QuotesIntent } from '../execution/algorithms/quotes.ts';
import { tellLeft, tellRefusedExit, type NamedBracket } from './bracket-notices.ts';
import type { IntentBlotter } from './intent-blotter.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { MirrorState } from './mirror-change.ts';
import type { OrderManager } from './order-manager.ts';
import type { OrderPlacer } from './order-placer.ts';
import type { PortfolioViews } from './portfolio-view.ts';
import { portfolioLook } from './portfolio-look.ts';
import type { PreTradeRisk } from './pre-trade-risk.ts';
import type { Outbox } from './outbox.ts';
import type { ClaimingWork, Reservations } from './reservations.ts';
import type { StrategyInstance } from './strategy-instance.ts';
import type { StrategyNotifier } from './strategy-notifier.ts';
import { WorkView } from './work-view.ts';

/** Algorithms at work at once; more are refused. */
export const MOST_ALGORITHMS = 1_000;

/**
 * Closed orders of a quotes algorithm that it is still shown. Others count all that their orders ever filled.
 */
const CLOSED_QUOTES_SHOWN_MS = 15_000;

/** How often one algorithm may be asked within a step; more is a livelock. */
const MOST_ASKS_A_STEP = 20;

interface Work {
  readonly intentId: string;
  readonly instance: StrategyInstance;
  readonly market: string;
  algorithm: Algorithm;
  /** Its own orders, oldest first. */
  readonly orders: Map<string, OrderRecord>;
  orderList: readonly OrderRecord[] | null;
  refusals: { readonly order: AlgorithmOrder; readonly reason: string }[];
  /** Bars that closed since it was asked last, where it wants them. */
  closes: readonly Close[];
  wakeAtMs: number;
  wantsBooks: boolean;
  /** @see AlgorithmStep.isComplete */
  isComplete: boolean;
  asks: number;
}

/** Most reasons of a refusal last; and the exchange may hold an identical order back for longer. */
const LEAST_REFUSAL_PAUSE_MS = 10_000;

const NO_REFUSALS: AlgorithmView['refusals'] = [];
const NO_CLOSES: readonly Close[] = [];

/** Bars that one algorithm is shown at once: more come only from a long past, and the oldest go. */
const MOST_CLOSES = 10_000;

export interface AlgorithmManagerOptions {
  readonly outbox: Outbox;
  readonly orderManager: OrderManager;
  readonly placer: OrderPlacer;
  readonly risk: PreTradeRisk;
  readonly markets: MarketDataCache;
  readonly intents: IntentBlotter;
  readonly views: PortfolioViews;
  readonly notifier: StrategyNotifier;
  /** Why no new orders are taken; null while they are. */
  readonly closed: () => string | null;
  readonly reservations: Reservations;
}

/** Runs the algorithms: asks each what it wants when something of its own changed, and does it. */
export class AlgorithmManager {
  private readonly options: AlgorithmManagerOptions;
  private readonly works = new Map<string, Work>();
  /** Algorithms that are to be asked. */
  private readonly poked = new Set<Work>();
  /** Orders of others, with the algorithm that waits for the end of each. */
  private readonly replacing = new Map<string, Work>();

  constructor(options: AlgorithmManagerOptions) {
    this.options = options;
    options.orderManager.blotter.listen((order) => this.onOrder(order));
  }

  get size(): number {
    return this.works.size;
  }

  /** Whether an algorithm is to be asked at the next step. */
  get isWaited(): boolean {
    return this.poked.size > 0;
  }

  /** Those at work, oldest first. */
  get atWork(): Iterable<ClaimingWork> {
    return this.works.values();
  }

  isAtWork(intentId: string): boolean {
    return this.works.has(intentId);
  }

  /** Whether a bracket at work sells with an order what it bought. */
  isExitOfBracket({ intentId, side }: OrderRecord): boolean {
    return side === 'sell' && this.works.get(intentId)?.algorithm.kind === 'bracket';
  }

  isReplacing(key: string): boolean {
    return this.replacing.has(key);
  }

  begin(
    instance: StrategyInstance,
    intentId: string,
    of: { readonly market: string; readonly algorithm: Algorithm },
  ): void {
    const work = this.enter(instance, intentId, of);
    this.store(work);
    this.poked.add(work);
  }

  /** The quotes of a strategy in a market that are at work already. */
  quotesOf(instance: StrategyInstance, market: string): string | null {
    for (const { intentId, algorithm, instance: owner, market: where } of this.works.values()) {
      if (owner === instance && where === market && algorithm.kind === 'quotes') return intentId;
    }
    return null;
  }

  /** Changes a desired set in place. Answers why it can not be; null where it can. */
  renew(intentId: string, intent: QuotesIntent): string | null {
    const work = this.works.get(intentId);
    if (work === undefined || work.algorithm.kind !== 'quotes') return 'the quotes are gone';
    const { algorithm } = work;
    const next = updateQuotes(algorithm, intent, this.options.outbox.nowMs);
    if (!next.ok) return next.reason;
    work.algorithm = next.algorithm;
    const isSame = next.algorithm.quotes === algorithm.quotes;
    if (!isSame) this.store(work);
    const step = this.options.markets.get(work.market)?.market.priceStep;
    if (!isSame || !work.isComplete || step !== algorithm.priceStep) this.poked.add(work);
    return null;
  }

  /**
   * Ends the targets that a strategy had for the coins of some markets, in whichever market: two would work
   * against each other. Their orders are canceled. Answers the keys of those that have not ended yet.
   */
  endTargets(instance: StrategyInstance, markets: readonly string[], endsSets = false): readonly string[] {
    const { orderManager } = this.options;
    const baseOf = (market: string): string => instance.marketNames.parseMarket(market).base;
    const bases = new Set(markets.map(baseOf));
    const awaited: string[] = [];
    for (const work of this.works.values()) {
      const { kind } = work.algorithm;
      if (work.instance !== instance || (kind !== 'target' && kind !== 'targets')) continue;
      const isSame = kind === 'targets' && endsSets;
      if (!isSame && !marketsOf(work).some((market) => bases.has(baseOf(market)))) continue;
      for (const order of work.orders.values()) {
        orderManager.cancels.cancel(order);
        if (!isFinal(order)) awaited.push(order.key);
      }
      this.finish(work, 'another target took its place');
    }
    return awaited;
  }

  /** Whether an algorithm of a strategy is at work in a market. */
  isAtWorkIn(instance: StrategyInstance, market: string): boolean {
    for (const work of this.works.values())
      if (work.instance === instance && work.market === market) return true;
    return false;
  }

  /** Ends algorithms without asking them; their orders stay as they are. */
  end(
    matches: (work: {
      readonly instance: StrategyInstance;
      readonly market: string;
      readonly intentId: string;
    }) => boolean,
    reason: string,
  ): void {
    for (const work of this.works.values()) {
      const { instance, intentId, algorithm, orders } = work;
      if (!marketsOf(work).some((market) => matches({ instance, market, intentId }))) continue;
      tellLeft(this.options.outbox, this.nameOf(work), { algorithm, orders: [...orders.values()], reason });
      this.finish(work, reason);
    }
  }

  onBook(market: string): void {
    for (const work of this.works.values())
      if (work.wantsBooks && marketsOf(work).includes(market)) this.poked.add(work);
  }

  /** A bar of a market has closed: brackets whose strategy was shown it may have to follow. */
  onCandle({ market, timeframe, openTimeMs, close }: ClosedCandle): void {
    for (const work of this.works.values()) {
      if (work.market !== market || work.algorithm.kind !== 'bracket') continue;
      if (work.instance.firstTimeframeOf(market) !== timeframe) continue;
      const atMs = openTimeMs + timeframeMs(timeframe);
      work.closes = [...work.closes.slice(1 - MOST_CLOSES), { price: unitsOf(close), atMs }];
      this.poked.add(work);
    }
  }

  /**
   * The oldest time since which brackets want the closes of bars of a market and length: when they were at
   * work last. Null where none wants any.
   */
  wantsClosesSince(market: string, timeframe: Timeframe): number | null {
    let sinceMs: number | null = null;
    for (const { market: where, instance, algorithm } of this.works.values()) {
      if (where !== market || algorithm.kind !== 'bracket' || algorithm.heldSinceMs === null) continue;
      if (instance.firstTimeframeOf(market) !== timeframe) continue;
      const seenMs = Math.max(algorithm.closeAtMs, algorithm.heldSinceMs);
      if (followsCloses(algorithm.terms)) sinceMs = Math.min(sinceMs ?? seenMs, seenMs);
    }
    return sinceMs;
  }

  /** How many stops of a strategy follow the price. */
  trailsOf(instance: StrategyInstance): number {
    let trails = 0;
    for (const { instance: owner, algorithm } of this.works.values())
      if (owner === instance && algorithm.kind === 'bracket' && algorithm.terms.trail !== null) trails += 1;
    return trails;
  }

  /** What pegs at work may use of the budget for orders, in units of 1e-10. */
  get pegShares(): Units {
    let shares = NO_UNITS;
    for (const { algorithm } of this.works.values())
      if (algorithm.kind === 'peg') shares = addUnits(shares, algorithm.share);
    return shares;
  }

  /** What brackets of a strategy hold of a coin: nothing else is to protect that too. */
  heldByBrackets(instance: StrategyInstance, base: string): Units {
    let held = NO_UNITS;
    for (const work of this.works.values()) {
      if (work.instance === instance && this.baseOf(work) === base) held = addUnits(held, this.heldBy(work));
    }
    return held;
  }

  /** Asks whom it is time to ask; answers whether anybody was. */
  pump(nowMs: number): boolean {
    if (this.works.size === 0) return false;
    for (const work of this.works.values()) if (work.wakeAtMs <= nowMs) this.poked.add(work);
    if (this.poked.size === 0) return false;
    for (const work of this.poked) {
      this.poked.delete(work);
      this.ask(work);
    }
    return true;
  }

  /** To be called once a step, before the first pump. */
  beginStep(): void {
    for (const work of this.works.values()) work.asks = 0;
  }

  wakeAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { wakeAtMs } of this.works.values()) if (wakeAtMs < next) next = wakeAtMs;
    return next;
  }

  restore(state: MirrorState, instances: readonly StrategyInstance[]): void {
    for (const { intentId, strategy, market, json } of state.algorithms) {
      const instance = instances.find(({ name }) => name === strategy);
      const algorithm = instance === undefined ? null : algorithmFromJson(json);
      if (instance === undefined || algorithm === null || this.options.markets.get(market) === undefined) {
        this.options.outbox.change({ kind: 'algorithm-end', intentId });
        continue;
      }
      const work = this.enter(instance, intentId, { market, algorithm });
      for (const { key, intentId: served } of state.orders) {
        // As the blotter has made it: what was being sent is unknown by now.
        const order = served === intentId ? this.options.orderManager.blotter.table.get(key) : undefined;
        if (order !== undefined) work.orders.set(key, order);
      }
      this.poked.add(work);
    }
  }

  /** What older brackets of the same strategy hold of the same coin, which is not there for this one. */
  private heldBefore(work: Work): Units {
    let held = NO_UNITS;
    if (work.algorithm.kind !== 'bracket') return held;
    for (const other of this.works.values()) {
      if (other === work) break;
      if (other.instance === work.instance && this.baseOf(other) === this.baseOf(work))
        held = addUnits(held, this.heldBy(other));
    }
    return held;
  }

  private heldBy({ algorithm, orders }: Work): Units {
    return algorithm.kind === 'bracket' ? heldOf(algorithm, [...orders.values()]) : NO_UNITS;
  }

  private nameOf(work: Work): NamedBracket {
    return { strategy: work.instance.name, market: work.market, base: this.baseOf(work) };
  }

  private baseOf({ instance, market }: Work): string {
    return instance.marketNames.parseMarket(market).base;
  }

  private enter(
    instance: StrategyInstance,
    intentId: string,
    of: { readonly market: string; readonly algorithm: Algorithm },
  ): Work {
    const { market, algorithm } = of;
    const work: Work = {
      intentId,
      instance,
      market,
      algorithm,
      orders: new Map(),
      orderList: null,
      refusals: [],
      closes: NO_CLOSES,
      wakeAtMs: Number.POSITIVE_INFINITY,
      wantsBooks: false,
      isComplete: false,
      asks: 0,
    };
    if (algorithm.kind === 'replace') {
      const replaced = this.options.orderManager.blotter.table.get(algorithm.replacedKey);
      if (replaced !== undefined) work.orders.set(replaced.key, replaced);
      this.replacing.set(algorithm.replacedKey, work);
    } else if (algorithm.kind === 'targets') this.await(work, algorithm.awaited);
    this.works.set(intentId, work);
    return work;
  }

  /** Has an algorithm hear of the ends of orders that are not its own. */
  private await(work: Work, keys: readonly string[]): void {
    for (const key of keys) {
      const order = this.options.orderManager.blotter.table.get(key);
      if (order === undefined || isFinal(order)) continue;
      work.orders.set(key, order);
      this.replacing.set(key, work);
    }
  }

  private onOrder(order: OrderRecord): void {
    if (this.works.size === 0) return;
    const work = this.works.get(order.intentId);
    if (work !== undefined) this.note(work, order);
    const replacing = this.replacing.get(order.key);
    if (replacing !== undefined && replacing !== work) this.note(replacing, order);
  }

  private note(work: Work, order: OrderRecord): void {
    work.orders.set(order.key, order);
    work.orderList = null;
    work.isComplete = false;
    this.poked.add(work);
  }

  private ask(work: Work): void {
    const { outbox, markets } = this.options;
    const state = markets.get(work.market);
    if (state === undefined || this.works.get(work.intentId) !== work) return;
    work.asks += 1;
    if (work.asks > MOST_ASKS_A_STEP) {
      outbox.alarm(
        `${work.instance.name}: its ${work.algorithm.kind} is in a livelock and was ended`,
        work.intentId,
      );
      this.finish(work, 'livelock');
      return;
    }
    const view = this.viewOf(work, state.market);
    const step = advanceAlgorithm(work.algorithm, view);
    const changed = step.algorithm !== work.algorithm;
    if (changed && step.algorithm.kind === 'bracket')
      tellRefusedExit(outbox, this.nameOf(work), {
        before: work.algorithm,
        after: step.algorithm,
        orders: view.orders,
        pauseMs: view.refusalPauseMs,
      });
    work.algorithm = step.algorithm;
    work.refusals = [];
    work.closes = NO_CLOSES;
    work.wakeAtMs = step.wakeAtMs ?? Number.POSITIVE_INFINITY;
    work.wantsBooks = step.wantsBooks;
    work.isComplete = step.isComplete ?? false;
    if (changed) this.store(work);
    this.carryOut(work, step, state.market);
    if (step.done === null) return;
    const { name } = work.instance;
    if (work.algorithm.kind === 'bracket')
      outbox.info(`${name}: its bracket in ${work.market} is over: ${step.done}`, name);
    this.finish(work, step.done);
  }

  private carryOut(work: Work, step: AlgorithmStep<Algorithm>, market: Market): void {
    const { orderManager, placer, risk, notifier } = this.options;
    for (const key of step.cancel) {
      const order = orderManager.blotter.table.get(key);
      if (order !== undefined) orderManager.cancels.cancel(order);
    }
    for (const order of step.place) {
      const { market: where, ...wish } = order;
      const state = where === undefined ? undefined : this.options.markets.get(where);
      const verdict = risk.approve(work.instance, state?.market ?? market, {
        intentId: work.intentId,
        ...wish,
        tag: tagOf(work.algorithm),
        // Its parts may be alike, and it counts each of them by its own id.
        whenIdentical: 'send',
        exit: order.exit ?? null,
        stopLegExit: order.stopLegExit ?? null,
      });
      if (verdict.ok) {
        placer.place(verdict.plan);
        continue;
      }
      work.refusals.push({ order, reason: verdict.reason });
      this.poked.add(work);
      notifier.reject(work.instance, {
        code: verdict.code,
        reason: verdict.reason,
        tag: tagOf(work.algorithm),
        exit: order.exit ?? null,
      });
    }
  }

  private viewOf(work: Work, market: Market): AlgorithmView {
    const { outbox, orderManager, markets, views, closed, reservations } = this.options;
    const { nowMs } = outbox;
    const { instance, refusals, algorithm } = work;
    const isOfEquity = algorithm.kind === 'target' || algorithm.kind === 'targets';
    return new WorkView(
      { markets, closed },
      {
        nowMs,
        market,
        orders: this.ordersOf(work, nowMs),
        position: subtractUnits(instance.held(market.base), this.heldBefore(work)),
        equity: isOfEquity ? views.of(instance).equityUnits(market.symbol) : null,
        portfolio:
          algorithm.kind === 'targets'
            ? portfolioLook(work, { markets, reservations, quote: market.quote })
            : null,
        closes: work.closes,
        refusals: refusals.length === 0 ? NO_REFUSALS : refusals,
        refusalPauseMs: Math.max(LEAST_REFUSAL_PAUSE_MS, orderManager.blotter.venue.identicalOrdersMs),
      },
    );
  }

  private ordersOf(work: Work, nowMs: number): readonly OrderRecord[] {
    if (work.orderList !== null) return work.orderList;
    const isOfQuotes = work.algorithm.kind === 'quotes';
    const list: OrderRecord[] = [];
    for (const order of work.orders.values()) {
      const isOver = isOfQuotes && isFinal(order);
      if (isOver && (order.closedAtMs ?? nowMs) + CLOSED_QUOTES_SHOWN_MS < nowMs)
        work.orders.delete(order.key);
      else list.push(order);
    }
    work.orderList = list;
    return list;
  }

  private finish(work: Work, reason: string): void {
    const { outbox, intents } = this.options;
    this.works.delete(work.intentId);
    this.poked.delete(work);
    if (work.algorithm.kind === 'replace') this.replacing.delete(work.algorithm.replacedKey);
    else if (work.algorithm.kind === 'targets')
      for (const key of work.algorithm.awaited) this.replacing.delete(key);
    outbox.change({ kind: 'algorithm-end', intentId: work.intentId });
    intents.end(work.intentId, 'done', reason);
  }

  private store(work: Work): void {
    if (!this.options.outbox.isRestartable) return;
    const { intentId, instance, market, algorithm } = work;
    this.options.outbox.change({
      kind: 'algorithm',
      algorithm: { intentId, strategy: instance.name, market, json: algorithmToJson(algorithm) },
    });
  }
}

/** What the author called it; null where nothing was said. */
function tagOf(algorithm: Algorithm): string | null {
  if (algorithm.kind === 'expiring') return algorithm.tag;
  return algorithm.kind === 'bracket' ? algorithm.terms.tag : null;
}

/** Where an algorithm works. */
function marketsOf({ market, algorithm }: Pick<Work, 'market' | 'algorithm'>): readonly string[] {
  return algorithm.kind === 'targets' ? algorithm.legs.map((leg) => leg.market) : [market];
}
