import type { Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';

/**
 * What one buy brought and is still to be sold. The parts that are taken from it add up to it to the last
 * digit.
 */
export interface Lot {
  readonly orderKey: string | null;
  readonly atMs: number;
  readonly price: Units;
  /** What was received, after the fee; what was paid for it; the fee within that, in the quote currency. */
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

/** Too little to be sold by itself: the rest of a lot below one amount step. */
export interface Dust {
  readonly amount: Units;
  readonly cost: Units;
}

/** Lots in the order in which they were bought; the oldest is sold first. */
export class LotQueue {
  readonly #amountStep: bigint;
  #lots: Lot[] = [];
  /**
   * Lots before it are gone; they are dropped when they are most of the array, so that taking one costs the
   * same however many there were.
   */
  #head = 0;
  #dust = { amount: 0n, cost: 0n };

  constructor(amountStep: Units) {
    this.#amountStep = amountStep;
  }

  /** Adds a buy; what was too little to be sold before it goes with it. */
  add(lot: Pick<Lot, 'orderKey' | 'atMs' | 'price' | 'amount' | 'cost' | 'fee'>): void {
    const { orderKey, atMs, price, fee } = lot;
    const amount = lot.amount + this.#dust.amount;
    const cost = lot.cost + this.#dust.cost;
    if (amount <= 0n) {
      this.#dust = { amount: 0n, cost };
      return;
    }
    this.#dust = { amount: 0n, cost: 0n };
    this.#lots.push({
      orderKey,
      atMs,
      price,
      amount,
      cost,
      fee,
      takenAmount: 0n,
      takenCost: 0n,
      takenFee: 0n,
    });
  }

  /** Takes at most an amount from the oldest lots on, as parts; fewer than asked for where there is less. */
  take(amount: bigint): LotPart[] {
    const parts: LotPart[] = [];
    let wanted = amount;
    while (wanted > 0n) {
      const lot = this.#lots[this.#head];
      if (lot === undefined) break;
      const part = partOf(lot, wanted);
      parts.push(part);
      wanted -= part.amount;
      this.#dropSmallRest(lot);
    }
    if (this.#head > 64 && this.#head * 2 > this.#lots.length) {
      this.#lots = this.#lots.slice(this.#head);
      this.#head = 0;
    }
    return parts;
  }

  /** What is left, as parts that can be sold. */
  rest(): LotPart[] {
    return this.#lots.slice(this.#head).map((lot) => partOf({ ...lot }, lot.amount, lot));
  }

  dust(): Dust {
    return { amount: this.#dust.amount as Units, cost: this.#dust.cost as Units };
  }

  /**
   * Moves on from a lot that is used up, or of which less than a step is left: that goes over to the next
   * one.
   */
  #dropSmallRest(lot: Lot): void {
    const amount = lot.amount - lot.takenAmount;
    if (amount >= this.#amountStep) return;
    this.#head += 1;
    const next = this.#lots[this.#head];
    const into = next ?? this.#dust;
    into.amount += amount;
    into.cost += lot.cost - lot.takenCost;
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
