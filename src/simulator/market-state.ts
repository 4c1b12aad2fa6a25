import type { BarAnchors } from '../domain/bar-grid.ts';
import { SarrafError } from '../domain/errors.ts';
import { createMarket, type Market } from '../domain/market.ts';
import { formatUnits } from '../domain/money.ts';
import type { HouseAccount } from './accounts.ts';
import { BoundedList } from './bounded-list.ts';
import { MatchingBook } from './matching/matching-book.ts';
import type { SimulatedOrder } from './order.ts';
import type { Trade } from './trade.ts';
import { CandleStore } from './candle-series.ts';

/** Public trades kept a market; the endpoint shows fewer. */
const TAPE_KEPT = 1_000;

/**
 * One market of the exchange.
 *
 * `rules` is what the public sees: steps and minimum value, which may change while orders rest. `grid` is
 * what the book counts in: the finest grid the market ever had. A change of steps to a coarser grid leaves
 * the grid alone (resting orders keep their prices); a finer one rescales everything once. So a number of the
 * book never needs to be asked which version it was made under.
 */
export class MarketState {
  rules: Market;
  grid: Market;
  readonly baseName: string;
  readonly quoteName: string;
  readonly baseHouse: Record<HouseAccount, bigint>;
  readonly quoteHouse: Record<HouseAccount, bigint>;
  readonly book = new MatchingBook<SimulatedOrder>();
  readonly stops = new StopBook();
  /** Accepted, not yet in the book (`New`). */
  readonly waiting = new Set<SimulatedOrder>();
  readonly candles: CandleStore;
  /** The newest public trades, oldest first. */
  readonly tape = new BoundedList<Trade>(TAPE_KEPT);
  /** Price of the last trade, or the configured one before the first; in steps of the grid. */
  lastPrice: number;
  /** Time at which an order last entered the book, left it or traded in it; null before the first of them. */
  bookChangedAtMs: number | null = null;
  /** Set by a trade, taken back when the stops have been looked at. */
  hasMoved = false;
  isClosed = false;
  closedReason: string | null = null;

  constructor(options: {
    readonly market: Market;
    readonly lastPrice: number;
    readonly baseName: string;
    readonly quoteName: string;
    readonly baseHouse: Record<HouseAccount, bigint>;
    readonly quoteHouse: Record<HouseAccount, bigint>;
    /** Starts of its bars; see `CandleStore`. */
    readonly barAnchors?: BarAnchors | undefined;
  }) {
    this.candles = new CandleStore(options.barAnchors);
    this.rules = options.market;
    this.grid = options.market;
    this.lastPrice = options.lastPrice;
    this.baseName = options.baseName;
    this.quoteName = options.quoteName;
    this.baseHouse = options.baseHouse;
    this.quoteHouse = options.quoteHouse;
  }

  /** Number of grid steps in one public price step. */
  get priceFactor(): number {
    return this.rules === this.grid ? 1 : Number(this.rules.priceStep / this.grid.priceStep);
  }

  /** Number of grid steps in one public amount step. */
  get amountFactor(): number {
    return this.rules === this.grid ? 1 : Number(this.rules.amountStep / this.grid.amountStep);
  }

  /**
   * Changes steps or minimum value from now on. Orders that rest keep their prices and amounts. Throws
   * `TOO_LARGE` when the market's prices and amounts would be more than 2^53 of the new steps; nothing has
   * changed then.
   */
  changeRules(change: {
    readonly priceStep?: string;
    readonly amountStep?: string;
    readonly minOrderValue?: string;
  }): void {
    const { rules } = this;
    const next = createMarket({
      market: rules,
      priceStep: change.priceStep ?? formatUnits(rules.priceStep),
      amountStep: change.amountStep ?? formatUnits(rules.amountStep),
      minOrderValue: change.minOrderValue ?? formatUnits(rules.minOrderValue),
      version: rules.version + 1,
    });
    const priceStep = greatestCommonDivisor(this.grid.priceStep, next.priceStep);
    const amountStep = greatestCommonDivisor(this.grid.amountStep, next.amountStep);
    if (priceStep !== this.grid.priceStep || amountStep !== this.grid.amountStep)
      this.refine(priceStep, amountStep);
    this.rules = next;
  }

  private refine(priceStep: bigint, amountStep: bigint): void {
    const priceFactor = Number(this.grid.priceStep / priceStep);
    const amountFactor = Number(this.grid.amountStep / amountStep);
    const resting = [...this.book.buys.orders(), ...this.book.sells.orders()] as SimulatedOrder[];
    const open = [...resting, ...this.stops.all(), ...this.waiting];
    const prices = open.flatMap(({ price, registeredPrice, stopPrice }) => [
      price,
      registeredPrice,
      stopPrice,
    ]);
    const highest = Math.max(this.lastPrice, ...this.candles.highs(), ...prices) * priceFactor;
    const largest = Math.max(1, ...open.map(({ amount }) => amount)) * amountFactor;
    if (!Number.isSafeInteger(highest) || !Number.isSafeInteger(largest)) {
      throw new SarrafError(
        'TOO_LARGE',
        `expected steps that the prices and amounts of ${this.rules.symbol} are at most 2^53 of, was ${Math.max(highest, largest)}`,
      );
    }
    this.grid = createMarket({
      market: this.rules,
      priceStep: formatUnits(priceStep),
      amountStep: formatUnits(amountStep),
      version: this.rules.version,
    });
    for (const order of resting) this.book.remove(order);
    for (const order of open) rescaleOrder(order, { grid: this.grid, priceFactor, amountFactor });
    for (const order of resting) this.book.add(order);
    this.candles.rescale(priceFactor, amountFactor);
    this.lastPrice *= priceFactor;
  }
}

/** Re-expresses an order on a finer grid; its meaning stays the same. */
export function rescaleOrder(
  order: SimulatedOrder,
  to: { readonly grid: Market; readonly priceFactor: number; readonly amountFactor: number },
): void {
  order.grid = to.grid;
  order.price *= to.priceFactor;
  order.registeredPrice *= to.priceFactor;
  order.stopPrice *= to.priceFactor;
  order.amount *= to.amountFactor;
  order.remaining *= to.amountFactor;
  order.filledSteps *= BigInt(to.priceFactor) * BigInt(to.amountFactor);
  order.versions =
    order.versions?.map((version) => ({ ...version, matched: version.matched * to.amountFactor })) ?? null;
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [larger, smaller] = [left, right];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/**
 * The stop orders of a market that wait for their price. A buy wakes when the last price is at its stop or
 * above, a sell when it is at its stop or below; several wake in the order of their distance, then of their
 * ids.
 */
class StopBook {
  /** Highest stop first: the next to wake on a rise is last. */
  private readonly buys: SimulatedOrder[] = [];
  /** Lowest stop first: the next to wake on a fall is last. */
  private readonly sells: SimulatedOrder[] = [];

  get size(): number {
    return this.buys.length + this.sells.length;
  }

  add(order: SimulatedOrder): void {
    const list = this.listOf(order);
    const index = list.findIndex((other) => wakesBefore(other, order));
    if (index === -1) list.push(order);
    else list.splice(index, 0, order);
  }

  remove(order: SimulatedOrder): void {
    const list = this.listOf(order);
    const index = list.indexOf(order);
    if (index !== -1) list.splice(index, 1);
  }

  /** Takes out the next order that `lastPrice` wakes. */
  takeWoken(lastPrice: number): SimulatedOrder | undefined {
    const buy = this.buys[this.buys.length - 1];
    if (buy !== undefined && lastPrice >= buy.stopPrice) return this.buys.pop();
    const sell = this.sells[this.sells.length - 1];
    if (sell !== undefined && lastPrice <= sell.stopPrice) return this.sells.pop();
    return undefined;
  }

  all(): readonly SimulatedOrder[] {
    return [...this.buys, ...this.sells];
  }

  private listOf(order: SimulatedOrder): SimulatedOrder[] {
    return order.side === 'buy' ? this.buys : this.sells;
  }
}

/** True if `one` wakes before `other`, both of the same side. */
function wakesBefore(one: SimulatedOrder, other: SimulatedOrder): boolean {
  if (one.stopPrice !== other.stopPrice) {
    return one.side === 'buy' ? one.stopPrice < other.stopPrice : one.stopPrice > other.stopPrice;
  }
  return one.id < other.id;
}
