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
  /** Whether the machine sleeps for that long, rather than somebody sets its clock. */
  readonly isSleep?: boolean;
}): readonly string[] {
  const address = pathToFileURL('test/process/step-clock.ts');
  const { byMs, at, isSleep = false } = step;
  address.search = new URLSearchParams({
    by: String(byMs),
    at,
    ...(isSleep ? { slept: '' } : {}),
  }).toString();
  return ['--import', address.href];
}
