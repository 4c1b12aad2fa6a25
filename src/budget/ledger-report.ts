import { clockRow } from './slot-rows.ts';
import { closing } from '../domain/closing.ts';
import { openLedgerReadOnly } from './ledger-file.ts';
import { thisMachine, type Machine } from './process-owner.ts';
import { inForce, lowered, QUIET_MS } from './admission.ts';
import { fullUntil, hasHeadroom } from './doubt.ts';
import type { Budget } from '../domain/rate-limit.ts';
import { lengthText } from '../domain/time-text.ts';
import type { Admittance } from './admittance.ts';
import type { CommitTimes } from './commit-times.ts';

/** Report of one budget in the ledger, at the time of reading. */
export interface BudgetReport {
  /** Subject that is counted: `ip`, or the hash of a token. */
  readonly subject: string;
  readonly budget: string;
  /** Requests that may count at once: the lowered limit, if there is one. */
  readonly limit: number;
  /** Requests that may count at once if no limit were lowered. */
  readonly ownLimit: number;
  /** The limit that the exchange has named, below ours, and how long it holds; null if it named none. */
  readonly lowered: { readonly named: number; readonly forMs: number } | null;
  readonly windowMs: number;
  readonly inUse: number;
  readonly reserve: number;
  readonly assumed: boolean;
  /** Longest time for which the window still counts as full because nothing is known of it. */
  readonly fullForMs: number;
  /** True if an answer of the exchange, which may come at any time, would shorten that to one window. */
  readonly isUnheard: boolean;
  /** Requests that were sent and have not ended. */
  readonly onTheWay: number;
  /** Remaining time of a limit reply's lockout; null if there is none. */
  readonly lockedForMs: number | null;
  /** True if a canary is in flight to test whether a lockout is over. */
  readonly isOnTrial: boolean;
  /** Remaining time for which a 401 holds back its credential; null if none does. */
  readonly stoppedForMs: number | null;
}

/** Row of one budget from which a report is made. */
export interface LedgerRow {
  readonly subject: string;
  readonly budget: string;
  readonly request_limit: number;
  readonly window_ms: number;
  readonly reserve: number;
  readonly assumed: number;
  readonly grown_since_ms: number | null;
  readonly full_since_ms: number | null;
  readonly heard_at_ms: number | null;
  readonly stated_limit: number;
  readonly on_the_way: number;
  readonly named_limit: number | null;
  readonly named_at_ms: number | null;
  readonly in_use: number;
  readonly kind: 'open' | 'trial' | null;
  readonly at_ms: number | null;
  readonly probe_at_ms: number | null;
}

const QUERY = `
  SELECT budgets.subject, budgets.budget, budgets.request_limit, window_ms, reserve, assumed,
    ifnull(stated_limit, budgets.request_limit) AS stated_limit,
    budgets.full_since_ms AS grown_since_ms, clock.full_since_ms, heard_at_ms,
    (SELECT count(*) FROM slots WHERE slots.subject = budgets.subject AND slots.budget = budgets.budget
      AND stamped_at_ms IS NULL AND ended_at_ms IS NULL) AS on_the_way,
    (SELECT ifnull(sum(weight), 0) FROM slots WHERE slots.subject = budgets.subject AND slots.budget = budgets.budget
      AND ifnull(stamped_at_ms, @nowMs) + window_ms >= @nowMs) AS in_use,
    named_limits.request_limit AS named_limit, named_limits.at_ms AS named_at_ms,
    lockouts.kind, lockouts.at_ms, credential_stops.probe_at_ms
  FROM budgets JOIN clock
  LEFT JOIN named_limits ON named_limits.subject = budgets.subject AND named_limits.budget = budgets.budget
  LEFT JOIN lockouts ON lockouts.subject = budgets.subject AND lockouts.budget = budgets.budget
  LEFT JOIN credential_stops ON credential_stops.subject = budgets.subject
  ORDER BY budgets.subject, budgets.budget`;

/**
 * Reads every budget of a ledger without changing it; `nowMs` is the machine's monotonic clock. After a
 * restart of the machine it reports the figures from before, until a process opens the ledger to send. Throws
 * `DATA_UNUSABLE` if there is no ledger.
 */
export function readLedger(path: string, nowMs: number): readonly BudgetReport[] {
  using database = closing(openLedgerReadOnly(path));
  const rows = database.prepare<[{ readonly nowMs: number }], LedgerRow>(QUERY).all({ nowMs });
  const canBeHeard = rows.some((row) =>
    hasHeadroom({ limit: row.request_limit, statedLimit: row.stated_limit }),
  );
  return rows.map((row) => reportOf(row, { nowMs, canBeHeard }));
}

/**
 * Returns true if the times of a ledger are of this boot of the machine. A process that opens an earlier one
 * to send treats every window as full. Throws `DATA_UNUSABLE` if there is no ledger.
 */
export function isOfThisBoot(path: string, { bootId }: Pick<Machine, 'bootId'> = thisMachine()): boolean {
  using database = closing(openLedgerReadOnly(path));
  return clockRow(database).isOf(bootId);
}

/** Returns the report of a row at a time. `canBeHeard`: true if an answer can shorten a full window. */
export function reportOf(
  row: LedgerRow,
  of: { readonly nowMs: number; readonly canBeHeard: boolean },
): BudgetReport {
  const { nowMs, canBeHeard } = of;
  const {
    window_ms: windowMs,
    full_since_ms: sinceMs,
    heard_at_ms: heardAtMs,
    grown_since_ms: grownSinceMs,
  } = row;
  const pastMs = sinceMs === null ? 0 : fullUntil({ sinceMs, heardAtMs }, windowMs) - nowMs;
  const grownMs =
    grownSinceMs === null ? 0 : fullUntil({ sinceMs: grownSinceMs, heardAtMs: null }, windowMs) - nowMs;
  const own = {
    name: row.budget,
    limit: row.request_limit,
    statedLimit: row.stated_limit,
    windowMs,
    reserve: row.reserve,
  };
  const isNamed = row.named_limit !== null && row.named_at_ms !== null;
  const named = isNamed ? inForce({ limit: row.named_limit, atMs: row.named_at_ms }, nowMs) : null;
  const used = lowered(own, named?.limit ?? null);
  return {
    subject: row.subject,
    budget: row.budget,
    limit: used.limit,
    ownLimit: own.limit,
    lowered: named === null ? null : { named: named.limit, forMs: named.atMs + QUIET_MS - nowMs },
    windowMs,
    inUse: row.in_use,
    reserve: used.reserve,
    assumed: row.assumed === 1,
    fullForMs: Math.max(0, pastMs, grownMs),
    isUnheard: canBeHeard && heardAtMs === null && pastMs > Math.max(windowMs, grownMs),
    onTheWay: row.on_the_way,
    lockedForMs: row.kind === 'open' && row.at_ms !== null ? Math.max(0, row.at_ms - nowMs) : null,
    isOnTrial: row.kind === 'trial',
    stoppedForMs: row.probe_at_ms === null ? null : Math.max(0, row.probe_at_ms - nowMs),
  };
}

export interface OpenLedgerOptions {
  /** The place of the ledger, as `ledgerPlace` writes it. */
  readonly place: string;
  readonly budgets: Iterable<Budget>;
  readonly subjects: { readonly ip: string; readonly token: string };
  readonly isGuest: boolean;
  /** Records how long the commits of a file take. */
  readonly commits?: CommitTimes;
  /** Budgets in which cancels are counted; cancels with a lease leave while a Redis is unreachable. */
  readonly cancelBudgets?: readonly string[];
  /** Longest time in ms to wait for an answer of a Redis. */
  readonly timeoutMs: number;
  /** Called with each message about a Redis, in one line. */
  readonly log: (line: string) => void;
}

/** A ledger that processes share, wherever it is. */
export interface OpenLedger {
  readonly admittance: Admittance;
  /** Returns every budget as it is known here now. */
  rows(): readonly BudgetReport[];
  close(): Promise<void>;
}

/** A budget that the exchange has lowered, as commands show it. */
export interface LoweredBudget {
  readonly budget: string;
  /** Limit that the exchange named. */
  readonly named: number;
  /** Limit in use now, in requests for each window; below, the limit in use before. */
  readonly limit: number;
  readonly ownLimit: number;
  /** Time the limit stays lowered if no further limit reply comes, in ms. */
  readonly forMs: number;
}

/** Returns the lowered budgets among those of the given subjects. */
export function loweredBudgets(
  rows: readonly BudgetReport[],
  subjects: ReadonlySet<string>,
): readonly LoweredBudget[] {
  return rows.flatMap(({ budget, subject, lowered, limit, ownLimit }) =>
    lowered === null || !subjects.has(subject) ? [] : [{ budget, ...lowered, limit, ownLimit }],
  );
}

/** Describes a lowered budget in a sentence. */
export const loweredText = ({ budget, named, limit, ownLimit, forMs }: LoweredBudget): string =>
  `the exchange has lowered ${budget} to ${named}: ${limit} are used instead of ${ownLimit}, for ${lengthText(forMs)} if no limit reply comes, or until "sarraf budget raise ${budget}"`;
