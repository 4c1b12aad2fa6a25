import type { Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { LotPart } from './lot-queue.ts';

/** Something bought and sold again, or still held. Money is in the quote currency, in units of 1e-10. */
export interface RoundTrip {
  /** From 1, by the time of the buy. */
  readonly number: number;
  readonly market: string;
  readonly strategy: string | null;
  /**
   * The orders that bought and sold, by their keys; null for a foreign order and, as the exit, for an open
   * trip.
   */
  readonly entryOrder: string | null;
  readonly exitOrder: string | null;
  /** The first fill of its entry and the last of its exit; null while it is open. */
  readonly openedAtMs: number;
  readonly closedAtMs: number | null;
  /** Of the base currency: what was received and sold again. */
  readonly amount: Units;
  /** Averages over the amount, before fees; of an open trip the last price. */
  readonly entryPrice: Units;
  readonly exitPrice: Units;
  /** What was paid, and what came back after fees; of an open trip what it is worth. */
  readonly cost: Units;
  readonly proceeds: Units;
  /** Both sides' share of fees in the quote currency. They are in cost and proceeds already. */
  readonly fees: Units;
  /** Proceeds less cost. */
  readonly profit: Units;
  readonly isOpen: boolean;
}

/** The sums of a trip that may still grow. The price products are at twenty decimals. */
interface Sums {
  readonly entryOrder: string | null;
  readonly exitOrder: string | null;
  readonly openedAtMs: number;
  closedAtMs: number | null;
  amount: bigint;
  entryProduct: bigint;
  exitProduct: bigint;
  cost: bigint;
  proceeds: bigint;
  fees: bigint;
}

/**
 * Puts parts of lots together: what one order bought and one sold is a trip, however many fills either took.
 */
export class TripBuilder {
  readonly #of: { readonly market: string; readonly strategy: string | null };
  #trips: Sums[] = [];
  /**
   * Two orders can fill in turns, so a trip that goes on need not be the last. As many as there are trips.
   */
  readonly #byOrders = new Map<string, Sums>();

  constructor(of: { readonly market: string; readonly strategy: string | null }) {
    this.#of = of;
  }

  /** A part of a lot was sold by a fill, with this share of what the fill brought. */
  close(part: LotPart, fill: FillRecord, share: { readonly proceeds: bigint; readonly fee: bigint }): void {
    const sums = this.#sumsOf(part, fill.orderKey, fill.atMs);
    addPart(sums, part, { price: fill.price, ...share });
  }

  /** A part of a lot is still held at the end. */
  leaveOpen(part: LotPart, at: { readonly value: Units; readonly lastPrice: Units }): void {
    addPart(this.#sumsOf(part, null, null), part, { price: at.lastPrice, proceeds: at.value, fee: 0n });
  }

  /** The trips so far, and begins anew. Their numbers are 0: the caller sets them. */
  finish(): RoundTrip[] {
    const trips = this.#trips.map((sums) => tripOf(sums, this.#of));
    this.#trips = [];
    this.#byOrders.clear();
    return trips;
  }

  /**
   * The trip of the same two orders, else a new one. Fills of orders that are not known by name stay apart.
   */
  #sumsOf({ lot }: LotPart, exitOrder: string | null, closedAtMs: number | null): Sums {
    const isNamed = lot.orderKey !== null && (exitOrder !== null) === (closedAtMs !== null);
    const name = `${lot.orderKey} ${exitOrder}`;
    const known = isNamed ? this.#byOrders.get(name) : undefined;
    if (known !== undefined) {
      known.closedAtMs = closedAtMs;
      return known;
    }
    const sums: Sums = {
      entryOrder: lot.orderKey,
      exitOrder,
      openedAtMs: lot.atMs,
      closedAtMs,
      amount: 0n,
      entryProduct: 0n,
      exitProduct: 0n,
      cost: 0n,
      proceeds: 0n,
      fees: 0n,
    };
    this.#trips.push(sums);
    if (isNamed) this.#byOrders.set(name, sums);
    return sums;
  }
}

function addPart(
  sums: Sums,
  { lot, amount, cost, fee }: LotPart,
  exit: { readonly price: Units; readonly proceeds: bigint; readonly fee: bigint },
): void {
  sums.amount += amount;
  sums.entryProduct += lot.price * amount;
  sums.exitProduct += exit.price * amount;
  sums.cost += cost;
  sums.proceeds += exit.proceeds;
  sums.fees += fee + exit.fee;
}

function tripOf(sums: Sums, of: { readonly market: string; readonly strategy: string | null }): RoundTrip {
  const { entryOrder, exitOrder, openedAtMs, closedAtMs, amount, cost, proceeds } = sums;
  return {
    number: 0,
    ...of,
    entryOrder,
    exitOrder,
    openedAtMs,
    closedAtMs,
    amount: amount as Units,
    entryPrice: divideHalfEven(sums.entryProduct, amount) as Units,
    exitPrice: divideHalfEven(sums.exitProduct, amount) as Units,
    cost: cost as Units,
    proceeds: proceeds as Units,
    fees: sums.fees as Units,
    profit: (proceeds - cost) as Units,
    isOpen: closedAtMs === null,
  };
}
