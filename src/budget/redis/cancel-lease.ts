import type { RateLimit } from '../../domain/rate-limit.ts';
import { MOST_CANCEL_DELAY_MS, type Admission, type Slot, type SlotEnd } from '../admission.ts';
import { PART_STANDS_STILL_MS } from '../doubt.ts';
import { BudgetLedger } from '../ledger.ts';
import type { Machine } from '../process-owner.ts';
import { longerMs } from './ledger-image.ts';

/** Share of a budget's limit for all leases together. */
const LEASED_SHARE = 1 / 3;
const MOST_LEASES = 4;

/** So often the slots of a lease are written anew. */
const RENEW_MS = 300_000;

/** By so much two clocks may run apart over the time of a lease. */
const APART_MS = 60_000;

/**
 * Time for which a lease may be used after it was written. The slots of a silent owner are ended a quarter of
 * an hour after the write, so its last cancel has left by then.
 */
const VALID_MS = PART_STANDS_STILL_MS - MOST_CANCEL_DELAY_MS - APART_MS;

/** The slots that all leases of a budget may have together, and how many one has. */
export function mostLeased(limit: number): { readonly together: number; readonly each: number } {
  const together = Math.floor(limit * LEASED_SHARE);
  return { together, each: Math.min(together, Math.max(1, Math.floor(together / MOST_LEASES))) };
}

/** Returns the holder of an owner's leased slots. No process has that name, so only their age ends them. */
export function leaseholder(owner: string): string {
  return `${owner}.lease`;
}

export function isLeaseholder(owner: string): boolean {
  return owner.endsWith('.lease');
}

/**
 * Slots of a budget that an owner has beforehand, so that cancels leave while Redis is gone. In Redis they
 * are occupied for as long as the lease may be used. The owner uses them by a ledger of its own: no window
 * shows more of its requests than the lease has slots, and so no window shows more than the limit of all.
 */
export class CancelLease {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** Number of its slots. */
  readonly size: number;
  private readonly ledger: BudgetLedger;
  private readonly machine: Pick<Machine, 'monotonicMs' | 'wallMs'>;
  /** Time of the last write, by both clocks: the monotonic one stands still while the machine sleeps. */
  private written: { readonly atMs: number; readonly wallMs: number } | null = null;

  constructor({ name, limit, windowMs }: RateLimit, machine: Pick<Machine, 'monotonicMs' | 'wallMs'>) {
    this.name = name;
    this.limit = limit;
    this.windowMs = windowMs;
    this.machine = machine;
    this.size = mostLeased(limit).each;
    this.ledger = new BudgetLedger([
      { name, limit: this.size, windowMs: windowMs + longerMs(windowMs), reserve: 0 },
    ]);
  }

  /** Its slots were written to Redis at a time, or later. */
  renewed(at: { readonly atMs: number; readonly wallMs: number }): void {
    this.written = at;
  }

  /** Returns true if its slots are to be written, for the first time or again. */
  isDue(): boolean {
    return this.ageMs() >= RENEW_MS;
  }

  /** `named`: the limit that the exchange has lowered the budget to; null where it has not. */
  admit(named: number | null): Admission {
    const { name, limit } = this;
    const nowMs = this.machine.monotonicMs();
    const usable = named === null ? this.size : Math.floor((this.size * named) / limit);
    const inUse = this.ledger.inUse(nowMs)[0]?.inUse ?? 0;
    if (this.ageMs() >= VALID_MS || inUse >= Math.min(usable, this.size))
      return { admitted: false, reason: 'full', waitMs: null };
    const admission = this.ledger.admit({ budget: name, requestClass: 'cancel' }, nowMs);
    return admission.admitted
      ? { admitted: true, slot: { ...admission.slot, id: -admission.slot.id } }
      : admission;
  }

  settle(slot: Slot, end: SlotEnd, atMs: number): void {
    this.ledger.settle(ownSlot(slot), end, atMs);
  }

  withdraw(slot: Slot): void {
    this.ledger.withdraw(ownSlot(slot));
  }

  holds(slot: Slot): boolean {
    return this.ageMs() < VALID_MS && this.ledger.holds(ownSlot(slot));
  }

  /** Returns true if no request of it is in flight or in doubt. */
  isAtRest(): boolean {
    return !this.ledger.hasOpen();
  }

  private ageMs(): number {
    if (this.written === null) return Number.POSITIVE_INFINITY;
    const { atMs, wallMs } = this.written;
    return Math.max(this.machine.monotonicMs() - atMs, this.machine.wallMs() - wallMs);
  }
}

/** Returns true if a slot is of a lease, and not one that this process has in Redis. */
export function isLeased({ id }: Slot): boolean {
  return id < 0;
}

const ownSlot = (slot: Slot): Slot => ({ ...slot, id: -slot.id });
