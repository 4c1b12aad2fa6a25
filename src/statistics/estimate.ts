import { factsOf, type Fact } from '../language/fact.ts';

/** Reason a statistic has no value. */
export type UnknownReason =
  | 'too-few-observations'
  | 'too-few-trials'
  | 'too-many-trials'
  | 'no-variance'
  | 'not-above-benchmark'
  | 'no-trades'
  | 'no-room';

/**
 * A statistic, or why it has no value. The rule of this folder: data that can not carry a statistic (too
 * short, without variance, one trial) gives an unknown one with a reason. Input that is no data (NaN, columns
 * of different lengths, an option out of range) throws `InvalidSample`. No path returns a guess.
 */
export type Estimate<Value> =
  | { readonly kind: 'known'; readonly value: Value }
  | {
      readonly kind: 'unknown';
      readonly reason: UnknownReason;
      readonly message: string;
      /** Content of the message, for readers of another language. */
      readonly lack: MissingReason;
    };

export function known<Value>(value: Value): Estimate<Value> {
  return { kind: 'known', value };
}

/** `lack` says what was expected and what was found. */
export function unknown(reason: UnknownReason, lack: MissingReason): Estimate<never> {
  return { kind: 'unknown', reason, message: missingReasonText(lack), lack };
}

/** Input is no data: a number is not finite, columns differ in length, or an option is out of range. */
export class InvalidSample extends RangeError {
  override readonly name = 'InvalidSample';
  /** Content of the message, for readers of another language; null for errors that only code can cause. */
  readonly lack: MissingReason | null;

  constructor(what: string | MissingReason) {
    super(typeof what === 'string' ? what : missingReasonText(what));
    this.lack = typeof what === 'string' ? null : what;
  }
}

/** Throws `InvalidSample` unless values are a `Float64Array`, and at the first number that is not finite. */
export function checkSample(values: Float64Array, name: string): void {
  // A program in JavaScript has no types that say it.
  if (!(values instanceof Float64Array))
    throw new InvalidSample(`expected a Float64Array for ${name}, was ${typeof values}`);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (!Number.isFinite(value))
      throw new InvalidSample(`expected finite numbers in ${name}, was ${value} at ${index}`);
  }
}

/**
 * Checks the columns of trials, one return a period in each, and answers how many periods they have. Throws
 * `InvalidSample` at a number that is not finite, and at columns of different lengths.
 */
export function checkTrials(trials: readonly Float64Array[]): number {
  const length = trials[0]?.length ?? 0;
  for (const [index, trial] of trials.entries()) {
    checkSample(trial, `trial ${index}`);
    if (trial.length !== length)
      throw new InvalidSample(
        `expected ${length} returns in each trial as in trial 0, was ${trial.length} in trial ${index}`,
      );
  }
  return length;
}

/** Throws `InvalidSample` unless a number is finite, and within both bounds. */
export function checkNumber(value: number, name: string, bounds: Bounds = {}): void {
  const { least = -Infinity, most = Infinity } = bounds;
  if (Number.isFinite(value) && value >= least && value <= most) return;
  throw new InvalidSample(`expected a finite number from ${least} to ${most} for ${name}, was ${value}`);
}

/** The same of a whole number. */
export function checkCount(value: number, name: string, bounds: Bounds): void {
  checkNumber(value, name, bounds);
  if (!Number.isSafeInteger(value))
    throw new InvalidSample(`expected a whole number for ${name}, was ${value}`);
}

/** Both are allowed values. */
interface Bounds {
  readonly least?: number;
  readonly most?: number;
}

/** Reasons a statistic has no value: the value expected and the value found. */
export const ENGLISH_MISSING_REASONS = {
  'lack.returns': 'expected at least {least} returns, was {found}',
  'lack.returnsOfBlocks': 'expected at least {least} returns for {blocks} blocks, was {found}',
  'lack.values': 'expected at least {least} values, was {found}',
  'lack.days': 'expected at least {least} days, was {found}',
  'lack.trials': 'expected at least {least} trials, was {found}',
  'lack.noTrial': 'expected at least one trial, was none',
  'lack.varyingTrials': 'expected at least {least} trials that vary, was {found}',
  'lack.mostTrials': 'expected at most {most} trials, was {found}',
  'lack.ratios': 'expected at least {least} Sharpe ratios, was {found}',
  'lack.trades': 'expected at least {least} trades, was {found}',
  'lack.noTrade': 'expected at least one trade, was none',
  'lack.positions': 'expected at least {least} positions, was {found}',
  'lack.heldBars': 'expected at most {most} held bars without overlaps, was {found}',
  'lack.room':
    'expected room for {positions} positions of {held} bars with one between them in {bars} bars of {market}, found none',
  'lack.oneReturn': 'expected returns that vary, was one value {times} times',
  'lack.oneValue': 'expected values that vary, was one value {times} times',
  'lack.oneReturnInTrial': 'expected returns that vary in trial {trial}, was one value',
  'lack.oneReturnInHalf':
    'expected returns that vary in each half, trial {trial} has one return through half of the blocks',
  'lack.noVaryingTrial': 'expected a trial whose returns vary, was none of {found}',
  'lack.onePrice': 'expected prices that move, was one price',
  'lack.variance': 'expected a Sharpe ratio with a variance above 0, was {found}',
  'lack.benchmark': 'expected a Sharpe ratio above the benchmark {benchmark}, was {found}',
  'lack.compounded': 'expected changes that compound to at most {most} times, was {found}',
} as const;

/** Reason a statistic has no value. Figures are written in digits or are names. */
export type MissingReason = Fact<keyof typeof ENGLISH_MISSING_REASONS>;

export const lack = factsOf<typeof ENGLISH_MISSING_REASONS>();

/** The same as a sentence: its figures are numbers in digits, and names. */
function missingReasonText({ fact, figures }: MissingReason): string {
  return ENGLISH_MISSING_REASONS[fact].replaceAll(/\{(\w+)\}/g, (_, place: string) => {
    const figure = figures[place];
    if (typeof figure === 'object' && 'digits' in figure) return figure.digits;
    return typeof figure === 'string' ? figure : '';
  });
}
