import { dataUnusable, messageOf } from '../domain/errors.ts';
import { isoText } from '../domain/time-text.ts';
import { readEvents, readSessionFile, type SessionFile } from '../daemon/session-file.ts';
import type { EngineEvent, EngineOutput } from '../engine/engine-event.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { Engine } from '../engine/engine.ts';
import { budgetTable } from '../exchange/client-options.ts';
import type { OrderRecord } from '../records/order.ts';
import { INTERFACE_PROFILE } from '../venues/interface-profile.ts';
import type { VenueCall } from '../venues/port.ts';
import { tripKey } from '../venues/fill-rules.ts';
import { MemoryMirror, planOf } from './poll/poll-bot.ts';
import { compareDecisions, compareSessions, type SessionComparison } from './parity/compare-sessions.ts';
import { type Difference, Watch } from './difference.ts';
import { runAgain, type RunAgainOptions, type SecondRun } from './parity/run-again.ts';
import {
  readSession,
  type ReadSession,
  measuredLatency,
  type WantedThing,
  type StrategyStop,
  strategyStopOf,
  instancesOf,
} from './session.ts';
import { ReceivedData } from './parity/received-data.ts';
import { readManifest } from '../recording/manifest.ts';

interface ParityOptions extends Pick<RunAgainOptions, 'bundledStrategies' | 'rules'> {
  /** Data folder of a run with --record. */
  readonly folder: string;
}

export interface ParityReport extends SessionComparison, Pick<ReadSession, 'endedBy' | 'isRunning'> {
  /** Decisions of the session that were made again from its received events; 0 if none were kept. */
  readonly decidedAgain: number;
  /** Requests that the bot held until they had expired, or since its machine was too slow. */
  readonly unsent: number;
  /** Requests that left later than `MOST_HELD_MS` after they were wanted. */
  readonly late: number;
  readonly beganMs: number;
  readonly endMs: number;
  /** Counts of the session and of the second run. */
  readonly session: RunCounts;
  readonly again: RunCounts;
}

/** Number of items of each kind in one run. */
type RunCounts = Readonly<Record<'signals' | 'intents' | 'orders' | 'fills' | 'books' | 'bars', number>>;

/** Seed for the round trips that the second run draws. */
const SEED = 1;

/** Least difference of time that counts as another moment, in ms. */
const LEAST_TOLERANCE_MS = 1_000;

/**
 * Checks a recorded session: an engine decides again from the received events, the bot runs again on the
 * recorded data, and both are compared with the session. Throws as `readSessionFile`, `readSession` and
 * `runAgain` do.
 */
export async function checkParity({ folder, ...options }: ParityOptions): Promise<ParityReport> {
  const file = readSessionFile(folder);
  const session = readRecorded(file);
  const instances = await instancesOf(file, options.bundledStrategies);
  const ofEvents = await decided(folder, { file, session, instances });
  const drawn = await measuredLatency(session, readEvents(folder), SEED);
  const { tripsMs, received, fromMs } = ofEvents.again;
  const second = await runAgain({
    file,
    session,
    events: readEvents(folder),
    latency:
      drawn === null
        ? null
        : { kind: 'replayed', tripsMs, further: drawn, split: file.mode === 'paper' ? 'apart' : 'half' },
    received: fromMs === null ? null : received,
    fromMs,
    ...options,
  });
  const comparison = compareSessions(second, {
    markets: file.markets,
    endMs: session.endMs,
    toleranceMs: toleranceOf(second),
    reads: new Map(
      second.instances.map(({ runner }) => [
        runner.name,
        new Set<string>(runner.subscriptions.map(({ kind }) => kind)),
      ]),
    ),
  });
  return {
    ...comparison,
    differences: [...ofEvents.differences, ...comparison.differences],
    decidedAgain: ofEvents.decisions,
    unsent: ofEvents.again.unsent,
    late: ofEvents.again.late,
    beganMs: file.beganMs,
    endMs: session.endMs,
    endedBy: session.endedBy,
    isRunning: session.isRunning,
    session: countsOf(second.session),
    again: countsOf(second.again),
  };
}

/**
 * Reads a session; of a bot that still runs only what its catalogue has by now. Throws as `readSession` does,
 * and `DATA_UNUSABLE` where that is nothing.
 */
function readRecorded(file: SessionFile): ReadSession {
  const session = readSession(file);
  if (!session.isRunning) return session;
  const { catalogue, markets, beganMs } = file;
  const untilMs = Math.min(
    ...markets.map(
      ({ symbol: market }) =>
        readManifest(catalogue, { market, kind: 'books' })?.partitions.at(-1)?.toMs ?? 0,
    ),
  );
  if (untilMs > beganMs) return readSession(file, untilMs);
  throw dataUnusable(
    `expected books of the session in ${catalogue}, found a bot that still runs: its recording since ${isoText(beganMs)} comes there at the end of the day or of the run. Compare then; "sarraf replay" runs its decisions again now`,
  );
}

/**
 * Has an engine decide again from the events of a session, and compares its decisions with those of the
 * session, up to where `watched` stops it.
 */
export async function decided(
  folder: string,
  {
    file,
    session,
    instances,
  }: Pick<RunAgainOptions, 'file' | 'session'> & { readonly instances: readonly StrategyInstanceSettings[] },
  watched: ReplayWatch | null = null,
): Promise<ReturnType<typeof compareDecisions> & { readonly again: DecidedAgain }> {
  const again = await decideAgain(file, readEvents(folder), instances, watched);
  if (again.untilMs === null) return { differences: [], decisions: 0, again };
  const orders = again.orders.filter(({ plannedAtMs }) => plannedAtMs >= file.beganMs);
  // The end of the session itself is not compared, nor a moment of which a part is left out.
  const untilMs = Math.min(again.isStopped ? again.untilMs - 1 : again.untilMs, session.endMs - 1);
  const compared = compareDecisions(session, { ...again, orders }, untilMs);
  const { failure } = again;
  if (failure === null) return { ...compared, again };
  const stopped: Difference = {
    what: 'intent',
    cause: 'code',
    atMs: again.untilMs,
    strategy: null,
    session: 'went on',
    again: 'stopped',
    why: `answered what it had not asked: ${failure}`,
  };
  return { ...compared, differences: [...compared.differences, stopped], again };
}

/** Returns the time within which two decisions may be the same: the shortest book interval, at least 1 s. */
function toleranceOf({ run }: SecondRun): number {
  const books = run.plan.feeds.filter(({ kind }) => kind === 'book').map(({ intervalMs }) => intervalMs);
  return books.length === 0 ? LEAST_TOLERANCE_MS : Math.max(LEAST_TOLERANCE_MS, Math.min(...books));
}

function countsOf({ signals, intents, orders, fills, books, bars }: SecondRun['session']): RunCounts {
  return {
    signals: signals.filter(({ outcome }) => outcome === 'told').length,
    intents: intents.length,
    orders: orders.length,
    fills: fills.length,
    books: books.length,
    bars: bars.length,
  };
}

/** Observer of an engine that decides again. */
export interface ReplayWatch {
  readonly before: (event: EngineEvent) => void;
  /** Returns true to stop after this step. `call`: the request that the event answers, if it is an answer. */
  readonly after: (
    event: EngineEvent,
    output: EngineOutput,
    of: { readonly call: VenueCall | null; readonly engine: Engine },
  ) => boolean;
}

/** Decisions of an engine that received the events of a session. */
interface DecidedAgain {
  readonly intents: readonly WantedThing[];
  readonly stops: readonly StrategyStop[];
  /** Orders as they were when they were planned. */
  readonly orders: readonly OrderRecord[];
  /**
   * Data that it received, and the duration of each call from request to answer, by `tripKey`, in the order
   * of sending.
   */
  readonly received: ReceivedData;
  readonly tripsMs: ReadonlyMap<string, readonly number[]>;
  /** Requests that were never sent, and those that left late. */
  readonly unsent: number;
  readonly late: number;
  /** Times of the first and the last event; null if no events were kept. */
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  /** True if its observer stopped it before the end. */
  readonly isStopped: boolean;
  /** Reason for a stop: an answer to something it had not requested. Null if it accepted everything. */
  readonly failure: string | null;
}

/**
 * Longest time that a busy process holds a request, in ms. A request that is held longer waits for its rate
 * limit, and does so in a second run too.
 */
const MOST_HELD_MS = 500;

/** Commands after which a session is not compared: its end, and code that is not that of its beginning. */
const ENDS: ReadonlySet<string> = new Set(['drain', 'reload', 'promote']);

/**
 * Has an engine decide again, event by event, from the initial state and the events of a session. Any other
 * decision comes from the code, since nothing else differs. Its requests go nowhere: the recorded answers are
 * used. The end of the run, when orders are canceled, is left out.
 */
async function decideAgain(
  file: SessionFile,
  events: AsyncIterable<EngineEvent>,
  instances: readonly StrategyInstanceSettings[],
  watched: ReplayWatch | null = null,
): Promise<DecidedAgain> {
  const { config, beganMs, markets, others, state } = file;
  const { feeds } = planOf(instances, budgetTable(config.limits, config.headroom), others);
  const { execution, instance, reconciliation } = config;
  const engine = new Engine(
    { ...execution, venue: INTERFACE_PROFILE, instance, reconciliation, markets, instances, feeds },
    state,
    beganMs,
  );
  const watch = new Watch([]);
  const received = new ReceivedData({ isNewestOnly: watched !== null });
  const stops: StrategyStop[] = [];
  const mirror = new MemoryMirror((entry, atMs) => {
    const { kind, subject, json } = entry;
    if (kind === 'strategy') stops.push(strategyStopOf({ ...entry, atMs }));
    if (kind === 'intent') watch.intent(subject, json, atMs);
    if (kind === 'intent' || kind === 'order') received.decide(subject);
  });
  // Orders as they were planned: what the answers of the session make of them is not a decision.
  const planned = new Map<string, OrderRecord>();
  const calls = new Map<number, { readonly call: VenueCall; readonly wantedAtMs: number }>();
  const trips = new Map<string, { readonly sentAtMs: number; readonly durationMs: number }[]>();
  const decided = (untilMs: number | null, failure: string | null): DecidedAgain => {
    const tripsMs = new Map(
      [...trips].map(([key, all]) => [
        key,
        all.toSorted((left, right) => left.sentAtMs - right.sentAtMs).map(({ durationMs }) => durationMs),
      ]),
    );
    return {
      intents: watch.intents,
      stops,
      orders: [...planned.values()],
      received,
      tripsMs,
      unsent,
      late,
      fromMs,
      untilMs,
      isStopped,
      failure,
    };
  };
  const note = (event: EngineEvent & { readonly kind: 'answer' }): void => {
    const { requestId, sentAtMs, atMs, answer } = event;
    if (answer.outcome === 'unsent') unsent += 1;
    const wanted = calls.get(requestId);
    calls.delete(requestId);
    if (wanted === undefined || sentAtMs === null) return;
    const { call, wantedAtMs } = wanted;
    received.answer(call, answer, atMs);
    const key = tripKey(call);
    const known = trips.get(key) ?? [];
    trips.set(key, known);
    const heldMs = sentAtMs - wantedAtMs;
    if (heldMs > MOST_HELD_MS) late += 1;
    known.push({ sentAtMs, durationMs: Math.max(0, atMs - (heldMs > MOST_HELD_MS ? sentAtMs : wantedAtMs)) });
  };
  let unsent = 0;
  let late = 0;
  let isStopped = false;
  let fromMs: number | null = null;
  let untilMs: number | null = null;
  for await (const event of events) {
    if (event.kind === 'control' && ENDS.has(event.command.kind)) break;
    fromMs ??= event.atMs;
    untilMs = event.atMs;
    try {
      watched?.before(event);
      const output = engine.step(event);
      const call = event.kind === 'answer' ? (calls.get(event.requestId)?.call ?? null) : null;
      if (event.kind === 'answer') note(event);
      for (const { id, call } of output.requests) calls.set(id, { call, wantedAtMs: event.atMs });
      mirror.apply(output.changes, event);
      for (const change of output.changes) {
        if (change.kind === 'order' && !planned.has(change.order.key))
          planned.set(change.order.key, change.order);
      }
      isStopped = watched?.after(event, output, { call, engine }) === true;
      if (isStopped) break;
    } catch (error) {
      return decided(untilMs, messageOf(error));
    }
  }
  return decided(untilMs, null);
}
