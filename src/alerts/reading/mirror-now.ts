import { z } from 'zod';
import { formatUnits } from '../../domain/money.ts';
import { readRecord } from '../../engine/stored-records.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { algorithmFromJson } from '../../engine/algorithm-json.ts';
import { heldOf } from '../../engine/bracket-stock.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { whyNoOrders } from '../../mirror/strategy-status.ts';
import { valuesOf, withoutDeposits } from '../../portfolio/value-series.ts';
import type { AlertSnapshot, EquitySeries, JournalRow, NewFill } from '../core/alert-facts.ts';

/** Maximum number of open orders in one poll; a bot has far fewer. */
const MOST_OPEN = 5_000;

/** Age up to which a peak of equity counts, in ms. */
const PEAK_WITHIN_MS = 30 * 86_400_000;
const MOST_VALUES = 3_000;

/** Age from which a book is passed to the rule about data, in ms; the rule decides how old is too old. */
const STALE_AFTER_MS = 30_000;

/** Data of a snapshot while there is no mirror. */
export const NOTHING_READ = {
  rows: [],
  fills: [],
  credential: null,
  unknownOrders: [],
  break: null,
  noOrders: null,
  lossLimits: [],
  standstills: [],
  halt: null,
  staleFeeds: [],
  lastReadMs: null,
  strategies: [],
  unclear: [],
  unprotected: [],
  equity: [],
} satisfies Partial<AlertSnapshot>;

/** Part of a snapshot that comes from the mirror. */
export type MirrorNow = Pick<AlertSnapshot, keyof typeof NOTHING_READ>;

interface MirrorNowOptions {
  /** New lines of the journal. */
  readonly rows: readonly JournalRow[];
  readonly atMs: number;
  /** Markets that strategies name. */
  readonly markets: readonly string[];
  /** Equity as read a short time ago: it changes every few minutes, and reading months of it takes time. */
  readonly equity: readonly EquitySeries[];
}

/** Reads a bot's state from its mirror, with the given lines of the journal. */
export function readMirrorNow(reader: MirrorReader, options: MirrorNowOptions): MirrorNow {
  const { rows, atMs, markets, equity } = options;
  const stored = reader.stored();
  const open = reader.orders({ state: 'open', strategy: null, market: null, last: MOST_OPEN });
  const readTimes = readRecord(stored, 'read-times') ?? {};
  const times = Object.values(readTimes);
  const found = readRecord(stored, 'reconciliation')?.break ?? null;
  const members = Object.values(readRecord(stored, 'universes')?.universes ?? {}).flatMap((universe) =>
    universe.members.map(({ market }) => market),
  );
  const followed = new Set([...markets, ...members].map((market) => `book ${market}`));
  return {
    rows,
    fills: fillsOf(reader, rows),
    credential: readRecord(stored, 'credential')?.refused ?? null,
    unknownOrders: open.flatMap(({ key, state, strategy, market, sentAtMs, plannedAtMs }) =>
      state === 'unknown' ? [{ key, strategy, market, sinceMs: sentAtMs ?? plannedAtMs }] : [],
    ),
    break: found === null ? null : { sinceMs: found.atMs, rows: found.rows },
    noOrders: whyNoOrders(stored),
    lossLimits: readRecord(stored, 'loss-limits') ?? [],
    standstills: readRecord(stored, 'standstills') ?? [],
    halt: readRecord(stored, 'control')?.halted ?? null,
    // Only books are polled all the time; other feeds may be old by plan. A market that has left a universe
    // is not followed any more.
    staleFeeds: Object.entries(readTimes).flatMap(([feed, readAtMs]) =>
      followed.has(feed) && atMs - readAtMs > STALE_AFTER_MS ? [{ feed, readAtMs }] : [],
    ),
    lastReadMs: times.length === 0 ? null : Math.max(...times),
    strategies: reader.strategies().map(({ name, status, reason, atMs: sinceMs }) => ({
      name,
      status,
      reason,
      atMs: sinceMs,
    })),
    ...bareOf(reader, open),
    equity,
  };
}

const fillRow = z.object({ tradeId: z.string() });

/** Returns the trades that the new journal lines are about. */
function fillsOf(reader: MirrorReader, rows: readonly JournalRow[]): readonly NewFill[] {
  const ids = new Set(
    rows.flatMap(({ kind, json }) => {
      const read = kind === 'fill' ? fillRow.safeParse(JSON.parse(json)) : null;
      return read?.success === true ? [read.data.tradeId] : [];
    }),
  );
  if (ids.size === 0) return [];
  return reader
    .fillsOfTrades([...ids])
    .filter(({ orderKey }) => orderKey !== null)
    .map(({ tradeId, strategy, market, side, atMs, price, amount, total }) => ({
      tradeId,
      strategy,
      market,
      side,
      atMs,
      price,
      amount,
      total,
      currency: MARKET_NAMES.parseMarket(market).quote,
    }));
}

/** Returns true if an order rests at the exchange, or may. */
const isThere = ({ state }: OrderRecord): boolean =>
  state === 'open' || state === 'unknown' || state === 'cancelling' || state === 'sending';

/** Returns the brackets that hold coins and have no exit at the exchange, and coins that are missing. */
function bareOf(
  reader: MirrorReader,
  open: readonly OrderRecord[],
): Pick<AlertSnapshot, 'unprotected' | 'unclear'> {
  const bare = reader.algorithms(null).flatMap(({ intentId, strategy, market, json }) => {
    const algorithm = algorithmFromJson(json);
    if (algorithm.kind !== 'bracket') return [];
    const orders = open.filter((order) => order.intentId === intentId);
    const held = heldOf(algorithm, orders);
    if (held <= 0n || orders.some((order) => order.side === 'sell' && isThere(order))) return [];
    const asset = MARKET_NAMES.parseMarket(market).base;
    return [{ strategy, market, asset, amount: formatUnits(held), algorithm }];
  });
  const missing = readRecord(reader.stored(), 'missing-coins') ?? {};
  return {
    unprotected: bare
      .filter(({ algorithm }) => algorithm.unclear === null)
      .map(({ algorithm, ...one }) => ({ ...one, reason: algorithm.setbacks.reason })),
    unclear: [
      ...bare.flatMap(({ strategy, market, asset, amount, algorithm: { unclear } }) =>
        unclear === null ? [] : [{ ...unclear, of: { strategy, market }, asset, amount }],
      ),
      ...Object.entries(missing).map(([asset, { amount, sinceMs }]) => ({
        of: null,
        why: 'coins-left' as const,
        asset,
        amount: formatUnits(amount),
        sinceMs,
      })),
    ],
  };
}

/** Returns equity for measuring a drawdown: the current value, less the profit made since each moment. */
export function equityOf(
  reader: MirrorReader,
  atMs: number,
  fromMs = atMs - PEAK_WITHIN_MS,
): readonly EquitySeries[] {
  const range = { fromMs, toMs: atMs, most: MOST_VALUES };
  return reader.figureNames('equity/').flatMap((name) => {
    const currency = name.slice('equity/'.length);
    const now = valuesOf(reader.figures(name, range)).at(-1);
    const profits = valuesOf(reader.figures(`profit/${currency}`, range));
    return now === undefined ? [] : [{ currency, values: withoutDeposits(profits, now.value) }];
  });
}
