import {
  follows,
  LONGEST_DOUBT_MS,
  stampByAnswer,
  stampByAnyAnswer,
  type Answer,
  type Doubt,
} from '../doubt.ts';
import type { BudgetKey, BudgetRow, NewSlot } from '../slot-rows.ts';
import { isLeaseholder } from './cancel-lease.ts';
import { isDoubtful, type ImageSlot, type LedgerImage } from './ledger-image.ts';

interface SlotsOf {
  readonly owner: string;
  readonly nextSeq: () => number;
  budget(key: BudgetKey): BudgetRow | null;
  saveBudget(key: BudgetKey, row: BudgetRow): void;
  forgetBudgets(isUsed: (slotsField: string) => boolean): void;
  forgetGrowth(): void;
}

/** The slot that a draft takes. */
interface DraftEntry {
  readonly field: string;
  readonly seq: number;
  /** Slots with an earlier stamp are free. */
  readonly beforeMs: number;
}

/** Slots of a draft. Own ones have their number; others a negative one, valid in this draft alone. */
export class DraftSlots {
  private readonly image: LedgerImage;
  private readonly of: SlotsOf;
  private readonly lists = new Map<string, readonly ImageSlot[]>();
  private readonly changed = new Set<string>();
  private readonly others: { readonly field: string; readonly slot: ImageSlot }[] = [];
  private readonly beforeMs = new Map<string, number>();
  private readonly ended: [string, number, number][] = [];
  private acquired: DraftEntry | null = null;
  private hasOtherChange = false;

  constructor(image: LedgerImage, of: SlotsOf) {
    this.image = image;
    this.of = of;
  }

  get hasChanged(): boolean {
    return this.changed.size > 0;
  }

  get isPlain(): boolean {
    return !this.hasOtherChange;
  }

  /**
   * This process's slots to stamp or remove: field, slot number, and stamp in ms. A stamp of -1 removes the
   * slot, because its request was not sent.
   */
  get endings(): readonly (readonly [string, number, number])[] {
    return this.ended;
  }

  get entry(): DraftEntry | null {
    return this.acquired;
  }

  changedFields(): readonly (readonly [string, readonly ImageSlot[]])[] {
    return [...this.changed].map((field) => [field, this.list(field)]);
  }

  budget(key: BudgetKey): BudgetRow | null {
    return this.of.budget(key);
  }

  saveBudget(key: BudgetKey, row: BudgetRow): void {
    this.of.saveBudget(key, row);
  }

  forgetIdleBudgets(): void {
    this.of.forgetBudgets((field) => this.list(field).length > 0);
  }

  /** Releases slots with a stamp before a time. It need not be written: the next draft repeats it. */
  releaseBefore(key: BudgetKey, beforeMs: number): void {
    const field = fieldOf(key);
    this.beforeMs.set(field, beforeMs);
    const slots = this.list(field);
    const retained = slots.filter(({ stampedAtMs }) => stampedAtMs === null || stampedAtMs >= beforeMs);
    if (retained.length < slots.length) this.lists.set(field, retained);
  }

  occupied(key: BudgetKey): number {
    return this.list(fieldOf(key)).length;
  }

  stampFreeing(key: BudgetKey, units: number): number | null {
    const stamps = this.list(fieldOf(key)).flatMap(({ stampedAtMs }) => stampedAtMs ?? []);
    return stamps.toSorted((left, right) => left - right)[units - 1] ?? null;
  }

  unstampedOfOthers(
    key: BudgetKey,
    owner: string,
  ): readonly { readonly id: number; readonly owner: string; readonly admittedAtMs: number }[] {
    const field = fieldOf(key);
    return this.list(field)
      .filter((slot) => slot.owner !== owner && slot.stampedAtMs === null && slot.endedAtMs === null)
      .map((slot) => {
        this.others.push({ field, slot });
        return { id: -this.others.length, owner: slot.owner, admittedAtMs: slot.admittedAtMs };
      });
  }

  /** A venue with weights is refused a ledger in Redis, so each slot is of one unit. */
  insert(key: BudgetKey, { owner, admittedAtMs }: NewSlot): number {
    const field = fieldOf(key);
    const seq = this.of.nextSeq();
    const slot = { owner, seq, admittedAtMs, stampedAtMs: null, endedAtMs: null, isFollowed: false };
    this.save(field, [...this.list(field), slot]);
    this.acquired = { field, seq, beforeMs: this.beforeMs.get(field) ?? 0 };
    return seq;
  }

  stamp(id: number, stampMs: number): void {
    const found = this.find(id);
    if (found === null || found.slot.stampedAtMs !== null) return;
    this.replace(found.field, found.slot, { ...found.slot, stampedAtMs: stampMs });
    if (id < 0 || found.slot.endedAtMs !== null) this.hasOtherChange = true;
    else this.ended.push([found.field, id, stampMs]);
  }

  delete(id: number): void {
    const found = this.find(id);
    if (found === null || found.slot.stampedAtMs !== null) return;
    this.save(
      found.field,
      this.list(found.field).filter((slot) => slot !== found.slot),
    );
    if (this.acquired?.seq === id) this.acquired = null;
    else if (id < 0 || found.slot.endedAtMs !== null) this.hasOtherChange = true;
    else this.ended.push([found.field, id, -1]);
  }

  isOpen(id: number): boolean {
    const slot = this.find(id)?.slot;
    return slot !== undefined && isOpenSlot(slot);
  }

  end(id: number, endedAtMs: number): void {
    const found = this.find(id);
    if (found === null || found.slot.stampedAtMs !== null || found.slot.endedAtMs !== null) return;
    this.replace(found.field, found.slot, { ...found.slot, endedAtMs });
    this.hasOtherChange = true;
  }

  doubts(key: BudgetKey): readonly Doubt[] {
    return this.list(fieldOf(key)).flatMap((slot) => {
      const doubt = doubtOf(slot);
      return doubt === null || doubt.isFollowed ? [] : [doubt];
    });
  }

  inFlight(key: BudgetKey): readonly number[] {
    return this.list(fieldOf(key))
      .filter((slot) => isOpenSlot(slot) && !isLeaseholder(slot.owner))
      .map(({ admittedAtMs }) => admittedAtMs);
  }

  /** Returns the number of slots in leases, of one holder or of all holders. */
  leased(key: BudgetKey, holder?: string): number {
    return this.list(fieldOf(key)).filter(
      (slot) =>
        isOpenSlot(slot) && (holder === undefined ? isLeaseholder(slot.owner) : slot.owner === holder),
    ).length;
  }

  /** Writes the slots of a holder's lease, and replaces those that it had. */
  lease(key: BudgetKey, holder: string, of: { readonly count: number; readonly atMs: number }): void {
    const field = fieldOf(key);
    const others = this.list(field).filter((slot) => slot.owner !== holder || !isOpenSlot(slot));
    const slots = Array.from({ length: of.count }, (_, index) => ({
      owner: holder,
      seq: index + 1,
      admittedAtMs: of.atMs,
      stampedAtMs: null,
      endedAtMs: null,
      isFollowed: false,
    }));
    this.save(field, [...others, ...slots]);
    this.hasOtherChange = true;
  }

  /** Returns a lease: its slots are free a window later. */
  returnLease(key: BudgetKey, holder: string, stampedAtMs: number): void {
    for (const slot of this.list(fieldOf(key))) {
      if (slot.owner !== holder || !isOpenSlot(slot)) continue;
      this.replace(fieldOf(key), slot, { ...slot, stampedAtMs });
      this.hasOtherChange = true;
    }
  }

  endDoubts(key: BudgetKey, answer: Answer): void {
    const answered = fieldOf(key);
    this.eachDoubt((slot, doubt, field) => {
      const isSameBudget = field === answered;
      const stampedAtMs =
        stampByAnyAnswer(doubt, answer) ?? (isSameBudget ? stampByAnswer(doubt, answer) : null);
      const isFollowed = slot.isFollowed || (isSameBudget && follows(doubt, answer));
      return stampedAtMs === null && isFollowed === slot.isFollowed
        ? slot
        : { ...slot, stampedAtMs, isFollowed };
    });
  }

  endOldestDoubts(nowMs: number): void {
    this.eachDoubt((slot, { endedAtMs }) =>
      endedAtMs + LONGEST_DOUBT_MS > nowMs ? slot : { ...slot, stampedAtMs: endedAtMs + LONGEST_DOUBT_MS },
    );
  }

  deleteAll(): void {
    for (const field of this.fields()) this.save(field, []);
    this.hasOtherChange = true;
    this.of.forgetGrowth();
  }

  /** Returns true if `owner` holds any slot. */
  has(owner: string): boolean {
    return [...this.fields()].some((field) => this.list(field).some((slot) => slot.owner === owner));
  }

  /** Drops own slots in flight that this process does not know, because an answer of Redis was lost. */
  dropUnknown(isKnown: (seq: number) => boolean): void {
    const { owner } = this.of;
    for (const field of this.fields()) {
      const slots = this.list(field);
      const retained = slots.filter(
        (slot) =>
          slot.owner !== owner || slot.stampedAtMs !== null || slot.endedAtMs !== null || isKnown(slot.seq),
      );
      if (retained.length === slots.length) continue;
      this.save(field, retained);
      this.hasOtherChange = true;
    }
  }

  /** Moves all times of all slots later. */
  postpone(byMs: number): void {
    const later = (timeMs: number | null): number | null => (timeMs === null ? null : timeMs + byMs);
    for (const field of this.fields()) {
      this.save(
        field,
        this.list(field).map((slot) => ({
          ...slot,
          admittedAtMs: slot.admittedAtMs + byMs,
          stampedAtMs: later(slot.stampedAtMs),
          endedAtMs: later(slot.endedAtMs),
        })),
      );
    }
    this.hasOtherChange = true;
  }

  private list(field: string): readonly ImageSlot[] {
    return this.lists.get(field) ?? this.image.slots(field);
  }

  private fields(): ReadonlySet<string> {
    return new Set([...this.image.names('slots'), ...this.lists.keys()]);
  }

  private save(field: string, slots: readonly ImageSlot[]): void {
    this.lists.set(field, slots);
    this.changed.add(field);
  }

  private replace(field: string, slot: ImageSlot, by: ImageSlot): void {
    this.save(
      field,
      this.list(field).map((other) => (other === slot ? by : other)),
    );
  }

  private find(id: number): { readonly field: string; readonly slot: ImageSlot } | null {
    if (id < 0) return this.others[-id - 1] ?? null;
    for (const field of this.fields()) {
      const slot = this.list(field).find(({ owner, seq }) => owner === this.of.owner && seq === id);
      if (slot !== undefined) return { field, slot };
    }
    return null;
  }

  private eachDoubt(change: (slot: ImageSlot, doubt: Doubt, field: string) => ImageSlot): void {
    for (const field of this.fields()) {
      for (const slot of this.list(field)) {
        const doubt = doubtOf(slot);
        const next = doubt === null ? slot : change(slot, doubt, field);
        if (next === slot) continue;
        this.replace(field, slot, next);
        this.hasOtherChange = true;
      }
    }
  }
}

const isOpenSlot = ({ stampedAtMs, endedAtMs }: ImageSlot): boolean =>
  stampedAtMs === null && endedAtMs === null;

function doubtOf(slot: ImageSlot): Doubt | null {
  const { admittedAtMs, endedAtMs, isFollowed } = slot;
  return isDoubtful(slot) && endedAtMs !== null ? { admittedAtMs, endedAtMs, isFollowed } : null;
}

const fieldOf = ({ subject, budget }: BudgetKey): string => `slots:${subject}:${budget}`;
