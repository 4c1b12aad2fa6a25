import { z } from 'zod';
import { readStored, storedTimeMs } from '../domain/stored-json.ts';
import { sentence } from '../language/sentences/sentence.ts';
import type { Market } from '../domain/market.ts';
import type { UnreadRow } from '../venues/port.ts';
import type { Flaw } from './plausibility/flaw.ts';
import type { Outbox } from './outbox.ts';

/** Something that the exchange said and that can not be right, as a person reads it. */
export interface NotedFlaw extends Flaw {
  /** What it is about: the key of an order, `trade 17`, `wallet btc`, `book BTCIRT`. */
  readonly subject: string;
  readonly sinceMs: number;
  /** Whether it keeps new orders back while it holds: it is about an order of ours. */
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

/** What a row is about that says neither its market nor its currency. */
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

/** What was not read again for so long is over: a trade under an id that never was is in no later list. */
const FORGET_AFTER_MS = 600_000;

/**
 * What the exchange said that can not be right. It is not used. It is reported with the field, what was
 * expected and what was found, and it is read again. What a second reading says in the same words is no slip
 * of one reply: it is alarmed, and where it is about an order of ours, no new orders are placed until a
 * reading is right again. Confirmed findings outlive a restart.
 */
export class FlawLog {
  private readonly outbox: Outbox;
  private readonly entries = new Map<string, Entry>();
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
    this.bound();
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

  /** Why no new orders are placed in a market: a row about it could not be read. Null where all could. */
  closedIn({ symbol, base, quote }: Pick<Market, 'symbol' | 'base' | 'quote'>): string | null {
    if (this.entries.size === 0) return null;
    const { nowMs } = this.outbox;
    for (const { of, finding, lastMs } of this.entries.values()) {
      if (of === null || lastMs + STANDS_FOR_MS < nowMs) continue;
      if ([symbol, base, quote, EVERYTHING].includes(of))
        return sentence('exchange-contradicts', { finding: sentenceOf(finding) });
    }
    return null;
  }

  /** Whether nothing is noted: then there is nothing to clear, either. */
  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** A reading of the subject is right. */
  clear(subject: string): void {
    if (this.entries.size === 0) return;
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

  /** How many readings in a row found the subject wrong. */
  readingsOf(subject: string): number {
    return this.entries.get(subject)?.readings ?? 0;
  }

  /** What two readings have said, oldest first. */
  confirmed(): readonly NotedFlaw[] {
    const found: NotedFlaw[] = [];
    for (const { finding, readings } of this.entries.values()) if (readings >= 2) found.push(finding);
    return found;
  }

  /** Why new orders are kept back; null where nothing does. */
  closed(): string | null {
    if (this.entries.size === 0) return null;
    const grave = this.confirmed().find(({ isGrave }) => isGrave);
    return grave === undefined ? null : sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  }

  expire(nowMs: number): void {
    if (this.entries.size === 0) return;
    for (const [subject, { lastMs, finding, readings }] of this.entries) {
      // What is confirmed of an order goes with a right reading, or with the order.
      if ((finding.isGrave && readings >= 2) || lastMs + FORGET_AFTER_MS > nowMs) continue;
      this.entries.delete(subject);
      this.keep();
    }
  }

  restore(json: string | undefined): void {
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
    const text = sentenceOf({ subject, field, expected, found });
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

  private bound(): void {
    if (this.entries.size <= MOST_SUBJECTS) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      return;
    }
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
}: Pick<NotedFlaw, 'subject' | keyof Flaw>): string {
  return sentence('finding', { subject, field, expected, found: found.slice(0, SHOWN_LENGTH) });
}

function textOf({ field, expected, found }: Flaw): string {
  return `${field} ${expected} ${found}`;
}
