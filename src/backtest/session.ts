import { loadInstances } from '../daemon/load-instances.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { readEvents, readSessionFile, type SessionFile } from '../daemon/session-file.ts';
import type { Candle, Timeframe } from '../domain/candle.ts';
import { SarrafError } from '../domain/errors.ts';
import type { EngineEvent } from '../engine/engine-event.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import { openMirrorReadOnly } from '../mirror/mirror-file.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import { signalLineOf, type SignalLine } from './signals.ts';
import type { DrawnLatency } from '../venues/fill-rules.ts';
import type { ReceivedData } from './parity/received-data.ts';
import { formatUnits } from '../domain/money.ts';

/** The strategies of a session, made anew. Throws `INVALID_STRATEGY` where none can run. */
export async function instancesOf(
  { config, markets }: SessionFile,
  bundledStrategies: string,
): Promise<readonly StrategyInstanceSettings[]> {
  const { instances } = await loadInstances({
    strategies: config.strategies,
    folders: [...config.strategiesFolders, bundledStrategies],
    knownMarkets: new Set(markets.map(({ symbol }) => symbol)),
  });
  return instances;
}

/** Bars of one length as the bot learned of them, oldest first. */
export interface KnownBars {
  readonly market: string;
  readonly timeframe: Timeframe;
  readonly candles: readonly Candle[];
}

/** Content of the mirror of a session. Times in ms since 1970. */
export interface ReadSession {
  /** Time it began to end, or of its last sign of life. */
  readonly endMs: number;
  readonly intents: readonly WantedThing[];
  /** Signals that its strategies received from outside, in the order of time. */
  readonly signals: readonly SignalLine[];
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
      signals: reader
        .signalLines({ strategy: null, last: MOST_ROWS })
        .map(signalLineOf)
        .filter(({ code, seenAtMs }) => code === 'told' && isWithin(seenAtMs)),
      intents: reader.intents({ ...all, status: 'all' }).filter(({ atMs }) => isWithin(atMs)),
      orders,
      fills: reader.fills(all).filter(({ atMs }) => atMs >= beganMs),
      balances: new Map(reader.balances().map(({ currency, total }) => [currency, formatUnits(total)])),
      bars: readBars(mirror),
      roundTripsMs: orders.slice(0, MOST_MEASURED).flatMap((order) => {
        const { key, sentAtMs } = order;
        if (sentAtMs === null) return [];
        const answered = reader
          .journalOf(key, MOST_ROWS)
          .find(
            ({ kind, json }) =>
              kind === 'order' && ANSWERED.has((JSON.parse(json) as { readonly state?: unknown }).state),
          );
        return answered === undefined ? [] : [Math.max(0, answered.atMs - sentAtMs)];
      }),
    };
  } finally {
    reader.close();
  }
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
    return [...Map.groupBy(rows, ({ market, timeframe }) => `${market} ${timeframe}`).values()].flatMap(
      (candles) => {
        const [first] = candles;
        return first === undefined ? [] : [{ market: first.market, timeframe: first.timeframe, candles }];
      },
    );
  } finally {
    database.close();
  }
}

/** A book or a bar as the bot knew it. */
export interface SeenData {
  readonly market: string;
  /** Time at which it was seen; for a bar its close. In ms since 1970. */
  readonly atMs: number;
  /** All of it: two that are the same have the same text. */
  readonly text: string;
}

/** That a strategy wanted something. */
export interface WantedThing {
  /** The intent's name in its own run. */
  readonly id: string;
  readonly strategy: string;
  readonly kind: string;
  readonly atMs: number;
}

/** One run as it can be compared with another, each list in the order of time. */
export interface SessionView {
  /** Signals that came: of a session, what was told. */
  readonly signals: readonly SignalLine[];
  readonly intents: readonly WantedThing[];
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
  readonly books: readonly SeenData[];
  readonly bars: readonly SeenData[];
  /** All that it received; null where that was not kept. */
  readonly received: ReceivedData | null;
}

/** Two runs of one range of time that are compared. */
export interface SessionPair {
  readonly session: SessionView;
  readonly again: SessionView;
}

/** Round trips of a kind that are drawn from at most, spread over the session. */
const MOST_DRAWN_FROM = 2_000;

/**
 * Returns the latency of requests in a recorded session, to be drawn from: requests about orders use the
 * times of its orders, all others those of its books. On paper nothing about an order travels, so all use
 * those of the books. Throws `INVALID_FILE` if the folder holds no recorded session, `DATA_UNUSABLE` if
 * nothing was measured in it.
 */
export async function latencyOfSession(folder: string, seed: number): Promise<DrawnLatency> {
  const file = readSessionFile(folder);
  const session = readSession(file);
  const measured = file.mode === 'paper' ? { ...session, roundTripsMs: [] } : session;
  const latency = await measuredLatency(measured, readEvents(folder), seed);
  if (latency !== null) return latency;
  throw new SarrafError(
    'DATA_UNUSABLE',
    `expected round trips of requests in the session in ${folder}, found none: give the folder of one that asked for books or sent orders`,
  );
}

/**
 * Returns the latency of the requests of a session; null if nothing was measured. If one of both kinds was
 * not measured, the other is used for it.
 */
export async function measuredLatency(
  { roundTripsMs: orderTripsMs }: Pick<ReadSession, 'roundTripsMs'>,
  events: AsyncIterable<EngineEvent>,
  seed: number,
): Promise<DrawnLatency | null> {
  const bookTripsMs: number[] = [];
  for await (const event of events) {
    const { kind } = event;
    if (kind !== 'answer' || event.sentAtMs === null || !isBook(event.answer)) continue;
    bookTripsMs.push(Math.max(0, event.atMs - event.sentAtMs));
  }
  const [books, orders] = [spread(bookTripsMs), spread(orderTripsMs)];
  if (books.length + orders.length === 0) return null;
  if (books.length === 0) return { kind: 'drawn', roundTripsMs: orders, seed };
  return {
    kind: 'drawn',
    roundTripsMs: books,
    ...(orders.length === 0 ? {} : { orderTripsMs: orders }),
    seed,
  };
}

/** Of all answers only a book has bids. */
function isBook(answer: (EngineEvent & { readonly kind: 'answer' })['answer']): boolean {
  return (
    answer.outcome === 'value' &&
    typeof answer.value === 'object' &&
    answer.value !== null &&
    'bids' in answer.value
  );
}

function spread(all: readonly number[]): readonly number[] {
  const step = Math.max(1, all.length / MOST_DRAWN_FROM);
  return Array.from(
    { length: Math.min(all.length, MOST_DRAWN_FROM) },
    (_, index) => all[Math.floor(index * step)] ?? 0,
  );
}
