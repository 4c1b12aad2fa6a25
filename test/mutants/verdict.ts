import type { FuzzRun } from './fuzz-run.ts';

/** What became of a planted bug, or, for a run without one, of the bot as it is. */
export type Verdict =
  /** Checkers saw that a promise was broken. */
  | {
      readonly kind: 'found';
      /** Null where no seed was needed. */
      readonly seed: number | null;
      readonly checks: readonly string[];
      readonly message: string;
    }
  /** Every seed held. */
  | { readonly kind: 'survived' }
  /** The bot does not get to trade, or the run itself broke: nothing is shown by that. */
  | { readonly kind: 'broken'; readonly reason: string };

/** Of a checker that is no more than the bot's or the harness's own stumbling. */
const NO_MISTAKES = 'no mistakes';
const RUN_ENDS = 'the run ends';

/** What the language throws where code is no sense at all, and not where a promise is broken. */
export const NONSENSE = /^(?:TypeError|ReferenceError|SyntaxError|RangeError)\b/;

/** Reads a run: the first seed that fails in it decides. */
export function verdictOn({ exitCode, seeds, complaint }: FuzzRun): Verdict {
  const failed = seeds
    .filter(({ violations }) => violations.length > 0)
    .toSorted((left, right) => left.seed - right.seed)
    .at(0);
  if (failed === undefined) {
    // Too few seeds may not have met everything that a suite is to meet; that is no matter here.
    const isWhole = seeds.length > 0 && (exitCode === 0 || complaint.includes('never met'));
    return isWhole
      ? { kind: 'survived' }
      : { kind: 'broken', reason: complaint || `it ended with ${exitCode}` };
  }
  const { seed, counts, violations } = failed;
  const broken = violations.find(
    ({ check, message }) => check === RUN_ENDS || (check === NO_MISTAKES && NONSENSE.test(message)),
  );
  if (broken !== undefined) return { kind: 'broken', reason: `seed ${seed}: ${broken.message}` };
  if ((counts['orders'] ?? 0) === 0) return { kind: 'broken', reason: `seed ${seed}: no order was planned` };
  // Checkers that stand apart say more than the bot's own stumbling.
  const apart = violations.filter(({ check }) => check !== NO_MISTAKES);
  const reported = apart.length === 0 ? violations : apart;
  return {
    kind: 'found',
    seed,
    checks: [...new Set(reported.map(({ check }) => check))],
    message: reported[0]?.message ?? '',
  };
}
