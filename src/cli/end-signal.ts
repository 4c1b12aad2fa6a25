import { writeSync } from 'node:fs';
import { isOutputGone } from '../daemon/standard-output.ts';
import { setFlagsFromString } from 'node:v8';

/** Signal that requests the end of a run, with its handlers. */
interface EndSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Requests the end as a first SIGTERM does; called when nobody reads the output any more. */
  readonly end: () => void;
}

/**
 * Time after the first signal in which another one is the same request, in ms. One Ctrl-C reaches a process
 * twice if npm passes it on too, and `timeout` signals the process and its group. Counted as a second
 * request, it would end at once a bot that was asked to drain.
 */
const SAME_REQUEST_MS = 1000;

/**
 * Calls `ask` at the first SIGINT or SIGTERM. A later one ends the process at once, with exit code 1 and a
 * line that says so. Returns a function that removes the handlers.
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
 * Requests the end at the first SIGINT or SIGTERM, and ends the process at once at the second. SIGHUP
 * requests the end too, even if repeated: a terminal that is closed sends it more than once, from its shell
 * and from the system. An output without a reader, as after `| head`, requests it too.
 */
export function endSignal(): EndSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  // A line that cannot be written for another reason, such as a full disk, is lost; trading goes on.
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
    [Symbol.dispose]: () => {
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
 * Limits V8's heap to about what is in use; called before the work begins. Work on millions of rows makes
 * objects that are freed at once. On a machine with much memory V8 first grows its new space to 48 MB, and
 * its old space to a multiple of the live objects. That is 100 MB of 450 for a backtest of a million bars,
 * and at most a tenth of its time.
 */
export function limitHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
