/**
 * What a check found: `problem` keeps a bot from trading or its people from being told, `warning` may do so
 * later.
 */
export type CheckVerdict = 'ok' | 'warning' | 'problem' | 'not checked';

/** One line of `sarraf doctor`, and what to do about it. */
export interface CheckFinding {
  /** What was checked, such as `clock`. */
  readonly check: string;
  readonly verdict: CheckVerdict;
  /** What was found; for what was not checked, why. */
  readonly text: string;
  /** What to do; null where nothing has to be done. */
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
