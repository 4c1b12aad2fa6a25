import { z } from 'zod';
import { readStored, storedTimeMs } from '../domain/stored-json.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import type { Market } from '../domain/market.ts';
import { keepNewest } from '../domain/keep-newest.ts';
import type { UnreadRow } from '../venues/port.ts';
import type { Flaw } from './feeds/plausibility.ts';
import type { Outbox } from './outbox.ts';
import type { KeptTexts } from './mirror-change.ts';

/** Something that the exchange said and that can not be right, as a person reads it. */
export interface NotedFlaw extends Flaw {
  /** Subject of the issue: the key of an order, `trade 17`, `wallet btc`, `book BTCIRT`. */
  readonly subject: string;
  readonly sinceMs: number;
  /** True if it blocks new orders while it holds: it is about an order of ours. */
  readonly isGrave: boolean;
}

interface Entry {
  finding: NotedFlaw;
  readings: number;
  lastMs: number;
  /** The step of the last reading: what one reply says twice is one reading. */
  step: number;
  /** The market or the currency of a row that could not be read; null of any other flaw. */
  of: string | null;
}

/** Subject of a row that names neither its market nor its currency. */
const EVERYTHING = '';

/** Every list is read again sooner; what it then lacks, or has right, is over. */
const STANDS_FOR_MS = 180_000;

export const KEPT_FINDINGS = 'findings';

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
) satisfies z.ZodType<readonly NotedFlaw[]>;

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
export class FlawLog {
  private readonly outbox: Outbox;
  readonly entries = new Map<string, Entry>();
  private keptJson = '[]';

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  /** Enters a flaw; answers how many readings have said exactly this, one after the other. */
  note(subject: string, flaw: Flaw, way: { readonly isGrave: boolean }): number {
    const { nowMs, steps } = this.outbox;
    const before = this.entries.get(subject);
    const isSame = before !== undefined && textOf(before.finding) === textOf(flaw);
    if (isSame && before.step === steps) return before.readings;
    const readings = isSame ? before.readings + 1 : 1;
    const sinceMs = before?.finding.sinceMs ?? nowMs;
    this.entries.delete(subject);
    const { field, expected, found } = flaw;
    const finding: NotedFlaw = { field, expected, found, subject, sinceMs, ...way };
    this.entries.set(subject, { finding, readings, lastMs: nowMs, step: steps, of: null });
    keepNewest(this.entries, MOST_SUBJECTS);
    this.say(subject, { ...flaw, ...way }, readings);
    if (readings >= 2) this.keep();
    return readings;
  }

  /** A row of a list could not be read: what is about its market or currency stands still meanwhile. */
  noteUnread({ subject, why, market, currency }: UnreadRow): void {
    const flaw = { field: 'row', expected: 'one that can be read', found: why };
    this.note(subject, flaw, { isGrave: false });
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
    this.keep();
  }

  /** It is at its end, or no longer looked at: nothing more is said of it. */
  forget(subject: string): void {
    if (this.entries.delete(subject)) this.keep();
  }

  /** Returns the number of consecutive readings with an issue in the subject. */
  readingsOf(subject: string): number {
    return this.entries.get(subject)?.readings ?? 0;
  }

  /** Returns the issues that two readings have shown, oldest first. */
  confirmed(): readonly NotedFlaw[] {
    const found: NotedFlaw[] = [];
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
      this.keep();
    }
  }

  restore({ [KEPT_FINDINGS]: json }: KeptTexts): void {
    if (json === undefined) return;
    this.keptJson = json;
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

  private say(subject: string, flaw: Flaw & { readonly isGrave: boolean }, readings: number): void {
    if (readings > 2) return;
    const { outbox } = this;
    const { field, expected, found, isSoft, isGrave } = flaw;
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

  private keep(): void {
    const json = JSON.stringify(this.confirmed());
    if (json === this.keptJson) return;
    this.keptJson = json;
    this.outbox.keep(KEPT_FINDINGS, this.confirmed());
  }
}

const SHOWN_LENGTH = 80;

/** A finding in a sentence. */
export function sentenceOf({
  subject,
  field,
  expected,
  found,
}: Pick<NotedFlaw, 'subject' | keyof Flaw>): Sentence {
  return sentence('finding', { subject, field, expected, found: found.slice(0, SHOWN_LENGTH) });
}

function textOf({ field, expected, found }: Flaw): string {
  return `${field} ${expected} ${found}`;
}
