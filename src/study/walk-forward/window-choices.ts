import { SarrafError } from '../../domain/errors.ts';
import { minuteText } from '../../domain/time-text.ts';
import type { StoredTrial } from '../study-rows.ts';
import type { AccountTask, AccountLeg } from '../trials/account-run.ts';
import type { WalkWindow } from './walk-windows.ts';

/** Choice that a window trades. */
export interface WindowChoice {
  readonly window: WalkWindow;
  /** Trial whose params are traded. */
  readonly trial: StoredTrial;
  /** True if none of its own trials has values, so that it trades the choice of the window before. */
  readonly isKept: boolean;
}

/**
 * A choice for each window. Where no trial of a window has values, its account goes on with the params that
 * it has. Throws `INVALID_OPTIONS` where the first window has none: there is nothing to begin with.
 */
export function windowChoices(
  windows: readonly WalkWindow[],
  chosen: (window: WalkWindow) => StoredTrial | null,
): readonly WindowChoice[] {
  const choices: WindowChoice[] = [];
  for (const window of windows) {
    const trial = chosen(window);
    const before = choices.at(-1)?.trial ?? null;
    if (trial !== null) choices.push({ window, trial, isKept: false });
    else if (before !== null) choices.push({ window, trial: before, isKept: true });
    else {
      const { fromMs, toMs } = window.train;
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected a trial with values in the train window 1, found none from ${minuteText(fromMs)} to ${minuteText(toMs)}: give longer windows or more trials`,
      );
    }
  }
  return choices;
}

/** The one account that trades all choices, one after the other. */
export function accountTaskOf(choices: readonly WindowChoice[]): AccountTask {
  const [first, ...rest] = choices.map(({ window, trial }): AccountLeg => ({
    fromMs: window.test.fromMs,
    params: trial.params,
  }));
  const toMs = choices.at(-1)?.window.test.toMs;
  if (first === undefined || toMs === undefined)
    throw new SarrafError('INVARIANT', 'expected a window, found none');
  return { legs: [first, ...rest], toMs, stretches: choices.map(({ window }) => window.test) };
}
