import { EnginePart } from '../engine-settings.ts';
import { ORDER_STATES } from '../../domain/order.ts';
import type { Market } from '../../domain/market.ts';
import { addUnits, NO_UNITS, numberOfUnits, subtractUnits, type Units } from '../../domain/money.ts';
import { english, sentence, type Sentence } from '../../language/sentence.ts';
import { isFinal, NO_LABELS, type OrderRecord } from '../../records/order.ts';
import type { OrderTable } from '../orders/order-table.ts';
import { closeNumber } from '../../strategy/column-candle.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';
import { algorithmFromJson, algorithmToJson, type Algorithm } from '../algorithm-json.ts';
import type { AlgorithmStep, AlgorithmView } from './algorithm-step.ts';
import { advanceAlgorithm } from './algorithms.ts';
import { updateQuotes, type QuotesIntent } from './quotes.ts';
import { refusalCauseOf } from '../../venues/port.ts';
import { AlgorithmWork, WorkView, logLeft, logRefusedExit, logUnclear } from './algorithm-work.ts';
import { BracketsAtWork, OwnExits, portfolioSnapshot } from '../orders/own-exits.ts';
import type { IntentBlotter, RowCounter } from '../strategies/intent-blotter.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { MirrorState } from '../mirror-change.ts';
import type { OrderManager } from '../orders/order-manager.ts';
import type { OrderPlacer } from '../orders/order-placer.ts';
import type { PortfolioViews } from '../strategies/portfolio-view.ts';
import type { PreTradeRisk } from '../risk/pre-trade-risk.ts';
import type { Outbox } from '../outbox.ts';
import type { ClaimingWork, Reservations } from '../risk/reservations.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { StrategyNotifier } from '../strategies/strategy-notifier.ts';

/** Maximum number of algorithms that run at once; more are refused. */
export const MOST_ALGORITHMS = 1_000;

/** Maximum number of runs of one algorithm within a step of the engine; more is a livelock. */
const MOST_ASKS_A_STEP = 20;

/** Time for which an algorithm may place nothing before it is logged, in ms: short outages are over then. */
const MISSING_LOGGED_AFTER_MS = 300_000;

/** Least pause after a refusal, in ms; the exchange may hold an identical order back for longer. */
const LEAST_REFUSAL_PAUSE_MS = 10_000;

export interface AlgorithmManagerOptions {
  readonly outbox: Outbox;
  readonly orderManager: OrderManager;
  readonly placer: OrderPlacer;
  readonly risk: PreTradeRisk;
  readonly markets: MarketDataCache;
  readonly intents: IntentBlotter;
  readonly views: PortfolioViews;
  readonly notifier: StrategyNotifier;
  /** Returns the reason why no new orders are accepted; null while they are accepted. */
  readonly closed: () => Sentence | null;
  readonly reservations: Reservations;
  readonly rows: RowCounter;
  /** True if the account has less of a coin than strategies hold of it. */
  readonly areMissing: (coin: string) => boolean;
}

/** Runs the algorithms: lets each decide its next step when its data changed, and carries the step out. */
export class AlgorithmManager extends EnginePart<AlgorithmManagerOptions> {
  readonly brackets: BracketsAtWork;
  readonly ownExits: OwnExits;
  readonly works = new Map<string, AlgorithmWork>();
  /** Algorithms that are due for their next step. */
  private readonly poked = new Set<AlgorithmWork>();
  /** Algorithms that wait for the end of an order that is not their own, by the key of the order. */
  private readonly replacing = new Map<string, AlgorithmWork>();
  private readonly causeOf: AlgorithmView['refusalCauseOf'];
  private readonly endListeners: ((intentId: string, reason: Sentence) => void)[] = [];

  constructor(options: AlgorithmManagerOptions) {
    super(options);
    this.brackets = new BracketsAtWork(this.works);
    const { orderManager, markets, rows, intents } = options;
    this.ownExits = new OwnExits({
      works: this.works,
      table: orderManager.blotter.table,
      cancels: orderManager.cancels,
      markets,
      begin: (instance, id, of) => {
        const intentId = id ?? `i${rows.next().toString(36)}`;
        if (id === null) intents.begin(intentId, instance.name, { kind: 'exit', market: of.market });
        this.begin(instance, intentId, of);
      },
      change: (work, algorithm) => {
        work.algorithm = algorithm;
        this.store(work);
        this.poked.add(work);
      },
    });
    const { venue } = options.orderManager.blotter;
    this.causeOf = (code) => refusalCauseOf(venue, english(code));
    options.orderManager.blotter.listen(ORDER_STATES, (order) => this.onOrder(order), this.works);
  }

  get size(): number {
    return this.works.size;
  }

  /** Returns the price of a market above which the algorithms stay at rest; 0 if they do at any price. */
  restsAbove(market: string): number {
    let least = NO_UNITS;
    for (const { restsAbove, market: where } of this.works.values())
      if (restsAbove !== null && where === market && restsAbove > least) least = restsAbove;
    return numberOfUnits(least);
  }

  /** True if algorithms that are at rest stay so when a bar closes. */
  restAt(bar: ClosedCandle): boolean {
    return this.works.size === 0 || closeNumber(bar) > this.restsAbove(bar.market);
  }

  /** True if each algorithm waits for a time, for a change of an order, or for a bid below `restsAbove`. */
  get areAtRest(): boolean {
    if (this.poked.size > 0) return false;
    for (const work of this.works.values()) if (work.wantsPrices) return false;
    return true;
  }

  /** True if an algorithm is due for its next step. */
  get isWaited(): boolean {
    return this.poked.size > 0;
  }

  /** Running algorithms, oldest first. */
  get atWork(): Iterable<ClaimingWork> {
    return this.works.values();
  }

  /** Registers a listener for the end of each algorithm; it gets the id of the intent and the reason. */
  listenToEnds(listener: (intentId: string, reason: Sentence) => void): void {
    this.endListeners.push(listener);
  }

  /** Returns the running algorithm that serves an intent; null if there is none. */
  algorithmOf(intentId: string): Algorithm | null {
    return this.works.get(intentId)?.algorithm ?? null;
  }

  isAtWork(intentId: string): boolean {
    return this.works.has(intentId);
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

  /** Returns the intent id of a strategy's running quotes in a market; null if there are none. */
  quotesOf(instance: StrategyInstance, market: string): string | null {
    for (const { intentId, algorithm, instance: owner, market: where } of this.works.values()) {
      if (owner === instance && where === market && algorithm.kind === 'quotes') return intentId;
    }
    return null;
  }

  /** Replaces the set of running quotes. Returns the reason why it cannot be replaced; null if it was. */
  renew(intentId: string, intent: QuotesIntent): Sentence | null {
    const work = this.works.get(intentId);
    if (work === undefined || work.algorithm.kind !== 'quotes') return sentence('quotes-gone');
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
   * Ends the strategy's targets for the coins of these markets, in all markets, since two would work against
   * each other; with `endsSets`, all sets too. Cancels their orders and returns the keys of those not ended.
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
      if (!isSame && !work.markets.some((market) => bases.has(baseOf(market)))) continue;
      for (const order of work.orders.values()) {
        orderManager.cancels.cancel(order);
        if (!isFinal(order)) awaited.push(order.key);
      }
      this.finish(work, sentence('ended-by-another'));
    }
    return awaited;
  }

  /** True if an algorithm of a strategy is running in a market. */
  isAtWorkIn(instance: StrategyInstance, market: string): boolean {
    for (const work of this.works.values())
      if (work.instance === instance && work.market === market) return true;
    return false;
  }

  /** Ends algorithms at once, without a last step; their orders stay as they are. */
  end(
    matches: (work: {
      readonly instance: StrategyInstance;
      readonly market: string;
      readonly intentId: string;
    }) => boolean,
    reason: Sentence,
  ): void {
    for (const work of this.works.values()) {
      const { instance, intentId, algorithm, orders } = work;
      if (!work.markets.some((market) => matches({ instance, market, intentId }))) continue;
      logLeft(this.options.outbox, work.name, { algorithm, orders: [...orders.values()], reason });
      this.finish(work, reason);
    }
  }

  /**
   * Applies a person's statement of what became of a strategy's coin: its brackets go on with what it holds.
   * Returns true if any of them had waited for that.
   */
  clear(instance: StrategyInstance, coin: string): boolean {
    let hasWaited = false;
    for (const work of this.works.values()) {
      const { algorithm } = work;
      if (work.instance !== instance || work.base !== coin || algorithm.kind !== 'bracket') continue;
      this.poked.add(work);
      if (algorithm.unclear === null) continue;
      hasWaited = true;
      work.algorithm = { ...algorithm, unclear: null };
      this.store(work);
    }
    return hasWaited;
  }

  /** Lets the brackets of a coin check again for missing coins. */
  check(coin: string): void {
    for (const work of this.works.values())
      if (work.algorithm.kind === 'bracket' && work.base === coin) this.poked.add(work);
  }

  onBook(market: string): void {
    for (const work of this.works.values())
      if (work.wantsBooks && work.markets.includes(market)) this.poked.add(work);
  }

  /** Shows a closed bar to the brackets whose strategy got it; their stops may have to follow the price. */
  onCandle(candle: ClosedCandle): void {
    this.brackets.applyClose(candle, (work) => this.poked.add(work));
  }

  /** Share of the order budget that running pegs may use, in units of 1e-10. */
  get pegShares(): Units {
    let shares = NO_UNITS;
    for (const { algorithm } of this.works.values())
      if (algorithm.kind === 'peg') shares = addUnits(shares, algorithm.share);
    return shares;
  }

  /** Runs each algorithm that is due. Returns true if there was any. */
  pump(nowMs: number): boolean {
    for (const work of this.works.values()) if (work.wakeAtMs <= nowMs) this.poked.add(work);
    if (this.poked.size === 0) return false;
    for (const work of this.poked) {
      this.poked.delete(work);
      this.ask(work);
    }
    return true;
  }

  /** Resets the counts of calls. To be called once in each step, before the first pump. */
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
        // The blotter's record: an order that was being sent has become unknown there.
        const order = served === intentId ? this.options.orderManager.blotter.table.get(key) : undefined;
        if (order !== undefined) work.note(order);
      }
      this.poked.add(work);
    }
  }

  private enter(
    instance: StrategyInstance,
    intentId: string,
    of: { readonly market: string; readonly algorithm: Algorithm },
  ): AlgorithmWork {
    const { market, algorithm } = of;
    const work = new AlgorithmWork({ intentId, instance, market, algorithm });
    if (algorithm.kind === 'replace') {
      const replaced = this.options.orderManager.blotter.table.get(algorithm.replacedKey);
      if (replaced !== undefined) work.note(replaced);
      this.replacing.set(algorithm.replacedKey, work);
    } else if (algorithm.kind === 'targets') this.await(work, algorithm.awaited);
    this.works.set(intentId, work);
    return work;
  }

  /** Shows an algorithm the ends of orders that are not its own. */
  private await(work: AlgorithmWork, keys: readonly string[]): void {
    for (const key of keys) {
      const order = this.options.orderManager.blotter.table.get(key);
      if (order === undefined || isFinal(order)) continue;
      work.note(order);
      this.replacing.set(key, work);
    }
  }

  private onOrder(order: OrderRecord): void {
    const work = this.works.get(order.intentId);
    if (work !== undefined) this.note(work, order);
    if (isFinal(order))
      for (const other of this.works.values())
        if (other.awaitsOthers && other.instance.name === order.strategy) this.poked.add(other);
    const replacing = this.replacing.get(order.key);
    if (replacing !== undefined && replacing !== work) this.note(replacing, order);
  }

  private note(work: AlgorithmWork, order: OrderRecord): void {
    work.note(order);
    this.poked.add(work);
  }

  private ask(work: AlgorithmWork): void {
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
    const before = work.algorithm;
    const step = advanceAlgorithm(before, view);
    const isChanged = work.apply(step);
    if (isChanged && step.algorithm.kind === 'bracket')
      logRefusedExit(outbox, work.name, {
        before,
        after: step.algorithm,
        orders: view.orders,
        pauseMs: view.refusalPauseMs,
      });
    if (isChanged) logUnclear(outbox, work, before);
    if (isChanged) this.store(work);
    this.logMissing(work, step.missing ?? null);
    this.carryOut(work, step, state.market);
    if (step.done === null) return;
    const { name } = work.instance;
    if (work.algorithm.kind === 'bracket')
      outbox.info(`${name}: its bracket in ${work.market} is over: ${english(step.done)}`, name);
    this.finish(work, step.done);
  }

  /** Logs once that an algorithm has waited too long for something without which it can place nothing. */
  private logMissing(work: AlgorithmWork, missing: Sentence | null): void {
    const { outbox } = this.options;
    const { name } = work.instance;
    if (missing === null) {
      work.missingSinceMs = null;
      work.isMissingLogged = false;
      return;
    }
    work.missingSinceMs ??= outbox.nowMs;
    if (work.isMissingLogged) return;
    const logAtMs = work.missingSinceMs + MISSING_LOGGED_AFTER_MS;
    if (outbox.nowMs < logAtMs) {
      work.wakeAtMs = Math.min(work.wakeAtMs, logAtMs);
      return;
    }
    work.isMissingLogged = true;
    outbox.warn(
      `${name}: its ${work.algorithm.kind} in ${work.markets.join(', ')} could place nothing for ${MISSING_LOGGED_AFTER_MS / 60_000} minutes: ${english(missing)}. It goes on waiting`,
      name,
    );
  }

  private carryOut(work: AlgorithmWork, step: AlgorithmStep<Algorithm>, market: Market): void {
    const { orderManager, placer, risk, notifier } = this.options;
    for (const key of step.cancel) {
      const order = orderManager.blotter.table.get(key);
      if (order !== undefined) orderManager.cancels.cancel(order);
    }
    for (const { market: symbol, amount, price } of step.leave ?? [])
      this.ownExits.sell(
        work.instance,
        { market: symbol, amount, price, why: sentence('bracket-wanted'), tag: work.tag, intentId: null },
        { free: NO_UNITS, isTotal: true },
      );
    for (const order of step.place) {
      const { market: where, ...draft } = order;
      const state = where === undefined ? undefined : this.options.markets.get(where);
      const outcome = risk.approve(work.instance, state?.market ?? market, {
        intentId: work.intentId,
        ...draft,
        labels: { ...NO_LABELS, tag: work.tag },
        // Orders of an algorithm may be identical; it counts each by its own id.
        whenIdentical: 'send',
        exit: order.exit ?? null,
        stopLegExit: order.stopLegExit ?? null,
      });
      if (outcome.ok) {
        placer.place(outcome.plan);
        continue;
      }
      const isHeldBack = outcome.code === 'again';
      work.noteRefusal({ order, reason: outcome.reason, isHeldBack });
      this.poked.add(work);
      // The earlier refusal that it waits for was notified already.
      if (isHeldBack) continue;
      notifier.reject(work.instance, {
        code: outcome.code,
        reason: outcome.reason,
        tag: work.tag,
        exit: order.exit ?? null,
      });
    }
  }

  private viewOf(work: AlgorithmWork, market: Market): AlgorithmView {
    const { outbox, orderManager, markets, views, closed, reservations, areMissing } = this.options;
    const { nowMs } = outbox;
    const { instance, algorithm } = work;
    const isOfEquity = algorithm.kind === 'target' || algorithm.kind === 'targets';
    return new WorkView(
      { markets, closed, areMissing },
      {
        nowMs,
        market,
        orders: work.ordersAt(nowMs),
        position: this.positionOf(work, market),
        exits: () => this.ownExits.heldOf(instance, market.base),
        liveAmong: (keys) => liveAmong(orderManager.blotter.table, keys),
        equity: isOfEquity ? views.of(instance).equityUnits(market.symbol) : null,
        portfolio:
          algorithm.kind === 'targets'
            ? portfolioSnapshot(work, { markets, reservations, quote: market.quote, exits: this.ownExits })
            : null,
        closes: work.closes,
        refusals: work.refusals,
        refusalCauseOf: this.causeOf,
        priceBand: orderManager.blotter.venue.priceBand,
        refusalPauseMs: Math.max(LEAST_REFUSAL_PAUSE_MS, orderManager.blotter.venue.identicalOrdersMs),
      },
    );
  }

  /** Returns the strategy's position in the coin; for a bracket, less the holdings of older brackets. */
  private positionOf(work: AlgorithmWork, { base }: Market): Units {
    const { instance, algorithm } = work;
    const isCanceling =
      algorithm.kind === 'bracket' && algorithm.entry === 'planned' && algorithm.terms.entry === null;
    if (isCanceling) return this.ownExits.looseOf(instance, base);
    return subtractUnits(instance.position(base), this.brackets.heldBefore(work));
  }

  private finish(work: AlgorithmWork, reason: Sentence): void {
    const { outbox, intents } = this.options;
    this.works.delete(work.intentId);
    this.poked.delete(work);
    if (work.algorithm.kind === 'replace') this.replacing.delete(work.algorithm.replacedKey);
    else if (work.algorithm.kind === 'targets')
      for (const key of work.algorithm.awaited) this.replacing.delete(key);
    outbox.change({ kind: 'algorithm-end', intentId: work.intentId });
    intents.end(work.intentId, 'done', reason);
    for (const listener of this.endListeners) listener(work.intentId, reason);
  }

  private store(work: AlgorithmWork): void {
    if (!this.options.outbox.isRestartable) return;
    const { intentId, instance, market, algorithm } = work;
    this.options.outbox.change({
      kind: 'algorithm',
      algorithm: { intentId, strategy: instance.name, market, json: algorithmToJson(algorithm) },
    });
  }
}

/** Returns the keys of live orders; for an ended leg of a pair, that of its other leg if it is live. */
function liveAmong(table: Pick<OrderTable, 'get'>, keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => {
    const order = table.get(key);
    if (order === undefined) return [];
    if (!isFinal(order)) return [key];
    const pair = order.pairKey === null ? undefined : table.get(order.pairKey);
    return pair === undefined || isFinal(pair) ? [] : [pair.key];
  });
}
