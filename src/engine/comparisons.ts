import { countText } from '../domain/money.ts';
import { gregorianOf, jalaliOf } from '../domain/time-text.ts';
import { tehranDay } from '../domain/zone-time.ts';
import { type Outbox, OutboxPart } from './outbox.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import type { ReconciliationSettings } from './engine-settings.ts';
import { restored, type StoredReconciliation, type StoredTexts, type StoredValue } from './stored-records.ts';

/**
 * Maximum number of marks (stored balances): ten years of months of both calendars. The oldest are dropped.
 */
const MOST_MARKS = 240;

/**
 * Maximum number of transfers that wait for their line in the wallet history. While one waits, no mark is
 * stored.
 */
const MOST_LINELESS = 1_000;

type BalanceMark = StoredValue<'balance-marks'>['marks'][number];

/**
 * Stores balances that agreed with the books, as marks that last for years: at the start of the books, and
 * the first of every Jalali and every Gregorian month in Tehran. A statement adds the movements between two
 * marks, and so shows the differences that no movement explains.
 */
export class BalanceMarks extends OutboxPart {
  private marks: readonly BalanceMark[] = [];
  private isDue = true;
  /** Time of the last movement in the books, by the exchange's clock; null before the first. */
  movedAtMs: number | null = null;
  private readonly lineless: (readonly [currency: string, units: bigint])[] = [];

  restore(stored: StoredTexts): void {
    const marks = restored(stored, 'balance-marks');
    if (marks !== null) ({ marks: this.marks, isDue: this.isDue } = marks);
  }

  /** Called when the books begin anew: earlier marks do not lead to later balances. */
  begin(): void {
    if (this.isDue || !this.outbox.isRestartable) return;
    this.isDue = true;
    this.persist();
  }

  /** Notes the time of a movement in the books, by the exchange's clock. */
  moved(atMs: number): void {
    this.movedAtMs = Math.max(this.movedAtMs ?? 0, atMs);
  }

  /** Notes a transfer. Its time is unknown until its line in the wallet history is read. */
  transferred(currency: string, units: bigint): void {
    this.lineless.push([currency, units]);
    if (this.lineless.length > MOST_LINELESS) this.lineless.shift();
  }

  /** Notes a line of the wallet history, which gives the time of a waiting transfer of this amount. */
  lineRead(currency: string, units: bigint, atMs: number): void {
    this.moved(atMs);
    const place = this.lineless.findIndex(([of, amount]) => of === currency && amount === units);
    if (place !== -1) this.lineless.splice(place, 1);
  }

  /** Called when the books agree with balances read at `seenAtMs`: stores a mark if one is due. */
  agreed(totals: ReadonlyMap<string, bigint>, seenAtMs: number): void {
    if (!this.outbox.isRestartable || this.lineless.length > 0) return;
    const last = this.marks.at(-1);
    if (!this.isDue && last !== undefined && monthsOf(last.seenAtMs) === monthsOf(seenAtMs)) return;
    const units = Object.fromEntries(totals) as BalanceMark['totals'];
    const mark = { seenAtMs, throughMs: this.movedAtMs ?? seenAtMs, totals: units };
    this.marks = [...this.marks, mark].slice(-MOST_MARKS);
    this.isDue = false;
    this.persist();
  }

  private persist(): void {
    const { marks, isDue } = this;
    this.outbox.persist('balance-marks', { marks, isDue });
  }
}

/** Returns the months of both calendars at a time in Tehran, as one text. */
function monthsOf(atMs: number): string {
  const day = tehranDay(atMs);
  return `${gregorianOf(day).month} ${jalaliOf(day).month} ${jalaliOf(day).year}`;
}

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

  /** Starts the measurement of the wait, at the first call. */
  begin(nowMs: number): void {
    this.startedAtMs ??= nowMs;
  }

  /** Notes a conclusive comparison. */
  concluded(nowMs: number): void {
    this.concludedAtMs = nowMs;
    this.conclusions += 1;
    this.blockedBy = null;
    if (this.isAlarmed) this.outbox.info('the books are compared with the exchange again');
    this.isAlarmed = false;
  }

  /**
   * Notes an inconclusive comparison. True if its reason must be stored: it is new, and the wait too long.
   */
  blocked(why: Sentence, nowMs: number): boolean {
    if (this.blockedBy === why) return false;
    this.blockedBy = why;
    return this.isOverdue(nowMs);
  }

  /** Raises an alarm once if the wait is too long. True if it did now. */
  alarmIfLong(nowMs: number): boolean {
    if (this.isAlarmed || !this.isOverdue(nowMs)) return false;
    this.isAlarmed = true;
    this.outbox.alarm(
      `the books could not be compared with the exchange for ${countText(this.minutes(nowMs), 'minute')}, so no new orders are placed: ${english(this.reason())}. See "sarraf reconcile --explain"`,
    );
    return true;
  }

  /**
   * Returns why new orders are held back: no comparison was conclusive for too long. Null if that is not so.
   */
  overdue(nowMs: number): Sentence | null {
    if (!this.isOverdue(nowMs)) return null;
    return sentence('books-overdue', { minutes: this.minutes(nowMs), reason: this.reason() });
  }

  private isOverdue(nowMs: number): boolean {
    const { alertAfterMs, everyMs } = this.settings;
    return this.startedAtMs !== null && this.waitedMs(nowMs) >= Math.max(alertAfterMs, 2 * everyMs);
  }

  /** Returns the time since the last conclusion, in ms, from the start of this process at the earliest. */
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
