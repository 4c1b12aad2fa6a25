import { lackText, type Lack } from './english-lacks.ts';

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
      readonly lack: Lack;
    };

export function known<Value>(value: Value): Estimate<Value> {
  return { kind: 'known', value };
}

/** `lack` says what was expected and what was found. */
export function unknown(reason: UnknownReason, lack: Lack): Estimate<never> {
  return { kind: 'unknown', reason, message: lackText(lack), lack };
}

/** Input is no data: a number is not finite, columns differ in length, or an option is out of range. */
export class InvalidSample extends RangeError {
  override readonly name = 'InvalidSample';
  /** Content of the message, for readers of another language; null for errors that only code can cause. */
  readonly lack: Lack | null;

  constructor(what: string | Lack) {
    super(typeof what === 'string' ? what : lackText(what));
    this.lack = typeof what === 'string' ? null : what;
  }
}
