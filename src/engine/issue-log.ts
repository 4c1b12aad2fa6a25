import { z } from 'zod';
import { readStored, storedTimeMs } from '../domain/stored-json.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import type { Market } from '../domain/market.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import type { UnreadRow } from '../venues/port.ts';
import type { ValidationIssue } from './feeds/plausibility.ts';
import type { Outbox } from './outbox.ts';
import type { StoredTexts } from './mirror-change.ts';

/** Something that the exchange said and that can not be right, as a person reads it. */
export interface NotedIssue extends ValidationIssue {
  /** Subject of the issue: the key of an order, `trade 17`, `wallet btc`, `book BTCIRT`. */
  readonly subject: string;
  readonly sinceMs: number;
  /** True if it blocks new orders while it holds: it is about an order of ours. */
  readonly isGrave: boolean;
}

interface Entry {
  finding: NotedIssue;
  readings: number;
  lastMs: number;
  /** The step of the last reading: what one reply says twice is one reading. */
  step: number;
  /** The market or the currency of a row that could not be read; null of any other issue. */
  of: string | null;
}

/** Subject of a row that names neither its market nor its currency. */
const EVERYTHING = '';

/** Every list is read again sooner; what it then lacks, or has right, is over. */
const STANDS_FOR_MS = 180_000;

export const STORED_FINDINGS = 'findings';

/** Those that two readings have said. */
export const storedFindings = z.array(
  z.object({
    subject: z.string(),
    sinceMs: storedTimeMs,
    isGrave: z.boolean(),
    field: z.string(),
    expected: z.string(),
    found: z.string(),
    isSoft: z.literal(true).exactOptional(),
  }),
) satisfies z.ZodType<readonly NotedIssue[]>;

/** Subjects that are remembered at most; beyond it the oldest go, which are then reported anew. */
const MOST_SUBJECTS = 500;

/**
 * Time without a new reading after which an issue is over: a trade under an id that never existed is in no
 * later list.
 */
const FORGET_AFTER_MS = 600_000;

/**
 * Issues in the exchange's data. Such data is not used. It is reported with the field, what was expected and
 * what was found, and it is read again. The same words in a second reading are no slip of one reply: they
 * raise an alarm, and if they are about an order of ours, no new orders are placed until a reading is right
 * again. Confirmed issues outlive a restart.
 */
export class IssueLog {
  private readonly outbox: Outbox;
  readonly entries = new Map<string, Entry>();
  private storedJson = '[]';

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  /** Enters an issue; answers how many readings have said exactly this, one after the other. */
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

  /** A row of a list could not be read: what is about its market or currency stands still meanwhile. */
  noteUnread({ subject, why, market, currency }: UnreadRow): void {
    const issue = { field: 'row', expected: 'one that can be read', found: why };
    this.note(subject, issue, { isGrave: false });
    const entry = this.entries.get(subject);
    if (entry !== undefined) entry.of = market ?? currency ?? EVERYTHING;
  }

  /**
   * Returns why no new orders are placed in a market: a row about it could not be read. Null if all could.
   */
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

  /** A reading of the subject is right. */
  clear(subject: string): void {
    const before = this.entries.get(subject);
    if (before === undefined) return;
    this.entries.delete(subject);
    this.outbox.info(`${subject}: ${before.finding.field} is right again`, subject);
    this.outbox.journal('finding', subject, { field: before.finding.field, isRight: true });
    this.persist();
  }

  /** It is at its end, or no longer looked at: nothing more is said of it. */
  forget(subject: string): void {
    if (this.entries.delete(subject)) this.persist();
  }

  /** Returns the number of consecutive readings with an issue in the subject. */
  readingsOf(subject: string): number {
    return this.entries.get(subject)?.readings ?? 0;
  }

  /** Returns the issues that two readings have shown, oldest first. */
  confirmed(): readonly NotedIssue[] {
    const found: NotedIssue[] = [];
    for (const { finding, readings } of this.entries.values()) if (readings >= 2) found.push(finding);
    return found;
  }

  /** Returns why new orders are held back; null if they are not. */
  closed(): Sentence | null {
    if (this.entries.size === 0) return null;
    const grave = this.confirmed().find(({ isGrave }) => isGrave);
    return grave === undefined ? null : sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  }

  expire(nowMs: number): void {
    for (const [subject, { lastMs, finding, readings }] of this.entries) {
      // What is confirmed of an order goes with a right reading, or with the order.
      if ((finding.isGrave && readings >= 2) || lastMs + FORGET_AFTER_MS > nowMs) continue;
      this.entries.delete(subject);
      this.persist();
    }
  }

  restore({ [STORED_FINDINGS]: json }: StoredTexts): void {
    if (json === undefined) return;
    this.storedJson = json;
    for (const finding of readStored(storedFindings, json, 'what is kept of findings')) {
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
    this.outbox.persist(STORED_FINDINGS, this.confirmed());
  }
}

const SHOWN_LENGTH = 80;

/** A finding in a sentence. */
export function sentenceOf({
  subject,
  field,
  expected,
  found,
}: Pick<NotedIssue, 'subject' | keyof ValidationIssue>): Sentence {
  return sentence('finding', { subject, field, expected, found: found.slice(0, SHOWN_LENGTH) });
}

function textOf({ field, expected, found }: ValidationIssue): string {
  return `${field} ${expected} ${found}`;
}
