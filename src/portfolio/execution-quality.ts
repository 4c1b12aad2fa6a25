import { firstIndex } from '../domain/candle-columns.ts';
import { present } from '../domain/errors.ts';
import { divideHalfEven, formatUnits, midOfUnits, NO_UNITS, type Units } from '../domain/money.ts';
import type { ExitKind, Side } from '../domain/order.ts';
import type { FeeOfFill, FillRecord } from '../records/fill.ts';
import { isFinal, type OrderRecord, type PricedOrder } from '../records/order.ts';
import { isUnvalued, valueAt } from './round-trips.ts';

/**
 * Way in which an order meets the market. `taker` and `maker` are limit orders that did, or did not, cross
 * the book when they were planned; `limit` is one without a known book. An exit of a bracket has its own.
 */
type OrderKind = 'market' | 'taker' | 'maker' | 'limit' | 'stop' | ExitKind;

/**
 * Cost of one order against the price that was known at its plan. Money is in the quote currency; a cost is
 * positive, a gain negative. Null where the prices that it needs are not known.
 */
export interface OrderQuality {
  readonly order: OrderRecord;
  readonly kind: OrderKind;
  /** Price that the order is measured against: the middle of the book at its plan, or its own stop price. */
  readonly arrival: Units | null;
  /** Amount that it was to trade: of an OCO without what the other leg traded. */
  readonly wanted: Units;
  /** Value of its fills beyond that of the same amount at the arrival price. */
  readonly slippage: Units | null;
  /** Its fees; those in the coin at the average price of its fills. Null if one had no price. */
  readonly fees: Units | null;
  /** Change of the price, against the order, of the part that did not trade, until the order closed. */
  readonly unfilledCost: Units | null;
  /** Implementation shortfall: slippage, fees and the cost of the unfilled part. */
  readonly shortfall: Units | null;
  /** Known facts of the queue in which it rested; null for an order that did not rest. */
  readonly queue: QueueFacts | null;
  /** Times from its plan to its first fill, and to the last fill of a filled order. */
  readonly firstFillMs: number | null;
  readonly completionMs: number | null;
}

/** Amounts of a queue at a price, in the coin; null where it is not known. */
export interface QueueFacts {
  /** Amount that stood before the order when it was planned: at better prices, and at its own. */
  readonly ahead: Units | null;
  /** Amount of all trades at its price or beyond it while it rested, its own among them. */
  readonly traded: Units | null;
}

/** Time and fee of a fill, and the order that it is of. */
export interface MeasuredFill extends FeeOfFill, Pick<FillRecord, 'orderKey' | 'atMs'> {}

export interface QualityInput {
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly MeasuredFill[];
  /** Price of a market at a time, as far as it was known by then; null if it was not. */
  readonly priceAt: (market: string, atMs: number) => Units | null;
  /** Known facts of the queue of an order that rested until a time. */
  readonly queueOf: (order: PricedOrder, untilMs: number) => QueueFacts;
}

/**
 * Measures the orders that were sent and are final; those that still stand have no outcome. The two legs of
 * an OCO share one amount: what one trades is not missing in the other, and what neither trades is the limit
 * leg's. A leg or a stop that had nothing to trade, since its price never came, is left out.
 *
 * Source: A. Perold, "The Implementation Shortfall: Paper versus Reality", 1988.
 */
export function orderQualities({ orders, fills, ...by }: QualityInput): readonly OrderQuality[] {
  const byKey = new Map(orders.map((order) => [order.key, order]));
  const fillsOf = Map.groupBy(fills, ({ orderKey }) => orderKey);
  return orders.flatMap((order) => {
    if (!isFinal(order) || order.sentAtMs === null) return [];
    const pair = order.pairKey === null ? undefined : byKey.get(order.pairKey);
    const wanted = wantedOf(order, pair);
    if (wanted === 0n) return [];
    return [measured(order, { wanted, fills: fillsOf.get(order.key) ?? [], ...by })];
  });
}

function wantedOf(order: OrderRecord, pair: OrderRecord | undefined): Units {
  const isStop = order.stopPrice !== null;
  // A stop that has traded a part was triggered: its rest is missing too.
  if (isStop && (order.filled === 0n || pair !== undefined)) return order.filled;
  const left = order.amount - (pair?.filled ?? 0n);
  return (left > order.filled ? left : order.filled) as Units;
}

function measured(
  order: OrderRecord,
  of: Pick<QualityInput, 'priceAt' | 'queueOf'> & {
    readonly wanted: Units;
    readonly fills: readonly MeasuredFill[];
  },
): OrderQuality {
  const { market, side, filled, filledTotal, plannedAtMs, closedAtMs, state } = order;
  const { wanted, fills, priceAt, queueOf } = of;
  const times = fills.map(({ atMs }) => Math.max(0, atMs - plannedAtMs));
  const completionMs = times.length === 0 || state !== 'filled' ? null : Math.max(...times);
  // The bot learns later that an order has filled.
  const untilMs = completionMs === null ? (closedAtMs ?? plannedAtMs) : plannedAtMs + completionMs;
  const arrival = arrivalOf(order);
  const costOf = (value: bigint, atArrival: bigint): Units =>
    (side === 'buy' ? value - atArrival : atArrival - value) as Units;
  const fees = feesOf(order, fills);
  const slippage = arrival === null ? null : costOf(filledTotal, valueAt(arrival, filled));
  const unfilled = wanted - filled;
  const end = unfilled === 0n ? arrival : priceAt(market, closedAtMs ?? plannedAtMs);
  const unfilledCost =
    arrival === null || end === null ? null : costOf(valueAt(end, unfilled), valueAt(arrival, unfilled));
  return {
    order,
    kind: kindOf(order),
    arrival,
    wanted,
    slippage,
    fees,
    unfilledCost,
    shortfall:
      slippage === null || fees === null || unfilledCost === null
        ? null
        : ((slippage + fees + unfilledCost) as Units),
    firstFillMs: times.length === 0 ? null : Math.min(...times),
    completionMs,
    queue: rests(order) ? plausibleQueue(queueOf(order, untilMs), filled) : null,
  };
}

/** Returns the price that a stop decides by, of any other order the middle of the book at its plan. */
function arrivalOf({ stopPrice, arrivalBid, arrivalAsk }: OrderRecord): Units | null {
  if (stopPrice !== null) return stopPrice;
  return arrivalBid === null || arrivalAsk === null ? null : midOfUnits(arrivalBid, arrivalAsk);
}

/** Returns the fees of an order, of which it has those in the currency received, and its fills the others. */
function feesOf(
  { side, fee, filled, filledTotal }: OrderRecord,
  fills: readonly MeasuredFill[],
): Units | null {
  let sum: bigint = side === 'sell' || filled === 0n ? fee : divideHalfEven(fee * filledTotal, filled);
  for (const fill of fills) {
    if (isUnvalued(fill)) return null;
    sum += fill.feeValue ?? 0n;
  }
  return sum as Units;
}

function kindOf(order: OrderRecord): OrderKind {
  const { exit, execution, side, price, arrivalBid, arrivalAsk } = order;
  if (exit !== null) return exit;
  if (execution === 'market') return 'market';
  if (execution !== 'limit') return 'stop';
  if (rests(order)) return 'maker';
  return price === null || (side === 'buy' ? arrivalAsk : arrivalBid) === null ? 'limit' : 'taker';
}

/** True for a limit order that did not cross the book at its plan. */
function rests(order: OrderRecord): order is PricedOrder {
  const { execution, side, price, arrivalBid, arrivalAsk } = order;
  const best = side === 'buy' ? arrivalAsk : arrivalBid;
  if (execution !== 'limit' || price === null || best === null) return false;
  return side === 'buy' ? price < best : price > best;
}

/** Forgets a volume that is less than what the order traded of it: trades of others are missing too. */
const plausibleQueue = ({ ahead, traded }: QueueFacts, filled: Units): QueueFacts => ({
  ahead,
  traded: traded === null || traded < filled ? null : traded,
});

/** Public trade; its side is that of the taker. */
export interface TakerTrade extends Pick<FillRecord, 'atMs' | 'price' | 'amount' | 'side'> {}

export interface MissingSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Public trades of a market, oldest first, and the times in which some may be missing. */
export interface TradeTape {
  readonly trades: readonly TakerTrade[];
  readonly missing: readonly MissingSpan[];
}

/**
 * Returns the amount that takers of the other side traded at a price or beyond it. Null if trades may be
 * missing in that time, or before the first or after the last trade that is known.
 */
export function tradedIn(
  { trades, missing }: TradeTape,
  { side, price, fromMs, toMs }: MissingSpan & { readonly side: Side; readonly price: Units },
): Units | null {
  const [first, last] = [trades[0], trades.at(-1)];
  if (first === undefined || last === undefined || first.atMs > fromMs || last.atMs < toMs) return null;
  if (missing.some((span) => span.fromMs <= toMs && span.toMs >= fromMs)) return null;
  const begin = firstIndex(trades.length, (index) => (trades[index]?.atMs ?? 0) >= fromMs);
  let traded = 0n;
  for (let index = begin; index < trades.length; index += 1) {
    const trade = present(trades[index], 'a trade of the tape');
    if (trade.atMs > toMs) break;
    const isThere = side === 'buy' ? trade.price <= price : trade.price >= price;
    if (isThere && trade.side !== side) traded += trade.amount;
  }
  return traded as Units;
}

/** Orders with something in common, in one quote currency. A sum is over the orders that have the figure. */
export interface QualityGroup {
  readonly key: string;
  readonly currency: string;
  readonly orders: number;
  /** Orders of whose fees one had no price. */
  readonly unvaluedFees: number;
  /** Orders with a known arrival price, and those whose shortfall is known too. */
  readonly priced: number;
  readonly valued: number;
  /** Mean share of its amount that an order traded. */
  readonly filledShare: number;
  /** Value of all fills. */
  readonly traded: Units;
  readonly slippage: Units;
  readonly fees: Units;
  readonly unfilledCost: Units;
  readonly shortfall: Units;
  /** Slippage by the value of what was filled, and shortfall by that of what was wanted; null without any. */
  readonly slippageBps: number | null;
  readonly shortfallBps: number | null;
  /** Medians; null if no order has one. */
  readonly firstFillMs: number | null;
  readonly completionMs: number | null;
  /** Orders that rested, those with a known place in the queue, and those with a known volume. */
  readonly rested: number;
  readonly placed: number;
  readonly shared: number;
  /** Median amount before an order, as a multiple of its own; null if no order has one. */
  readonly ahead: number | null;
  /** Share of the volume at their prices that the orders traded, by value; null without any volume. */
  readonly queueShare: number | null;
}

/** Groups orders by a key and their quote currency, in the order in which these first occur. */
export function groupQualities(
  qualities: readonly OrderQuality[],
  of: {
    readonly keyOf: (quality: OrderQuality) => string;
    readonly currencyOf: (market: string) => string;
  },
): readonly QualityGroup[] {
  const groups = Map.groupBy(qualities, (quality) =>
    JSON.stringify([of.keyOf(quality), of.currencyOf(quality.order.market)]),
  );
  return [...groups].map(([name, all]) => {
    const [key, currency] = JSON.parse(name) as [string, string];
    return { key, currency, ...sumsOf(all) };
  });
}

/** Returns a group with its money as decimals. */
export function qualityItem({ traded, slippage, fees, unfilledCost, shortfall, ...rest }: QualityGroup) {
  return {
    ...rest,
    traded: formatUnits(traded),
    slippage: formatUnits(slippage),
    fees: formatUnits(fees),
    unfilledCost: formatUnits(unfilledCost),
    shortfall: formatUnits(shortfall),
  };
}

function sumsOf(all: readonly OrderQuality[]): Omit<QualityGroup, 'key' | 'currency'> {
  const sum = (figure: (quality: OrderQuality) => bigint | null): Units =>
    all.reduce((total, quality) => total + (figure(quality) ?? 0n), 0n) as Units;
  const slippage = sum((quality) => quality.slippage);
  const shortfall = sum((quality) => quality.shortfall);
  const filledValue = sum(({ arrival, order }) => arrival && valueAt(arrival, order.filled));
  const wantedValue = sum(({ arrival, wanted, ...quality }) =>
    quality.shortfall === null ? null : valueAt(arrival ?? NO_UNITS, wanted),
  );
  return {
    orders: all.length,
    unvaluedFees: all.filter(({ fees }) => fees === null).length,
    priced: all.filter(({ arrival }) => arrival !== null).length,
    valued: all.filter((quality) => quality.shortfall !== null).length,
    filledShare:
      all.reduce((shares, { order, wanted }) => shares + Number(order.filled) / Number(wanted), 0) /
      all.length,
    traded: sum(({ order }) => order.filledTotal),
    slippage,
    fees: sum(({ fees }) => fees),
    unfilledCost: sum(({ unfilledCost }) => unfilledCost),
    shortfall,
    slippageBps: bpsOf(slippage, filledValue),
    shortfallBps: bpsOf(shortfall, wantedValue),
    firstFillMs: knownMedian(all.map(({ firstFillMs }) => firstFillMs)),
    completionMs: knownMedian(all.map(({ completionMs }) => completionMs)),
    ...queueSums(all),
  };
}

function queueSums(all: readonly OrderQuality[]) {
  const queues = all.flatMap(({ order, queue }) => (queue === null ? [] : [{ order, ...queue }]));
  const aheads = queues.map(({ order, ahead }) =>
    ahead === null ? null : Number(ahead) / Number(order.amount),
  );
  let [shared, volume, own] = [0, 0n, 0n];
  for (const { order, traded } of queues) {
    if (traded === null) continue;
    shared += 1;
    const price = present(order.price, 'a price of an order that rested');
    volume += valueAt(price, traded);
    own += valueAt(price, order.filled);
  }
  return {
    rested: queues.length,
    placed: aheads.filter((ahead) => ahead !== null).length,
    shared,
    ahead: knownMedian(aheads),
    queueShare: volume === 0n ? null : Number(own) / Number(volume),
  };
}

/** Returns a part of a value in basis points; null of nothing. */
export const bpsOf = (part: bigint, value: bigint): number | null =>
  value === 0n ? null : (Number(part) / Number(value)) * 10_000;

/** Returns the median of the values that are known; null without any. */
export function knownMedian(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).toSorted((left, right) => left - right);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
