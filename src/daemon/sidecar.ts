import { setTimeout } from 'node:timers';
import type { BotConfig } from './create-bot-config.ts';
import { HOUR_MS } from '../domain/time-text.ts';
import { messageOf } from '../domain/errors.ts';
import { parentPort, Worker } from 'node:worker_threads';

/** Log of a run for the messages of a sidecar. */
export interface SidecarScreen {
  log(kind: string, text: string, data?: Readonly<Record<string, unknown>>): void;
  /** Shows a problem: a warning, or an error that a person has to check. */
  notify(level: 'warning' | 'error', text: string): void;
}

/** A part that runs beside the bot, in a thread of its own, and does not influence how it trades. */
export interface Sidecar {
  /** Checks, before the run begins, whether it can work. Throws an error that ends the run. */
  check(): Promise<void>;
  /** Begins; a later error is reported, and ends nothing else. */
  begin(): void;
  end(): Promise<void>;
}

export type CreateSidecar = (config: BotConfig, screen: SidecarScreen) => Sidecar;

/** Wait from the first trading to the sidecars' start, in ms, so as not to slow down the bot's start. */
const BEGIN_AFTER_MS = 1_000;

/** Latest start of the sidecars, in ms: a start of the bot may take hours, which the page shows too. */
const BEGIN_AT_THE_LATEST_MS = 5_000;

export class Sidecars {
  private readonly sidecars: readonly Sidecar[];
  private readonly timers: NodeJS.Timeout[] = [];
  private hasBegun = false;

  constructor(sidecars: readonly Sidecar[]) {
    this.sidecars = sidecars;
  }

  async check(): Promise<void> {
    for (const sidecar of this.sidecars) await sidecar.check();
    this.beginWithin(BEGIN_AT_THE_LATEST_MS);
  }

  onTrading(): void {
    this.beginWithin(BEGIN_AFTER_MS);
  }

  async end(): Promise<void> {
    this.hasBegun = true;
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(this.sidecars.map(async (sidecar) => sidecar.end()));
  }

  private beginWithin(delayMs: number): void {
    if (this.sidecars.length === 0) return;
    const timer = setTimeout(() => this.begin(), delayMs);
    timer.unref();
    this.timers.push(timer);
  }

  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    for (const sidecar of this.sidecars) sidecar.begin();
  }
}

/** Maximum number of times within an hour that a thread is restarted. */
const MOST_RESTARTS = 5;

const FIRST_WAIT_MS = 1_000;

/** Time after a request to end until a thread that still runs is terminated. */
const ENDS_WITHIN_MS = 5_000;

/** Called in the thread: ends the thread when `SideThread.end` asks for it. */
export function endWhenAsked(): void {
  parentPort?.once('message', () => process.exit());
}

interface SideThreadOptions {
  /** Name shown to people, such as `the page`. */
  readonly name: string;
  /** Entry file of the thread; `ownModule` returns its place. */
  readonly module: URL;
  /** Data passed to the thread as `workerData`. */
  readonly data: unknown;
  /** Maximum memory for its objects, in MB. */
  readonly heapMb: number;
  readonly onMessage: (message: unknown) => void;
  /** Called when it ended, with the reason and what is done about it. */
  readonly onTrouble: (level: 'warning' | 'error', text: string) => void;
  /** Wait before the first restart, in ms, which doubles with each; the default is a second. */
  readonly firstWaitMs?: number;
}

/**
 * A thread beside the bot. However it ends, the bot continues: it is restarted a few times an hour, and then
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
      // The output of a library is no line of the run's log.
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

  /**
   * Ends the thread for good. Asks it first, and terminates it only after 5 s: Node aborts the whole process
   * if a thread is terminated while it loads a native module, such as SQLite's.
   */
  async end(): Promise<void> {
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
    const { worker } = this;
    if (worker === null) return;
    const timer = setTimeout(() => void worker.terminate(), ENDS_WITHIN_MS);
    // Not `once` of node:events, which rejects if the thread ends with an error.
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.once('exit', () => resolve());
    worker.postMessage(null, []);
    await promise;
    clearTimeout(timer);
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
