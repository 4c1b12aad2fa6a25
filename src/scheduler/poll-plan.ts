/** A thing to ask for again and again. */
export interface Poll<Kind extends string = string> {
  readonly kind: Kind;
  readonly intervalMs: number;
}

/**
 * Which poll is next: the one that is most overdue. Each comes again its interval after it was last done, however late that was, so that a
 * stall is followed by no burst.
 */
export class PollPlan<Kind extends string> {
  private readonly entries: { readonly poll: Poll<Kind>; dueMs: number }[];

  constructor(polls: readonly Poll<Kind>[], startMs: number) {
    this.entries = polls.map((poll) => ({ poll, dueMs: startMs }));
  }

  /** The next poll and when it is due; undefined when there are none. */
  next(): { readonly kind: Kind; readonly dueMs: number } | undefined {
    let first = this.entries[0];
    for (const entry of this.entries) if (first === undefined || entry.dueMs < first.dueMs) first = entry;
    return first === undefined ? undefined : { kind: first.poll.kind, dueMs: first.dueMs };
  }

  done(kind: Kind, nowMs: number): void {
    this.moveTo(kind, (entry) => nowMs + entry.intervalMs);
  }

  /** Puts a poll off, because its budget is used up. */
  defer(kind: Kind, untilMs: number): void {
    this.moveTo(kind, () => untilMs);
  }

  /** Brings a poll forward: there is reason to think that something changed. */
  hasten(kind: Kind, dueMs: number): void {
    for (const entry of this.entries) if (entry.poll.kind === kind && entry.dueMs > dueMs) entry.dueMs = dueMs;
  }

  private moveTo(kind: Kind, dueMs: (poll: Poll<Kind>) => number): void {
    for (const entry of this.entries) if (entry.poll.kind === kind) entry.dueMs = dueMs(entry.poll);
  }
}
