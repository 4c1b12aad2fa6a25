import { isOutputGone } from '../daemon/logging/standard-output.ts';

/** Who asks for the end of a run, and how that is recognised. */
export interface EndSignal {
  readonly signal: AbortSignal;
  /** Asks for the end as a first SIGTERM does, for a writer whose output has lost its reader. */
  readonly end: () => void;
  readonly release: () => void;
}

/**
 * Asks for the end at the first SIGINT or SIGTERM, and leaves at once at the second. SIGHUP asks too, however
 * often it comes: a terminal that is closed sends it more than once, from its shell and from the system. So
 * does an output that has lost its reader, as after `| head`.
 */
export function endSignal(): EndSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  let asked = 0;
  const onSignal = (): void => {
    asked += 1;
    if (asked > 1) process.exit(1);
    end();
  };
  // What can not be written for another reason, such as a full disk, is lost, and no reason to stop trading.
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (isOutputGone(error)) end();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', end);
  process.stdout.on('error', onOutputError);
  process.stderr.on('error', onOutputError);
  return {
    signal: controller.signal,
    end,
    release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', end),
  };
}

/** Waits for SIGINT or SIGTERM. A second signal ends the process at once, as it would without us. */
export function untilStopped(): Promise<null> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve(null);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
