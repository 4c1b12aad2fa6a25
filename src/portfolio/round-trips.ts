import { formatUnits, NO_UNITS, type Units, UNITS_PER_ONE, divideHalfEven } from '../domain/money.ts';
import type { ExitKind } from '../domain/order.ts';
import {
  DAY_MS,
  HOUR_MS,
  dayOfGregorian,
  dayOfJalali,
  gregorianOf,
  jalaliOf,
  weekdayOf,
} from '../domain/time-text.ts';
import { tehranInstant, tehranOffsetMs } from '../domain/zone-time.ts';
import type { CalendarSystem } from '../language/locale.ts';
import { leastAmountAt, type Market } from '../domain/market.ts';
import { baseMoved, type FeeOfFill, type FillRecord } from '../records/fill.ts';

/** Amount that was bought and sold again, or is still held. Money: quote currency, in units of 1e-10. */
export interface RoundTrip {
  /** Number of the trip, from 1, in order of the time of its buy. */
  readonly number: number;
  readonly market: string;
  readonly strategy: string | null;
  /** Keys of the orders that bought and sold; null for another source, or while the trip is open. */
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
  /** True if a fee was paid in a currency without a price: nothing here contains it. */
  readonly hasUnvaluedFee: boolean;
  /** Profit: proceeds less cost. */
  readonly profit: Units;
  readonly isOpen: boolean;
  /** True if the trip is money of the other quote currency, which a sale had brought. */
  readonly isOfMoney: boolean;
}

/** Data of a market that round trips need. */
export interface TripMarket {
  readonly base: string;
  readonly amountStep: Units;
  /** Minimum order value in the run's currency; an order must be worth more. */
  readonly minOrderValue: Units;
  /** Price at which holdings that remain at the end are valued. */
  readonly lastPrice: Units;
}

/** A fill, or its effect on the other quote currency, which moves money and is no trade in a coin. */
export interface MovedFill extends FillRecord {
  readonly isMoney?: true;
}

/** Sale of an amount that no buy of the run had brought: held at the start, or bought by another. */
interface UnmatchedSale extends Pick<RoundTrip, 'market' | 'strategy' | 'amount'> {
  /** Proceeds of the sale, after fees. */
  readonly proceeds: Units;
}

/** Rest of lots that is too small to be sold, with its cost and value. */
interface DustRest extends Dust {
  readonly market: string;
  readonly strategy: string | null;
  readonly value: Units;
}

/**
 * Money of the other quote currency that sales brought and that purchases spent, or that remains; it is no
 * trade. `cost` is its worth when it was received, `value` its worth when it was spent, or at the end.
 */
interface ReceivedMoney {
  readonly market: string;
  readonly strategy: string | null;
  /** Amount that remains at the end. */
  readonly amount: Units;
  readonly cost: Units;
  readonly value: Units;
}

export interface RoundTrips {
  /** Trips in order of the time of their buy; those that are still open come last. */
  readonly trips: readonly RoundTrip[];
  readonly dust: readonly DustRest[];
  readonly received: readonly ReceivedMoney[];
  readonly unmatched: readonly UnmatchedSale[];
}

/** Lots and trips of one strategy in one market. */
interface Book {
  readonly market: string;
  readonly base: string;
  readonly strategy: string | null;
  readonly lots: LotQueue;
  readonly builder: TripBuilder;
  readonly received: { cost: bigint; value: bigint };
  unmatchedAmount: bigint;
  unmatchedProceeds: bigint;
}

/**
 * Pairs buys and sells of each market and strategy, first in first out. A trip is what one order bought and
 * another sold: an order that two orders sell makes two trips, and the fills of an order are combined. If the
 * account held nothing at the start, all profits (open trips at the last price, dust and received money
 * included) add up exactly to the gain of the equity.
 */
export class TripBooks {
  readonly #markets: ReadonlyMap<string, TripMarket>;
  readonly #books = new Map<string, Book>();
  #last: Book | null = null;

  /** `markets`: at least those of all fills; what is held is valued at their last prices. */
  constructor(markets: ReadonlyMap<string, TripMarket>) {
    this.#markets = markets;
  }

  /** Adds the next fill. Throws a RangeError for one in a market that is not known. */
  add(fill: MovedFill): void {
    // Fills of one book often come in a row, and two comparisons are cheaper than a lookup.
    if (this.#last?.market !== fill.market || this.#last.strategy !== fill.strategy)
      this.#last = this.#bookOf(fill);
    if (fill.side === 'buy') buy(this.#last, fill);
    else sell(this.#last, fill);
  }

  /**
   * Returns the trips of all fills so far; more fills may follow. What is left is valued by market: each part
   * gets the rounded value of all parts so far less that of the parts before, so that the parts add up to the
   * value of the whole.
   */
  trips(): RoundTrips {
    const valued = new Map<string, bigint>();
    const valueOf = (market: string, amount: bigint): Units => {
      const { lastPrice } = this.#marketOf(market);
      const before = valued.get(market) ?? 0n;
      valued.set(market, before + amount);
      return (valueAt(lastPrice, before + amount) - valueAt(lastPrice, before)) as Units;
    };
    const closed: TripSums[] = [];
    const open: TripSums[] = [];
    const dust: DustRest[] = [];
    const received: ReceivedMoney[] = [];
    const unmatched: UnmatchedSale[] = [];
    for (const book of this.#books.values()) {
      const { market, strategy, lots, builder, unmatchedAmount, unmatchedProceeds } = book;
      const { lastPrice } = this.#marketOf(market);
      closed.push(...builder.trips);
      const held = new TripBuilder({ market, strategy });
      const money = { amount: 0n, ...book.received };
      const left = lots.left();
      for (const part of left.parts) {
        const value = valueOf(market, part.amount);
        if (part.lot.isMoney) {
          money.amount += part.amount;
          money.cost += part.cost;
          money.value += value;
        } else held.leaveOpen(part, { value, lastPrice });
      }
      open.push(...held.trips);
      if (left.dust.amount > 0n || left.dust.cost > 0n)
        dust.push({ market, strategy, ...left.dust, value: valueOf(market, left.dust.amount) });
      if (money.cost > 0n)
        received.push({ market, strategy, ...(money as Record<keyof typeof money, Units>) });
      if (unmatchedAmount > 0n) {
        const amount = unmatchedAmount as Units;
        unmatched.push({ market, strategy, amount, proceeds: unmatchedProceeds as Units });
      }
    }
    const trips = [...closed.toSorted(byOpening), ...open.toSorted(byOpening)];
    return { trips: trips.map((sums, index) => tripOf(sums, index + 1)), dust, received, unmatched };
  }

  #bookOf({ market, strategy }: FillRecord): Book {
    const name = `${market} ${strategy ?? ''}`;
    const known = this.#books.get(name);
    if (known !== undefined) return known;
    const of = this.#marketOf(market);
    const book: Book = {
      market,
      base: of.base,
      strategy,
      lots: new LotQueue(of),
      builder: new TripBuilder({ market, strategy }),
      received: { cost: 0n, value: 0n },
      unmatchedAmount: 0n,
      unmatchedProceeds: 0n,
    };
    this.#books.set(name, book);
    return book;
  }

  #marketOf(name: string): TripMarket {
    const market = this.#markets.get(name);
    if (market === undefined)
      throw new RangeError(`expected fills of ${[...this.#markets.keys()].join(', ')}, was ${name}`);
    return market;
  }
}

/** Returns the trips of some fills. Throws a RangeError for a fill in a market that is not in `markets`. */
export function roundTrips(
  fills: readonly MovedFill[],
  markets: ReadonlyMap<string, TripMarket>,
): RoundTrips {
  const books = new TripBooks(markets);
  for (const fill of fills) books.add(fill);
  return books.trips();
}

function buy({ lots, base }: Book, fill: MovedFill): void {
  const { orderKey, atMs, price, total, feeCurrency, isMoney = false } = fill;
  const fee = feeValue(fill);
  const cost = feeCurrency === null ? total : total + fee;
  const hasUnvaluedFee = isUnvalued(fill);
  lots.add({ orderKey, atMs, price, isMoney, amount: baseMoved(fill, base), cost, fee, hasUnvaluedFee });
}

/** Splits the proceeds of a sale among its lots. The last part gets the rest, so that parts add up. */
function sell(book: Book, fill: MovedFill): void {
  const fee = feeValue(fill);
  const amount = 0n - baseMoved(fill, book.base);
  // A fee in the coin itself is sold with it: the lots pay it.
  const proceeds = fill.feeCurrency === book.base ? fill.total : fill.total - fee;
  let left = { amount, proceeds, fee: fee as bigint };
  for (const part of book.lots.consume(amount, fill.orderKey)) {
    const isLast = part.amount === left.amount;
    const share = {
      proceeds: isLast ? left.proceeds : (left.proceeds * part.amount) / left.amount,
      fee: isLast ? left.fee : (left.fee * part.amount) / left.amount,
    };
    if (part.lot.isMoney && fill.isMoney === true) {
      book.received.cost += part.cost;
      book.received.value += share.proceeds;
    } else book.builder.close(part, fill, share);
    left = {
      amount: left.amount - part.amount,
      proceeds: left.proceeds - share.proceeds,
      fee: left.fee - share.fee,
    };
  }
  book.unmatchedAmount += left.amount;
  book.unmatchedProceeds += left.amount > 0n ? left.proceeds : 0n;
}

const byOpening = (left: TripSums, right: TripSums): number => left.openedAtMs - right.openedAtMs;

/** Returns the value of an amount at a price in the quote currency, rounded half-even to ten decimals. */
export const valueAt = (price: Units, amount: bigint): Units =>
  divideHalfEven(price * amount, UNITS_PER_ONE) as Units;

/** Returns the fee of a fill in the quote currency, a received coin at the fill's price; 0 if not known. */
export function feeValue({ side, fee, feeCurrency, feeValue: worth, price }: FillRecord): Units {
  if (feeCurrency !== null) return worth ?? NO_UNITS;
  return side === 'buy' ? valueAt(price, fee) : fee;
}

/** True if a fee is in a currency that had no price when it was booked. */
export const isUnvalued = ({ fee, feeCurrency, feeValue: worth }: FeeOfFill): boolean =>
  feeCurrency !== null && worth === null && fee !== 0n;

/** Sums of a trip that may grow. Prices are of its first part; products have twenty decimals. */
interface TripSums extends Pick<
  RoundTrip,
  'market' | 'strategy' | 'entryOrder' | 'exitOrder' | 'openedAtMs' | 'entryPrice' | 'exitPrice' | 'isOfMoney'
> {
  closedAtMs: number | null;
  hasUnvaluedFee: boolean;
  amount: bigint;
  entryProduct: bigint;
  exitProduct: bigint;
  cost: bigint;
  proceeds: bigint;
  fees: bigint;
}

/** Combines parts of lots: what one order bought and one order sold is one trip, whatever its fills. */
class TripBuilder {
  readonly #of: { readonly market: string; readonly strategy: string | null };
  /** Trips in the order in which they began. */
  readonly trips: TripSums[] = [];
  /** Trip of each pair of orders: two may fill alternately, so a growing trip need not be the last. */
  readonly #byOrders = new Map<string, TripSums>();

  constructor(of: { readonly market: string; readonly strategy: string | null }) {
    this.#of = of;
  }

  /** Adds a part of a lot that a fill sold, with its share of the proceeds and fee. */
  close(part: LotPart, fill: FillRecord, share: { readonly proceeds: bigint; readonly fee: bigint }): void {
    const { orderKey, atMs, price } = fill;
    const sums = this.#sumsOf(part, { orderKey, atMs, price });
    if (isUnvalued(fill)) sums.hasUnvaluedFee = true;
    addPart(sums, part, { price, ...share });
  }

  /** Adds a part of a lot that is still held at the end. */
  leaveOpen(part: LotPart, at: { readonly value: Units; readonly lastPrice: Units }): void {
    const price = at.lastPrice;
    const sums = this.#sumsOf(part, { orderKey: null, atMs: null, price });
    addPart(sums, part, { price, proceeds: at.value, fee: 0n });
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
      hasUnvaluedFee: false,
      amount: 0n,
      entryProduct: 0n,
      exitProduct: 0n,
      cost: 0n,
      proceeds: 0n,
      fees: 0n,
    };
    this.trips.push(sums);
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
  if (lot.hasUnvaluedFee) sums.hasUnvaluedFee = true;
}

/** Converts the sums of a finished trip into a trip. */
function tripOf(sums: TripSums, number: number): RoundTrip {
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
    hasUnvaluedFee: sums.hasUnvaluedFee,
    profit: (proceeds - cost) as Units,
    isOpen: closedAtMs === null,
    isOfMoney: sums.isOfMoney,
  };
}

/** Returns the average price of a trip. Most have one price, and a product is cheaper than a division. */
const averageOf = (first: Units, product: bigint, amount: bigint): Units =>
  first * amount === product ? first : (divideHalfEven(product, amount) as Units);

/** Lot that one buy brought and that is not fully sold. Its parts add up to it exactly. */
interface Lot {
  readonly orderKey: string | null;
  readonly atMs: number;
  readonly price: Units;
  /** True if it is money of the other quote currency, which a sale brought. */
  readonly isMoney: boolean;
  readonly hasUnvaluedFee: boolean;
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
interface Dust {
  readonly amount: Units;
  readonly cost: Units;
}

/** Queue of lots in the order in which they were bought; the oldest is sold first. */
class LotQueue {
  readonly #market: Pick<Market, 'amountStep' | 'minOrderValue'>;
  #lots: Lot[] = [];
  /** Index of the oldest lot. Lots before it are dropped once they fill half of the array. */
  #head = 0;
  /** Key of the order that sold last. */
  #seller: string | null = null;
  /** Cost of buys that fees consumed entirely; it is added to the next buy. */
  #paid = 0n;

  constructor(market: Pick<Market, 'amountStep' | 'minOrderValue'>) {
    this.#market = market;
  }

  add(lot: Omit<Lot, 'usedAmount' | 'usedCost' | 'usedFee'>): void {
    const { orderKey, atMs, price, isMoney, hasUnvaluedFee, amount, fee } = lot;
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
      hasUnvaluedFee,
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

  /** Returns the remaining parts that are large enough to be sold, and the amount that is too small. */
  left(): { readonly parts: readonly LotPart[]; readonly dust: Dust } {
    const copy = new LotQueue(this.#market);
    copy.#lots = this.#lots.slice(this.#head).map((lot) => ({ ...lot }));
    copy.#moveDust();
    const dust = copy.#dustOfHead();
    const { amount, cost } = dust ?? { amount: 0n, cost: 0n };
    const lots = dust === null ? copy.#lots.slice(copy.#head) : [];
    return {
      parts: lots.map((lot) => partOf(lot, lot.amount)),
      dust: { amount: amount as Units, cost: (cost + this.#paid) as Units },
    };
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

/** Removes a part from a lot, with its share of cost and fee: all parts' rounded share less earlier ones. */
function partOf(lot: Lot, wanted: bigint): LotPart {
  const left = lot.amount - lot.usedAmount;
  const amount = wanted < left ? wanted : left;
  const usedAmount = lot.usedAmount + amount;
  const isAll = usedAmount === lot.amount;
  const cost = (isAll ? lot.cost : divideHalfEven(lot.cost * usedAmount, lot.amount)) - lot.usedCost;
  const fee = (isAll ? lot.fee : divideHalfEven(lot.fee * usedAmount, lot.amount)) - lot.usedFee;
  lot.usedAmount = usedAmount;
  lot.usedCost += cost;
  lot.usedFee += fee;
  return { lot, amount, cost, fee };
}

/** Closed trips with something in common. Money: their quote currency. */
export interface TripGroup<Key> {
  readonly key: Key;
  readonly trips: number;
  /** Number of trips with a profit. */
  readonly wins: number;
  readonly profit: Units;
  readonly fees: Units;
  /** Number of trips with a fee that had no price. */
  readonly unvaluedFees: number;
  /** Mean profit of the wins by the mean loss of the losses; null without both. */
  readonly payoff: number | null;
  /** Mean time from purchase to sale, in ms. */
  readonly lengthMs: number;
}

interface Sums {
  trips: number;
  wins: number;
  losses: number;
  won: bigint;
  lost: bigint;
  fees: bigint;
  unvaluedFees: number;
  lengthMs: number;
}

const NO_SUMS: Sums = {
  trips: 0,
  wins: 0,
  losses: 0,
  won: 0n,
  lost: 0n,
  fees: 0n,
  unvaluedFees: 0,
  lengthMs: 0,
};

/** Groups closed trips by a key, in the order in which the keys first occur; open trips are left out. */
export function groupTrips<Trip extends RoundTrip, Key>(
  trips: readonly Trip[],
  keyOf: (trip: Trip, closedAtMs: number) => Key,
): readonly TripGroup<Key>[] {
  const groups = new Map<Key, Sums>();
  for (const trip of trips) {
    const { closedAtMs, openedAtMs, profit, fees } = trip;
    if (closedAtMs === null) continue;
    const key = keyOf(trip, closedAtMs);
    let sums = groups.get(key);
    if (sums === undefined) groups.set(key, (sums = { ...NO_SUMS }));
    sums.trips += 1;
    if (profit > 0n) sums.wins += 1;
    if (profit < 0n) sums.losses += 1;
    if (profit > 0n) sums.won += profit;
    else sums.lost -= profit;
    sums.fees += fees;
    if (trip.hasUnvaluedFee) sums.unvaluedFees += 1;
    sums.lengthMs += closedAtMs - openedAtMs;
  }
  return [...groups].map(
    ([key, { trips: count, wins, losses, won, lost, fees, unvaluedFees, lengthMs }]) => ({
      key,
      trips: count,
      wins,
      profit: (NO_UNITS + won - lost) as Units,
      fees: fees as Units,
      unvaluedFees,
      payoff: wins === 0 || losses === 0 ? null : Number(won) / wins / (Number(lost) / losses),
      lengthMs: lengthMs / count,
    }),
  );
}

/** Trip with what its orders and people say about it. */
export interface LabelledTrip extends RoundTrip {
  /** Exit of a bracket that sold it; null for another sale. */
  readonly exit: ExitKind | null;
  /** Tags of its purchase and of its sale: of rules, the condition that was true. */
  readonly entryTag: string | null;
  readonly exitTag: string | null;
  /** Tags that a person has given it. */
  readonly tags: readonly string[];
}

/** Returns why a trip ended: an exit of a bracket, or the tag of its sale. */
export const reasonOf = ({ exit, exitTag }: LabelledTrip): string => exit ?? exitTag ?? '';

/** Returns the tags of a trip: that of its purchase, and those of a person. */
export const tagsOf = ({ entryTag, tags }: LabelledTrip): readonly string[] => [
  ...new Set([...(entryTag === null ? [] : [entryTag]), ...tags]),
];

/** Ways to group closed trips. */
export const TRIP_GROUPS = ['day', 'week', 'month', 'hour', 'strategy', 'market', 'reason', 'tag'] as const;

type Grouping = (typeof TRIP_GROUPS)[number];

/** Clock and calendar by which days and months begin; weeks begin on Saturday. */
export interface TripClock {
  readonly isUtc: boolean;
  readonly calendar: CalendarSystem;
}

/** Returns when the day, week or month of a time begins; null for another grouping. */
export function periodOf(by: Grouping, clock: TripClock): ((atMs: number) => number) | null {
  const dayOf = (atMs: number): number => Math.floor((atMs + offsetOf(atMs, clock)) / DAY_MS);
  const beginOf = (day: number): number => (clock.isUtc ? day * DAY_MS : tehranInstant(day, 0));
  if (by === 'day') return (atMs) => beginOf(dayOf(atMs));
  if (by === 'week') return (atMs) => beginOf(dayOf(atMs) - weekdayOf(dayOf(atMs)));
  if (by !== 'month') return null;
  const [dateOf, dayAt] =
    clock.calendar === 'jalali' ? [jalaliOf, dayOfJalali] : [gregorianOf, dayOfGregorian];
  return (atMs) => beginOf(dayAt({ ...dateOf(dayOf(atMs)), day: 1 }));
}

const offsetOf = (atMs: number, { isUtc }: TripClock): number => (isUtc ? 0 : tehranOffsetMs(atMs));

/** Maximum number of groups. */
export const MOST_GROUPS = 1_000;

/**
 * Groups closed trips by time or by a label, as pages and reports show them: newest first, hours in order, or
 * the largest profit first. A trip counts with each of its tags.
 */
export function groupTripsBy(trips: readonly LabelledTrip[], by: Grouping, clock: TripClock) {
  const period = periodOf(by, clock);
  const keyOf = (trip: LabelledTrip, closedAtMs: number): string => {
    if (period !== null) return String(period(closedAtMs));
    if (by === 'hour') {
      const localMs = (closedAtMs + offsetOf(closedAtMs, clock)) % DAY_MS;
      return String(Math.floor(localMs / HOUR_MS));
    }
    if (by === 'reason') return reasonOf(trip);
    return (by === 'tag' ? trip.entryTag : trip[by as 'strategy' | 'market']) ?? '';
  };
  const valueOf = ({ key, profit }: TripGroup<string>): number =>
    period !== null ? Number(key) : by === 'hour' ? -Number(key) : Number(profit);
  const counted = by === 'tag' ? trips.flatMap(withEachTag) : trips;
  return groupTrips(counted, keyOf)
    .toSorted((left, right) => valueOf(right) - valueOf(left))
    .slice(0, MOST_GROUPS)
    .map((group) => ({
      ...groupItem(group),
      key: group.key,
      fromMs: period === null ? null : Number(group.key),
    }));
}

function withEachTag(trip: LabelledTrip): readonly LabelledTrip[] {
  const tags = tagsOf(trip);
  return tags.length === 0 ? [trip] : tags.map((entryTag) => ({ ...trip, entryTag }));
}

/** Returns the figures of a group with money as text. */
export function groupItem({ profit, fees, key: _key, ...rest }: TripGroup<unknown>) {
  return { ...rest, profit: formatUnits(profit), fees: formatUnits(fees) };
}
