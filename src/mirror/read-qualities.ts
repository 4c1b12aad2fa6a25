import { firstIndex } from '../domain/candle-columns.ts';
import { timeframeMs, type Timeframe } from '../domain/candle.ts';
import { midOfUnits, parseUnits, type Units } from '../domain/money.ts';
import { MINUTE_MS } from '../domain/time-text.ts';
import { tehranParts } from '../language/format-time.ts';
import { orderQualities, type OrderQuality } from '../portfolio/execution-quality.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';
import type { MirrorReader } from './mirror-reader.ts';
import type { RowFilter } from './row-pages.ts';
import { LastPrices } from './strategy-status.ts';

/** Quality of the orders in a mirror. */
export interface ReadQualities {
  readonly qualities: readonly OrderQuality[];
  /** Number of orders that still stand, which have no quality yet. */
  readonly standing: number;
}

/** Groups of orders: the text that orders have in common with others. Hours are those of Tehran. */
export const QUALITY_KEYS = {
  market: ({ order }) => order.market,
  strategy: ({ order }) => order.strategy,
  kind: ({ kind }) => kind,
  hour: ({ order }) =>
    String(Math.floor(tehranParts(order.plannedAtMs, 'gregorian').minuteOfDay / 60)).padStart(2, '0'),
  order: ({ order }) => order.key,
} satisfies Readonly<Record<string, (quality: OrderQuality) => string>>;

/** Longest time between a known price and the moment that it values, in ms. */
const MOST_APART_MS = 10 * MINUTE_MS;

/** Maximum number of fills that are read: as many as a mirror keeps. */
const MOST_FILLS = 1_000_000;

/** Measures the orders that were planned since a time, the `last` newest of them. */
export function readQualities(
  reader: MirrorReader,
  { sinceMs, ...filter }: RowFilter & { readonly sinceMs: number },
): ReadQualities {
  const orders = reader
    .orders({ ...filter, state: 'all' })
    .filter(({ plannedAtMs }) => plannedAtMs >= sinceMs);
  return {
    qualities: orderQualities({
      orders,
      fills: reader.fills({ ...filter, last: MOST_FILLS }),
      priceAt: pricesOf(reader, orders),
    }),
    standing: orders.filter((order) => order.sentAtMs !== null && !isFinal(order)).length,
  };
}

/** Price of a market and the time at which it was known. */
type KnownPrice = readonly [atMs: number, price: Units];

/**
 * Returns the known price of a market that is nearest to a moment: a close of its candles, the middle of the
 * book at the plan of an order, or that of its last book. Null if none is near enough.
 */
function pricesOf(
  reader: MirrorReader,
  orders: readonly OrderRecord[],
): (market: string, atMs: number) => Units | null {
  const known = new Map<string, readonly KnownPrice[]>();
  return (market, atMs) => {
    const prices = known.get(market) ?? knownPrices(reader, orders, market);
    known.set(market, prices);
    const next = firstIndex(prices.length, (index) => (prices[index]?.[0] ?? 0) > atMs);
    const near = [prices[next - 1], prices[next]]
      .filter((price) => price !== undefined)
      .toSorted(([left], [right]) => Math.abs(left - atMs) - Math.abs(right - atMs))[0];
    return near === undefined || Math.abs(near[0] - atMs) > MOST_APART_MS ? null : near[1];
  };
}

/** Returns the prices of a market, oldest first. The newest candle of a timeframe may not be over yet. */
function knownPrices(
  reader: MirrorReader,
  orders: readonly OrderRecord[],
  market: string,
): readonly KnownPrice[] {
  const book = new LastPrices(reader.markets).priceOf(market);
  const rows = reader.database
    .prepare<
      [string],
      { readonly timeframe: Timeframe; readonly openTimeMs: number; readonly close: string }
    >(
      `SELECT timeframe, open_time_ms AS openTimeMs, close FROM candles AS candle WHERE market = ?
         AND EXISTS (SELECT 1 FROM candles WHERE market = candle.market AND timeframe = candle.timeframe
           AND open_time_ms > candle.open_time_ms)`,
    )
    .all(market);
  const closes = rows.map(({ timeframe, openTimeMs, close }): KnownPrice => [
    openTimeMs + timeframeMs(timeframe),
    parseUnits(close),
  ]);
  const plans = orders.flatMap(({ market: of, plannedAtMs, arrivalBid, arrivalAsk }): KnownPrice[] =>
    of === market && arrivalBid !== null && arrivalAsk !== null
      ? [[plannedAtMs, midOfUnits(arrivalBid, arrivalAsk)]]
      : [],
  );
  const last: KnownPrice[] = book === null ? [] : [[book.atMs, book.price]];
  return [...closes, ...plans, ...last].toSorted(([left], [right]) => left - right);
}
