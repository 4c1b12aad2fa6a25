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
export class DueQueue {
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
    const kept = this.heap.filter(({ isCanceled }) => !isCanceled);
    this.heap.length = 0;
    for (const due of kept) this.add(due);
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
