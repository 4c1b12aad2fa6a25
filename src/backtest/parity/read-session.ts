import type { SessionFile } from '../../daemon/session-file.ts';
import type { Candle } from '../../domain/candle.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import { openMirrorReadOnly } from '../../mirror/mirror-file.ts';
import { MirrorReader } from '../../mirror/mirror-reader.ts';
import type { WantedThing } from './session-view.ts';

/** Bars of one length as the bot learned of them, oldest first. */
export interface KnownBars {
  readonly market: string;
  readonly timeframe: Timeframe;
  readonly candles: readonly Candle[];
}

/** What the mirror of a session tells. Times in ms since 1970. */
export interface ReadSession {
  /** When it began to end, or was last heard of. */
  readonly endMs: number;
  readonly intents: readonly WantedThing[];
  readonly orders: readonly OrderRecord[];
  /** All of the account, ours or not. */
  readonly fills: readonly FillRecord[];
  /** At the end, in units, by currency. */
  readonly balances: ReadonlyMap<string, string>;
  readonly bars: readonly KnownBars[];
  /** From when an order was sent to when its exchange was known to have it. */
  readonly roundTripsMs: readonly number[];
}

/** Rows of each kind that are read at most: a mirror keeps fewer. */
const MOST_ROWS = 1_000_000;

/** Round trips that are measured at most. */
const MOST_MEASURED = 2_000;

/** States that an order is in once the exchange has answered. */
const ANSWERED: ReadonlySet<unknown> = new Set(['open', 'settling', 'filled']);

/** Reads what a session did since it began. Throws `DATA_UNUSABLE` where its mirror can not be read. */
export function readSession({ mirror, beganMs }: Pick<SessionFile, 'mirror' | 'beganMs'>): ReadSession {
  const reader = new MirrorReader(mirror);
  try {
    const all = { strategy: null, market: null, last: MOST_ROWS } as const;
    const drain = reader.journalOf('drain', MOST_ROWS).find(({ atMs }) => atMs >= beganMs);
    const endMs = drain?.atMs ?? reader.summary().lastSeen.journal;
    if (endMs === null || endMs <= beganMs) {
      throw new SarrafError('DATA_UNUSABLE', `expected a session after ${beganMs} in ${mirror}, found none`);
    }
    const isWithin = (atMs: number): boolean => atMs >= beganMs && atMs < endMs;
    const orders = reader.orders({ ...all, state: 'all' }).filter(({ plannedAtMs }) => isWithin(plannedAtMs));
    return {
      endMs,
      intents: reader.intents({ ...all, status: 'all' }).filter(({ atMs }) => isWithin(atMs)),
      orders,
      fills: reader.fills(all).filter(({ atMs }) => atMs >= beganMs),
      balances: new Map(reader.balances().map(({ currency, total }) => [currency, total])),
      bars: readBars(mirror),
      roundTripsMs: orders.slice(0, MOST_MEASURED).flatMap((order) => roundTripOf(reader, order)),
    };
  } finally {
    reader.close();
  }
}

function roundTripOf(reader: MirrorReader, { key, sentAtMs }: OrderRecord): readonly number[] {
  if (sentAtMs === null) return [];
  const answered = reader
    .journalOf(key, MOST_ROWS)
    .find(
      ({ kind, json }) => kind === 'order' && ANSWERED.has((JSON.parse(json) as { readonly state?: unknown }).state),
    );
  return answered === undefined ? [] : [Math.max(0, answered.atMs - sentAtMs)];
}

function readBars(mirror: string): readonly KnownBars[] {
  const database = openMirrorReadOnly(mirror);
  try {
    const rows = database
      .prepare<[], Candle & { readonly market: string; readonly timeframe: Timeframe }>(
        `SELECT market, timeframe, open_time_ms AS openTimeMs, open, high, low, close, volume FROM candles
           ORDER BY market, timeframe, open_time_ms`,
      )
      .all();
    return [...Map.groupBy(rows, ({ market, timeframe }) => `${market} ${timeframe}`).values()].flatMap((candles) => {
      const [first] = candles;
      return first === undefined ? [] : [{ market: first.market, timeframe: first.timeframe, candles }];
    });
  } finally {
    database.close();
  }
}
