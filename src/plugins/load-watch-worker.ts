import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { WatchSetup, WatchWord } from './load-watch.ts';

/** The thread that reports for a main thread which a file blocks: only its timers still run. */
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
      // Nobody reads it, and there is no other way to say it.
    }
  }, quietMs);
});
