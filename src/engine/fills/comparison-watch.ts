import { english, sentence, type Sentence } from '../../language/sentence.ts';
import type { ReconciliationSettings } from '../engine-settings.ts';
import type { Outbox } from '../outbox.ts';
import type { StoredReconciliation } from '../stored-reconciliation.ts';

/** Tracks how long comparisons of the books have been inconclusive, and why. */
export class ComparisonWatch {
  private readonly settings: ReconciliationSettings;
  private readonly outbox: Outbox;
  private startedAtMs: number | null = null;
  private concludedAtMs: number | null = null;
  private conclusions = 0;
  private isAlarmed = false;
  /** Reason the last comparison was inconclusive; null if it was conclusive. */
  private blockedBy: Sentence | null = null;

  constructor(settings: ReconciliationSettings, outbox: Outbox) {
    this.settings = settings;
    this.outbox = outbox;
  }

  /** Number of conclusive comparisons. */
  get conclusionCount(): number {
    return this.conclusions;
  }

  restore({ concludedAtMs, conclusions }: StoredReconciliation): void {
    this.concludedAtMs = concludedAtMs;
    this.conclusions = conclusions;
  }

  store(): Pick<StoredReconciliation, 'concludedAtMs' | 'conclusions' | 'blockedBy'> {
    const { concludedAtMs, conclusions, blockedBy } = this;
    return { concludedAtMs, conclusions, ...(this.isAlarmed ? { blockedBy } : {}) };
  }

  /** Comparisons are waited for from now on. */
  begin(nowMs: number): void {
    this.startedAtMs ??= nowMs;
  }

  /** A comparison has said something. */
  concluded(nowMs: number): void {
    this.concludedAtMs = nowMs;
    this.conclusions += 1;
    this.blockedBy = null;
    if (this.isAlarmed) this.outbox.info('the books are compared with the exchange again');
    this.isAlarmed = false;
  }

  /** A comparison said nothing. Answers whether that is to be kept: a reason of a moment is not. */
  blocked(why: Sentence, nowMs: number): boolean {
    if (this.blockedBy === why) return false;
    this.blockedBy = why;
    return this.isOverdue(nowMs);
  }

  /** Tells once that it takes too long. Answers whether it did. */
  alarmIfLong(nowMs: number): boolean {
    if (this.isAlarmed || !this.isOverdue(nowMs)) return false;
    this.isAlarmed = true;
    this.outbox.alarm(
      `the books could not be compared with the exchange for ${this.minutes(nowMs)} minutes, so no new orders are placed: ${english(this.reason())}. See "sarraf reconcile --explain"`,
    );
    return true;
  }

  /**
   * Returns why new orders are held back: no comparison has been conclusive for too long. Null while one has.
   */
  overdue(nowMs: number): Sentence | null {
    if (!this.isOverdue(nowMs)) return null;
    return sentence('books-overdue', { minutes: this.minutes(nowMs), reason: this.reason() });
  }

  private isOverdue(nowMs: number): boolean {
    const { alertAfterMs, everyMs } = this.settings;
    return this.startedAtMs !== null && this.waitedMs(nowMs) >= Math.max(alertAfterMs, 2 * everyMs);
  }

  /** Returns the wait for a conclusion. Time before this life does not count: nobody could compare. */
  private waitedMs(nowMs: number): number {
    const startedAtMs = this.startedAtMs ?? nowMs;
    return nowMs - (this.concludedAtMs === null ? startedAtMs : Math.max(this.concludedAtMs, startedAtMs));
  }

  private minutes(nowMs: number): number {
    return Math.round(this.waitedMs(nowMs) / 60_000);
  }

  private reason(): Sentence {
    return this.blockedBy ?? sentence('books-no-end');
  }
}
