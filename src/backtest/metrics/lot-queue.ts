import { leastAmountAt, type Market } from '../../domain/market.ts';
import { type Units, divideHalfEven } from '../../domain/money.ts';

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
  takenAmount: bigint;
  takenCost: bigint;
  takenFee: bigint;
}

/** A part of a lot. */
export interface LotPart {
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
      takenAmount: 0n,
      takenCost: 0n,
      takenFee: 0n,
    });
  }

  /**
   * Takes at most an amount from the oldest lots on, as parts; fewer than asked for where there is less. What
   * the order before left of a lot, and is too little for an order, goes over to the next lot: so it makes no
   * trade of its own, however much of it comes together. One order may sell such a rest, as its last fill.
   */
  take(amount: bigint, seller: string | null): LotPart[] {
    if (seller === null || seller !== this.#seller) this.#passDustOn();
    this.#seller = seller;
    const parts: LotPart[] = [];
    let wanted = amount;
    while (wanted > 0n) {
      const lot = this.#lots[this.#head];
      if (lot === undefined) break;
      const part = partOf(lot, wanted);
      parts.push(part);
      wanted -= part.amount;
      if (lot.takenAmount === lot.amount) this.#head += 1;
    }
    if (this.#head > 64 && this.#head * 2 > this.#lots.length) {
      this.#lots = this.#lots.slice(this.#head);
      this.#head = 0;
    }
    return parts;
  }

  /** Returns the rest, as parts that can be sold. */
  rest(): LotPart[] {
    this.#passDustOn();
    if (this.#dustOfHead() !== null) return [];
    return this.#lots.slice(this.#head).map((lot) => partOf({ ...lot }, lot.amount, lot));
  }

  /** Returns the rest that is no such part. */
  dust(): Dust {
    this.#passDustOn();
    const dust = this.#dustOfHead() ?? { amount: 0n, cost: 0n };
    return { amount: dust.amount as Units, cost: (dust.cost + this.#paid) as Units };
  }

  /** Returns the rest of the oldest lot if some of it was sold and the rest is too little for an order. */
  #dustOfHead(): { readonly amount: bigint; readonly cost: bigint } | null {
    const lot = this.#lots[this.#head];
    if (lot === undefined || lot.takenAmount === 0n) return null;
    const amount = lot.amount - lot.takenAmount;
    if (amount >= leastAmountAt(this.#market, lot.price)) return null;
    return { amount, cost: lot.cost - lot.takenCost };
  }

  #passDustOn(): void {
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
  const left = lot.amount - lot.takenAmount;
  const amount = wanted < left ? wanted : left;
  const taken = lot.takenAmount + amount;
  const isAll = taken === lot.amount;
  const cost = (isAll ? lot.cost : divideHalfEven(lot.cost * taken, lot.amount)) - lot.takenCost;
  const fee = (isAll ? lot.fee : divideHalfEven(lot.fee * taken, lot.amount)) - lot.takenFee;
  lot.takenAmount = taken;
  lot.takenCost += cost;
  lot.takenFee += fee;
  return { lot: origin, amount, cost, fee };
}
