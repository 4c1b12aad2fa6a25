import { setImmediate as nextTurn } from 'node:timers/promises';
import { SarrafError, invariant } from '../domain/errors.ts';

/** Cancels work that was scheduled; does nothing if it has run already. */
export type Cancel = () => void;

/** Interface of time, so that a process can have a slower view of it. In whole ms since 1970. */
export interface Timeline {
  now(): number;
  /** Runs work at a time, or as soon as possible if that is past. */
  at(atMs: number, work: () => void): Cancel;
  sleep(durationMs: number): Promise<void>;
}

/** Maximum number of pieces of work that wait at once. More is a mistake of the caller. */
const MOST_WAITING = 100_000;
const MOST_WAITING_RULE = `expected at most ${MOST_WAITING} things to wait for their time`;

/**
 * Maximum number of pieces of work at one instant: beyond it work schedules itself for the present again and
 * again, and time would stand still for ever.
 */
const MOST_AT_ONCE = 100_000;

/** Work between two turns of the machine's event loop, so that signals and the screen are handled. */
const THINGS_A_TURN = 5_000;

/**
 * Time that passes only from one piece of work to the next. Work that is due in the same ms runs in the order
 * of its scheduling. Between two pieces all promises settle, also those made meanwhile, so that the order is
 * the same however promises are chained. Work must not wait for anything real, such as a socket or a file
 * read in the background. Only the queue of promises is waited for, since each turn of the event loop is a
 * system call; the loop turns now and then.
 */
export class VirtualTime implements Timeline {
  private readonly queue = new DueQueue();
  private nowMs: number;
  private sequence = 0;
  private atThisInstant = 0;
  private sinceTurn = 0;
  private isRunning = false;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  now(): number {
    return this.nowMs;
  }

  /** @throws SarrafError `INVARIANT` for an invalid time, and when too much waits. */
  at(atMs: number, work: () => void): Cancel {
    return this.add(atMs, work, false);
  }

  /**
   * Runs work as `at` does, for work that begins, settles and wakes no promise. Time goes on after it without
   * waiting for promises, which would cost more than most work.
   * @throws SarrafError `INVARIANT` as `at` does.
   */
  atPlainly(atMs: number, work: () => void): Cancel {
    return this.add(atMs, work, true);
  }

  /** View of the same time for users whose work has nothing to do with promises. */
  get plain(): Timeline {
    return {
      now: () => this.nowMs,
      at: (atMs, work) => this.atPlainly(atMs, work),
      sleep: async (durationMs) => this.sleep(durationMs),
    };
  }

  private add(atMs: number, work: () => void, isPlain: boolean): Cancel {
    if (!Number.isFinite(atMs))
      throw new SarrafError('INVARIANT', `expected a finite time for work, was ${atMs}`);
    if (this.queue.size >= MOST_WAITING) this.queue.forgetCanceled();
    invariant(this.queue.size < MOST_WAITING, MOST_WAITING_RULE);
    this.sequence += 1;
    const dueMs = Math.max(this.nowMs, Math.ceil(atMs));
    const due = { atMs: dueMs, sequence: this.sequence, work, isPlain, isCanceled: false };
    this.queue.add(due);
    return () => {
      due.isCanceled = true;
    };
  }

  async sleep(durationMs: number): Promise<void> {
    return new Promise((wake) => {
      this.at(this.nowMs + Math.max(0, durationMs), wake);
    });
  }

  /**
   * Runs all work that is due until a time, inclusive, and stays there. An error of the work is thrown here,
   * and the rest waits.
   * @throws SarrafError `INVARIANT` while it runs already.
   */
  async run(untilMs: number): Promise<void> {
    if (this.isRunning)
      throw new SarrafError('INVARIANT', 'expected one run of virtual time at once, was a second');
    this.isRunning = true;
    try {
      // A tick that is requested outside of a promise would come before all promises.
      await Promise.resolve();
      await settled();
      for (let due = this.queue.first(); due !== undefined && due.atMs <= untilMs; due = this.queue.first()) {
        this.queue.removeFirst();
        if (due.isCanceled) continue;
        this.atThisInstant = due.atMs === this.nowMs ? this.atThisInstant + 1 : 0;
        if (this.atThisInstant >= MOST_AT_ONCE) this.standsStill(due.atMs);
        this.nowMs = due.atMs;
        due.work();
        this.sinceTurn += 1;
        if (this.sinceTurn >= THINGS_A_TURN) await this.turn();
        else if (!due.isPlain) await settled();
      }
      this.nowMs = Math.max(this.nowMs, untilMs);
    } finally {
      this.isRunning = false;
    }
  }

  private standsStill(atMs: number): never {
    throw new SarrafError(
      'INVARIANT',
      `expected at most ${MOST_AT_ONCE} things at one instant, at ${atMs} there are more`,
    );
  }

  private async turn(): Promise<void> {
    this.sinceTurn = 0;
    return nextTurn();
  }
}

/** Resolves once every promise that can go on has done so. Call it inside a promise. */
async function settled(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

/** Work that is scheduled for a time. */
interface Due {
  readonly atMs: number;
  /** Order of scheduling: at the same time the lower one runs first. */
  readonly sequence: number;
  readonly work: () => void;
  /** True if the work has nothing to do with promises, so that none need to settle after it. */
  readonly isPlain: boolean;
  isCanceled: boolean;
}

const precedes = (left: Due, right: Due): boolean =>
  left.atMs === right.atMs ? left.sequence < right.sequence : left.atMs < right.atMs;

/** Queue of scheduled work, the next first: a binary heap. */
class DueQueue {
  private readonly heap: Due[] = [];

  /** Number of entries; canceled ones count until their time. */
  get size(): number {
    return this.heap.length;
  }

  add(due: Due): void {
    const { heap } = this;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || precedes(above, due)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = due;
  }

  first(): Due | undefined {
    return this.heap[0];
  }

  removeFirst(): void {
    const last = this.heap.pop();
    if (last !== undefined && this.heap.length > 0) this.sink(last);
  }

  /** Removes canceled entries before their time. */
  forgetCanceled(): void {
    const remaining = this.heap.filter(({ isCanceled }) => !isCanceled);
    this.heap.length = 0;
    for (const due of remaining) this.add(due);
  }

  private sink(due: Due): void {
    const { heap } = this;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      if (left === undefined) break;
      const isRight = right !== undefined && precedes(right, left);
      const child = isRight ? right : left;
      if (precedes(due, child)) break;
      heap[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    heap[index] = due;
  }
}
