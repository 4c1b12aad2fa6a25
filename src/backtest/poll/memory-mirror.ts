import { createHash } from 'node:crypto';
import type { ChangeStore } from '../../daemon/bot-shell.ts';
import {
  EMPTY_MIRROR_STATE,
  type JournalEntry,
  type MirrorChange,
  type MirrorState,
} from '../../engine/mirror-change.ts';
import type { FillRecord } from '../../records/fill.ts';
import type { OrderRecord } from '../../records/order.ts';

/**
 * The part of every clientOrderId that a mirror draws once; here it is the same in every run, so that the
 * same input gives the same output.
 */
const EPOCH = 'poll';

const MOST_UNHASHED = 16_384;

/** A mirror on the disk that gets all that a live bot would write. */
export type KeptMirror = Pick<ChangeStore, 'apply'>;

/**
 * The mirror of a run that is never restarted: orders and fills in memory, and of the journal its hash, which
 * is the one that a mirror on the disk has of the same lines. All else that a live bot writes down to be read
 * by others is let go, so that memory grows with what was traded and with nothing else.
 */
export class MemoryMirror implements ChangeStore {
  readonly fills: FillRecord[] = [];
  private readonly byKey = new Map<string, OrderRecord>();
  private readonly hash = createHash('sha256');
  /** Lines that are not in the hash yet: many short ones cost it more than a long one. */
  private unhashed = '';
  private readonly onJournal: ((entry: JournalEntry, atMs: number) => void) | null;
  private readonly kept: KeptMirror | null;
  private lines = 0;

  /** `onJournal` gets each line of the journal, and `kept` every change. */
  constructor(
    onJournal: ((entry: JournalEntry, atMs: number) => void) | null = null,
    kept: KeptMirror | null = null,
  ) {
    this.onJournal = onJournal;
    this.kept = kept;
  }

  /** True if anybody reads what a restart would need. */
  get isKept(): boolean {
    return this.kept !== null;
  }

  /** As they are now, in the order in which they were planned. */
  get orders(): readonly OrderRecord[] {
    return [...this.byKey.values()];
  }

  load(): MirrorState {
    return { ...EMPTY_MIRROR_STATE, epoch: EPOCH };
  }

  apply(changes: readonly MirrorChange[], { atMs }: { readonly atMs: number }): void {
    this.kept?.apply(changes, { atMs, isDurable: false });
    for (const change of changes) {
      if (change.kind === 'order') this.byKey.set(change.order.key, change.order);
      else if (change.kind === 'fill') this.fills.push(change.fill);
      else if (change.kind === 'journal') this.write(change.entry, atMs);
    }
  }

  isRunningOut(): boolean {
    return false;
  }

  /** SHA-256 of every line of the journal so far, in hexadecimal. */
  journalHash(): string {
    this.hashLines();
    return this.hash.copy().digest('hex');
  }

  private write(entry: JournalEntry, atMs: number): void {
    this.lines += 1;
    const { kind, subject, json } = entry;
    this.unhashed += `${JSON.stringify([this.lines, atMs, kind, subject, json])}\n`;
    if (this.unhashed.length >= MOST_UNHASHED) this.hashLines();
    this.onJournal?.(entry, atMs);
  }

  private hashLines(): void {
    this.hash.update(this.unhashed);
    this.unhashed = '';
  }
}
