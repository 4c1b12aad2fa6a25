import { HOUR_MS } from '../domain/durations.ts';
import { messageOf } from '../domain/errors.ts';
import { setTimeout } from 'node:timers';
import { Worker } from 'node:worker_threads';

/** Ends within an hour after which it is not begun again. */
const MOST_RESTARTS = 5;

const FIRST_WAIT_MS = 1_000;

interface SideThreadOptions {
  /** Name shown to people, such as `the page`. */
  readonly name: string;
  /** The entry of the thread: `ownModule` has its place. */
  readonly module: URL;
  /** Value passed as `workerData`. */
  readonly data: unknown;
  /** The most memory that its objects may take, in MB. */
  readonly heapMb: number;
  readonly onMessage: (message: unknown) => void;
  /** Told that it ended, and what is done about it. */
  readonly onTrouble: (level: 'warning' | 'error', text: string) => void;
  /** The wait before the first new beginning, which doubles with each; a second without it. */
  readonly firstWaitMs?: number;
}

/**
 * A thread beside the bot. However it ends, the bot goes on: it is begun anew a few times an hour, and then
 * left out. It ends when its process does.
 */
export class SideThread {
  private readonly options: SideThreadOptions;
  private worker: Worker | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isOver = false;
  private readonly endedAtMs: number[] = [];

  constructor(options: SideThreadOptions) {
    this.options = options;
  }

  begin(): void {
    if (this.isOver) return;
    const { module, data, heapMb, onMessage } = this.options;
    const worker = new Worker(module, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      // What a library prints there is no line of the run's log.
      stdout: true,
      stderr: true,
    });
    this.worker = worker;
    let reason = 'it ended by itself';
    worker.on('message', onMessage);
    worker.on('error', (error) => {
      reason = messageOf(error);
    });
    worker.once('exit', () => this.onExit(worker, reason));
    worker.unref();
  }

  /** Ends it, whatever it is at. */
  async end(): Promise<void> {
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.worker?.terminate();
  }

  /** Ends it and does not begin it again: it said that it can not be. */
  giveUp(): void {
    this.isOver = true;
    void this.worker?.terminate();
  }

  private onExit(worker: Worker, reason: string): void {
    if (this.worker === worker) this.worker = null;
    if (this.isOver) return;
    const { name, onTrouble } = this.options;
    const nowMs = performance.now();
    this.endedAtMs.push(nowMs);
    const lately = this.endedAtMs.filter((atMs) => nowMs - atMs < HOUR_MS).length;
    if (lately > MOST_RESTARTS) {
      onTrouble(
        'error',
        `${name} ended ${lately} times within an hour, and is left out from now on: ${reason}. The bot goes on`,
      );
      return;
    }
    const waitMs = (this.options.firstWaitMs ?? FIRST_WAIT_MS) * 2 ** (lately - 1);
    onTrouble(
      'warning',
      `${name} ended, and begins again in ${waitMs / 1_000} s: ${reason}. The bot goes on`,
    );
    this.timer = setTimeout(() => this.begin(), waitMs);
    this.timer.unref();
  }
}
