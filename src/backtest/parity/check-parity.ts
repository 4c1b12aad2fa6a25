import { readEvents } from '../../daemon/event-file.ts';
import { readSessionFile } from '../../daemon/session-file.ts';
import { compareDecisions, compareSessions, type SessionComparison } from './compare-sessions.ts';
import type { Difference } from './difference.ts';
import { decideAgain, instancesOf, type DecidedAgain } from './decide-again.ts';
import { readSession } from './read-session.ts';
import { measuredLatency } from './session-latency.ts';
import { runAgain, type RunAgainOptions, type SecondRun } from './run-again.ts';

export interface ParityOptions extends Pick<RunAgainOptions, 'bundledStrategies' | 'rules'> {
  /** The data folder of a run with --record. */
  readonly folder: string;
}

export interface ParityReport extends SessionComparison {
  /** Decisions of the session that were made again from the very events that it was told; 0 where it kept none. */
  readonly decidedAgain: number;
  readonly beganMs: number;
  readonly endMs: number;
  /** What each run did. */
  readonly session: RunCounts;
  readonly again: RunCounts;
}

/** How much there is of each kind in one run. */
export type RunCounts = Readonly<Record<'intents' | 'orders' | 'fills' | 'books' | 'bars', number>>;

/** What the second run draws its round trips with. */
const SEED = 1;

/** The least time that counts as another moment. */
const LEAST_TOLERANCE_MS = 1_000;

/**
 * Has a recorded session decided again from what it was told, runs it again against what it recorded, and compares both. Throws as `readSessionFile`, `readSession`
 * and `runAgain` do.
 */
export async function checkParity({ folder, ...options }: ParityOptions): Promise<ParityReport> {
  const file = readSessionFile(folder);
  const session = readSession(file);
  const ofEvents = await decided(folder, { file, session, ...options });
  const drawn = await measuredLatency(session, readEvents(folder), SEED);
  const { tripsMs, told, fromMs } = ofEvents.again;
  const second = await runAgain({
    file,
    session,
    events: readEvents(folder),
    latency:
      drawn === null
        ? null
        : { kind: 'replayed', tripsMs, further: drawn, ways: file.mode === 'paper' ? 'apart' : 'half' },
    told: fromMs === null ? null : told,
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
    beganMs: file.beganMs,
    endMs: session.endMs,
    session: countsOf(second.session),
    again: countsOf(second.again),
  };
}

async function decided(
  folder: string,
  { file, session, bundledStrategies }: Pick<RunAgainOptions, 'file' | 'session' | 'bundledStrategies'>,
): Promise<ReturnType<typeof compareDecisions> & { readonly again: DecidedAgain }> {
  const again = await decideAgain(file, readEvents(folder), await instancesOf(file, bundledStrategies));
  if (again.untilMs === null) return { differences: [], decisions: 0, again };
  const orders = again.orders.filter(({ plannedAtMs }) => plannedAtMs >= file.beganMs);
  // The session's own end is not compared.
  const untilMs = Math.min(again.untilMs, session.endMs - 1);
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

/** Two decisions within one interval of the fastest book of the plan may be the same one. */
function toleranceOf({ run }: SecondRun): number {
  const books = run.plan.feeds.filter(({ kind }) => kind === 'book').map(({ intervalMs }) => intervalMs);
  return books.length === 0 ? LEAST_TOLERANCE_MS : Math.max(LEAST_TOLERANCE_MS, Math.min(...books));
}

function countsOf({ intents, orders, fills, books, bars }: SecondRun['session']): RunCounts {
  return {
    intents: intents.length,
    orders: orders.length,
    fills: fills.length,
    books: books.length,
    bars: bars.length,
  };
}
