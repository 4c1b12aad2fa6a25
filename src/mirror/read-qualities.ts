import { firstIndex } from '../domain/candle-columns.ts';
import { timeframeMs, type Timeframe } from '../domain/candle.ts';
import { midOfUnits, parseUnits, unitsAbout, type Units } from '../domain/money.ts';
import { MINUTE_MS } from '../domain/time-text.ts';
import type { PublicTrade } from '../domain/trade.ts';
import { tehranParts } from '../language/format-time.ts';
import {
  orderQualities,
  tradedIn,
  type OrderQuality,
  type QualityInput,
  type TradeTape,
  type TakerTrade,
  type MissingSpan,
} from '../portfolio/execution-quality.ts';
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
      queueOf: queuesOf(reader, orders),
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

/**
 * Returns what is known of the queues of orders: the place from the journal of their plans, and the volume
 * from the trades that were polled. The volume is unknown where trades may be missing: before the first one
 * and after the last one, between two pages without a common trade, and while no bot ran.
 */
function queuesOf(reader: MirrorReader, orders: readonly OrderRecord[]): QualityInput['queueOf'] {
  const places = readPlaces(reader, orders);
  const stops = missingIn(reader, 'start', ({ aliveUntilMs }, atMs) => {
    const ends = [aliveUntilMs ?? atMs, atMs];
    return { fromMs: Math.min(...ends), toMs: Math.max(...ends) };
  });
  const tapes = new Map<string, TradeTape>();
  return ({ key, market, side, price, sentAtMs, plannedAtMs }, untilMs) => {
    let tape = tapes.get(market);
    if (tape === undefined) {
      const gaps = missingIn(reader, market, ({ missing }) => missing);
      tapes.set(market, (tape = { trades: tapeOf(reader, market), missing: [...stops, ...gaps] }));
    }
    return {
      ahead: places.get(key) ?? null,
      traded: tradedIn(tape, { side, price, fromMs: sentAtMs ?? plannedAtMs, toMs: untilMs }),
    };
  };
}

/** Reads from the journal the amounts that orders had before them when they were planned, by key. */
export function readPlaces(reader: MirrorReader, orders: readonly OrderRecord[]): ReadonlyMap<string, Units> {
  const lines = reader.database
    .prepare<[string], [key: string, ahead: string]>(
      `SELECT subject, json_extract(json, '$.ahead') FROM journal WHERE kind = 'order'
         AND subject IN (SELECT value FROM json_each(?)) AND json_type(json, '$.ahead') = 'text'`,
    )
    .raw()
    .all(JSON.stringify(orders.map(({ key }) => key)));
  return new Map(lines.map(([key, ahead]) => [key, parseUnits(ahead)]));
}

/** Facts of journal lines about a start of the bot, and about missing trades of a market. */
interface MissingFacts {
  readonly aliveUntilMs?: number | null;
  readonly missing?: MissingSpan;
}

/** Maximum number of journal lines about missing trades that are read of one market. */
const MOST_MISSING = 10_000;

const missingIn = (
  reader: MirrorReader,
  subject: string,
  rangeOf: (facts: MissingFacts, atMs: number) => MissingSpan | undefined,
): readonly MissingSpan[] =>
  reader
    .journalOf(subject, MOST_MISSING)
    .flatMap(({ json, atMs }) => rangeOf(JSON.parse(json) as MissingFacts, atMs) ?? []);

/** Reads the trades of a market once: the first page after a restart repeats some, with earlier times. */
function tapeOf(reader: MirrorReader, market: string): readonly TakerTrade[] {
  const rows = reader.database
    .prepare<[string], PublicTrade>(
      'SELECT at_ms AS timeMs, price, amount, side FROM public_trades WHERE market = ? ORDER BY ordinal',
    )
    .all(market);
  let [newestMs, repeatedToMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return rows.flatMap(({ timeMs: atMs, price, amount, side }) => {
    if (atMs < newestMs) repeatedToMs = newestMs;
    newestMs = Math.max(newestMs, atMs);
    return atMs <= repeatedToMs ? [] : [{ atMs, price: unitsAbout(price), amount: unitsAbout(amount), side }];
  });
}
