import {
  isReleased,
  LATE_ARRIVAL_MS,
  waitForSlot,
  type Admission,
  type AdmissionAsk,
  type LedgerBudget,
  type RequestLedger,
  type Slot,
} from './admission.ts';

type OpenSlot = { -readonly [Key in keyof Slot]: Slot[Key] };

/**
 * Admits requests so that the exchange never counts more than the limit N of a budget in any window W. This is the ledger of one process and of
 * virtual time; `LedgerStore` is the same in a file that processes share.
 *
 * A request occupies a slot from its admission, before it is sent, until more than W after its stamp. The exchange counts it at one instant
 * between admission and stamp. Claim: no window shows N + 1 counts. Suppose one does, and take of those N + 1 requests the one admitted last,
 * at time a; it was counted at c >= a. Any other of them was counted at c' with c - W <= c' <= c + W.
 *
 * - It was admitted at or before a, so it had its slot by then.
 * - Its slot was not released at a: its stamp s is no earlier than c' >= c - W >= a - W, and release needs s + W < a.
 *
 * So at a all N others occupied slots, and the last was admitted as the N + 1st. The ledger never does that. Sliding windows and fixed ones, wherever
 * they begin, are windows. Two ends of the claim need care:
 *
 * - The stamp must not come before the count. A reply proves the count. Without a reply the owner stamps the end of the socket plus
 *   `LATE_ARRIVAL_MS`; for an owner proven dead, who can not stamp, `bury` does the same from the time of the proof. An owner that is merely
 *   stopped or slow keeps its slots.
 * - Times must be of one clock that runs as the exchange's does. Monotonic time is handed in, so a stepped wall clock moves nothing; rounding
 *   down both admission and stamp is made up for by the strict comparison. After a restart of the machine, or without the file, nothing is known,
 *   and the window counts as full (`fullSinceMs`).
 *
 * Little is wasted: a slot that is answered after r is free again W + r + 1 ms after its admission, so a saturated budget delivers
 * N * W / (W + r + 1) a window, above 98 % for replies within a hundredth of W. Slots of a budget: its limit at most.
 */
export class BudgetLedger implements RequestLedger {
  private readonly budgets = new Map<string, LedgerBudget>();
  private readonly slots = new Map<string, OpenSlot[]>();
  private readonly most = new Map<string, number>();
  private readonly fullSinceMs: number | null;
  private lastId = 0;

  /** `fullSinceMs`: from when on nothing is known of earlier requests; without it the venue is new and there were none. */
  constructor(budgets: Iterable<LedgerBudget>, options: { readonly fullSinceMs?: number } = {}) {
    this.fullSinceMs = options.fullSinceMs ?? null;
    for (const budget of budgets) {
      this.budgets.set(budget.name, budget);
      this.slots.set(budget.name, []);
      this.most.set(budget.name, 0);
    }
  }

  /** Asks for a slot now. An unknown budget gets none: it is not known what it would cost. */
  admit(ask: AdmissionAsk & { readonly owner?: string }, nowMs: number): Admission {
    const budget = this.budgets.get(ask.budget);
    const slots = this.slots.get(ask.budget);
    if (budget === undefined || slots === undefined) return { admitted: false, reason: 'unknown budget', waitMs: null };
    releaseOld(slots, budget.windowMs, nowMs);
    const waitMs = waitForSlot({
      budget,
      requestClass: ask.requestClass,
      occupied: slots.length,
      stampAt: (index) => stampAt(slots, index),
      fullUntilMs: this.fullSinceMs === null ? null : this.fullSinceMs + budget.windowMs + LATE_ARRIVAL_MS,
      nowMs,
    });
    if (waitMs !== 0) return { admitted: false, reason: 'full', waitMs };
    this.lastId += 1;
    const slot: OpenSlot = {
      id: this.lastId,
      budget: ask.budget,
      owner: ask.owner ?? 'self',
      admittedAtMs: nowMs,
      stampedAtMs: null,
    };
    slots.push(slot);
    this.most.set(ask.budget, Math.max(this.most.get(ask.budget) ?? 0, slots.length));
    return { admitted: true, slot };
  }

  settle(slot: Slot, stampMs: number): void {
    const open = this.slots.get(slot.budget)?.find(({ id }) => id === slot.id);
    if (open !== undefined) open.stampedAtMs ??= stampMs;
  }

  withdraw(slot: Slot): void {
    const slots = this.slots.get(slot.budget) ?? [];
    const index = slots.findIndex(({ id, stampedAtMs }) => id === slot.id && stampedAtMs === null);
    if (index !== -1) slots.splice(index, 1);
  }

  /** Stamps what an owner has left behind, once it is proven dead. */
  bury(owner: string, provenDeadAtMs: number): void {
    for (const slot of [...this.slots.values()].flat()) {
      if (slot.owner === owner) slot.stampedAtMs ??= provenDeadAtMs + LATE_ARRIVAL_MS;
    }
  }

  /** The most slots that were ever occupied at once, by budget; none above its limit. */
  usage(): readonly { readonly budget: LedgerBudget; readonly most: number }[] {
    return [...this.budgets.values()].map((budget) => ({ budget, most: this.most.get(budget.name) ?? 0 }));
  }
}

/** Drops the slots that are free again. */
function releaseOld(slots: OpenSlot[], windowMs: number, nowMs: number): void {
  let kept = 0;
  for (const slot of slots) {
    if (isReleased(slot.stampedAtMs, windowMs, nowMs)) continue;
    slots[kept] = slot;
    kept += 1;
  }
  slots.length = kept;
}

function stampAt(slots: readonly Slot[], index: number): number | null {
  const stamps = slots.flatMap(({ stampedAtMs }) => stampedAtMs ?? []);
  if (index >= stamps.length) return null;
  // Whoever polls a full ledger asks this each time, and mostly for the first.
  return index === 0 ? Math.min(...stamps) : (stamps.toSorted((left, right) => left - right)[index] ?? null);
}
