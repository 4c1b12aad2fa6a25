import type { RateLimit, RequestClass } from '../domain/rate-limit.ts';
import {
  isReleased,
  waitForSlot,
  type Admission,
  type AdmissionAsk,
  type RequestLedger,
  type Slot,
  type SlotEnd,
  afterLimitReply,
  inForce,
  lowered,
  type LimitChange,
  type LimitWord,
  type NamedLimit,
  slotsFor,
} from './admission.ts';
import {
  follows,
  LONGEST_DOUBT_MS,
  stampByAnswer,
  stampByAnyAnswer,
  waitForProbe,
  type Answer,
  afterAnswer,
  fullUntil,
  longestWait,
  mayAsk,
  type UnknownPast,
} from './doubt.ts';

type OpenSlot = { -readonly [Key in keyof Slot]: Slot[Key] };

/** One budget and its slots. */
interface Occupied {
  readonly budget: RateLimit;
  named: NamedLimit | null;
  /** Slots in the order of their admission. */
  readonly slots: OpenSlot[];
  /** Sum of their units. */
  units: number;
  /** Time up to which no slot becomes free, so that most admissions need not search them. */
  countedUntilMs: number;
  /** The most units that were ever occupied at once by requests of ours. */
  most: number;
  /** Number of requests that ended without an answer and are not stamped. */
  doubtful: number;
}

/**
 * Admits requests so that the exchange never counts more than the limit N of a budget in any window W. This
 * is the ledger of one process and of virtual time; `LedgerStore` is the same in a file that processes share.
 *
 * A request of several units counts as so many requests. A request occupies a slot from its admission, before
 * it is sent, until more than W after its stamp. The exchange counts it at one instant between admission and
 * stamp. Claim: no window has N + 1 counts. Suppose one has. Let a be the time at which the last of those N +
 * 1 requests was admitted; it was counted at c >= a. Each of the others was counted at a time c' with c - W
 * <= c' <= c + W.
 *
 * - It was admitted at or before a, so it had its slot by then.
 * - Its slot was not released at a: its stamp s is no earlier than c' >= c - W >= a - W, and release needs s
 *   + W < a.
 *
 * So at a all N others occupied slots, and the last was admitted as the N + 1st. The ledger never does that.
 * The claim holds for sliding windows and for fixed ones, wherever they begin. It rests on two conditions:
 *
 * - The stamp must not come before the count. A reply proves the count. Without a reply the request is in
 *   doubt (`doubt.ts`): it is stamped after an answer to a request that was sent `LATE_ARRIVAL_MS` after it
 *   or later. For an owner proven dead `bury` does the same from the time of the proof. An owner that is
 *   merely stopped or slow keeps its slots.
 * - Times must be of one clock that runs as the exchange's does. Monotonic time is injected, so a stepped
 *   wall clock moves nothing; the strict comparison makes up for rounding down admission and stamp. After a
 *   restart of the machine, or without the file, nothing is known, and the window counts as full
 *   (`doubt.ts`).
 *
 * Throughput: a slot that is answered after r is free again W + r + 1 ms after its admission, so a saturated
 * budget delivers N * W / (W + r + 1) per window, above 98 % for replies within a hundredth of W. A budget
 * has at most N slots.
 */
export class BudgetLedger implements RequestLedger {
  private readonly occupied = new Map<string, Occupied>();
  private past: UnknownPast | null;
  private lastId = 0;
  /** Number of doubtful requests of all budgets. */
  private doubtful = 0;

  /** `fullSinceMs`: time before which requests are unknown; left out for a new venue, which had none. */
  constructor(budgets: Iterable<RateLimit>, options: { readonly fullSinceMs?: number } = {}) {
    const { fullSinceMs } = options;
    this.past = fullSinceMs === undefined ? null : { sinceMs: fullSinceMs, heardAtMs: null };
    for (const budget of budgets) {
      this.occupied.set(budget.name, {
        budget,
        named: null,
        slots: [],
        units: 0,
        countedUntilMs: Number.POSITIVE_INFINITY,
        most: 0,
        doubtful: 0,
      });
    }
  }

  /** Asks for a slot now. An unknown budget gets none, since the cost of the request is not known. */
  admit(ask: AdmissionAsk & { readonly owner?: string }, nowMs: number): Admission {
    const occupied = this.occupied.get(ask.budget);
    if (occupied === undefined) return { admitted: false, reason: 'unknown budget', waitMs: null };
    const { slots } = occupied;
    const budget = lowered(occupied.budget, inForce(occupied.named, nowMs)?.limit ?? null);
    if (occupied.doubtful > 0) this.forgetOldDoubts(occupied, nowMs);
    if (nowMs > occupied.countedUntilMs) releaseOld(occupied, nowMs);
    const { requestClass, weight = 1 } = ask;
    const probeWaitMs = occupied.doubtful === 0 ? 0 : probeWaitOf(occupied, { weight, nowMs });
    if (probeWaitMs !== 0) return { admitted: false, reason: 'full', waitMs: probeWaitMs };
    // Most requests find a free slot in a known window, and skip this.
    if (this.past !== null || occupied.units + weight > slotsFor(requestClass, budget)) {
      const waitMs = this.waitFor(occupied, { budget, requestClass, weight, nowMs });
      if (waitMs !== 0) return { admitted: false, reason: 'full', waitMs };
    }
    this.lastId += 1;
    const slot: OpenSlot = {
      id: this.lastId,
      budget: ask.budget,
      weight,
      owner: ask.owner ?? 'self',
      admittedAtMs: nowMs,
      stampedAtMs: null,
      endedAtMs: null,
      isFollowed: false,
    };
    slots.push(slot);
    occupied.units += weight;
    if (occupied.units > occupied.most) occupied.most = occupied.units;
    return { admitted: true, slot };
  }

  private waitFor(
    { slots, units }: Occupied,
    of: {
      readonly budget: RateLimit;
      readonly requestClass: RequestClass;
      readonly weight: number;
      readonly nowMs: number;
    },
  ): number | null {
    const { past } = this;
    const { budget, requestClass, weight } = of;
    const waitMs = waitForSlot({
      ...of,
      occupied: units,
      stampFreeing: (freed) => stampFreeing(slots, freed),
      fullUntilMs:
        past === null || mayAsk(past, { budget, requestClass, weight, open: openOf(slots) })
          ? null
          : fullUntil(past, budget.windowMs),
    });
    if (waitMs === null || past === null) return waitMs;
    return Math.min(waitMs, longestWait(past, budget));
  }

  settle(slot: Slot, end: SlotEnd, atMs: number, used: number | null = null): void {
    const occupied = this.occupied.get(slot.budget);
    const open = occupied?.slots.findLast(({ id }) => id === slot.id);
    if (occupied === undefined || open === undefined) return;
    if (end === 'unanswered') this.doubt(occupied, open, atMs);
    else if (end === 'uncounted' && open.endedAtMs === null) remove(occupied, open);
    else this.stamp(occupied, open, atMs);
    if (used !== null) this.countOthers(occupied, used, atMs);
    if (end !== 'answered' && end !== 'uncounted') return;
    const answer = { admittedAtMs: open.admittedAtMs, atMs };
    if (this.doubtful > 0) this.endDoubts(occupied, answer);
    if (this.past !== null) this.past = afterAnswer(this.past, answer);
  }

  applyLimit(budget: string, word: LimitWord, nowMs: number): LimitChange | null {
    const occupied = this.occupied.get(budget);
    if (occupied === undefined) return null;
    const { limit, statedLimit = limit } = occupied.budget;
    const { state, change } = afterLimitReply(occupied.named, word, { statedLimit, nowMs });
    occupied.named = state;
    return change;
  }

  namedLimits(nowMs: number): ReadonlyMap<string, number> {
    const named = new Map<string, number>();
    for (const [budget, { named: state }] of this.occupied) {
      const holds = inForce(state, nowMs);
      if (holds !== null) named.set(budget, holds.limit);
    }
    return named;
  }

  withdraw(slot: Slot): void {
    const occupied = this.occupied.get(slot.budget);
    const open = occupied?.slots.find(({ id, stampedAtMs }) => id === slot.id && stampedAtMs === null);
    if (occupied !== undefined && open !== undefined) remove(occupied, open);
  }

  /** Adds a slot for units that others have taken, by the exchange's own count. */
  private countOthers(occupied: Occupied, used: number, atMs: number): void {
    releaseOld(occupied, atMs);
    const weight = used - occupied.units;
    if (weight <= 0) return;
    this.lastId += 1;
    const times = { admittedAtMs: atMs, stampedAtMs: atMs, endedAtMs: null, isFollowed: false };
    occupied.slots.push({
      id: this.lastId,
      budget: occupied.budget.name,
      weight,
      owner: OTHERS,
      ...times,
    });
    occupied.units += weight;
    occupied.countedUntilMs = Math.min(occupied.countedUntilMs, atMs + occupied.budget.windowMs);
  }

  holds(slot: Slot): boolean {
    const slots = this.occupied.get(slot.budget)?.slots ?? [];
    return slots.some(
      ({ id, stampedAtMs, endedAtMs }) => id === slot.id && (stampedAtMs ?? endedAtMs) === null,
    );
  }

  /** Returns true if any request is in flight or in doubt. */
  hasOpen(): boolean {
    return [...this.occupied.values()].some(({ slots }) => openOf(slots) > 0);
  }

  /** Ends the slots of an owner, once it is proven dead. */
  bury(owner: string, provenDeadAtMs: number): void {
    for (const occupied of this.occupied.values()) {
      for (const slot of occupied.slots) {
        if (slot.owner === owner) this.doubt(occupied, slot, provenDeadAtMs);
      }
    }
  }

  private stamp(occupied: Occupied, slot: OpenSlot, stampMs: number): void {
    if (slot.stampedAtMs !== null) return;
    if (slot.endedAtMs !== null) {
      occupied.doubtful -= 1;
      this.doubtful -= 1;
    }
    slot.stampedAtMs = stampMs;
    occupied.countedUntilMs = Math.min(occupied.countedUntilMs, stampMs + occupied.budget.windowMs);
  }

  private doubt(occupied: Occupied, slot: OpenSlot, endedAtMs: number): void {
    if (slot.stampedAtMs !== null || slot.endedAtMs !== null) return;
    slot.endedAtMs = endedAtMs;
    occupied.doubtful += 1;
    this.doubtful += 1;
  }

  private endDoubts(answered: Occupied, answer: Answer): void {
    for (const occupied of this.occupied.values()) {
      if (occupied.doubtful === 0) continue;
      for (const slot of occupied.slots) {
        if (!isDoubt(slot)) continue;
        const isSameBudget = occupied === answered;
        if (isSameBudget && follows(slot, answer)) slot.isFollowed = true;
        const stampMs = stampByAnyAnswer(slot, answer) ?? (isSameBudget ? stampByAnswer(slot, answer) : null);
        if (stampMs !== null) this.stamp(occupied, slot, stampMs);
      }
    }
  }

  private forgetOldDoubts(occupied: Occupied, nowMs: number): void {
    for (const slot of occupied.slots) {
      if (isDoubt(slot) && slot.endedAtMs + LONGEST_DOUBT_MS <= nowMs)
        this.stamp(occupied, slot, slot.endedAtMs + LONGEST_DOUBT_MS);
    }
  }

  /** Returns the units that are occupied now and the limit, for each budget. */
  inUse(
    nowMs: number,
  ): readonly { readonly budget: string; readonly inUse: number; readonly limit: number }[] {
    return [...this.occupied.values()].map(({ budget, named, slots }) => ({
      budget: budget.name,
      inUse: unitsOf(slots.filter(({ stampedAtMs }) => !isReleased(stampedAtMs, budget.windowMs, nowMs))),
      limit: lowered(budget, inForce(named, nowMs)?.limit ?? null).limit,
    }));
  }

  /** Returns the most units that were ever occupied at once, for each budget; never above its limit. */
  usage(): readonly { readonly budget: RateLimit; readonly most: number }[] {
    return [...this.occupied.values()].map(({ budget, most }) => ({ budget, most }));
  }
}

/** Owner of a slot for units that were taken elsewhere. */
export const OTHERS = 'others';

const unitsOf = (slots: readonly Slot[]): number => slots.reduce((sum, { weight }) => sum + weight, 0);

/** Drops one slot. */
function remove(occupied: Occupied, slot: OpenSlot): void {
  const index = occupied.slots.indexOf(slot);
  if (index === -1) return;
  occupied.slots.splice(index, 1);
  occupied.units -= slot.weight;
}

const isDoubt = (slot: OpenSlot): slot is OpenSlot & { readonly endedAtMs: number } =>
  slot.endedAtMs !== null && slot.stampedAtMs === null;

/** Counts the slots of requests whose end or arrival is not known. */
const openOf = (slots: readonly Slot[]): number =>
  slots.filter(({ stampedAtMs }) => stampedAtMs === null).length;

function probeWaitOf(
  { budget, slots }: Occupied,
  { weight, nowMs }: { readonly weight: number; readonly nowMs: number },
): number | null {
  const inFlight = slots.filter(({ endedAtMs, stampedAtMs }) => endedAtMs === null && stampedAtMs === null);
  return waitForProbe({
    doubts: slots.filter(isDoubt).filter(({ isFollowed }) => !isFollowed),
    inFlight: inFlight.map(({ admittedAtMs }) => admittedAtMs),
    limit: budget.limit / weight,
    nowMs,
  });
}

/** Drops the slots that are free again. */
function releaseOld(occupied: Occupied, nowMs: number): void {
  const { slots, budget } = occupied;
  const { windowMs } = budget;
  let retained = 0;
  let seen = 0;
  let countedUntilMs = Number.POSITIVE_INFINITY;
  for (const slot of slots) {
    const { admittedAtMs, stampedAtMs } = slot;
    // No stamp is earlier than its admission, so no later slot is free.
    if (admittedAtMs + windowMs >= nowMs) {
      countedUntilMs = Math.min(countedUntilMs, admittedAtMs + windowMs);
      break;
    }
    seen += 1;
    if (isReleased(stampedAtMs, windowMs, nowMs)) {
      occupied.units -= slot.weight;
      continue;
    }
    if (stampedAtMs !== null) countedUntilMs = Math.min(countedUntilMs, stampedAtMs + windowMs);
    slots[retained] = slot;
    retained += 1;
  }
  if (retained < seen) slots.splice(retained, seen - retained);
  occupied.countedUntilMs = countedUntilMs;
}

function stampFreeing(slots: readonly Slot[], units: number): number | null {
  // Each poll of a full ledger calls this, mostly for the first stamp.
  if (units === 1) return firstStamp(slots);
  let freed = 0;
  for (const { stampedAtMs, weight } of slots.toSorted(byStamp)) {
    freed += weight;
    if (freed >= units) return stampedAtMs;
  }
  return null;
}

/** Orders slots by their stamps; those without one come last. */
const byStamp = (left: Slot, right: Slot): number =>
  (left.stampedAtMs ?? Number.MAX_VALUE) - (right.stampedAtMs ?? Number.MAX_VALUE);

function firstStamp(slots: readonly Slot[]): number | null {
  let first: number | null = null;
  for (const { admittedAtMs, stampedAtMs } of slots) {
    // No stamp is earlier than its admission, so no later slot has an earlier one.
    if (first !== null && admittedAtMs >= first) return first;
    if (stampedAtMs !== null && (first === null || stampedAtMs < first)) first = stampedAtMs;
  }
  return first;
}
