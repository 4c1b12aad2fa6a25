import type { RateLimit } from '../domain/rate-limit.ts';
import { bothTimesText } from '../domain/zone-time.ts';
import { sentence, type Sentence } from '../language/sentence.ts';
import type { VenueCallKind, VenueProfile } from '../venues/port.ts';
import { LATE_ARRIVAL_MS } from './admission.ts';
import type { BudgetReport } from './ledger-report.ts';
import { hasHeadroom } from './doubt.ts';

/** Calls that a bot sends before and with its first order: markets, account, and the order ("Limits"). */
const NEEDED: readonly VenueCallKind[] = ['options', 'orders', 'trades', 'wallets', 'place'];

/** Time at which the first order may leave, as far as the ledger decides. */
export interface TradingBegins {
  /** Time to wait from now; 0 for none. If the exchange has not answered yet: from its first answer on. */
  readonly waitMs: number;
  /** Longest time to wait from now if no answer comes before; equal to `waitMs` if none is needed. */
  readonly latestMs: number;
  /** The budget with the longest wait, and its reason; null if there is no wait. */
  readonly budget: string | null;
  readonly why: 'unknown' | 'locked out' | null;
}

/** No wait. */
export const AT_ONCE: TradingBegins = { waitMs: 0, latestMs: 0, budget: null, why: null };

/** Returns the wait from a report. `subjects`: address and credential. `needed`: see `neededBudgets`. */
export function tradingBegins(
  rows: readonly BudgetReport[],
  { needed, subjects }: { readonly subjects: ReadonlySet<string>; readonly needed: ReadonlySet<string> },
): TradingBegins {
  let latest = AT_ONCE;
  for (const row of rows) {
    if (!needed.has(row.budget) || !subjects.has(row.subject)) continue;
    const { budget, fullForMs, lockedForMs, isUnheard, windowMs } = row;
    const isLocked = lockedForMs !== null && lockedForMs > fullForMs;
    const latestMs = isLocked ? lockedForMs : fullForMs;
    const waitMs = isLocked || !isUnheard ? latestMs : Math.min(latestMs, windowMs);
    if (waitMs > latest.waitMs)
      latest = { waitMs, latestMs, budget, why: isLocked ? 'locked out' : 'unknown' };
  }
  return latest;
}

/** Returns the wait without a ledger: all windows count as full until one after the first answer. */
export function freshTradingBegins(budgets: Iterable<RateLimit>, needed: ReadonlySet<string>): TradingBegins {
  const all = [...budgets];
  const canBeHeard = all.some(hasHeadroom);
  let latest = AT_ONCE;
  for (const { name, windowMs } of all) {
    const latestMs = windowMs + LATE_ARRIVAL_MS;
    const waitMs = canBeHeard ? windowMs : latestMs;
    if (needed.has(name) && waitMs > latest.waitMs)
      latest = { waitMs, latestMs, budget: name, why: 'unknown' };
  }
  return latest;
}

/** Returns the budgets that a bot's first order waits for. */
export const neededBudgets = ({ budgets }: Pick<VenueProfile, 'budgets'>): ReadonlySet<string> =>
  new Set(NEEDED.map((kind) => budgets[kind]));

/** Returns the wait as one sentence. */
export function beginsText({ waitMs, latestMs, budget, why }: TradingBegins): Sentence {
  const reason = sentence(why === 'locked out' ? 'begins-locked-out' : 'begins-unknown', {
    budget: budget ?? '',
  });
  const wait = secondsText(waitMs);
  return latestMs > waitMs
    ? sentence('begins-after-answer', { wait, latest: secondsText(latestMs), reason })
    : sentence('begins-in', { wait, reason });
}

/** Returns the wait of a running bot as a sentence: why, until when, and what ends it sooner, if anything. */
export function waitSentence(begins: TradingBegins, nowMs: number): Sentence {
  const text = beginsText(begins);
  if (begins.why !== 'unknown') return text;
  const endMs = Math.ceil((nowMs + begins.latestMs) / 1_000) * 1_000;
  return sentence('begins-unless', { begins: text, at: bothTimesText(endMs) });
}

const secondsText = (timeMs: number): string => `${Math.ceil(timeMs / 1_000)} s`;
