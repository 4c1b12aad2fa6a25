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
import {
  cellUnits,
  columnScale,
  gridOfColumns,
  type CandleColumns,
  firstBarFrom,
} from '../domain/candle-columns.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { parseMarket, MARKET_NAMES } from '../exchange/market-names.ts';
import { valueIn, type PriceOf, type Prices } from '../portfolio/holding.ts';
import type { BacktestRun } from './backtest-run.ts';

export type { RoundTrip } from './metrics/trip-builder.ts';

/** Data of a market that round trips need. */
export interface TripMarket {
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
  readonly strategy: string | null;
  readonly lots: LotQueue;
  readonly builder: TripBuilder;
  readonly received: { amount: bigint; cost: bigint; value: bigint };
  unmatchedAmount: bigint;
  unmatchedProceeds: bigint;
}

/**
 * Pairs buys and sells of each market and strategy, first in first out. A trip is what one order bought and
 * another sold: an order that two orders sell makes two trips, and the fills of an order are combined. If the
 * account held nothing at the start, all profits (open trips at the last price, dust and received money
 * included) add up exactly to the gain of the equity. Throws a RangeError for a fill in a market that is not
 * in `markets`.
 */
export function roundTrips(
  fills: readonly MovedFill[],
  markets: ReadonlyMap<string, TripMarket>,
): RoundTrips {
  const books = new Map<string, Book>();
  let book: Book | null = null;
  for (const fill of fills) {
    // Fills of one book often come in a row, and two comparisons are cheaper than a lookup.
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
 * Splits the proceeds of a sale among the lots it came from. The last part gets the rest, so that the parts
 * add up.
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
 * Values the remaining lots by market. Each part gets the rounded value of all parts so far less that of the
 * parts before, so that the parts add up to the value of the whole.
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

/** Returns the value of an amount at a price in the quote currency, rounded half-even to ten decimals. */
export function valueAt(price: Units, amount: bigint): Units {
  return divideHalfEven(price * amount, UNITS_PER_ONE) as Units;
}

/**
 * Returns the fee of a fill in the quote currency. The fee of a buy is in the base currency and is valued at
 * the price of the fill.
 */
function feeValue({ side, fee, price }: FillRecord): Units {
  return side === 'buy' ? valueAt(price, fee) : fee;
}

/** Returns the share of moments with an open position, 0 to 1; null without moments. */
export function exposure(isExposed: Uint8Array): Statistic {
  let exposed = 0;
  for (let index = 0; index < isExposed.length; index += 1) exposed += isExposed[index] ?? 0;
  return quotient(exposed, isExposed.length);
}

/** Returns the value of all buys and sells before fees, exact. */
export function tradedValue(fills: readonly FillRecord[]): Units {
  return fills.reduce((sum, { total }) => sum + total, NO_UNITS as bigint) as Units;
}

/** Returns all fees in the quote currency, each rounded to ten decimals. */
export function feesPaid(fills: readonly FillRecord[]): Units {
  return fills.reduce((sum, fill) => sum + feeValue(fill), NO_UNITS as bigint) as Units;
}

/**
 * Returns how often the mean equity was traded in the run: `value of all fills / mean(equity)`. Buying and
 * selling everything once gives about 2.
 */
export function turnover(traded: Units, equity: Float64Array): Statistic {
  const average = meanOfColumn(equity);
  return average === null || average <= 0 ? null : quotient(numberOf(traded), average);
}

/** Fills of a run with all money in the run's currency. */
interface ValuedFills {
  /** Trades of the run, one for each fill. */
  readonly traded: readonly FillRecord[];
  /** Fills, and movements of the other quote currency, so that the money of each trade is accounted for. */
  readonly moved: readonly MovedFill[];
  /** Data of each market, by the names that the fills have here. */
  readonly markets: ReadonlyMap<string, TripMarket>;
}

/**
 * Converts the fills of several markets into one currency. Each coin gets one name, that of its market in the
 * run's currency if there is one, so that a coin bought in one market can be sold in another. A fill in the
 * other quote currency is valued at its time, by the open of the current bar of `USDTIRT`. It becomes two
 * fills: one of the coin, and one of the currency, which a sale buys and a purchase sells. A run in one
 * currency is unchanged.
 */
export function valuedFills(run: Pick<BacktestRun, 'fills' | 'markets' | 'quote'>): ValuedFills {
  const { fills, markets, quote } = run;
  const last = new Map(markets.map(({ market, lastPrice }) => [market.symbol as string, lastPrice]));
  if (markets.every(({ market }) => market.quote === quote)) {
    return {
      traded: fills,
      moved: fills,
      markets: new Map(
        markets.map(({ market, lastPrice }) => [
          market.symbol,
          { amountStep: market.amountStep, minOrderValue: market.minOrderValue, lastPrice },
        ]),
      ),
    };
  }
  const bridge = markets.find(({ market }) => market.symbol === BRIDGE.market)?.candles ?? null;
  // A live session may have read this price with the statistics only.
  const lastBridge = last.get(BRIDGE.market) ?? null;
  const names = new Set(last.keys());
  const traded: FillRecord[] = [];
  const moved: MovedFill[] = [];
  for (const fill of fills) {
    const priceThen = bridgePriceAt(bridge, fill.atMs) ?? lastBridge;
    const priceOf: PriceOf = (market) => (market === BRIDGE.market ? priceThen : null);
    const [coin, money] = valued(fill, { quote, names, prices: pricesBy(priceOf) });
    traded.push(coin);
    moved.push(coin, ...(money === null ? [] : [money]));
  }
  const lastPrices = pricesBy((symbol) => last.get(symbol) ?? null);
  const tripMarkets = markets.map((one): [string, TripMarket] => {
    const { base } = one.market;
    const asset = base === quote ? one.market.quote : base;
    const worth = (of: string, amount: Units): Units =>
      valueIn(quote, { asset: of, amount }, lastPrices) ?? NO_UNITS;
    const { amountStep, minOrderValue } = one.market;
    return [
      nameOf(asset, { quote, names }),
      {
        amountStep,
        minOrderValue: worth(one.market.quote, minOrderValue),
        lastPrice: worth(asset, UNITS_PER_ONE as Units),
      },
    ];
  });
  return { traded, moved, markets: new Map(tripMarkets) };
}

const { bridge: BRIDGE, symbolIn, otherQuote } = MARKET_NAMES;

const pricesBy = (priceOf: PriceOf): Prices => ({ marketNames: MARKET_NAMES, priceOf });

interface Terms {
  readonly quote: Currency;
  readonly names: ReadonlySet<string>;
}

function nameOf(asset: string, { quote, names }: Terms): string {
  if (asset === BRIDGE.quote) return BRIDGE.market;
  const direct = symbolIn(asset, quote);
  return names.has(direct) ? direct : symbolIn(asset, otherQuote(quote));
}

function valued(
  fill: FillRecord,
  terms: Terms & { readonly prices: Prices },
): readonly [FillRecord, MovedFill | null] {
  const { quote: currency, prices } = terms;
  const { base, quote } = parseMarket(fill.market);
  if (quote === currency) return [{ ...fill, market: nameOf(base, terms) }, null];
  if (base === currency) return [turned(fill), null];
  const worth = (amount: Units): Units => valueIn(currency, { asset: quote, amount }, prices) ?? NO_UNITS;
  const { side, amount, total, fee, price } = fill;
  const coin = {
    ...fill,
    market: nameOf(base, terms),
    price: worth(price),
    total: worth(total),
    fee: side === 'buy' ? fee : worth(fee),
  };
  const isBuy = side === 'buy';
  const money: MovedFill = {
    ...fill,
    isMoney: true,
    market: nameOf(quote, terms),
    side: isBuy ? 'sell' : 'buy',
    price: worth(UNITS_PER_ONE as Units),
    amount: isBuy ? total : ((total - fee) as Units),
    total: isBuy ? coin.total : ((coin.total - coin.fee) as Units),
    fee: NO_UNITS,
  };
  return [coin, amount === 0n ? null : money];
}

/** Turns a fill around whose coin is the run's currency, into a fill of the currency it was traded for. */
function turned(fill: FillRecord): FillRecord {
  const { side, amount, total, price } = fill;
  return {
    ...fill,
    market: BRIDGE.market,
    side: side === 'buy' ? 'sell' : 'buy',
    price: (price === 0n ? 0n : divideHalfEven(UNITS_PER_ONE * UNITS_PER_ONE, price)) as Units,
    amount: total,
    total: amount,
  };
}

/**
 * Returns the price of tether in rial at a time: the open of the current bar, its close if it has ended, or
 * the first open before all bars. Null without candles.
 */
function bridgePriceAt(candles: CandleColumns | null, atMs: number): Units | null {
  if (candles === null || candles.length === 0) return null;
  const bar = Math.max(0, firstBarFrom(candles, atMs + 1) - 1);
  const isOver = gridOfColumns(candles).endOf(candles.openTimeMs[bar] ?? 0) <= atMs;
  return cellUnits((isOver ? candles.close : candles.open)[bar] ?? 0, columnScale(candles.priceDecimals));
}
