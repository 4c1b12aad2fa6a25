import { english, sentence, type Sentence } from '../language/sentence.ts';
import type { Market } from '../domain/market.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import type { UnreadRow } from '../venues/port.ts';
import type { ValidationIssue } from './feeds/plausibility.ts';
import { OutboxPart } from './outbox.ts';
import { restored, sentenceOf, SHOWN_LENGTH, type NotedIssue, type StoredTexts } from './stored-records.ts';

interface Entry {
  finding: NotedIssue;
  readings: number;
  lastMs: number;
  /** Step of the last reading: repetitions within one reply count as one reading. */
  step: number;
  /** Market or currency of a row that could not be read; null for other issues. */
  of: string | null;
}

/** Stands for all markets: the row that could not be read names neither market nor currency. */
const EVERYTHING = '';

/** Time for which an unread row blocks orders, in ms. Every list is read again sooner than that. */
const STANDS_FOR_MS = 180_000;

/**
 * Maximum number of subjects that are remembered; the oldest are dropped, and reported anew if they come
 * again.
 */
const MOST_SUBJECTS = 500;

/**
 * Time without a new reading after which an issue is dropped, in ms: a trade with a wrong id, for example,
 * never shows up again.
 */
const FORGET_AFTER_MS = 600_000;

/**
 * Log of issues in the exchange's data. Such data is not used: it is reported (field, expected and found
 * value) and read again. If a second reading shows the same, it was not a slip of one reply. An issue with
 * one of our orders then raises an alarm and stops new orders until a reading is right. Confirmed issues
 * outlive a restart.
 */
export class IssueLog extends OutboxPart {
  readonly entries = new Map<string, Entry>();
  private storedJson = '[]';

  /** Notes an issue. Returns how many readings in a row have shown exactly this. */
  note(subject: string, issue: ValidationIssue, context: { readonly isGrave: boolean }): number {
    const { nowMs, steps } = this.outbox;
    const before = this.entries.get(subject);
    const isSame = before !== undefined && textOf(before.finding) === textOf(issue);
    if (isSame && before.step === steps) return before.readings;
    const readings = isSame ? before.readings + 1 : 1;
    const sinceMs = before?.finding.sinceMs ?? nowMs;
    this.entries.delete(subject);
    const { field, expected, found } = issue;
    const finding: NotedIssue = { field, expected, found, subject, sinceMs, ...context };
    this.entries.set(subject, { finding, readings, lastMs: nowMs, step: steps, of: null });
    retainNewest(this.entries, MOST_SUBJECTS);
    this.log(subject, { ...issue, ...context }, readings);
    if (readings >= 2) this.persist();
    return readings;
  }

  /** Notes a row that could not be read. Until it can be, its market or currency gets no orders. */
  noteUnread({ subject, why, market, currency }: UnreadRow): void {
    const issue = { field: 'row', expected: 'one that can be read', found: why };
    this.note(subject, issue, { isGrave: false });
    const entry = this.entries.get(subject);
    if (entry !== undefined) entry.of = market ?? currency ?? EVERYTHING;
  }

  /** Returns why a market gets no new orders: a row about it could not be read. Null if it may get them. */
  closedIn({ symbol, base, quote }: Pick<Market, 'symbol' | 'base' | 'quote'>): Sentence | null {
    if (this.entries.size === 0) return null;
    const { nowMs } = this.outbox;
    for (const { of, finding, lastMs } of this.entries.values()) {
      if (of === null || lastMs + STANDS_FOR_MS < nowMs) continue;
      if ([symbol, base, quote, EVERYTHING].includes(of))
        return sentence('exchange-contradicts', { finding: sentenceOf(finding) });
    }
    return null;
  }

  /** Notes a correct reading, which ends the subject's issue. */
  clear(subject: string): void {
    const before = this.entries.get(subject);
    if (before === undefined) return;
    this.entries.delete(subject);
    this.outbox.info(`${subject}: ${before.finding.field} is right again`, subject);
    this.outbox.journal('finding', subject, { field: before.finding.field, isRight: true });
    this.persist();
  }

  /** Drops the issue of a subject that has ended or is no longer read; nothing is reported. */
  forget(subject: string): void {
    if (this.entries.delete(subject)) this.persist();
  }

  /** Returns the issues that two readings have shown, oldest first. */
  confirmed(): readonly NotedIssue[] {
    const found: NotedIssue[] = [];
    for (const { finding, readings } of this.entries.values()) if (readings >= 2) found.push(finding);
    return found;
  }

  /** Returns the text on the issue with one of our orders that stops new orders; null if there is none. */
  closed(): Sentence | null {
    if (this.entries.size === 0) return null;
    const grave = this.confirmed().find(({ isGrave }) => isGrave);
    return grave === undefined ? null : sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  }

  expire(nowMs: number): void {
    for (const [subject, { lastMs, finding, readings }] of this.entries) {
      // A confirmed issue of an order ends with a correct reading, or with the order.
      if ((finding.isGrave && readings >= 2) || lastMs + FORGET_AFTER_MS > nowMs) continue;
      this.entries.delete(subject);
      this.persist();
    }
  }

  restore(stored: StoredTexts): void {
    this.storedJson = stored.findings ?? this.storedJson;
    for (const finding of restored(stored, 'findings') ?? []) {
      this.entries.set(finding.subject, {
        finding,
        readings: 2,
        lastMs: this.outbox.nowMs,
        step: -1,
        of: null,
      });
    }
  }

  private log(
    subject: string,
    issue: ValidationIssue & { readonly isGrave: boolean },
    readings: number,
  ): void {
    if (readings > 2) return;
    const { outbox } = this;
    const { field, expected, found, isSoft, isGrave } = issue;
    const text = english(sentenceOf({ subject, field, expected, found }));
    const shown = { field, expected, found: found.slice(0, SHOWN_LENGTH), readings };
    outbox.journal('finding', subject, shown);
    if (readings === 1) outbox.warn(`${text}. The bot does not use it, and reads again`, subject);
    else if (isGrave)
      outbox.alarm(
        `${text}, and a second reading says the same: new orders wait until a reading is correct`,
        subject,
      );
    else
      outbox.warn(
        `${text}, and a second reading says the same${isSoft === true ? ': the rest of it is used' : ''}`,
        subject,
      );
  }

  private persist(): void {
    const json = JSON.stringify(this.confirmed());
    if (json === this.storedJson) return;
    this.storedJson = json;
    this.outbox.persist('findings', this.confirmed());
  }
}

function textOf({ field, expected, found }: ValidationIssue): string {
  return `${field} ${expected} ${found}`;
}
