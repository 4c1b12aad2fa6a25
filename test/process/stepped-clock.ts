import { pathToFileURL } from 'node:url';

/** What steps the clock of a program that was started for it. */
export const STEP_SIGNAL = 'SIGUSR2';

/**
 * Arguments of Node with which a program sees a wall clock that is so far from the true one, from its start
 * or from the signal on.
 */
export function steppedClock(step: {
  readonly byMs: number;
  readonly at: 'start' | 'signal';
}): readonly string[] {
  const address = pathToFileURL('test/process/step-clock.ts');
  address.search = new URLSearchParams({ by: String(step.byMs), at: step.at }).toString();
  return ['--import', address.href];
}
