/** One answer of a server that says its time: when it was asked and answered by the monotonic clock here. */
export interface ClockReading {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The server's own time in between. */
  readonly serverMs: number;
}

/** Known bounds of the server's time: how much it is ahead of the monotonic clock, at least and at most. */
interface Offset {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** After so long an offset is of the past: clocks differ by tens of parts in a million. */
const GENERATION_MS = 30_000;

/** Amount that a clock may gain or lose and still count as even: jitter, and one part in two thousand. */
const JITTER_MS = 50;
const DRIFT_PARTS = 2_000;

/**
 * The clock of a server as this process can prove it. The server's time says when things were; that it has
 * passed is proven by the monotonic clock here, which nobody can step. So a server whose clock is stepped
 * forward frees nothing here, and the step is found with the next answer.
 */
export class ServerClock {
  private current: Offset | null = null;
  private previous: Offset | null = null;
  private begunMs = 0;

  /** Takes in an answer. False: the server's clock was stepped since the last one. */
  read({ sentMs, receivedMs, serverMs }: ClockReading): boolean {
    const found = { leastMs: serverMs - receivedMs, mostMs: serverMs - sentMs };
    const known = this.offset();
    if (known !== null) {
      const slackMs = JITTER_MS + (receivedMs - this.begunMs) / DRIFT_PARTS;
      if (found.leastMs > known.mostMs + slackMs || found.mostMs < known.leastMs - slackMs) {
        this.begin(found, receivedMs);
        return false;
      }
    }
    if (this.current === null || receivedMs - this.begunMs > GENERATION_MS) {
      this.previous = this.current;
      this.current = found;
      this.begunMs = receivedMs;
    } else {
      this.current = narrowed(this.current, found);
    }
    return true;
  }

  get isKnown(): boolean {
    return this.current !== null;
  }

  /** The least that the server's clock is ahead of ours, for the next process of this machine. */
  get leastAheadMs(): number {
    return this.known().leastMs;
  }

  /** The server's time at a local one, or earlier. */
  earliest(localMs: number): number {
    return localMs + this.known().leastMs;
  }

  /** The server's time at a local one, or later. */
  latest(localMs: number): number {
    return localMs + this.known().mostMs;
  }

  private begin(found: Offset, atMs: number): void {
    this.previous = null;
    this.current = found;
    this.begunMs = atMs;
  }

  private offset(): Offset | null {
    if (this.current === null || this.previous === null) return this.current;
    return narrowed(this.current, this.previous);
  }

  private known(): Offset {
    const offset = this.offset();
    if (offset === null) throw new TypeError('expected an answer of the server before its clock is asked');
    return offset;
  }
}

function narrowed(left: Offset, right: Offset): Offset {
  return { leastMs: Math.max(left.leastMs, right.leastMs), mostMs: Math.min(left.mostMs, right.mostMs) };
}
