import { isMainThread, Worker } from 'node:worker_threads';
import { ownModule } from './own-files.ts';

/** Load time after which a slow file is reported, in ms. */
const QUIET_MS = 3_000;

export interface WatchSetup {
  readonly quietMs: number;
}

/** File that is loaded from now on; null if none is. */
export interface WatchWord {
  readonly file: string | null;
  readonly pid: number;
}

const workerFile = ownModule('plugins/load-watch-worker');

/** Files that this process has loaded: a file that loaded once is not watched the second time. */
const LOADED = new Set<string>();

/**
 * Writes to standard error which strategy file blocks this process. Backtests load files in the main thread,
 * which an endless loop blocks, so a second thread reports it; that costs some milliseconds. In a strategy's
 * own thread nothing is watched, since the main thread has a time limit for it.
 */
export class LoadWatch {
  private worker: Worker | null = null;

  /** Loads one file under watch. Files are loaded one after another. */
  async during<Result>(file: string, load: () => Promise<Result>): Promise<Result> {
    if (!isMainThread || LOADED.has(file)) return load();
    this.worker ??= begin();
    this.log(file);
    try {
      const loaded = await load();
      LOADED.add(file);
      return loaded;
    } finally {
      this.log(null);
    }
  }

  /** Ends the watch; to be called when all files are loaded. */
  close(): void {
    void this.worker?.terminate();
    this.worker = null;
  }

  private log(file: string | null): void {
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
  // A backtest works without the watch.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}
