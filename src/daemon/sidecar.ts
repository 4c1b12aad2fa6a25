import { setTimeout } from 'node:timers';
import type { BotConfig } from './create-bot-config.ts';
import { HOUR_MS } from '../domain/time-text.ts';
import { messageOf } from '../domain/errors.ts';
import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';

/** Log of a run for the messages of a sidecar. */
export interface SidecarScreen {
  log(kind: string, text: string, data?: Readonly<Record<string, unknown>>): void;
  /** Of something that went wrong: a warning, or what a person has to look at. */
  notify(level: 'warning' | 'error', text: string): void;
}

/** Something that runs beside the bot, in a thread of its own, and has no say in how it trades. */
export interface Sidecar {
  /** Looks, before the run begins, whether it can be. Throws what ends the run. */
  check(): Promise<void>;
  /** Begins; what goes wrong from here on is told, and ends nothing else. */
  begin(): void;
  end(): Promise<void>;
}

export type CreateSidecar = (config: BotConfig, screen: SidecarScreen) => Sidecar;

/** The bot is at work for so long before they begin: they take none of the time in which it starts. */
const BEGIN_AFTER_MS = 1_000;

/** A start that waits for the exchange may take hours, which a page shows too. */
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

/** Ends within an hour after which it is not begun again. */
const MOST_RESTARTS = 5;

const FIRST_WAIT_MS = 1_000;

/** Time in which a thread has to end by itself once it is asked to. */
const ENDS_WITHIN_MS = 5_000;

/** In the thread: ends it when `SideThread.end` asks for that. */
export function endWhenAsked(): void {
  parentPort?.once('message', () => process.exit());
}

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

  /**
   * Ends it, whatever it is at, and does not begin it again. It is asked first: a thread that is ended while
   * it loads a native module, such as SQLite's, takes the whole process down.
   */
  async end(): Promise<void> {
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
    const { worker } = this;
    if (worker === null) return;
    const timer = setTimeout(() => void worker.terminate(), ENDS_WITHIN_MS);
    worker.postMessage(null, []);
    await once(worker, 'exit');
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
