import { KeptState } from '../../../src/backtest/kept-state.ts';
import type {
  FigureRecord,
  IntentRecord,
  JournalEntry,
  MirrorChange,
  MirrorState,
  ReplyRecord,
} from '../../../src/engine/mirror-change.ts';
import type { WalletTransaction } from '../../../src/venues/port.ts';

/**
 * What a mirror would have kept, in memory. What was not durable is lost by `crash`, as the mirror's own is.
 */
export class MemoryMirror {
  readonly journal: JournalEntry[] = [];
  /** Lines of wallets, as they were written. */
  readonly lines: WalletTransaction[] = [];
  /** Values of series, as they were written. */
  readonly figures: FigureRecord[] = [];
  /** Replies about orders as they are kept: one of each order, step, and whether it was used. */
  readonly replies = new Map<string, ReplyRecord>();
  private readonly kept = new KeptState('e001');
  private pending: MirrorChange[] = [];

  get intents(): ReadonlyMap<string, IntentRecord> {
    return this.kept.intents;
  }

  apply(changes: readonly MirrorChange[], isDurable: boolean): void {
    this.pending.push(...changes);
    if (!isDurable) return;
    this.flush();
  }

  flush(): void {
    for (const change of this.pending) {
      if (change.kind === 'journal') this.journal.push(change.entry);
      if (change.kind === 'transaction') this.lines.push(change.transaction);
      if (change.kind === 'figure') this.figures.push(change.figure);
      if (change.kind === 'reply') {
        const { orderKey, step, problem } = change.reply;
        this.replies.set(`${orderKey} ${step} ${problem === null}`, change.reply);
      }
      this.kept.take(change);
    }
    this.pending = [];
  }

  crash(): void {
    this.pending = [];
  }

  /** What a backup has. */
  copy(): MirrorState {
    this.flush();
    return this.kept.state;
  }

  /** A copy takes its place, which gives it another mark. */
  putBack(copy: MirrorState, epoch: string): void {
    this.pending = [];
    this.kept.state = { ...copy, epoch };
  }

  load(nowMs: number): MirrorState {
    return this.kept.load(nowMs);
  }
}
