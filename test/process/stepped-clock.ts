import { pathToFileURL } from 'node:url';

/** The signal that steps the clock of a program that was started with `steppedClock`. */
export const STEP_SIGNAL = 'SIGUSR2';

/** Arguments of Node for a program whose wall clock is off by `byMs`, from its start or the signal on. */
export function steppedClock(step: {
  readonly byMs: number;
  readonly at: 'start' | 'signal';
  /** True if the machine sleeps for that time; else somebody sets its clock. */
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
