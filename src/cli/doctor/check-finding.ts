/** Outcome of a check: `problem` prevents trading or notices to people; `warning` may do so later. */
export type CheckVerdict = 'ok' | 'warning' | 'problem' | 'not checked';

/** One line of `sarraf doctor`, and what to do about it. */
export interface CheckFinding {
  /** Subject of the check, such as `clock`. */
  readonly check: string;
  readonly verdict: CheckVerdict;
  /** Result of the check; if it was not made, the reason. */
  readonly text: string;
  /** Remedy; null if nothing has to be done. */
  readonly remedy: string | null;
}

export const ok = (check: string, text: string): CheckFinding => ({
  check,
  verdict: 'ok',
  text,
  remedy: null,
});

export const warning = (check: string, text: string, remedy: string): CheckFinding => ({
  check,
  verdict: 'warning',
  text,
  remedy,
});

export const problem = (check: string, text: string, remedy: string): CheckFinding => ({
  check,
  verdict: 'problem',
  text,
  remedy,
});

export const notChecked = (check: string, text: string, remedy: string | null = null): CheckFinding => ({
  check,
  verdict: 'not checked',
  text,
  remedy,
});
