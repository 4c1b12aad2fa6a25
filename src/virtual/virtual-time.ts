import { setImmediate as nextTurn } from 'node:timers/promises';
import { SarrafError, invariant } from '../domain/errors.ts';

/** Takes back what was to happen; nothing happens where it has happened already. */
export type Cancel = () => void;

/**
 * Time as its users see it, so that a process can have a slower or stopped view of it. In whole ms since
 * 1970.
 */
export interface Timeline {
  now(): number;
  /** Has something done at a time, or as soon as possible where that is past. */
  at(atMs: number, work: () => void): Cancel;
  sleep(durationMs: number): Promise<void>;
}

/**
 * Things that wait at once, at most. More is a mistake of whoever adds them: each is a timer that nobody
 * would own.
 */
const MOST_WAITING = 100_000;
const MOST_WAITING_RULE = `expected at most ${MOST_WAITING} things to wait for their time`;

/**
 * Things at one instant, at most: beyond it something asks for the present again and again, and time would
 * stand still for ever.
 */
const MOST_AT_ONCE = 100_000;

/** Things between two turns of the machine's event loop, so that signals and the screen are heard. */
const THINGS_A_TURN = 5_000;

/**
 * Time that passes only from one thing to the next. What is due at the same ms comes in the order in which it
 * was asked for. Between two things all promises settle, those too that were made meanwhile, so that the same
 * things happen in the same order however promises are chained; whatever waits for something real (a socket,
 * a file read in the background) breaks this, so nothing may. The queue of promises alone is waited for,
 * since a turn of the machine's event loop asks the system each time; the loop turns now and then.
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
   * The same for work that begins, settles and wakes no promise. Time goes on after it without a look at the
   * promises, which costs more than most work.
   * @throws SarrafError `INVARIANT` as `at` does.
   */
  atPlainly(atMs: number, work: () => void): Cancel {
    return this.add(atMs, work, true);
  }

  /** The same time for those whose work never has to do with promises. */
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
   * Lets everything happen that is due until a time, that time included, and stays there. What the work
   * throws comes out here, and the rest waits.
   * @throws SarrafError `INVARIANT` while it runs already.
   */
  async run(untilMs: number): Promise<void> {
    if (this.isRunning)
      throw new SarrafError('INVARIANT', 'expected one run of virtual time at once, was a second');
    this.isRunning = true;
    try {
      // A tick that is asked for outside of any promise would come before all of them.
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

/**
 * Once every promise that could go on has done so, those too that were made meanwhile. To be called inside a
 * promise.
 */
async function settled(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

/** Something that is to happen at a time. */
interface Due {
  readonly atMs: number;
  /** Of two at the same time the lower one comes first. */
  readonly sequence: number;
  readonly work: () => void;
  /** True if it has nothing to do with promises, so that none need to settle after it. */
  readonly isPlain: boolean;
  isCanceled: boolean;
}

const precedes = (left: Due, right: Due): boolean =>
  left.atMs === right.atMs ? left.sequence < right.sequence : left.atMs < right.atMs;

/** Queue of due events, the next first: a binary heap. */
class DueQueue {
  private readonly heap: Due[] = [];

  /** Canceled ones count until their time. */
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

  /** Lets go of the canceled ones before their time. */
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
