/**
 * Processes that go on by themselves while time passes: matching that is due, confirmations, synthetic
 * traders.
 */
export interface World {
  /** Does everything that is due by `timeMs`. Time never goes back. */
  advance(timeMs: number): void;
}

/**
 * The clock of a served exchange: the system clock, which an administrator can advance and freeze; never
 * back.
 */
export class WorldClock {
  private readonly wallMs: () => number;
  private offsetMs = 0;
  private frozenAtMs: number | null = null;
  private lastMs = Number.NEGATIVE_INFINITY;
  /** Offset of the clock from its true time by a fault. */
  skewMs = 0;

  constructor(wallMs: () => number = Date.now) {
    this.wallMs = wallMs;
  }

  get isFrozen(): boolean {
    return this.frozenAtMs !== null;
  }

  /** The exchange's time. It stands still while the system clock or a fault steps back. */
  nowMs(): number {
    const trueMs = this.frozenAtMs ?? this.wallMs() + this.offsetMs;
    this.lastMs = Math.max(this.lastMs, trueMs + this.skewMs);
    return this.lastMs;
  }

  /** Moves the clock on, frozen or not. */
  advance(durationMs: number): void {
    if (this.frozenAtMs === null) this.offsetMs += durationMs;
    else this.frozenAtMs += durationMs;
  }

  freeze(): void {
    this.frozenAtMs ??= this.wallMs() + this.offsetMs;
  }

  /** Goes on from where it was frozen. */
  unfreeze(): void {
    if (this.frozenAtMs === null) return;
    this.offsetMs = this.frozenAtMs - this.wallMs();
    this.frozenAtMs = null;
  }

  /**
   * Sets the time at which a stored exchange goes on: not before the time it was stored at, which an
   * administrator may have moved far ahead.
   */
  startAt(leastMs: number): void {
    this.offsetMs = Math.max(this.offsetMs, leastMs - this.skewMs - this.wallMs());
    this.lastMs = Math.max(this.lastMs, leastMs);
  }
}
