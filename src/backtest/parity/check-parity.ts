import { readSessionFile } from '../../daemon/session-file.ts';
import { compareSessions, type SessionComparison } from './compare-sessions.ts';
import { readSession } from './read-session.ts';
import { runAgain, type RunAgainOptions, type SecondRun } from './run-again.ts';

export interface ParityOptions extends Pick<RunAgainOptions, 'bundledStrategies' | 'rules'> {
  /** The data folder of a run with --record. */
  readonly folder: string;
}

export interface ParityReport extends SessionComparison {
  readonly beganMs: number;
  readonly endMs: number;
  /** What each run did. */
  readonly session: RunCounts;
  readonly again: RunCounts;
}

/** How much there is of each kind in one run. */
export type RunCounts = Readonly<Record<'intents' | 'orders' | 'fills' | 'books' | 'bars', number>>;

/** The least time that counts as another moment. */
const LEAST_TOLERANCE_MS = 1_000;

/** Runs a recorded session again and compares. Throws as `readSessionFile`, `readSession` and `runAgain` do. */
export async function checkParity({ folder, ...options }: ParityOptions): Promise<ParityReport> {
  const file = readSessionFile(folder);
  const session = readSession(file);
  const second = await runAgain({ file, session, ...options });
  const comparison = compareSessions(second, {
    markets: file.markets,
    endMs: session.endMs,
    toleranceMs: toleranceOf(second),
    readsBars: new Set(
      second.seats
        .filter(({ runner }) => runner.subscriptions.some(({ kind }) => kind === 'candles'))
        .map(({ runner }) => runner.name),
    ),
  });
  const { beganMs } = file;
  return {
    ...comparison,
    beganMs,
    endMs: session.endMs,
    session: countsOf(second.session),
    again: countsOf(second.again),
  };
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
