import type { RateLimit } from '../../domain/rate-limit.ts';
import { MOST_CANCEL_DELAY_MS, type Admission, type Slot, type SlotEnd } from '../admission.ts';
import { PART_STANDS_STILL_MS } from '../doubt.ts';
import { BudgetLedger } from '../ledger.ts';
import type { Machine } from '../process-owner.ts';
import { longerMs } from './ledger-image.ts';

/** Share of a budget's limit for all its leases together, and the most leases that share it. */
const LEASED_SHARE = 1 / 3;
const MOST_LEASES = 4;

/** Interval in ms at which the slots of a lease are renewed in Redis. */
const RENEW_MS = 300_000;

/** Largest difference in ms of two clocks over the time of a lease. */
const APART_MS = 60_000;

/**
 * Time for which a lease may be used after it was written. The slots of a silent owner are ended 15 minutes
 * after the write, and its last cancel has left by then.
 */
const VALID_MS = PART_STANDS_STILL_MS - MOST_CANCEL_DELAY_MS - APART_MS;

/** Returns the number of slots of all leases of a budget together, and of each one. */
export function mostLeased(limit: number): { readonly together: number; readonly each: number } {
  const together = Math.floor(limit * LEASED_SHARE);
  return { together, each: Math.min(together, Math.max(1, Math.floor(together / MOST_LEASES))) };
}

/** Returns the owner name of a lease's slots. No process has that name, so only their age ends them. */
export const leaseholder = (owner: string): string => `${owner}.lease`;

export const isLeaseholder = (owner: string): boolean => owner.endsWith('.lease');

/**
 * Slots of a budget that an owner holds in advance, so that cancels leave while Redis is unreachable. They
 * are occupied in Redis while the lease is valid, and used by a ledger of their own. No window shows more of
 * these requests than the lease has slots, so the limit of all processes together holds.
 */
export class CancelLease {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** Number of slots of the lease. */
  readonly size: number;
  private readonly ledger: BudgetLedger;
  private readonly machine: Pick<Machine, 'monotonicMs' | 'wallMs'>;
  /** Time of the last write, by both clocks: the monotonic one stops while the machine sleeps. */
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

  /** Records that the slots of the lease were written to Redis, at this time or later. */
  renewed(at: { readonly atMs: number; readonly wallMs: number }): void {
    this.written = at;
  }

  /** Returns true if the slots of the lease must be written, for the first time or again. */
  isDue(): boolean {
    return this.ageMs() >= RENEW_MS;
  }

  /** Admits a cancel. `named`: the limit that the exchange has lowered the budget to; null if it has not. */
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

  /** Returns true if no request of the lease is in flight or in doubt. */
  isAtRest(): boolean {
    return !this.ledger.hasOpen();
  }

  private ageMs(): number {
    if (this.written === null) return Number.POSITIVE_INFINITY;
    const { atMs, wallMs } = this.written;
    return Math.max(this.machine.monotonicMs() - atMs, this.machine.wallMs() - wallMs);
  }
}

/** Returns true if a slot is of a lease, and false for one that this process has in Redis itself. */
export const isLeased = ({ id }: Slot): boolean => id < 0;

const ownSlot = (slot: Slot): Slot => ({ ...slot, id: -slot.id });
