import type { MirrorChange } from '../engine/mirror-change.ts';

export interface TimedChange {
  readonly change: MirrorChange;
  readonly atMs: number;
}

/** Changes that are gathered before they are written. */
const CHANGES_AT_ONCE = 256;

/**
 * Changes that may wait while nothing can be written. What can be read again is dropped first; then no more
 * is taken.
 */
const MOST_CHANGES = 4_096;

/** Market data; and what only people need: figures, and replies as they came. */
const READ_AGAIN: ReadonlySet<MirrorChange['kind']> = new Set([
  'book',
  'stats',
  'candle',
  'public-trades',
  'figure',
  'reply',
]);

/** Changes to be written with the next commit, in order. */
export class PendingChanges {
  private changes: TimedChange[] = [];

  get all(): readonly TimedChange[] {
    return this.changes;
  }

  get size(): number {
    return this.changes.length;
  }

  get isLarge(): boolean {
    return this.changes.length >= CHANGES_AT_ONCE;
  }

  /** Takes all of them, or none where nothing can be written for the time being and they are too many. */
  add(changes: readonly TimedChange[], options: { readonly isStuck: boolean }): boolean {
    if (options.isStuck && this.changes.length + changes.length > MOST_CHANGES) {
      this.dropReadable();
      if (this.changes.length + changes.length > MOST_CHANGES) return false;
    }
    for (const change of changes) this.changes.push(change);
    return true;
  }

  /** Leaves out what can be read from the exchange again. */
  dropReadable(): void {
    this.changes = this.changes.filter(({ change }) => !READ_AGAIN.has(change.kind));
  }

  clear(): void {
    this.changes = [];
  }
}
