/**
 * Result of one read, shared by all who ask within a moment: fifty pages cost what one does. A read that
 * throws is not stored.
 */
export class SharedLook<Value> {
  private readonly look: () => Value;
  private readonly forMs: number;
  private readonly nowMs: () => number;
  private kept: { readonly value: Value; readonly atMs: number } | null = null;

  /** `nowMs` is of a clock that never goes back. */
  constructor(
    look: () => Value,
    { forMs, nowMs = () => performance.now() }: { readonly forMs: number; readonly nowMs?: () => number },
  ) {
    this.look = look;
    this.forMs = forMs;
    this.nowMs = nowMs;
  }

  get(): Value {
    const atMs = this.nowMs();
    if (this.kept === null || atMs - this.kept.atMs >= this.forMs) this.kept = { value: this.look(), atMs };
    return this.kept.value;
  }
}
