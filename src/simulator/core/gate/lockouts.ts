/** A caller kept out until a moment; `level` counts the doublings. */
export interface GateLockout {
  readonly untilMs: number;
  readonly level: number;
}

export type LockoutsState = readonly (readonly [string, GateLockout])[];

/** Lockouts remembered at most. Beyond, the forgiven ones go, then the oldest. */
const LOCKOUTS_KEPT = 10_000;

/**
 * Lockouts of one hour that double, when repeated, to 24 hours. A lockout is remembered after its end, so
 * that the next one knows it is a repetition; after `forgiveAfterMs` without another one, the next is a first
 * one again.
 */
export class Lockouts {
  private readonly byKey = new Map<string, GateLockout>();
  private readonly firstMs: number;
  private readonly longestMs: number;
  private readonly forgiveAfterMs: number;

  constructor(options: {
    readonly firstMs: number;
    readonly longestMs: number;
    readonly forgiveAfterMs: number;
  }) {
    this.firstMs = options.firstMs;
    this.longestMs = options.longestMs;
    this.forgiveAfterMs = options.forgiveAfterMs;
  }

  get size(): number {
    return this.byKey.size;
  }

  /** Returns the remaining lockout of `key`; 0 if it has none. */
  remainingMs(key: string, timeMs: number): number {
    const lockout = this.byKey.get(key);
    return lockout === undefined ? 0 : Math.max(0, lockout.untilMs - timeMs);
  }

  /** Begins a lockout and returns how long it lasts. */
  begin(key: string, timeMs: number): number {
    const last = this.byKey.get(key);
    const level = last !== undefined && timeMs - last.untilMs < this.forgiveAfterMs ? last.level + 1 : 0;
    const durationMs = Math.min(this.firstMs * 2 ** Math.min(level, 30), this.longestMs);
    this.byKey.delete(key);
    if (this.byKey.size >= LOCKOUTS_KEPT) this.makeRoom(timeMs);
    this.byKey.set(key, { untilMs: timeMs + durationMs, level });
    return durationMs;
  }

  snapshot(): LockoutsState {
    return [...this.byKey];
  }

  restore(state: LockoutsState): void {
    this.byKey.clear();
    for (const [key, lockout] of state) this.byKey.set(key, lockout);
  }

  private makeRoom(timeMs: number): void {
    for (const [key, lockout] of this.byKey) {
      if (timeMs - lockout.untilMs >= this.forgiveAfterMs) this.byKey.delete(key);
    }
    for (const key of this.byKey.keys()) {
      if (this.byKey.size < LOCKOUTS_KEPT) return;
      this.byKey.delete(key);
    }
  }
}
