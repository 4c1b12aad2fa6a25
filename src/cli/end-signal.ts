import { writeSync } from 'node:fs';
import { isOutputGone } from '../daemon/standard-output.ts';
import { setFlagsFromString } from 'node:v8';

/** Request to end a run, and its detection. */
interface EndSignal {
  readonly signal: AbortSignal;
  /** Ends the command as a first SIGTERM does: called when nobody reads its output any more. */
  readonly end: () => void;
  readonly release: () => void;
}

/**
 * A signal that comes so soon after the first one is the same request. One Ctrl-C reaches a process twice
 * where npm passes it on too, and `timeout` signals the process and its group. It would end at once a bot
 * that was asked to drain.
 */
const SAME_REQUEST_MS = 1000;

/**
 * Asks for the end at the first SIGINT or SIGTERM. A later one ends the process at once, with exit code 1 and
 * a line that says so. Returns what takes the handlers off again.
 */
export function askThenLeave(ask: () => void): () => void {
  let askedAtMs: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    const nowMs = performance.now();
    if (askedAtMs === null) {
      askedAtMs = nowMs;
      ask();
    } else if (nowMs - askedAtMs >= SAME_REQUEST_MS) {
      try {
        writeSync(2, `ended at once by a second ${signal}: what was under way was left as it is\n`);
      } finally {
        process.exit(1);
      }
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
}

/**
 * Asks for the end at the first SIGINT or SIGTERM, and leaves at once at the second. SIGHUP asks too, however
 * often it comes: a terminal that is closed sends it more than once, from its shell and from the system. So
 * does an output that has lost its reader, as after `| head`.
 */
export function endSignal(): EndSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  // What can not be written for another reason, such as a full disk, is lost, and no reason to stop trading.
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (isOutputGone(error)) end();
  };
  const removeListener = askThenLeave(end);
  process.on('SIGHUP', end);
  process.stdout.on('error', onOutputError);
  process.stderr.on('error', onOutputError);
  return {
    signal: controller.signal,
    end,
    release: () => {
      removeListener();
      process.off('SIGHUP', end);
    },
  };
}

/** Waits for SIGINT or SIGTERM. A second signal ends the process at once. */
export function untilStopped(): Promise<null> {
  return new Promise((resolve) => {
    askThenLeave(() => resolve(null));
  });
}

/**
 * Keeps V8's heap near what is in use. Work on millions of rows makes objects that die at once; V8 lets its
 * space for new ones grow to 48 MB and the old one to a multiple of what lives in it before it looks, since
 * it sees a machine with much memory. That is 100 MB of 450 for a backtest of a million bars, and a tenth of
 * its time at the most. To be called before the work begins.
 */
export function limitHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
