import { type Units, divideHalfEven } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { leastAmountAt, type Market } from '../../domain/market.ts';

/** Amount that was bought and sold again, or is still held. Money: quote currency, in units of 1e-10. */
export interface RoundTrip {
  /** Number of the trip, from 1, in order of the time of its buy. */
  readonly number: number;
  readonly market: string;
  readonly strategy: string | null;
  /**
   * Keys of the orders that bought and sold. Null for an order of another source; the exit is also null while
   * the trip is open.
   */
  readonly entryOrder: string | null;
  readonly exitOrder: string | null;
  /** Times of the first fill of its entry and of the last fill of its exit; null while it is open. */
  readonly openedAtMs: number;
  readonly closedAtMs: number | null;
  /** Amount of the base currency that was received and sold again. */
  readonly amount: Units;
  /** Average prices over the amount, before fees; the exit price of an open trip is the last price. */
  readonly entryPrice: Units;
  readonly exitPrice: Units;
  /** Amount paid, and amount received after fees; for an open trip its value. */
  readonly cost: Units;
  readonly proceeds: Units;
  /** Fees of both sides in the quote currency; cost and proceeds already contain them. */
  readonly fees: Units;
  /** Profit: proceeds less cost. */
  readonly profit: Units;
  readonly isOpen: boolean;
  /** True if the trip is money of the other quote currency, which a sale had brought. */
  readonly isOfMoney: boolean;
}

/**
 * Sums of a trip that may still grow. Prices are those of its first part; products of price and amount have
 * twenty decimals.
 */
export interface TripSums extends Pick<
  RoundTrip,
  'market' | 'strategy' | 'entryOrder' | 'exitOrder' | 'openedAtMs' | 'entryPrice' | 'exitPrice' | 'isOfMoney'
> {
  closedAtMs: number | null;
  amount: bigint;
  entryProduct: bigint;
  exitProduct: bigint;
  cost: bigint;
  proceeds: bigint;
  fees: bigint;
}

/** Combines parts of lots: what one order bought and one order sold is one trip, whatever its fills. */
export class TripBuilder {
  readonly #of: { readonly market: string; readonly strategy: string | null };
  #trips: TripSums[] = [];
  /** Trip of each pair of orders: two may fill alternately, so a growing trip need not be the last. */
  readonly #byOrders = new Map<string, TripSums>();

  constructor(of: { readonly market: string; readonly strategy: string | null }) {
    this.#of = of;
  }

  /** Adds a part of a lot that a fill sold, with its share of the proceeds and fee. */
  close(part: LotPart, fill: FillRecord, share: { readonly proceeds: bigint; readonly fee: bigint }): void {
    const { orderKey, atMs, price } = fill;
    const { proceeds, fee } = share;
    addPart(this.#sumsOf(part, { orderKey, atMs, price }), part, { price, proceeds, fee });
  }

  /** Adds a part of a lot that is still held at the end. */
  leaveOpen(part: LotPart, at: { readonly value: Units; readonly lastPrice: Units }): void {
    const price = at.lastPrice;
    const sums = this.#sumsOf(part, { orderKey: null, atMs: null, price });
    addPart(sums, part, { price, proceeds: at.value, fee: 0n });
  }

  /** Returns the trips so far and starts anew. */
  finish(): TripSums[] {
    const trips = this.#trips;
    this.#trips = [];
    this.#byOrders.clear();
    return trips;
  }

  /** Returns the trip of the same two orders, or a new one. Fills of unknown orders are not combined. */
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

/** Converts the sums of a finished trip into a trip. */
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

/** Returns the average price of a trip. Most have one price, and a product is cheaper than a division. */
function averageOf(first: Units, product: bigint, amount: bigint): Units {
  return first * amount === product ? first : (divideHalfEven(product, amount) as Units);
}

/** Lot that one buy brought and that is not fully sold. Its parts add up to it exactly. */
interface Lot {
  readonly orderKey: string | null;
  readonly atMs: number;
  readonly price: Units;
  /** True if it is money of the other quote currency, which a sale brought. */
  readonly isMoney: boolean;
  /** Amount received after the fee, cost paid for it, and the fee within the cost, in the quote currency. */
  amount: bigint;
  cost: bigint;
  fee: bigint;
  /** Parts of these that are already sold. */
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

/** Rest of a lot that is too small for an order. */
export interface Dust {
  readonly amount: Units;
  readonly cost: Units;
}

/** Queue of lots in the order in which they were bought; the oldest is sold first. */
export class LotQueue {
  readonly #market: Pick<Market, 'amountStep' | 'minOrderValue'>;
  #lots: Lot[] = [];
  /**
   * Index of the oldest lot. Earlier lots are gone; they are dropped once they fill half of the array, so
   * that removing a lot has a constant cost.
   */
  #head = 0;
  /** Key of the order that sold last. */
  #seller: string | null = null;
  /** Cost of buys that fees consumed entirely; it is added to the next buy. */
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
   * Removes up to `amount` from the oldest lots and returns the parts. A rest that the order before left of a
   * lot, and that is too small for an order, moves to the next lot, so that it makes no trade of its own. The
   * last fill of one order may sell such a rest.
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

  /** Returns the remaining parts that are large enough to be sold. */
  rest(): LotPart[] {
    this.#moveDust();
    if (this.#dustOfHead() !== null) return [];
    return this.#lots.slice(this.#head).map((lot) => partOf({ ...lot }, lot.amount, lot));
  }

  /** Returns the remaining amount that is too small to be sold. */
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
 * Removes a part from a lot, with its share of cost and fee: the rounded share of all parts so far, less the
 * shares before.
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
