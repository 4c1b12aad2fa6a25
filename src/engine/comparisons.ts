import { z } from 'zod';
import { gregorianOf, jalaliOf } from '../domain/time-text.ts';
import { formatUnits } from '../domain/money.ts';
import { readStored, storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import { tehranDay } from '../domain/zone-time.ts';
import type { Outbox } from './outbox.ts';
import type { StoredTexts } from './mirror-change.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import type { ReconciliationSettings } from './engine-settings.ts';
import type { StoredReconciliation } from './stored-reconciliation.ts';

export const STORED_BALANCE_MARKS = 'balance-marks';

/** Ten years of both calendars; beyond it the oldest go. */
const MOST_MARKS = 240;

/** Transfers whose line is waited for; no balances are kept meanwhile. */
const MOST_LINELESS = 1_000;

const balanceMark = z.object({
  /** Time the wallets were read. */
  seenAtMs: storedTimeMs,
  /** The time of the last movement that is in them, by the clock of the exchange. */
  throughMs: storedTimeMs,
  /** Totals of all compared wallets, by currency. */
  totals: z.record(z.string(), storedUnits),
});

export const storedBalanceMarks = z.object({
  marks: z.array(balanceMark),
  /** The books began anew since the last one, so the next comparison that agrees is kept. */
  isDue: z.boolean(),
});

type BalanceMark = z.output<typeof balanceMark>;

/**
 * Balances that agreed with the books, kept for years: one as the books have begun, and then the first of
 * every Jalali and Gregorian month of Tehran. A statement goes from one to the next by the movements between
 * them, and so finds what the movements do not explain.
 */
export class BalanceMarks {
  private readonly outbox: Outbox;
  private marks: readonly BalanceMark[] = [];
  private isDue = true;
  /** Time of the last movement in the books; null before any. */
  movedAtMs: number | null = null;
  private readonly lineless: (readonly [currency: string, units: bigint])[] = [];

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  restore({ [STORED_BALANCE_MARKS]: json }: StoredTexts): void {
    if (json === undefined) return;
    const stored = readStored(storedBalanceMarks, json, 'what is kept of the balances of each month');
    this.marks = stored.marks;
    this.isDue = stored.isDue;
  }

  /** The books begin anew: what they were before does not lead to what they will be. */
  begin(): void {
    if (this.isDue || !this.outbox.isRestartable) return;
    this.isDue = true;
    this.persist();
  }

  /** The books have a movement, whose time is by the clock of the exchange. */
  moved(atMs: number): void {
    this.movedAtMs = Math.max(this.movedAtMs ?? 0, atMs);
  }

  /** A transfer was made. When it was is not known before its line is read. */
  transferred(currency: string, units: bigint): void {
    this.lineless.push([currency, units]);
    if (this.lineless.length > MOST_LINELESS) this.lineless.shift();
  }

  /** A line of a wallet's history was read. */
  lineRead(currency: string, units: bigint, atMs: number): void {
    this.moved(atMs);
    const place = this.lineless.findIndex(([of, amount]) => of === currency && amount === units);
    if (place !== -1) this.lineless.splice(place, 1);
  }

  /** The books agree with the balances that were read at a time. */
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
    const stored: z.input<typeof storedBalanceMarks> = {
      marks: this.marks.map(({ totals, ...times }) => ({
        ...times,
        totals: Object.fromEntries(
          Object.entries(totals).map(([currency, units]) => [currency, formatUnits(units)]),
        ),
      })),
      isDue: this.isDue,
    };
    this.outbox.persist(STORED_BALANCE_MARKS, stored);
  }
}

/** The month of each calendar at a time in Tehran. */
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
