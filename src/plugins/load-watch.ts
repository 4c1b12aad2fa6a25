import { isMainThread, Worker } from 'node:worker_threads';
import { ownModule } from './own-files.ts';

/** Load time after which a slow file is reported. */
const QUIET_MS = 3_000;

export interface WatchSetup {
  readonly quietMs: number;
}

/** File that is loaded from now on; null: none. */
export interface WatchWord {
  readonly file: string | null;
  readonly pid: number;
}

const workerFile = ownModule('plugins/load-watch-worker');

/** Files that this process has loaded: one that loaded once does not loop the second time. */
const LOADED = new Set<string>();

/**
 * Writes to standard error which strategy file blocks this process. Files of backtests run in the main
 * thread, which a loop blocks, so a second thread reports it; that costs a backtest some milliseconds. In a
 * strategy's own thread nothing is watched: the main thread has its time limit.
 */
export class LoadWatch {
  private worker: Worker | null = null;

  /** Does the work of loading one file. Files are loaded one after another. */
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

  /** To be called when all files are loaded. */
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
  // A backtest works without it.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}
