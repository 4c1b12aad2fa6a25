/** A rate limit as the exchange states it: at most `limit` requests in any window of `windowMs`. */
export interface LedgerBudget {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** Cancels may use every slot; everything else leaves the reserve of its budget alone. */
export type RequestClass = 'cancel' | 'trade' | 'poll';

/** An occupied slot. */
export interface Slot {
  readonly budget: string;
  readonly admittedAtMs: number;
  /** When the reply was stamped; null while the request is on its way. */
  settledAtMs: number | null;
}

export type Admission =
  | { readonly admitted: true; readonly slot: Slot }
  /** `waitMs` is the time until a slot may be free; null when one is free only after a reply. */
  | { readonly admitted: false; readonly waitMs: number | null };

/** Share of a budget that only cancels may use. */
const CANCEL_RESERVE = 0.1;

/**
 * Admits requests so that the exchange never sees more than the limit of a budget in any window of its length.
 *
 * A request occupies a slot from its admission, before it is sent, until one window after its reply was stamped. The exchange counts it at
 * some instant between. Suppose it counted N + 1 requests within one window W: the first and the last were counted less than W apart. When the
 * last was admitted, before it was counted, the first one's slot was still occupied, because that lasts until W after a stamp that came after
 * its count; so did those between. That makes N + 1 slots of N, which is never given. Fixed windows are windows too.
 *
 * This holds within one process that keeps running; the store that makes it hold across restarts comes with the engine.
 */
export class BudgetLedger {
  private readonly budgets = new Map<string, LedgerBudget>();
  private readonly slots = new Map<string, Slot[]>();
  private readonly most = new Map<string, number>();

  constructor(budgets: Iterable<LedgerBudget>) {
    for (const budget of budgets) {
      this.budgets.set(budget.name, budget);
      this.slots.set(budget.name, []);
      this.most.set(budget.name, 0);
    }
  }

  /** Asks for a slot now. An unknown budget gets none: it is not known what it would cost. */
  admit(name: string, requestClass: RequestClass, nowMs: number): Admission {
    const budget = this.budgets.get(name);
    const slots = this.slots.get(name);
    if (budget === undefined || slots === undefined) return { admitted: false, waitMs: null };
    releaseOld(slots, nowMs - budget.windowMs);
    const reserve = requestClass === 'cancel' ? 0 : Math.floor(budget.limit * CANCEL_RESERVE);
    if (slots.length >= budget.limit - reserve) {
      const settled = slots.flatMap((slot) => (slot.settledAtMs === null ? [] : [slot.settledAtMs]));
      const first = settled.length === 0 ? null : Math.min(...settled);
      return { admitted: false, waitMs: first === null ? null : Math.max(1, first + budget.windowMs - nowMs + 1) };
    }
    const slot: Slot = { budget: name, admittedAtMs: nowMs, settledAtMs: null };
    slots.push(slot);
    this.most.set(name, Math.max(this.most.get(name) ?? 0, slots.length));
    return { admitted: true, slot };
  }

  /** Stamps the reply of a request, or the end of its socket. */
  settle(slot: Slot, nowMs: number): void {
    slot.settledAtMs ??= nowMs;
  }

  /** The most slots that were ever occupied at once, by budget; none above its limit. */
  usage(): readonly { readonly budget: LedgerBudget; readonly most: number }[] {
    return [...this.budgets.values()].map((budget) => ({ budget, most: this.most.get(budget.name) ?? 0 }));
  }
}

/** Drops the slots whose reply was stamped at `untilMs` or before. There are never more than the limit of them. */
function releaseOld(slots: Slot[], untilMs: number): void {
  let kept = 0;
  for (const slot of slots) {
    if (slot.settledAtMs !== null && slot.settledAtMs < untilMs) continue;
    slots[kept] = slot;
    kept += 1;
  }
  slots.length = kept;
}
