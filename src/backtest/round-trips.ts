import { type Units, UNITS_PER_ONE, NO_UNITS, divideHalfEven } from '../domain/money.ts';
import type { FillRecord } from '../records/fill.ts';
import {
  LotQueue,
  type Dust,
  TripBuilder,
  tripOf,
  type RoundTrip,
  type TripSums,
} from './metrics/trip-builder.ts';
import { meanOfColumn, numberOf, quotient, type Statistic } from './statistics.ts';

export type { RoundTrip } from './metrics/trip-builder.ts';

/** Data of a market that round trips need. */
export interface TripMarket {
  readonly amountStep: Units;
  /** In the run's currency; an order has to be worth more. */
  readonly minOrderValue: Units;
  /** Price at which holdings that remain at the end are valued. */
  readonly lastPrice: Units;
}

/** A fill, or what it moved of the other quote currency: that is money, and no purchase or sale of a coin. */
export interface MovedFill extends FillRecord {
  readonly isMoney?: true;
}

/**
 * Sale of something that no buy of the run had brought: held from the start, or bought by another strategy.
 */
interface UnmatchedSale {
  readonly market: string;
  readonly strategy: string | null;
  readonly amount: Units;
  /** Proceeds of the sale, after fees. */
  readonly proceeds: Units;
}

/** Rest of lots that is too little to be sold, with its cost and its value. */
interface DustRest extends Dust {
  readonly market: string;
  readonly strategy: string | null;
  readonly value: Units;
}

/**
 * Money of the other quote currency that sales brought and that is spent in purchases, or is still there: no
 * trade. What it was worth as it came is its cost, what it was worth as it was spent, or is at the end, its
 * value.
 */
interface ReceivedMoney {
  readonly market: string;
  readonly strategy: string | null;
  /** Amount that is still there. */
  readonly amount: Units;
  readonly cost: Units;
  readonly value: Units;
}

export interface RoundTrips {
  /** By the time of their buy; those that are still open are last. */
  readonly trips: readonly RoundTrip[];
  readonly dust: readonly DustRest[];
  readonly received: readonly ReceivedMoney[];
  readonly unmatched: readonly UnmatchedSale[];
}

/** State of one strategy in one market. */
interface Book {
  readonly market: string;
  readonly strategy: string | null;
  readonly lots: LotQueue;
  readonly builder: TripBuilder;
  readonly received: { amount: bigint; cost: bigint; value: bigint };
  unmatchedAmount: bigint;
  unmatchedProceeds: bigint;
}

/**
 * Pairs buys and sells of each market and strategy, first in first out. A trip is what one order bought and
 * another sold: an order that is sold by two is two trips, and the fills of an order are one. Where the
 * account held nothing at the start, all profits (those of open trips at the last price, of dust and of
 * received money, too) are together what the equity gained, to the last digit. A fill of a market that is
 * not in `markets` throws a RangeError.
 */
export function roundTrips(
  fills: readonly MovedFill[],
  markets: ReadonlyMap<string, TripMarket>,
): RoundTrips {
  const books = new Map<string, Book>();
  let book: Book | null = null;
  for (const fill of fills) {
    // Fills of one book follow one another, and a name to look up costs more than two comparisons.
    if (book?.market !== fill.market || book.strategy !== fill.strategy) book = bookOf(books, fill, markets);
    if (fill.side === 'buy') buy(book, fill);
    else sell(book, fill);
  }
  const closed = [...books.values()].flatMap(({ builder }) => builder.finish());
  const { open, dust } = whatIsLeft([...books.values()], markets);
  return {
    trips: [...inOrder(closed), ...inOrder(open)].map((sums, index) => tripOf(sums, index + 1)),
    dust,
    received: [...books.values()].flatMap(({ market, strategy, received }) =>
      received.cost === 0n
        ? []
        : [{ market, strategy, ...(received as Pick<ReceivedMoney, 'amount' | 'cost' | 'value'>) }],
    ),
    unmatched: [...books.values()]
      .filter(({ unmatchedAmount }) => unmatchedAmount > 0n)
      .map(({ market, strategy, unmatchedAmount, unmatchedProceeds }) => ({
        market,
        strategy,
        amount: unmatchedAmount as Units,
        proceeds: unmatchedProceeds as Units,
      })),
  };
}

function buy({ lots }: Book, fill: MovedFill): void {
  const { orderKey, atMs, price, amount, total, isMoney = false } = fill;
  lots.add({ orderKey, atMs, price, isMoney, amount: amount - fill.fee, cost: total, fee: feeValue(fill) });
}

/**
 * Shares out what a sale brought among the lots that it came from; the last part gets the rest, so that the
 * parts add up.
 */
function sell(book: Book, fill: MovedFill): void {
  const proceeds = fill.total - fill.fee;
  let left = { amount: fill.amount as bigint, proceeds, fee: fill.fee as bigint };
  for (const part of book.lots.consume(fill.amount, fill.orderKey)) {
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

/**
 * Values what is left market by market: the rounded value of all so far, less that of all before, so that the
 * parts are the value of the whole.
 */
function whatIsLeft(
  books: readonly Book[],
  markets: ReadonlyMap<string, TripMarket>,
): { readonly open: TripSums[]; readonly dust: DustRest[] } {
  const valued = new Map<string, bigint>();
  const valueOf = (market: string, amount: bigint): Units => {
    const { lastPrice } = marketOf(markets, market);
    const before = valued.get(market) ?? 0n;
    valued.set(market, before + amount);
    return (valueAt(lastPrice, before + amount) - valueAt(lastPrice, before)) as Units;
  };
  const open: TripSums[] = [];
  const dust: DustRest[] = [];
  for (const { market, strategy, lots, builder, received } of books) {
    const { lastPrice } = marketOf(markets, market);
    for (const part of lots.rest()) {
      const value = valueOf(market, part.amount);
      if (part.lot.isMoney) {
        received.amount += part.amount;
        received.cost += part.cost;
        received.value += value;
      } else builder.leaveOpen(part, { value, lastPrice });
    }
    open.push(...builder.finish());
    const rest = lots.dust();
    if (rest.amount > 0n || rest.cost > 0n) {
      dust.push({ market, strategy, ...rest, value: valueOf(market, rest.amount) });
    }
  }
  return { open, dust };
}

function bookOf(
  books: Map<string, Book>,
  { market, strategy }: FillRecord,
  markets: ReadonlyMap<string, TripMarket>,
): Book {
  const name = `${market} ${strategy ?? ''}`;
  const known = books.get(name);
  if (known !== undefined) return known;
  const book: Book = {
    market,
    strategy,
    lots: new LotQueue(marketOf(markets, market)),
    builder: new TripBuilder({ market, strategy }),
    received: { amount: 0n, cost: 0n, value: 0n },
    unmatchedAmount: 0n,
    unmatchedProceeds: 0n,
  };
  books.set(name, book);
  return book;
}

function marketOf(markets: ReadonlyMap<string, TripMarket>, name: string): TripMarket {
  const market = markets.get(name);
  if (market === undefined)
    throw new RangeError(`expected fills of ${[...markets.keys()].join(', ')}, was ${name}`);
  return market;
}

function inOrder(trips: readonly TripSums[]): TripSums[] {
  return trips.toSorted((left, right) => left.openedAtMs - right.openedAtMs);
}

/** An amount at a price in the quote currency, half-even at ten decimals. */
export function valueAt(price: Units, amount: bigint): Units {
  return divideHalfEven(price * amount, UNITS_PER_ONE) as Units;
}

/**
 * The fee of a fill in the quote currency: that of a buy is in the base currency, and is valued at the price
 * of the fill.
 */
function feeValue({ side, fee, price }: FillRecord): Units {
  return side === 'buy' ? valueAt(price, fee) : fee;
}

/** The share of the moments at which a position was held, 0 to 1. Null without any. */
export function exposure(isExposed: Uint8Array): Statistic {
  let exposed = 0;
  for (let index = 0; index < isExposed.length; index += 1) exposed += isExposed[index] ?? 0;
  return quotient(exposed, isExposed.length);
}

/** The value of all fills, buys and sells, before fees. Exact. */
export function tradedValue(fills: readonly FillRecord[]): Units {
  return fills.reduce((sum, { total }) => sum + total, NO_UNITS as bigint) as Units;
}

/** All fees in the quote currency, each rounded to ten decimals. */
export function feesPaid(fills: readonly FillRecord[]): Units {
  return fills.reduce((sum, fill) => sum + feeValue(fill), NO_UNITS as bigint) as Units;
}

/**
 * Returns how often the mean equity was traded in the run: `value of all fills / mean(equity)`. Buying and
 * selling everything once is about 2.
 */
export function turnover(traded: Units, equity: Float64Array): Statistic {
  const average = meanOfColumn(equity);
  return average === null || average <= 0 ? null : quotient(numberOf(traded), average);
}
