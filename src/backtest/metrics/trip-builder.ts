import { type Units, divideHalfEven } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { leastAmountAt, type Market } from '../../domain/market.ts';

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
  /** Amount paid, and amount received after fees; for an open trip its value. */
  readonly cost: Units;
  readonly proceeds: Units;
  /** Both sides' share of fees in the quote currency. They are in cost and proceeds already. */
  readonly fees: Units;
  /** Proceeds less cost. */
  readonly profit: Units;
  readonly isOpen: boolean;
  /** True if what was sold is money that a sale for the other quote currency had brought. */
  readonly isOfMoney: boolean;
}

/**
 * The sums of a trip that may still grow. Prices are those of its first part, price products are at twenty
 * decimals.
 */
export interface TripSums {
  readonly market: string;
  readonly strategy: string | null;
  readonly entryOrder: string | null;
  readonly exitOrder: string | null;
  readonly openedAtMs: number;
  readonly entryPrice: Units;
  readonly exitPrice: Units;
  readonly isOfMoney: boolean;
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
  #trips: TripSums[] = [];
  /**
   * Two orders can fill in turns, so a trip that goes on need not be the last. As many as there are trips.
   */
  readonly #byOrders = new Map<string, TripSums>();

  constructor(of: { readonly market: string; readonly strategy: string | null }) {
    this.#of = of;
  }

  /** A part of a lot was sold by a fill, with this share of what the fill brought. */
  close(part: LotPart, fill: FillRecord, share: { readonly proceeds: bigint; readonly fee: bigint }): void {
    const { orderKey, atMs, price } = fill;
    const { proceeds, fee } = share;
    addPart(this.#sumsOf(part, { orderKey, atMs, price }), part, { price, proceeds, fee });
  }

  /** A part of a lot is still held at the end. */
  leaveOpen(part: LotPart, at: { readonly value: Units; readonly lastPrice: Units }): void {
    const price = at.lastPrice;
    const sums = this.#sumsOf(part, { orderKey: null, atMs: null, price });
    addPart(sums, part, { price, proceeds: at.value, fee: 0n });
  }

  /** The trips so far, and begins anew. */
  finish(): TripSums[] {
    const trips = this.#trips;
    this.#trips = [];
    this.#byOrders.clear();
    return trips;
  }

  /**
   * The trip of the same two orders, else a new one. Fills of orders that are not known by name stay apart.
   */
  #sumsOf(
    { lot }: LotPart,
    exit: { readonly orderKey: string | null; readonly atMs: number | null; readonly price: Units },
  ): TripSums {
    const { orderKey: exitOrder, atMs: closedAtMs } = exit;
    const isNamed = lot.orderKey !== null && (exitOrder !== null) === (closedAtMs !== null);
    const name = `${lot.orderKey} ${exitOrder}`;
    const known = isNamed ? this.#byOrders.get(name) : undefined;
    if (known !== undefined) {
      known.closedAtMs = closedAtMs;
      return known;
    }
    const sums: TripSums = {
      market: this.#of.market,
      strategy: this.#of.strategy,
      entryOrder: lot.orderKey,
      exitOrder,
      openedAtMs: lot.atMs,
      entryPrice: lot.price,
      exitPrice: exit.price,
      isOfMoney: lot.isMoney,
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
  sums: TripSums,
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

/** A trip that does not grow any more. */
export function tripOf(sums: TripSums, number: number): RoundTrip {
  const { market, strategy, entryOrder, exitOrder, openedAtMs, closedAtMs, amount, cost, proceeds } = sums;
  return {
    number,
    market,
    strategy,
    entryOrder,
    exitOrder,
    openedAtMs,
    closedAtMs,
    amount: amount as Units,
    entryPrice: averageOf(sums.entryPrice, sums.entryProduct, amount),
    exitPrice: averageOf(sums.exitPrice, sums.exitProduct, amount),
    cost: cost as Units,
    proceeds: proceeds as Units,
    fees: sums.fees as Units,
    profit: (proceeds - cost) as Units,
    isOpen: closedAtMs === null,
    isOfMoney: sums.isOfMoney,
  };
}

/** The average price of a trip. Most have one price, and a product costs less than a division. */
function averageOf(first: Units, product: bigint, amount: bigint): Units {
  return first * amount === product ? first : (divideHalfEven(product, amount) as Units);
}

/**
 * Lot that one buy brought and that is still to be sold. The parts removed from it add up to it to the last
 * digit.
 */
interface Lot {
  readonly orderKey: string | null;
  readonly atMs: number;
  readonly price: Units;
  /** Money that a sale for the other quote currency brought. */
  readonly isMoney: boolean;
  /** Amount received, after the fee; cost paid for it; fee within that, in the quote currency. */
  amount: bigint;
  cost: bigint;
  fee: bigint;
  /** Of these, what is gone. */
  usedAmount: bigint;
  usedCost: bigint;
  usedFee: bigint;
}

interface LotPart {
  readonly lot: Lot;
  readonly amount: bigint;
  readonly cost: bigint;
  readonly fee: bigint;
}

/** Too little to be sold by itself: the rest of a lot that is too little for an order. */
export interface Dust {
  readonly amount: Units;
  readonly cost: Units;
}

/** Lots in the order in which they were bought; the oldest is sold first. */
export class LotQueue {
  readonly #market: Pick<Market, 'amountStep' | 'minOrderValue'>;
  #lots: Lot[] = [];
  /**
   * Lots before it are gone; they are dropped when they are most of the array, so that taking one costs the
   * same however many there were.
   */
  #head = 0;
  /** The order that sold last. */
  #seller: string | null = null;
  /** Cost of buys that fees consumed whole: it is added to the next buy. */
  #paid = 0n;

  constructor(market: Pick<Market, 'amountStep' | 'minOrderValue'>) {
    this.#market = market;
  }

  add(lot: Pick<Lot, 'orderKey' | 'atMs' | 'price' | 'isMoney' | 'amount' | 'cost' | 'fee'>): void {
    const { orderKey, atMs, price, isMoney, amount, fee } = lot;
    const cost = lot.cost + this.#paid;
    if (amount <= 0n) {
      this.#paid = cost;
      return;
    }
    this.#paid = 0n;
    this.#lots.push({
      orderKey,
      atMs,
      price,
      isMoney,
      amount,
      cost,
      fee,
      usedAmount: 0n,
      usedCost: 0n,
      usedFee: 0n,
    });
  }

  /**
   * Takes at most an amount from the oldest lots on, as parts; fewer than asked for where there is less. What
   * the order before left of a lot, and is too little for an order, goes over to the next lot: so it makes no
   * trade of its own, however much of it comes together. One order may sell such a rest, as its last fill.
   */
  consume(amount: bigint, seller: string | null): LotPart[] {
    if (seller === null || seller !== this.#seller) this.#moveDust();
    this.#seller = seller;
    const parts: LotPart[] = [];
    let wanted = amount;
    while (wanted > 0n) {
      const lot = this.#lots[this.#head];
      if (lot === undefined) break;
      const part = partOf(lot, wanted);
      parts.push(part);
      wanted -= part.amount;
      if (lot.usedAmount === lot.amount) this.#head += 1;
    }
    if (this.#head > 64 && this.#head * 2 > this.#lots.length) {
      this.#lots = this.#lots.slice(this.#head);
      this.#head = 0;
    }
    return parts;
  }

  /** Returns the rest, as parts that can be sold. */
  rest(): LotPart[] {
    this.#moveDust();
    if (this.#dustOfHead() !== null) return [];
    return this.#lots.slice(this.#head).map((lot) => partOf({ ...lot }, lot.amount, lot));
  }

  /** Returns the rest that is no such part. */
  dust(): Dust {
    this.#moveDust();
    const dust = this.#dustOfHead() ?? { amount: 0n, cost: 0n };
    return { amount: dust.amount as Units, cost: (dust.cost + this.#paid) as Units };
  }

  /** Returns the rest of the oldest lot if some of it was sold and the rest is too little for an order. */
  #dustOfHead(): { readonly amount: bigint; readonly cost: bigint } | null {
    const lot = this.#lots[this.#head];
    if (lot === undefined || lot.usedAmount === 0n) return null;
    const amount = lot.amount - lot.usedAmount;
    if (amount >= leastAmountAt(this.#market, lot.price)) return null;
    return { amount, cost: lot.cost - lot.usedCost };
  }

  #moveDust(): void {
    const next = this.#lots[this.#head + 1];
    const dust = next === undefined ? null : this.#dustOfHead();
    if (next === undefined || dust === null) return;
    this.#head += 1;
    next.amount += dust.amount;
    next.cost += dust.cost;
  }
}

/**
 * Takes from a lot, with the share of its cost and fee: the rounded share of all that was taken, less what
 * went before.
 */
function partOf(lot: Lot, wanted: bigint, origin: Lot = lot): LotPart {
  const left = lot.amount - lot.usedAmount;
  const amount = wanted < left ? wanted : left;
  const usedAmount = lot.usedAmount + amount;
  const isAll = usedAmount === lot.amount;
  const cost = (isAll ? lot.cost : divideHalfEven(lot.cost * usedAmount, lot.amount)) - lot.usedCost;
  const fee = (isAll ? lot.fee : divideHalfEven(lot.fee * usedAmount, lot.amount)) - lot.usedFee;
  lot.usedAmount = usedAmount;
  lot.usedCost += cost;
  lot.usedFee += fee;
  return { lot: origin, amount, cost, fee };
}
