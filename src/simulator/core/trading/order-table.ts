import type { SimulatedOrder } from './order.ts';

const CHUNK = 128;

type Chunk = (SimulatedOrder | undefined)[];

/**
 * All orders by id. Ids are given in sequence, so a place in an array is enough; the array is kept in chunks.
 * Closed orders of the chunks beyond the newest `kept` ids are forgotten; what is open stays, however old.
 */
export class OrderIndex {
  private readonly chunks: (Chunk | undefined)[] = [];
  private firstId = 0;
  /** Chunks before this one hold open orders only. */
  private swept = 0;
  private readonly keptChunks: number;

  constructor(kept: number) {
    this.keptChunks = Math.max(1, Math.ceil(kept / CHUNK));
  }

  find(id: number): SimulatedOrder | undefined {
    const place = id - this.firstId;
    return place < 0 ? undefined : this.chunks[Math.floor(place / CHUNK)]?.[place % CHUNK];
  }

  /** Adds an order whose id is higher than every one before; ids may leave gaps. */
  add(order: SimulatedOrder): void {
    if (this.chunks.length === 0) this.firstId = order.id;
    const place = order.id - this.firstId;
    const index = Math.floor(place / CHUNK);
    let chunk = this.chunks[index];
    if (chunk === undefined) {
      chunk = [];
      this.chunks[index] = chunk;
      this.sweepBefore(index - this.keptChunks);
    }
    chunk[place % CHUNK] = order;
  }

  /** Called when an order closes: an old one is then forgotten. */
  onClosed(order: SimulatedOrder): void {
    const place = order.id - this.firstId;
    const index = Math.floor(place / CHUNK);
    if (index >= this.swept) return;
    const chunk = this.chunks[index];
    if (chunk !== undefined) chunk[place % CHUNK] = undefined;
  }

  private sweepBefore(end: number): void {
    for (; this.swept < end; this.swept += 1) {
      const chunk = this.chunks[this.swept];
      if (chunk === undefined) continue;
      let open = 0;
      for (let place = 0; place < chunk.length; place += 1) {
        if (chunk[place]?.isOpen === true) open += 1;
        else chunk[place] = undefined;
      }
      if (open === 0) this.chunks[this.swept] = undefined;
    }
  }
}
