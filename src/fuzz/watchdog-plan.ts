import { MINUTE_MS, SECOND_MS } from '../domain/time-text.ts';
import type { WatchRule } from '../daemon/watchdog.ts';
import { Dice } from './dice.ts';
import Database from 'better-sqlite3';
import { writeFileSync } from 'node:fs';

/** Absence of the bot: the kind, and the time after which it comes back. */
export interface PlannedAbsence {
  readonly atMs: number;
  readonly forMs: number;
  readonly kind: 'stands still' | 'killed' | 'ended in order';
}

/** Plan of a seed with a watchdog. Times are from the beginning of the run, in ms. */
export interface WatchdogPlan {
  readonly rule: WatchRule;
  readonly absences: readonly PlannedAbsence[];
  /** Times at which the watchdog itself stands still. */
  readonly stops: readonly { readonly atMs: number; readonly forMs: number }[];
  readonly crashesAtMs: readonly number[];
  /** Share of its own requests soon after which it dies. */
  readonly crashShare: number;
}

/** Share of the seeds with a watchdog, and the share of these that let it cancel. */
const SHARE = 0.35;
const CANCELS_SHARE = 0.8;

/** A bot that is back while the cancels of a watchdog are under way is rare by chance. */
const NEAR_CANCEL_SHARE = 0.5;
const BEFORE_CANCEL_MS = 500;
const AFTER_CANCEL_MS = 2_000;

/** Null of a seed without a watchdog. */
export function watchdogPlanOf(seed: number, runMs: number): WatchdogPlan | null {
  const dice = Dice.of(seed, 'watchdog');
  if (!dice.happens(SHARE)) return null;
  const cancelEntriesAfterMs = dice.happens(CANCELS_SHARE) ? drawLength(dice, 5, 150) : null;
  const rule = { silentAfterMs: drawLength(dice, 5, 60), cancelEntriesAfterMs };
  return {
    rule,
    absences: drawAbsences(dice, rule, runMs),
    stops: dice.happens(0.4)
      ? drawTimes(dice, runMs, 30 * MINUTE_MS).map((atMs) => ({ atMs, forMs: drawLength(dice, 5, 300) }))
      : [],
    crashesAtMs: dice.happens(0.4) ? drawTimes(dice, runMs, 40 * MINUTE_MS) : [],
    crashShare: dice.happens(0.5) ? dice.logUniform(0.02, 0.5) : 0,
  };
}

function drawAbsences(dice: Dice, rule: WatchRule, runMs: number): readonly PlannedAbsence[] {
  const { silentAfterMs, cancelEntriesAfterMs } = rule;
  const actsAfterMs = Math.max(silentAfterMs, cancelEntriesAfterMs ?? 0);
  return drawTimes(dice, runMs, dice.logUniform(8, 40) * MINUTE_MS)
    .map((atMs) => ({
      atMs,
      forMs: dice.happens(NEAR_CANCEL_SHARE)
        ? Math.round(actsAfterMs + dice.between(-BEFORE_CANCEL_MS, AFTER_CANCEL_MS))
        : drawLength(dice, 5, 1_200),
      kind:
        dice.pick(['stands still', 'stands still', 'killed', 'killed', 'ended in order'] as const) ??
        'killed',
    }))
    .filter(({ atMs, forMs }) => atMs + forMs < runMs);
}

function drawLength(dice: Dice, leastSeconds: number, mostSeconds: number): number {
  return Math.round(dice.logUniform(leastSeconds, mostSeconds) * SECOND_MS);
}

function drawTimes(dice: Dice, runMs: number, meanMs: number): readonly number[] {
  const times: number[] = [];
  for (let atMs = dice.exponential(meanMs); atMs < runMs; atMs += dice.exponential(meanMs))
    times.push(Math.round(atMs));
  return times;
}

const SHARE_OF_SEEDS = 0.3;

/** "sarr" in ASCII: the mark of a mirror, which is written before anything else of it. */
const MIRROR_MARK = 0x73617272;

/**
 * Leaves the files of a bot as its very first start leaves them that is killed while it makes them: in some
 * seeds, and of each file none, one without bytes, or one without tables. Answers what it left, in words.
 */
export function leaveHalfMade(
  seed: number,
  { mirrorPath, ledgerPath }: { readonly mirrorPath: string; readonly ledgerPath: string },
): readonly string[] {
  const dice = Dice.of(seed, 'first start');
  if (!dice.happens(SHARE_OF_SEEDS)) return [];
  return [mirrorPath, ledgerPath].flatMap((path) => {
    const stage = dice.pick(['nothing', 'no bytes', 'no tables'] as const) ?? 'nothing';
    if (stage === 'nothing') return [];
    writeFileSync(path, '');
    if (stage === 'no tables') {
      const database = new Database(path);
      if (path === mirrorPath) database.pragma(`application_id = ${MIRROR_MARK}`);
      database.pragma('journal_mode = WAL');
      database.close();
    }
    return [`first start killed: ${path === mirrorPath ? 'mirror' : 'ledger'} with ${stage}`];
  });
}
