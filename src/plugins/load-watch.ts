import { isMainThread, Worker } from 'node:worker_threads';
import { ownModule } from './own-files.ts';

/** How long a file may be loaded before that is said. */
const QUIET_MS = 3_000;

export interface WatchSetup {
  readonly quietMs: number;
}

/** What is loaded from now on; null: nothing. */
export interface WatchWord {
  readonly file: string | null;
  readonly pid: number;
}

const workerFile = ownModule('plugins/load-watch-worker');

/** Files that this process has loaded: one that came through does not loop the second time. */
const LOADED = new Set<string>();

/**
 * Says on the standard error which strategy file holds this process up. Files of backtests run in the main
 * thread, where a loop leaves nobody to speak; a thread of its own does, which costs a backtest some
 * milliseconds. In a thread nothing is watched: whoever began it keeps the time.
 */
export class LoadWatch {
  private worker: Worker | null = null;

  /** Does the work of loading one file. Files are loaded one after another. */
  async during<Result>(file: string, load: () => Promise<Result>): Promise<Result> {
    if (!isMainThread || LOADED.has(file)) return load();
    this.worker ??= begin();
    this.say(file);
    try {
      const loaded = await load();
      LOADED.add(file);
      return loaded;
    } finally {
      this.say(null);
    }
  }

  /** To be called in the end. */
  close(): void {
    void this.worker?.terminate();
    this.worker = null;
  }

  private say(file: string | null): void {
    this.worker?.postMessage({ file, pid: process.pid } satisfies WatchWord, []);
  }
}

function begin(): Worker {
  const worker = new Worker(workerFile, {
    workerData: { quietMs: QUIET_MS } satisfies WatchSetup,
    env: {},
    argv: [],
    execArgv: [],
    name: 'load watch',
  });
  // Without it a backtest is as good as before.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}
