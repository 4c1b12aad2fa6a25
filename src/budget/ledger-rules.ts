import type { Budget, RateLimit } from '../domain/rate-limit.ts';
import { present } from '../domain/errors.ts';
import {
  waitForSlot,
  type Admission,
  type AdmissionAsk,
  type Slot,
  type SlotEnd,
  afterLimitReply,
  inForce,
  lowered,
  type LimitChange,
  type LimitWord,
  reserveOf,
  slotsFor,
} from './admission.ts';
import type { ClockRow, NamedLimitRows, BudgetKey, BudgetRow, SlotRows } from './slot-rows.ts';
import { PROBE_EVERY_MS, type LockoutRows } from './lockouts.ts';
import {
  PART_STANDS_STILL_MS,
  waitForProbe,
  fullUntil,
  longestWait,
  mayAsk,
  type UnknownPast,
} from './doubt.ts';
import { OTHERS } from './ledger.ts';
import type { LifeSign } from './process-owner.ts';

/** The rows of a ledger that processes share, whatever stores them. */
export interface LedgerRows {
  readonly clock: ClockRow;
  readonly slots: SlotRows;
  readonly named: NamedLimitRows;
  readonly lockouts: LockoutRows & { carryOver(nowMs: number, probeAtMs: number): void };
}

/** The process that applies the rules, and what it can know about others. */
interface LedgerParty {
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Subjects that are counted: the address this machine calls from, and the credential, hashed. */
  readonly subjects: { readonly ip: string; readonly token: string };
  /** True if the process uses the limits that are stored already, and does not write its own. */
  readonly isGuest: boolean;
  readonly owner: string;
  /** Id of the boot of the machine whose monotonic clock gives the times. */
  readonly clockId: string;
  lifeSignOf(owner: string): LifeSign;
  /** Returns the margin in ms by which a window here is longer than the exchange's, as clocks differ. */
  driftMs(windowMs: number): number;
  /** True if a request may leave to get an answer while nothing is known of the window. */
  readonly asksOfUnknown: boolean;
  /** Returns the slots of a budget that others may hold since an unknown time; none if it is left out. */
  readonly setAside?: (budget: Pick<RateLimit, 'name' | 'limit'>, past: UnknownPast, nowMs: number) => number;
}

/** End of a request, in the form that is written to the ledger. */
export interface SlotEnding {
  readonly slot: Slot;
  readonly end: SlotEnd;
  readonly atMs: number;
  /** Units that the exchange has counted by then; null if it does not tell. */
  readonly used: number | null;
}

/**
 * Time for which a slot without a stamp is kept for an owner that cannot be checked, such as one in another
 * container. The owner sends within `MOST_CANCEL_DELAY_MS` or not at all, so any arrival is long past.
 */
const UNPROVABLE_OWNER_MS = 3_600_000;

/**
 * Rules by which a shared ledger admits and records; `BudgetLedger` explains why they hold. Each call is one
 * transaction of the store.
 * The limits are those of the process that opened the ledger last, except guests. A window that grew counts
 * as full, because released requests may count again.
 */
export class LedgerRules {
  private readonly rows: LedgerRows;
  private readonly party: LedgerParty;

  constructor(rows: LedgerRows, party: LedgerParty) {
    this.rows = rows;
    this.party = party;
  }

  /** Registers this process as a user of the ledger. */
  open(nowMs: number): void {
    const { named, slots } = this.rows;
    this.unknownPast(nowMs);
    named.forgetOld(nowMs);
    if (!this.party.isGuest) slots.forgetIdleBudgets();
    for (const budget of this.party.budgets.values()) this.writeBudget(budget, nowMs);
  }

  /** Returns how many slots of its budget requests of a class may occupy now. */
  mostOccupied({ budget, requestClass }: AdmissionAsk, nowMs: number): number {
    const { slots, named } = this.rows;
    const key = this.keyOf(budget);
    const row = slots.budget(key);
    if (row === null) return 0;
    const limit = inForce(named.of(key), nowMs)?.limit ?? null;
    return slotsFor(requestClass, this.statedOf({ name: budget, row, named: limit }, nowMs));
  }

  /** Returns a budget in use: the stored figures, under a limit that the exchange has named. */
  private statedOf(
    { name, row, named }: { readonly name: string; readonly row: BudgetRow; readonly named: number | null },
    nowMs: number,
  ): RateLimit {
    const { requestLimit: limit, statedLimit, windowMs, reserve } = row;
    const stated = lowered({ name, limit, statedLimit, windowMs, reserve }, named);
    const past = this.rows.clock.past();
    const aside = past === null ? 0 : (this.party.setAside?.({ name, limit }, past, nowMs) ?? 0);
    if (aside === 0) return stated;
    return { ...stated, limit: Math.max(0, stated.limit - aside), reserve: Math.max(0, reserve - aside) };
  }

  admit(ask: AdmissionAsk, nowMs: number): Admission {
    const budget = this.party.budgets.get(ask.budget);
    if (budget === undefined) return { admitted: false, reason: 'unknown budget', waitMs: null };
    const { slots, named: namedRows } = this.rows;
    const past = this.unknownPast(nowMs);
    const key = this.keyOf(ask.budget);
    const row = slots.budget(key) ?? this.writeBudget(budget, nowMs);
    const windowMs = row.windowMs + this.party.driftMs(row.windowMs);
    this.endForOthers(key, nowMs);
    slots.endOldestDoubts(nowMs);
    slots.releaseBefore(key, nowMs - windowMs);
    const named = inForce(namedRows.of(key), nowMs)?.limit ?? null;
    const stated = this.statedOf({ name: ask.budget, row: { ...row, windowMs }, named }, nowMs);
    const { requestClass, weight = 1 } = ask;
    const doubts = slots.doubts(key);
    const inFlight = doubts.length > 0 || past?.heardAtMs === null ? slots.inFlight(key) : [];
    if (doubts.length > 0) {
      const probeWaitMs = waitForProbe({ doubts, inFlight, limit: stated.limit / weight, nowMs });
      if (probeWaitMs !== 0) return { admitted: false, reason: 'full', waitMs: probeWaitMs };
    }
    const open = inFlight.length + doubts.length;
    const isQuestion =
      this.party.asksOfUnknown &&
      past !== null &&
      mayAsk(past, { budget: stated, requestClass, weight, open });
    const waitMs = waitForSlot({
      budget: stated,
      requestClass,
      weight,
      occupied: slots.occupied(key),
      stampFreeing: (units) => slots.stampFreeing(key, units),
      fullUntilMs: latest(
        past === null || isQuestion ? null : fullUntil(past, windowMs),
        row.fullSinceMs === null ? null : fullUntil({ sinceMs: row.fullSinceMs, heardAtMs: null }, windowMs),
      ),
      nowMs,
    });
    if (waitMs !== 0) {
      const mostMs =
        past === null || !this.party.asksOfUnknown ? Number.POSITIVE_INFINITY : longestWait(past, stated);
      return { admitted: false, reason: 'full', waitMs: waitMs === null ? null : Math.min(waitMs, mostMs) };
    }
    const { owner } = this.party;
    const id = slots.insert(key, { owner, weight, admittedAtMs: nowMs });
    const slot = {
      id,
      budget: ask.budget,
      weight,
      owner,
      admittedAtMs: nowMs,
      stampedAtMs: null,
      endedAtMs: null,
      isFollowed: false,
    };
    return { admitted: true, slot };
  }

  /**
   * Returns what the ledger does not know; null if it knows everything. Times of another boot are ignored:
   * its slots become a full window, and its lockouts go on.
   */
  unknownPast(nowMs: number): UnknownPast | null {
    const { clock, slots, lockouts, named } = this.rows;
    const { clockId } = this.party;
    if (clock.isOf(clockId)) return clock.past();
    clock.begin(clockId, nowMs);
    slots.deleteAll();
    lockouts.carryOver(nowMs, nowMs + PROBE_EVERY_MS);
    named.carryOver(nowMs);
    return clock.past();
  }

  /** Stores the limit of a budget as this process has it. */
  private writeBudget(budget: Budget, nowMs: number): BudgetRow {
    const key = this.keyOf(budget.name);
    const known = this.rows.slots.budget(key);
    if (known !== null && this.party.isGuest) return known;
    const hasGrown = known !== null && known.windowMs < budget.windowMs;
    const row = {
      requestLimit: budget.limit,
      statedLimit: budget.statedLimit ?? budget.limit,
      windowMs: budget.windowMs,
      reserve: reserveOf(budget),
      assumed: Number(budget.assumed),
      fullSinceMs: hasGrown ? nowMs : (known?.fullSinceMs ?? null),
    };
    this.rows.slots.saveBudget(key, row);
    return row;
  }

  /** Ends slots whose owners cannot end them any more. */
  private endForOthers(key: BudgetKey, nowMs: number): void {
    const { slots } = this.rows;
    for (const { id, owner, admittedAtMs } of slots.unstampedOfOthers(key, this.party.owner)) {
      const sign = this.party.lifeSignOf(owner);
      if (sign === 'dead') slots.end(id, nowMs);
      // The owner may be stopped, with a request still waiting in its machine.
      if (sign === 'silent' && admittedAtMs + PART_STANDS_STILL_MS < nowMs) slots.end(id, nowMs);
      if (sign === 'foreign' && admittedAtMs + UNPROVABLE_OWNER_MS < nowMs)
        slots.stamp(id, admittedAtMs + UNPROVABLE_OWNER_MS);
    }
  }

  /** Gives back the slot of a request that was never sent. */
  withdraw(id: number): void {
    this.rows.slots.delete(id);
  }

  /** Returns true if a slot of this process has no end yet, and its times are of this boot. */
  holds(id: number): boolean {
    const { clock, slots } = this.rows;
    return clock.isOf(this.party.clockId) && slots.isOpen(id);
  }

  end({ slot, end, atMs, used }: SlotEnding): void {
    const { slots, clock } = this.rows;
    if (end === 'unanswered') slots.end(slot.id, atMs);
    else if (end === 'uncounted') slots.delete(slot.id);
    else slots.stamp(slot.id, atMs);
    if (used !== null) this.countOthers(this.keyOf(slot.budget), used, atMs);
    if (end !== 'answered' && end !== 'uncounted') return;
    const answer = { admittedAtMs: slot.admittedAtMs, atMs };
    slots.endDoubts(this.keyOf(slot.budget), answer);
    clock.heard(answer);
  }

  /** Adds a slot for units that others have taken, by the exchange's own count. */
  private countOthers(key: BudgetKey, used: number, atMs: number): void {
    const { slots } = this.rows;
    // A guest may know a shorter window than the one that is stored, by which slots are released.
    const { windowMs } = slots.budget(key) ?? this.known(key.budget);
    slots.releaseBefore(key, atMs - windowMs - this.party.driftMs(windowMs));
    const weight = used - slots.occupied(key);
    if (weight > 0) slots.stamp(slots.insert(key, { owner: OTHERS, weight, admittedAtMs: atMs }), atMs);
  }

  /** Returns the effect of a limit reply on the stored limit; null if there is none. */
  changeBy(budget: string, word: LimitWord, nowMs: number): LimitChange | null {
    const statedLimit = this.statedLimitOf(budget);
    return afterLimitReply(this.rows.named.of(this.keyOf(budget)), word, { statedLimit, nowMs }).change;
  }

  applyLimit(budget: string, word: LimitWord, atMs: number): void {
    const { named } = this.rows;
    const key = this.keyOf(budget);
    const of = { statedLimit: this.statedLimitOf(budget), nowMs: atMs };
    named.save(key, afterLimitReply(named.of(key), word, of).state);
  }

  namedLimits(nowMs: number): ReadonlyMap<string, number> {
    const named = new Map<string, number>();
    for (const budget of this.party.budgets.keys()) {
      const holds = inForce(this.rows.named.of(this.keyOf(budget)), nowMs);
      if (holds !== null) named.set(budget, holds.limit);
    }
    return named;
  }

  /** Returns the exchange's limit as it is stored; the configuration of a guest may differ. */
  private statedLimitOf(budget: string): number {
    const { limit, statedLimit = limit } = this.known(budget);
    return this.rows.slots.budget(this.keyOf(budget))?.statedLimit ?? statedLimit;
  }

  private keyOf(budget: string): BudgetKey {
    return { budget, subject: this.party.subjects[this.known(budget).per] };
  }

  private known(budget: string): Budget {
    return present(this.party.budgets.get(budget), () => `a budget of this ledger, not ${budget}`);
  }
}

/** Returns the later of two times, each of which may be null; null if both are. */
const latest = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.max(left, right);
