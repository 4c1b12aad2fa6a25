import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { WatchSetup, WatchWord } from './load-watch.ts';

/** Reports a file that blocks the main thread: only the timers of this thread still run then. */
const { quietMs } = workerData as WatchSetup;
const STANDARD_ERROR = 2;

let timer: NodeJS.Timeout | undefined;

parentPort?.on('message', ({ file, pid }: WatchWord) => {
  clearTimeout(timer);
  if (file === null) return;
  timer = setTimeout(() => {
    const text = `still loading ${file} after ${quietMs / 1_000} s: it may loop as it is imported or set up; Ctrl-C (or kill ${pid}) ends it\n`;
    try {
      writeSync(STANDARD_ERROR, text);
    } catch {
      // Standard error is closed, and there is no other place to report it.
    }
  }, quietMs);
});
