import { z } from 'zod';
import {
  MOST_CANCEL_DELAY_MS,
  type AdmissionAsk,
  type Slot,
  type SlotEnd,
  QUIET_MS,
  type NamedLimit,
  type LimitWord,
} from '../admission.ts';
import {
  LOCKOUT_FIELD,
  readBreaker,
  storedBreaker,
  type CredentialStop,
  heldUntil,
  acquirePermit,
  report,
  type Permit,
  type Outcome,
} from '../lockouts.ts';
import type { LedgerRows, LedgerRules } from '../ledger-rules.ts';
import { BUDGET_FIELD, type BudgetKey } from '../slot-rows.ts';
import type { UnknownPast } from '../doubt.ts';
import { DraftSlots } from './draft-slots.ts';
import { parsed, slotsText, type LedgerImage } from './ledger-image.ts';
import { enterAtOnce, type Entry, type EntryAsk } from '../admittance.ts';

/** Content of the ledger's fields other than slots. */
export const PAST_FIELD = z.object({ sinceMs: z.number(), heardAtMs: z.number().nullable() });
export const NAMED_FIELD = z.object({ limit: z.number(), atMs: z.number() });
export const STOP_FIELD = z.object({ logInsLeft: z.number(), probeAtMs: z.number() });

/** Maximum number of machine boots for which the difference from the server's clock is stored. */
const MOST_MACHINES = 32;

/** The owner for which a draft is made, and facts of the image it is made from. */
interface DraftOf {
  readonly owner: string;
  readonly subjectOf: (budget: string) => string;
  readonly credential: string;
  /** Returns the number of the next own slot. */
  readonly nextSeq: () => number;
  /** True if the image is the last state, in the current run of Redis. */
  readonly isCurrent: boolean;
  /** True if a missing ledger means that nothing was sent. */
  readonly beginsEmpty: boolean;
}

/**
 * A copy of the ledger in Redis on which the rules work. It knows the changes: the new text of some fields,
 * or, for most requests, only own slots that ended and one that is taken.
 */
export class LedgerDraft implements LedgerRows {
  readonly slots: DraftSlots;
  private readonly image: LedgerImage;
  private readonly of: DraftOf;
  private readonly changed = new Map<string, string>();
  private hasBegun = false;

  constructor(image: LedgerImage, of: DraftOf) {
    this.image = image;
    this.of = of;
    this.slots = new DraftSlots(image, {
      owner: of.owner,
      nextSeq: of.nextSeq,
      budget: (key) => this.read(`budget:${key.subject}:${key.budget}`, BUDGET_FIELD),
      saveBudget: (key, row) => this.write(`budget:${key.subject}:${key.budget}`, row),
      forgetBudgets: (isUsed) => this.forgetBudgets(isUsed),
      forgetGrowth: () => this.forgetGrowth(),
    });
  }

  /** True if the draft begins a new count. */
  get isBegun(): boolean {
    return this.hasBegun;
  }

  /** True if the only changes are own slots that ended and one that is taken. */
  get isPlain(): boolean {
    return !this.hasBegun && this.changed.size === 0 && this.slots.isPlain && !this.image.hasDoubt();
  }

  get hasChanged(): boolean {
    return this.hasBegun || this.changed.size > 0 || this.slots.hasChanged;
  }

  /** Every field that has changed, with its new text; '' if it was removed. */
  fields(): ReadonlyMap<string, string> {
    const fields = new Map(this.changed);
    for (const [field, slots] of this.slots.changedFields()) fields.set(field, slotsText(slots));
    return fields;
  }

  readonly clock: LedgerRows['clock'] = {
    isOf: () => this.hasBegun || (this.of.isCurrent && !this.image.isEmpty),
    begin: (_, fullSinceMs) => {
      this.hasBegun = true;
      const isNew = this.image.isEmpty && this.of.beginsEmpty;
      if (isNew || fullSinceMs === null) this.changed.set('past', '');
      // A process with a slot in the previous count may not know that this is over, and send a cancel late.
      else {
        const sinceMs = fullSinceMs + MOST_CANCEL_DELAY_MS;
        this.write('past', { sinceMs, heardAtMs: null } satisfies UnknownPast);
      }
      // Leases and offsets belong to the previous count.
      for (const kind of ['lease', 'ahead']) {
        for (const name of this.image.names(kind)) this.changed.set(name, '');
      }
    },
    past: () => this.read('past', PAST_FIELD),
    // No request leaves while nothing is known, so no answer can prove more than the clock.
    heard: () => undefined,
  };

  readonly named: LedgerRows['named'] = {
    of: (key) => this.read(namedField(key), NAMED_FIELD),
    save: (key, named) => this.write(namedField(key), named),
    forgetOld: (nowMs) =>
      this.each('named', NAMED_FIELD, (named) => (named.atMs + QUIET_MS < nowMs ? null : named)),
    carryOver: (nowMs) => this.each('named', NAMED_FIELD, (named): NamedLimit => ({ ...named, atMs: nowMs })),
  };

  readonly lockouts: LedgerRows['lockouts'] = {
    breaker: (budget) => readBreaker(this.read(this.lockoutField(budget), LOCKOUT_FIELD)),
    saveBreaker: (budget, state, nowMs) =>
      this.write(this.lockoutField(budget), state === null ? null : storedBreaker(state, nowMs)),
    stop: (): CredentialStop | null => this.read(`stop:${this.of.credential}`, STOP_FIELD),
    saveStop: (stop) => this.write(`stop:${this.of.credential}`, stop),
    carryOver: (nowMs, probeAtMs) => {
      this.each('lockout', LOCKOUT_FIELD, (row): z.output<typeof LOCKOUT_FIELD> => {
        const leftMs = Math.min(Math.max(0, row.atMs - nowMs), row.lengthMs);
        return { ...row, kind: 'open', atMs: nowMs + leftMs };
      });
      this.each('stop', STOP_FIELD, (stop) => ({ ...stop, probeAtMs }));
    },
  };

  /** Moves all times later by a duration that cannot be proven to have passed. */
  postpone(byMs: number): void {
    if (byMs <= 0) return;
    this.slots.postpone(byMs);
    const past = this.clock.past();
    if (past !== null) this.write('past', { ...past, sinceMs: past.sinceMs + byMs });
    this.each('budget', BUDGET_FIELD, (row) =>
      row.fullSinceMs === null ? row : { ...row, fullSinceMs: row.fullSinceMs + byMs },
    );
  }

  /** Removes owners without slots whose leases ended before a time, and all but the last few machines. */
  forgetOwners(beforeMs: number): void {
    for (const field of this.image.names('who')) {
      const owner = field.replace('who:', '');
      if (Number(this.text(`lease:${owner}`) ?? 0) >= beforeMs || this.slots.has(owner)) continue;
      this.changed.set(field, '');
      this.changed.set(`lease:${owner}`, '');
    }
    const machines = this.image.names('ahead');
    for (const field of machines.slice(0, Math.max(0, machines.length - MOST_MACHINES)))
      this.changed.set(field, '');
  }

  /** Writes a text field that the rules do not use, such as the identity of an owner. */
  note(field: string, text: string): void {
    if (this.text(field) !== text) this.changed.set(field, text);
  }

  text(field: string): string | undefined {
    const text = this.changed.get(field) ?? this.image.fields.get(field);
    return text === '' ? undefined : text;
  }

  private lockoutField(budget: string): string {
    return `lockout:${this.of.subjectOf(budget)}:${budget}`;
  }

  private read<Shape extends z.ZodType>(field: string, shape: Shape): z.output<Shape> | null {
    const text = this.text(field);
    return text === undefined ? null : parsed(field, text, shape);
  }

  private write(field: string, value: unknown): void {
    const text = value === null ? '' : JSON.stringify(value);
    if ((this.text(field) ?? '') !== text) this.changed.set(field, text);
  }

  private each<Shape extends z.ZodType>(
    kind: string,
    shape: Shape,
    change: (value: z.output<Shape>) => z.output<Shape> | null,
  ): void {
    for (const field of this.image.names(kind)) {
      const value = this.read(field, shape);
      if (value !== null) this.write(field, change(value));
    }
  }

  private forgetBudgets(isUsed: (slotsField: string) => boolean): void {
    for (const field of this.image.names('budget')) {
      const row = this.read(field, BUDGET_FIELD);
      if (row?.fullSinceMs === null && !isUsed(field.replace(/^budget:/, 'slots:'))) this.write(field, null);
    }
  }

  private forgetGrowth(): void {
    this.each('budget', BUDGET_FIELD, (row) => ({ ...row, fullSinceMs: null }));
  }
}

const namedField = ({ subject, budget }: BudgetKey): string => `named:${subject}:${budget}`;

/** Asks for a slot and a permit in a draft, at a time of the server. */
export function enterDraft(
  rules: LedgerRules,
  draft: LedgerDraft,
  at: { readonly ask: EntryAsk; readonly nowMs: number },
): Entry {
  return enterAtOnce(
    {
      admit: (ask: AdmissionAsk, nowMs) => rules.admit(ask, nowMs),
      withdraw: ({ id }: Slot) => rules.withdraw(id),
    },
    {
      heldUntil: (ask, nowMs) => heldUntil(draft.lockouts, ask, nowMs),
      acquire: (ask, nowMs) => acquirePermit(draft.lockouts, ask, nowMs),
    },
    at,
  );
}

/** A request of this process, with times of the server. */
interface OwnSlot {
  readonly epoch: string;
  readonly slot: Slot;
}

/** Changes that a draft contains: they need not be written again once the draft is in Redis. */
export interface Written {
  readonly endings: readonly number[];
  readonly words: ReadonlySet<object>;
  readonly reports: ReadonlySet<object>;
}

/** Own requests in flight, and the changes of this process that are not in Redis yet. */
export class Unwritten {
  private readonly own = new Map<number, OwnSlot>();
  private readonly endings = new Map<
    number,
    { readonly end: SlotEnd | 'withdrawn'; readonly atMs: number }
  >();
  private words: readonly { readonly budget: string; readonly word: LimitWord; readonly atMs: number }[] = [];
  private reports: readonly { readonly permit: Permit; readonly outcome: Outcome; readonly atMs: number }[] =
    [];

  get isNothing(): boolean {
    return this.endings.size + this.words.length + this.reports.length === 0;
  }

  /** Records an own request. `slot` has times of the server; `epoch` is its count. */
  admitted(slot: Slot, epoch: string): void {
    this.own.set(slot.id, { epoch, slot });
  }

  isOwn(seq: number): boolean {
    return this.own.has(seq);
  }

  /** Records how a request ended; only the first report counts. */
  ended(seq: number, end: SlotEnd | 'withdrawn', atMs: number): void {
    if (!this.endings.has(seq)) this.endings.set(seq, { end, atMs });
  }

  limitApplied(budget: string, word: LimitWord, atMs: number): void {
    this.words = [...this.words, { budget, word, atMs }];
  }

  reported(permit: Permit, outcome: Outcome, atMs: number): void {
    this.reports = [...this.reports, { permit, outcome, atMs }];
  }

  /**
   * Writes all changes into a draft of a count, and returns them. Slots of an earlier count are dropped.
   * `serverMs` returns the latest possible server time at a local time.
   */
  writeTo({ rules, draft, epoch }: DraftOfCount, serverMs: (localMs: number) => number): Written {
    const { endings, words, reports } = this;
    for (const [seq, { end, atMs }] of endings) {
      const own = this.own.get(seq);
      if (own !== undefined && own.epoch !== epoch) continue;
      if (end === 'withdrawn' || own === undefined) rules.withdraw(seq);
      else rules.end({ slot: own.slot, end, atMs: serverMs(atMs), used: null });
    }
    for (const { budget, word, atMs } of words) rules.applyLimit(budget, word, serverMs(atMs));
    for (const { permit, outcome, atMs } of reports) report(draft.lockouts, permit, outcome, serverMs(atMs));
    return { endings: [...endings.keys()], words: new Set(words), reports: new Set(reports) };
  }

  /** Drops changes that are in Redis by now. */
  forget(written: Written): void {
    for (const seq of written.endings) {
      this.endings.delete(seq);
      this.own.delete(seq);
    }
    this.words = this.words.filter((word) => !written.words.has(word));
    this.reports = this.reports.filter((each) => !written.reports.has(each));
  }
}

/** A draft of the ledger in Redis, the rules on it, and the count that it continues; '' for a new count. */
export interface DraftOfCount {
  readonly draft: LedgerDraft;
  readonly rules: LedgerRules;
  readonly epoch: string;
}
