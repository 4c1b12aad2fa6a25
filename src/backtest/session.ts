import { loadInstances } from '../daemon/load-instances.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import { closing } from '../domain/closing.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { readEvents, readSessionFile, type SessionFile } from '../daemon/session-file.ts';
import type { Candle, Timeframe } from '../domain/candle.ts';
import { dataUnusable } from '../domain/errors.ts';
import type { EngineEvent } from '../engine/engine-event.ts';
import type { JournalEntry } from '../engine/mirror-change.ts';
import type { ApprovalState } from '../records/field.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import { openMirrorReadOnly } from '../mirror/mirror-file.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import { signalLineOf, type SignalLine } from './signals.ts';
import type { DrawnLatency } from '../venues/fill-rules.ts';
import type { Sentence } from '../language/sentence.ts';
import type { ReceivedData } from './parity/received-data.ts';
import { formatUnits } from '../domain/money.ts';
import { isoText } from '../domain/time-text.ts';

/** Creates the strategies of a session anew. Throws `INVALID_STRATEGY` where none can run. */
export async function instancesOf(
  { config, markets }: SessionFile,
  bundledStrategies: string,
  load: typeof loadStrategy = loadStrategy,
): Promise<readonly StrategyInstanceSettings[]> {
  const { instances } = await loadInstances({
    strategies: config.strategies,
    folders: [...config.strategiesFolders, bundledStrategies],
    knownMarkets: new Set(markets.map(({ symbol }) => symbol)),
    load,
  });
  return instances;
}

/** Bars of one timeframe as the bot learned of them, oldest first. */
export interface KnownBars {
  readonly market: string;
  readonly timeframe: Timeframe;
  readonly candles: readonly Candle[];
}

/** Content of the mirror of a session. Times are in ms since 1970. */
export interface ReadSession {
  /** Time at which the session began to end, or of its last sign of life. */
  readonly endMs: number;
  /** Command that ended it: `drain` began its end, the others loaded code and params anew; null: none. */
  readonly endedBy: 'drain' | 'reload' | 'promote' | null;
  /** True if its bot still runs. */
  readonly isRunning: boolean;
  readonly intents: readonly WantedThing[];
  readonly stops: readonly StrategyStop[];
  /** Signals that its strategies received, in order of time. */
  readonly signals: readonly SignalLine[];
  readonly orders: readonly OrderRecord[];
  /** All fills of the account, those of other sources too. */
  readonly fills: readonly FillRecord[];
  /** Balances at the end as decimal texts, by currency. */
  readonly balances: ReadonlyMap<string, string>;
  readonly bars: readonly KnownBars[];
  /** Times from sending an order to its first known state at the exchange, in ms. */
  readonly roundTripsMs: readonly number[];
}

/** Maximum number of rows of each kind that are read; a mirror keeps fewer. */
const MOST_ROWS = 1_000_000;

/** Maximum number of orders whose round trips are measured. */
const MOST_MEASURED = 2_000;

/** States of an order that the exchange has answered. */
const ANSWERED: ReadonlySet<unknown> = new Set(['open', 'settling', 'filled']);

/**
 * Reads what a session did since its start, up to `latestMs` at the latest. Throws `DATA_UNUSABLE` for an
 * unreadable or empty mirror.
 */
export function readSession(
  { mirror, beganMs }: Pick<SessionFile, 'mirror' | 'beganMs'>,
  latestMs = Number.POSITIVE_INFINITY,
): ReadSession {
  using reader = new MirrorReader(mirror);
  const all = { strategy: null, market: null, last: MOST_ROWS } as const;
  // Code that was loaded anew is not that of the beginning.
  const ends = (['drain', 'reload', 'promote'] as const).flatMap((subject) =>
    reader
      .journalOf(subject, MOST_ROWS)
      .filter(({ kind, atMs }) => kind === 'control' && atMs >= beganMs)
      .map(({ atMs }) => ({ subject, atMs })),
  );
  const [first] = ends.toSorted((left, right) => left.atMs - right.atMs);
  const { isRunning, lastSeen } = reader.summary();
  const endMs = Math.min(first?.atMs ?? lastSeen.journal ?? beganMs, latestMs);
  if (endMs <= beganMs)
    throw dataUnusable(`expected a session after ${isoText(beganMs)} in ${mirror}, found none`);
  const isWithin = (atMs: number): boolean => atMs >= beganMs && atMs < endMs;
  const orders = reader.orders({ ...all, state: 'all' }).filter(({ plannedAtMs }) => isWithin(plannedAtMs));
  return {
    endMs,
    endedBy: first?.atMs === endMs ? first.subject : null,
    isRunning: isRunning === true,
    signals: reader
      .lines('signal', { strategy: null, last: MOST_ROWS })
      .map(signalLineOf)
      .filter(({ code, seenAtMs }) => code === 'told' && isWithin(seenAtMs)),
    intents: reader.intents({ ...all, status: 'all' }).filter(({ atMs }) => isWithin(atMs)),
    stops: reader
      .lines('strategy', all)
      .map(strategyStopOf)
      .filter(({ atMs }) => isWithin(atMs)),
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
}

function readBars(mirror: string): readonly KnownBars[] {
  using database = closing(openMirrorReadOnly(mirror));
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
}

/** Book or bar as the bot knew it. */
export interface SeenData {
  readonly market: string;
  /** Time at which a book was seen, or a bar closed, in ms since 1970. */
  readonly atMs: number;
  /** Whole content as text: equal texts mean equal data. */
  readonly text: string;
}

/** Intent of a strategy. */
export interface WantedThing {
  /** Id of the intent in its own run. */
  readonly id: string;
  readonly strategy: string;
  readonly kind: string;
  readonly atMs: number;
  /** State of its approval; null or missing if it needed none. */
  readonly approval?: ApprovalState | null;
}

/** Moment at which a strategy was paused or stopped. */
export interface StrategyStop {
  readonly strategy: string;
  readonly atMs: number;
  readonly reason: Sentence;
}

/** Reads a journal entry of kind `strategy`. */
export function strategyStopOf({
  subject,
  json,
  atMs,
}: JournalEntry & { readonly atMs: number }): StrategyStop {
  const { reason } = JSON.parse(json) as { readonly reason: Sentence };
  return { strategy: subject, atMs, reason };
}

/** View of one run for a comparison, each list in order of time. */
export interface SessionView extends Pick<ReadSession, 'intents' | 'stops' | 'orders' | 'fills'> {
  /** Signals of the run; of a session, those that were delivered. */
  readonly signals: readonly SignalLine[];
  readonly books: readonly SeenData[];
  readonly bars: readonly SeenData[];
  /** All data that the bot received; null if it was not stored. */
  readonly received: ReceivedData | null;
}

/** Two runs of the same range of time that are compared. */
export interface SessionPair {
  readonly session: SessionView;
  readonly again: SessionView;
}

/** Maximum number of round trips of each kind that are drawn from, spread over the session. */
const MOST_DRAWN_FROM = 2_000;

/**
 * Returns the latency of requests in a recorded session, to draw from: for requests about orders the times of
 * its orders, for all others those of its books. In a paper session orders do not travel, so all use the
 * times of books. Throws `INVALID_FILE` if the folder holds no recorded session, `DATA_UNUSABLE` if it has no
 * round trips.
 */
export async function latencyOfSession(folder: string, seed: number): Promise<DrawnLatency> {
  const file = readSessionFile(folder);
  const session = readSession(file);
  const measured = file.mode === 'paper' ? { ...session, roundTripsMs: [] } : session;
  const latency = await measuredLatency(measured, readEvents(folder), seed);
  if (latency !== null) return latency;
  throw dataUnusable(
    `expected round trips of requests in the session in ${folder}, found none: give the folder of one that asked for books or sent orders`,
  );
}

/**
 * Returns the latency of the requests of a session; null if nothing was measured. If only one kind was
 * measured, it is used for both.
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

/** True if an answer is a book, the only answer with bids. */
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
