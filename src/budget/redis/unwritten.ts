import type { Slot, SlotEnd } from '../admission.ts';
import type { LedgerRules } from '../ledger-rules.ts';
import { report, type Pass, type Verdict } from '../lockouts.ts';
import type { LimitWord } from '../named-limit.ts';
import type { LedgerDraft } from './ledger-draft.ts';

/** A request of ours, by the server's time. */
interface OwnSlot {
  readonly epoch: string;
  readonly slot: Slot;
}

/** Changes passed to a draft: they need not be passed again once the draft is in Redis. */
export interface Told {
  readonly endings: readonly number[];
  readonly heeds: ReadonlySet<object>;
  readonly reports: ReadonlySet<object>;
}

/** Own requests that are on their way, and what of this process is still to be written to Redis. */
export class Unwritten {
  private readonly own = new Map<number, OwnSlot>();
  private readonly endings = new Map<
    number,
    { readonly end: SlotEnd | 'withdrawn'; readonly atMs: number }
  >();
  private heeds: readonly { readonly budget: string; readonly word: LimitWord; readonly atMs: number }[] = [];
  private reports: readonly { readonly pass: Pass; readonly verdict: Verdict; readonly atMs: number }[] = [];

  get isNothing(): boolean {
    return this.endings.size + this.heeds.length + this.reports.length === 0;
  }

  /** `slot`: by the server's time, of a count. */
  admitted(slot: Slot, epoch: string): void {
    this.own.set(slot.id, { epoch, slot });
  }

  isOwn(seq: number): boolean {
    return this.own.has(seq);
  }

  /** The first word about a request holds. */
  ended(seq: number, end: SlotEnd | 'withdrawn', atMs: number): void {
    if (!this.endings.has(seq)) this.endings.set(seq, { end, atMs });
  }

  heeded(budget: string, word: LimitWord, atMs: number): void {
    this.heeds = [...this.heeds, { budget, word, atMs }];
  }

  reported(pass: Pass, verdict: Verdict, atMs: number): void {
    this.reports = [...this.reports, { pass, verdict, atMs }];
  }

  /**
   * Writes all of it into a draft of a count; answers what that was. Slots of an earlier count are nobody's.
   * `serverMs` is the server's time at one of here, or later.
   */
  tell({ rules, draft, epoch }: DraftOfCount, serverMs: (localMs: number) => number): Told {
    const { endings, heeds, reports } = this;
    for (const [seq, { end, atMs }] of endings) {
      const own = this.own.get(seq);
      if (own !== undefined && own.epoch !== epoch) continue;
      if (end === 'withdrawn' || own === undefined) rules.withdraw(seq);
      else rules.end({ slot: own.slot, end, atMs: serverMs(atMs) });
    }
    for (const { budget, word, atMs } of heeds) rules.heed(budget, word, serverMs(atMs));
    for (const { pass, verdict, atMs } of reports) report(draft.lockouts, pass, verdict, serverMs(atMs));
    return { endings: [...endings.keys()], heeds: new Set(heeds), reports: new Set(reports) };
  }

  /** It is in Redis by now. */
  forget(told: Told): void {
    for (const seq of told.endings) {
      this.endings.delete(seq);
      this.own.delete(seq);
    }
    this.heeds = this.heeds.filter((heed) => !told.heeds.has(heed));
    this.reports = this.reports.filter((each) => !told.reports.has(each));
  }
}

/** A draft of what Redis holds, the rules on it, and the count that it goes on with; '' for a new one. */
export interface DraftOfCount {
  readonly draft: LedgerDraft;
  readonly rules: LedgerRules;
  readonly epoch: string;
}
