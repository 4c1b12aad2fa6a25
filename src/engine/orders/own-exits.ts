import { EnginePart } from '../engine-settings.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units, unitsOf } from '../../domain/money.ts';
import { createLeaving, leftBracket, type Leaving, followsCloses } from '../bracket.ts';
import { canBeOrdered, onAmountGrid } from '../algorithms/requested-units.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import type { OrderTable } from './order-table.ts';
import { openRest } from '../live-exposure.ts';
import type { AlgorithmWork } from '../algorithms/algorithm-work.ts';
import type { CancelManager } from './cancel-manager.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import { present } from '../../domain/errors.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { PortfolioSnapshot } from '../algorithms/algorithm-step.ts';
import type { Reservations } from '../risk/reservations.ts';
import type { Sentence } from '../../language/sentence.ts';
import type { Timeframe } from '../../domain/candle.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';

interface OwnExitsOptions {
  /** Running algorithms by intent id, oldest first. */
  readonly works: ReadonlyMap<string, AlgorithmWork>;
  readonly table: OrderTable;
  readonly cancels: CancelManager;
  readonly markets: MarketDataCache;
  /** Starts an algorithm that sells coins which no bracket holds. */
  readonly begin: (
    instance: StrategyInstance,
    intentId: string | null,
    of: { readonly market: string; readonly algorithm: AlgorithmWork['algorithm'] },
  ) => void;
  /** Replaces the algorithm of a running work. */
  readonly change: (work: AlgorithmWork, algorithm: AlgorithmWork['algorithm']) => void;
}

/** A sale that a strategy requests of coins that its exits may hold. */
interface WantedSale {
  readonly market: string;
  /** Units of the coin; null for all that the strategy holds, including what its orders hold. */
  readonly amount: Units | null;
  /** Limit price; null for a sale at the market. */
  readonly price: Units | null;
  readonly why: Sentence;
  readonly tag: string | null;
  /** Intent that requests the sale; null if it gets a new intent. */
  readonly intentId: string | null;
}

/**
 * Coins that are held by a strategy's own exits, and their sale if the strategy decides so. A bracket sells
 * in place of its exit, and continues if that fails. Stop orders and pairs without an algorithm, and orders
 * in cancellation, are canceled first; then what they held is sold once.
 */
export class OwnExits extends EnginePart<OwnExitsOptions> {
  /** Returns the amount of a coin that the strategy's exits hold. */
  heldOf(instance: StrategyInstance, base: string): Units {
    if (this.options.table.live.length === 0 && this.options.works.size === 0) return NO_UNITS;
    const brackets = this.bracketsOf(instance, base);
    const held = brackets.reduce((sum, work) => addUnits(sum, work.held), NO_UNITS);
    const plain = sumOf(this.protectiveOf(instance, base));
    const planned = plannedOf(brackets);
    return addUnits(held, plain > planned ? plain : planned);
  }

  /** True if the strategy has a running bracket in a coin. */
  hasBracket(instance: StrategyInstance, base: string): boolean {
    return this.bracketsOf(instance, base).length > 0;
  }

  /** Returns the strategy's unfinished orders in a coin that belong to no bracket. */
  othersOf(instance: StrategyInstance, base: string): readonly OrderRecord[] {
    const { table, works } = this.options;
    return table
      .unfinished(instance.name)
      .filter(
        ({ market, intentId }) =>
          instance.marketNames.parseMarket(market).base === base &&
          works.get(intentId)?.algorithm.kind !== 'bracket',
      );
  }

  /** Returns the amount of a coin that neither a live order nor a bracket of the strategy holds. */
  looseOf(instance: StrategyInstance, base: string): Units {
    const held = this.bracketsOf(instance, base).reduce((sum, work) => addUnits(sum, work.held), NO_UNITS);
    const sales = this.othersOf(instance, base).filter(({ side }) => side === 'sell');
    return subtractUnits(subtractUnits(instance.position(base), held), sumOf(sales));
  }

  /**
   * Makes the exits sell an amount. `free` is what no exit holds: it is sold together with the amount if
   * orders have to be canceled first. Returns the part of `free` that is left for a separate order; null,
   * without any change, if the exits hold too little. `isTotal`: the amount includes what they sell already.
   */
  sell(
    instance: StrategyInstance,
    sale: WantedSale & { readonly amount: Units },
    of: { readonly free: Units; readonly isTotal: boolean },
  ): Units | null {
    const state = this.options.markets.get(sale.market);
    if (state === undefined) return null;
    const { base } = state.market;
    const brackets = this.bracketsOf(instance, base).toReversed();
    const plain = this.protectiveOf(instance, base);
    const leaving = brackets.reduce((sum, work) => addUnits(sum, leavingOf(work)), NO_UNITS);
    let needed = of.isTotal ? subtractUnits(sale.amount, leaving) : sale.amount;
    if (of.isTotal && needed >= 0n) for (const work of brackets) this.moveSale(work, sale);
    if (needed <= 0n) return of.free;
    const room = brackets.reduce((sum, work) => addUnits(sum, roomOf(work)), NO_UNITS);
    const inPlain = subtractUnits(sumOf(plain), plannedOf(brackets));
    if (needed > addUnits(room, inPlain)) return null;
    for (const work of brackets) {
      const amount = min(roomOf(work), needed);
      if (amount <= 0n) continue;
      this.leave(work, sale, amount);
      needed = subtractUnits(needed, amount);
    }
    if (needed <= 0n) return of.free;
    const awaited: OrderRecord[] = [];
    for (const order of plain.toReversed()) {
      if (sumOf(awaited) >= addUnits(needed, plannedOf(brackets))) break;
      awaited.push(order);
    }
    this.begin(instance, { ...sale, amount: addUnits(needed, of.free) }, awaited);
    return NO_UNITS;
  }

  /** Sells all that a strategy holds of a market's coin. `others`: orders there that are canceled first. */
  leaveAll(instance: StrategyInstance, sale: WantedSale, others: readonly OrderRecord[]): void {
    const state = this.options.markets.get(sale.market);
    if (state === undefined) return;
    const { market } = state;
    const brackets = this.bracketsOf(instance, market.base);
    for (const work of brackets) this.leave(work, sale, null);
    const isInProgress = brackets.some(({ algorithm }) => isPlanned(algorithm));
    const loose = onAmountGrid(market, max(this.looseOf(instance, market.base)));
    if (isInProgress || (others.length === 0 && loose === 0n)) return;
    const price = sale.price ?? this.options.markets.priceOf(market.symbol);
    if (others.length === 0 && price !== null && !canBeOrdered(market, { amount: loose, price })) return;
    this.begin(instance, sale, others);
  }

  private begin(
    instance: StrategyInstance,
    { market, price, why, amount, tag, intentId }: WantedSale,
    orders: readonly OrderRecord[],
  ): void {
    const leaving: Leaving = { exit: 'decision', why, price, amount, tag };
    // Only the first leg of a pair is awaited: the legs end together.
    const keys = orders.map(({ key }) => key);
    const awaited = orders.flatMap(({ key, pairKey }, index) =>
      pairKey !== null && keys.indexOf(pairKey) !== -1 && keys.indexOf(pairKey) < index ? [] : [key],
    );
    this.options.begin(instance, intentId, { market, algorithm: createLeaving({ leaving, awaited }) });
  }

  /**
   * Makes a bracket sell. If it is in another market than the sale, it sells at the market there: the sale's
   * price does not count.
   */
  private leave(work: AlgorithmWork, sale: WantedSale, amount: Units | null): void {
    const { algorithm } = work;
    if (algorithm.kind !== 'bracket') return;
    if (isLeavingAll(work)) {
      this.moveSale(work, sale);
      return;
    }
    const { why, tag } = sale;
    const price = work.market === sale.market ? sale.price : null;
    const state = this.options.markets.get(work.market);
    const rest = amount === null ? NO_UNITS : subtractUnits(roomOf(work), amount);
    const best = price ?? this.options.markets.priceOf(work.market);
    // If the rest is too small for an exit of its own, all is sold.
    const isAll =
      amount === null ||
      (state !== undefined && best !== null && !canBeOrdered(state.market, { amount: rest, price: best }));
    const part = isAll ? null : amount;
    this.options.change(work, leftBracket(algorithm, { exit: 'decision', why, price, amount: part, tag }));
  }

  /**
   * Moves a running sale to the price of the newest decision. A sale at the market stays one, and a price
   * does not count in other markets.
   */
  private moveSale(work: AlgorithmWork, { market, price, why, tag }: WantedSale): void {
    const { algorithm } = work;
    if (algorithm.kind !== 'bracket' || algorithm.leaving === null) return;
    const { leaving } = algorithm;
    if (leaving.price === null || leaving.price === price) return;
    if (price !== null && work.market !== market) return;
    this.options.change(work, { ...algorithm, leaving: { ...leaving, price, why, tag } });
  }

  private bracketsOf(instance: StrategyInstance, base: string): readonly AlgorithmWork[] {
    return [...this.options.works.values()].filter(
      (work) => work.instance === instance && work.base === base && work.algorithm.kind === 'bracket',
    );
  }

  /** Returns sales of a coin that belong to no algorithm: protective orders, and orders in cancellation. */
  private protectiveOf(instance: StrategyInstance, base: string): readonly OrderRecord[] {
    const { table, works, cancels } = this.options;
    return table.unfinished(instance.name).filter((order) => {
      const { side, market, intentId, stopPrice, pairKey, key } = order;
      if (side !== 'sell' || instance.marketNames.parseMarket(market).base !== base) return false;
      if (works.has(intentId) || !mayTrade(order)) return false;
      return stopPrice !== null || pairKey !== null || cancels.wantsEndOf(key);
    });
  }
}

/** Returns the total amount that orders may still trade; the legs of a pair count once. */
function sumOf(orders: readonly OrderRecord[]): Units {
  const rests = new Map<string, Units>();
  for (const order of orders) {
    const { key, pairKey } = order;
    const name = pairKey !== null && pairKey < key ? pairKey : key;
    const rest = openRest(order);
    if (rest > (rests.get(name) ?? 0n)) rests.set(name, rest);
  }
  return [...rests.values()].reduce(addUnits, NO_UNITS);
}

/**
 * Returns the amount that an algorithm still has to sell by its strategy's decision: all that it holds if the
 * sale names no amount.
 */
function leavingOf(work: AlgorithmWork): Units {
  const { algorithm } = work;
  if (algorithm.kind !== 'bracket' || algorithm.leaving === null) return NO_UNITS;
  return algorithm.leaving.amount ?? work.held;
}

/** Returns the amount of the sales that still wait for the end of other orders. */
function plannedOf(works: readonly AlgorithmWork[]): Units {
  return works.reduce(
    (sum, work) => (isPlanned(work.algorithm) ? addUnits(sum, leavingOf(work)) : sum),
    NO_UNITS,
  );
}

function isPlanned(algorithm: AlgorithmWork['algorithm']): boolean {
  return algorithm.kind === 'bracket' && algorithm.entry === 'planned' && algorithm.terms.entry === null;
}

function isLeavingAll({ algorithm }: AlgorithmWork): boolean {
  return algorithm.kind === 'bracket' && algorithm.leaving !== null && algorithm.leaving.amount === null;
}

/** Returns the amount that a bracket holds and is not selling yet. */
function roomOf(work: AlgorithmWork): Units {
  if (isLeavingAll(work) || isPlanned(work.algorithm)) return NO_UNITS;
  return max(subtractUnits(work.held, leavingOf(work)));
}

const min = (left: Units, right: Units): Units => (left < right ? left : right);
const max = (units: Units): Units => (units > 0n ? units : NO_UNITS);

/** Returns the view of an algorithm on its markets and on the money it may spend. */
export function portfolioSnapshot(
  { instance, intentId }: { readonly instance: StrategyInstance; readonly intentId: string },
  of: {
    readonly markets: MarketDataCache;
    readonly reservations: Reservations;
    readonly quote: Currency;
    readonly exits: OwnExits;
  },
): PortfolioSnapshot {
  const { markets, reservations, quote, exits } = of;
  return {
    of: (symbol) => {
      const { market } = present(markets.get(symbol), () => `the market ${symbol} of a portfolio`);
      const { base } = market;
      const inExits = exits.heldOf(instance, base);
      return { market, book: markets.seenBook(symbol), position: instance.position(base), inExits };
    },
    spendable: () => reservations.spendable(instance, quote, intentId),
  };
}

/** The brackets among the running algorithms: what they hold, sell and follow. */
export class BracketsAtWork {
  private readonly works: ReadonlyMap<string, AlgorithmWork>;

  /** `works`: running algorithms by the ids of their intents, oldest first. */
  constructor(works: ReadonlyMap<string, AlgorithmWork>) {
    this.works = works;
  }

  /** True if an order is the sale of a bracket. */
  isExit({ intentId, side }: OrderRecord): boolean {
    return side === 'sell' && this.works.get(intentId)?.algorithm.kind === 'bracket';
  }

  /** Adds a closed bar to the brackets whose strategy got it, and calls `poke` with each of them. */
  applyClose(
    { market, timeframe, closeTimeMs, high, close }: ClosedCandle,
    poke: (work: AlgorithmWork) => void,
  ): void {
    for (const work of this.works.values()) {
      if (work.market !== market || work.algorithm.kind !== 'bracket') continue;
      if (work.instance.firstTimeframeOf(market) !== timeframe) continue;
      work.noteClose({ price: unitsOf(close), high: unitsOf(high), atMs: closeTimeMs });
      poke(work);
    }
  }

  /**
   * Returns the oldest time from which brackets need the closes of a market's bars of this length: the last
   * close that each has applied, or the start of its position. Null if none needs any.
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

  /** Returns the number of a strategy's stops that follow the price. */
  trailsOf(instance: StrategyInstance): number {
    let trails = 0;
    for (const { instance: owner, algorithm } of this.works.values())
      if (owner === instance && algorithm.kind === 'bracket' && algorithm.terms.trail !== null) trails += 1;
    return trails;
  }

  /** Returns the amount of a coin that a strategy's brackets hold; nothing else may protect the same. */
  heldOf(instance: StrategyInstance, base: string): Units {
    let held = NO_UNITS;
    for (const work of this.works.values())
      if (work.instance === instance && work.base === base) held = addUnits(held, work.held);
    return held;
  }

  /**
   * Returns the amount of a bracket's coin that older brackets of the same strategy hold; it is not available
   * to this one.
   */
  heldBefore(work: AlgorithmWork): Units {
    let held = NO_UNITS;
    if (work.algorithm.kind !== 'bracket') return held;
    for (const other of this.works.values()) {
      if (other === work) break;
      if (other.instance === work.instance && other.base === work.base) held = addUnits(held, other.held);
    }
    return held;
  }
}
