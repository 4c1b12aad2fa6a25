import { EnginePart } from '../engine-settings.ts';
import type { CancelByHandOptions } from './cancel-by-hand.ts';
import {
  addUnits,
  formatUnits,
  UNITS_PER_ONE,
  type Units,
  NO_UNITS,
  divideHalfEven,
} from '../../domain/money.ts';
import { joinSentences, sentence, type Sentence } from '../../language/sentence.ts';
import { isFinal, mayTrade, type OrderRecord } from '../../records/order.ts';
import type { Intent } from '../../strategy/intents.ts';
import type { CloseCommand } from '../engine-event.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { Outbox } from '../outbox.ts';
import { type Approvals, intentMarkets } from '../strategies/approvals.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { ByHandState } from './cancel-by-hand.ts';
import type { Closing, ClosingLeg } from '../stored-records.ts';
import { tradesOn } from './cancel-by-hand.ts';
import { canBeOrdered, onPriceGrid } from '../algorithms/requested-units.ts';

/** Maximum number of positions that are being closed at the same time; further commands are refused. */
const MOST_CLOSINGS = 50;

/** Interval of new attempts while orders can not be placed, in ms. */
const POLL_INTERVAL_MS = 1_000;

/** Maximum number of ended closings that are remembered, besides those at work. */
const MOST_ENDED = 50;

export interface CloseByHandOptions extends Pick<
  CancelByHandOptions,
  'orderManager' | 'algorithms' | 'router' | 'leftBehind'
> {
  readonly outbox: Outbox;
  readonly markets: MarketDataCache;
  readonly approvals: Approvals;
  readonly instanceOf: (strategy: string) => StrategyInstance | undefined;
  /** Returns why no orders are accepted now; null while they are. */
  readonly closed: () => Sentence | null;
  /** Returns why orders are refused until a person or a new run permits them; null if they are not. */
  readonly halted: () => Sentence | null;
  readonly onChange: () => void;
}

/**
 * Closes positions for a person. It ends the strategy's algorithms in a coin and cancels its orders there.
 * When these have ended, a target of zero sells what the strategy holds or buys back what it owes. Until then
 * the strategy can place nothing in the coin. A closing continues after a crash.
 */
export class CloseByHand extends EnginePart<CloseByHandOptions> {
  private readonly closings = new Map<string, Closing>();
  /** Keys of the closings that have not ended; usually there are none. */
  readonly atWork = new Set<string>();
  /** Time of the next `pump`, in ms since 1970; infinity if none is due. */
  dueAtMs = Number.POSITIVE_INFINITY;

  constructor(options: CloseByHandOptions) {
    super(options);
    options.orderManager.blotter.listen(['end'], (order) => this.onEnd(order), this.atWork);
    options.algorithms.listenToEnds((intentId, reason) => {
      if (this.atWork.size > 0) this.onAlgorithmEnd(intentId, reason);
    });
  }

  /** Begins the closing, unless a command with this key came before. */
  apply(command: CloseCommand): void {
    const { key, strategy } = command;
    if (this.closings.has(key)) return;
    const instance = this.options.instanceOf(strategy);
    const refusal = this.refusalOf(command, instance);
    const closing: Closing = { key, strategy, sinceMs: this.options.outbox.nowMs, legs: [], end: null };
    if (refusal !== null || instance === undefined) {
      const message = refusal ?? sentence('no-strategy', { strategy });
      this.put({ ...closing, end: { ok: false, message } });
      return;
    }
    const legs = closingLegs(instance, command.market, this.options);
    this.atWork.add(key);
    this.put({ ...closing, legs });
    this.clear(this.coinsOf(legs), instance);
    this.dueAtMs = this.options.outbox.nowMs;
  }

  stateOf(key: string): ByHandState | null {
    const closing = this.closings.get(key);
    if (closing === undefined) return null;
    const left = this.ordersOf(closing).length;
    return { left: closing.end === null ? left : 0, closed: 0, end: closing.end };
  }

  /** Returns why an intent is refused: a position it concerns is being closed. Null if it is accepted. */
  objectionTo({ name, marketNames }: StrategyInstance, intent: Intent): Sentence | null {
    if (this.atWork.size === 0) return null;
    const { table } = this.options.orderManager.blotter;
    return this.closingOf(
      name,
      intentMarkets(intent, table).map((market) => marketNames.parseMarket(market).base),
    );
  }

  /**
   * Returns why one of a strategy's coins can not be changed now: its position there is being closed. Null if
   * all can.
   */
  closingOf(name: string, inCoins: readonly string[]): Sentence | null {
    const coins = new Set(inCoins);
    for (const { strategy, legs, end } of this.closings.values()) {
      const coin = legs.find(({ asset }) => coins.has(asset))?.asset;
      if (end === null && strategy === name && coin !== undefined)
        return sentence('closing-by-hand', { strategy: name, coin });
    }
    return null;
  }

  pump(nowMs: number): void {
    this.dueAtMs = Number.POSITIVE_INFINITY;
    for (const closing of this.closings.values()) if (closing.end === null) this.advance(closing, nowMs);
  }

  /** Returns the closings to store, oldest first. */
  stored(): Closing[] {
    return [...this.closings.values()];
  }

  /** Restores closings. In a mirror from a copy (`isPutBack`), unended ones are old: they are dropped. */
  restore(closings: readonly Closing[], isPutBack: boolean): void {
    for (const closing of closings) {
      const isKnown = this.options.instanceOf(closing.strategy) !== undefined;
      if (closing.end === null && (isPutBack || !isKnown)) continue;
      this.closings.set(closing.key, closing);
      if (closing.end === null) this.atWork.add(closing.key);
    }
    if (this.atWork.size > 0) this.dueAtMs = this.options.outbox.nowMs;
  }

  private refusalOf(
    { strategy, market }: CloseCommand,
    instance: StrategyInstance | undefined,
  ): Sentence | null {
    const { markets, halted, closed } = this.options;
    if (instance === undefined) return null;
    if (market !== null && !instance.markets.includes(market))
      return sentence('close-market', { strategy, markets: instance.markets.join(', '), market });
    const names = market === null ? instance.markets : [market];
    const coins = new Set(names.map((name) => instance.marketNames.parseMarket(name).base));
    const other = [...this.closings.values()].find(
      (one) =>
        one.end === null && one.strategy === strategy && one.legs.some(({ asset }) => coins.has(asset)),
    );
    if (other !== undefined) return sentence('close-busy');
    if (market !== null && markets.get(market) === undefined) return markets.whyUnknown(market);
    const why = halted();
    if (why !== null) return sentence('close-shut', { reason: why });
    const shut = closed();
    if (shut !== null) return sentence('close-no-order', { reason: shut });
    return this.atWork.size >= MOST_CLOSINGS ? sentence('close-most', { count: MOST_CLOSINGS }) : null;
  }

  private coinsOf(legs: readonly ClosingLeg[]): ReadonlySet<string> {
    return new Set(legs.map(({ asset }) => asset));
  }

  /** Ends a strategy's algorithms in some coins and cancels its orders there. */
  private clear(coins: ReadonlySet<string>, instance: StrategyInstance): void {
    const { algorithms, orderManager, approvals } = this.options;
    const isOf = (market: string): boolean => coins.has(instance.marketNames.parseMarket(market).base);
    approvals.end(
      (entry) => entry.instance === instance && entry.markets.some(isOf),
      sentence('ended-closed-by-hand'),
    );
    algorithms.end(
      (work) => work.instance === instance && isOf(work.market),
      sentence('ended-closed-by-hand'),
    );
    for (const order of orderManager.blotter.table.unfinished(instance.name))
      if (isOf(order.market)) orderManager.cancels.cancel(order);
  }

  /** Returns the unfinished orders in the coins that are not the closing's own. */
  private ordersOf({ strategy, legs }: Closing): readonly OrderRecord[] {
    const { table, venue } = this.options.orderManager.blotter;
    const coins = this.coinsOf(legs);
    const own = new Set(legs.map(({ intentId }) => intentId));
    return table
      .unfinished(strategy)
      .filter(
        ({ market, intentId }) => coins.has(venue.marketNames.parseMarket(market).base) && !own.has(intentId),
      );
  }

  private advance(closing: Closing, nowMs: number): void {
    const { orderManager, halted, closed } = this.options;
    const why = halted();
    if (why !== null) {
      this.finish(closing, why);
      return;
    }
    const orders = this.ordersOf(closing);
    // Cancels orders that were found later, or that wait to be placed.
    for (const order of orders)
      if (mayTrade(order) || order.state === 'planned') orderManager.cancels.cancel(order);
    if (orders.some((order) => !isFinal(order))) return;
    const leg = closing.legs.find(({ end }) => end === null);
    if (leg === undefined) this.finish(closing, null);
    else if (leg.intentId === null) {
      if (closed() === null) this.sell(closing, leg);
      else this.dueAtMs = nowMs + POLL_INTERVAL_MS;
    } else if (!this.options.algorithms.isAtWork(leg.intentId))
      this.onAlgorithmEnd(leg.intentId, sentence('ended-with-restart'));
  }

  private sell(closing: Closing, leg: ClosingLeg): void {
    const { router, instanceOf, outbox } = this.options;
    const instance = instanceOf(closing.strategy);
    if (instance === undefined) return;
    const held = instance.held(leg.asset);
    const begun = router.sellOut(instance, leg.market);
    const end = begun.ok ? null : begun.reason;
    const intentId = begun.ok ? begun.intentId : null;
    outbox.journal('control', 'close sells', {
      key: closing.key,
      strategy: closing.strategy,
      market: leg.market,
      held: formatUnits(held),
      intentId,
    });
    this.change(closing, leg, { held, intentId, end });
    if (end !== null) this.dueAtMs = outbox.nowMs + 1;
  }

  private onEnd({ intentId, filled, filledTotal }: OrderRecord): void {
    if (filled === 0n) return;
    for (const closing of this.closings.values()) {
      const leg = closing.legs.find((one) => one.intentId === intentId);
      if (leg === undefined) continue;
      const traded = addUnits(leg.traded, filled);
      this.change(closing, leg, { traded, total: addUnits(leg.total, filledTotal) });
    }
  }

  private onAlgorithmEnd(intentId: string, reason: Sentence): void {
    for (const closing of this.closings.values()) {
      const leg = closing.legs.find((one) => one.intentId === intentId);
      if (leg !== undefined && closing.end === null) this.change(closing, leg, { end: reason });
    }
    // `pump` may already have run in this step, so the next one is due at once.
    this.dueAtMs = this.options.outbox.nowMs + 1;
  }

  private change(closing: Closing, leg: ClosingLeg, news: Partial<ClosingLeg>): void {
    const { key } = closing;
    const now = this.closings.get(key) ?? closing;
    const legs = now.legs.map((one) => (one.asset === leg.asset ? { ...one, ...news } : one));
    this.put({ ...now, legs });
  }

  /** Ends a closing and writes its result. `why`: the reason it could not finish; null if it did. */
  private finish({ key }: Closing, why: Sentence | null): void {
    const closing = this.closings.get(key);
    const instance = closing === undefined ? undefined : this.options.instanceOf(closing.strategy);
    if (closing === undefined || instance === undefined) return;
    this.atWork.delete(key);
    const { markets } = this.options;
    const legs = closing.legs.map((leg) =>
      outcomeOfLeg(leg, { left: instance.held(leg.asset), why, markets }),
    );
    const bare = this.options
      .leftBehind()
      .unprotected.filter(
        ({ strategy, asset }) => strategy === instance.name && this.coinsOf(closing.legs).has(asset),
      );
    const isRunning = instance.status === 'running' && !instance.isPausedByHand;
    const parts = [
      ...(legs.length === 0 ? [sentence('close-nothing')] : legs.map(({ text }) => text)),
      ...bare.map(({ asset, unprotected }) =>
        sentence('close-uncovered', { amount: `${formatUnits(unprotected)} ${asset.toUpperCase()}` }),
      ),
      ...(isRunning ? [tradesOn([instance.name])] : []),
    ];
    this.put({ ...closing, end: { ok: legs.every(({ ok }) => ok), message: joinSentences('both', parts) } });
  }

  private put(closing: Closing): void {
    this.closings.set(closing.key, closing);
    if (closing.end !== null) {
      const { key, strategy, end } = closing;
      this.options.outbox.journal('control', 'close result', { key, strategy, ...end });
      const oldest = this.closings.values().find((one) => one.end !== null);
      if (this.closings.size > MOST_ENDED + MOST_CLOSINGS && oldest !== undefined)
        this.closings.delete(oldest.key);
    }
    this.options.onChange();
  }
}

/** Result of closing one coin of a position. */
interface LegOutcome {
  /** True if nothing is left except an amount too small for an order. */
  readonly ok: boolean;
  readonly text: Sentence;
}

/**
 * Returns a coin's result. `left`: amount held, negative if owed. `why`: what stopped the closing, or null.
 */
function outcomeOfLeg(
  leg: ClosingLeg,
  of: { readonly left: Units; readonly why: Sentence | null; readonly markets: MarketDataCache },
): LegOutcome {
  const { left, why, markets } = of;
  const market = markets.get(leg.market)?.market;
  const price = markets.priceOf(leg.market);
  const coin = leg.asset.toUpperCase();
  const done = leg.traded === 0n ? [] : [tradedText(leg, market?.priceStep ?? null)];
  if (left === 0n)
    return { ok: true, text: joinSentences('listed', [...done, sentence('close-none-left', { coin })]) };
  const size = left < 0n ? ((0n - left) as Units) : left;
  const isDust = market !== undefined && price !== null && !canBeOrdered(market, { amount: size, price });
  const because = isDust ? sentence('close-dust') : (why ?? leg.end ?? sentence('close-unsold'));
  const rest = { amount: `${formatUnits(size)} ${coin}`, reason: because };
  const restText = sentence(left < 0n ? 'close-owed' : 'close-left', rest);
  return { ok: isDust, text: joinSentences('listed', [...done, restText]) };
}

function tradedText({ held, traded, total, market, asset }: ClosingLeg, priceStep: Units | null): Sentence {
  const exact = divideHalfEven(total * UNITS_PER_ONE, traded) as Units;
  const price = priceStep === null ? exact : onPriceGrid(exact, priceStep);
  const amount = `${formatUnits(traded)} ${asset.toUpperCase()}`;
  return sentence(held < 0n ? 'close-bought' : 'close-sold', { amount, market, price: formatUnits(price) });
}

type ClosingLegsOptions = Pick<CloseByHandOptions, 'orderManager' | 'algorithms' | 'markets'>;

/**
 * Returns the coins to close: that of `market`, or, if null, each that the strategy holds, owes or works in.
 * Each is closed in the strategy's own market, or in the first of its markets that trades the coin.
 */
function closingLegs(
  instance: StrategyInstance,
  market: string | null,
  options: ClosingLegsOptions,
): ClosingLeg[] {
  const { marketNames, runner, markets } = instance;
  const known = [runner.market, ...markets].filter((name) => options.markets.get(name) !== undefined);
  const byCoin = new Map<string, string>();
  for (const name of market === null ? known : [market]) {
    const { base } = marketNames.parseMarket(name);
    if (!byCoin.has(base)) byCoin.set(base, name);
  }
  return [...byCoin]
    .map(([asset, name]) => ({
      asset,
      market: name,
      held: instance.held(asset),
      intentId: null,
      end: null,
      traded: NO_UNITS,
      total: NO_UNITS,
    }))
    .filter(({ asset, held }) => market !== null || held !== 0n || isBusy(instance, asset, options))
    .toSorted((left, right) => rankOf(instance, left) - rankOf(instance, right));
}

function isBusy(
  instance: StrategyInstance,
  asset: string,
  { orderManager, algorithms }: ClosingLegsOptions,
): boolean {
  const isOf = (market: string): boolean => instance.marketNames.parseMarket(market).base === asset;
  return (
    orderManager.blotter.table.unfinished(instance.name).some(({ market }) => isOf(market)) ||
    instance.markets.some((market) => isOf(market) && algorithms.isAtWorkIn(instance, market))
  );
}

/** Ranks a coin: 1 if others of the strategy are sold for it, so that it is closed after them; else 0. */
function rankOf({ quotes }: StrategyInstance, { asset }: ClosingLeg): number {
  for (const quote of quotes) if (quote === asset) return 1;
  return 0;
}
