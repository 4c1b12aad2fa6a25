import type { Bar, Ticker } from './bar.ts';
import type { Book } from '../book.ts';
import type { MarketName, MarketNames } from '../../domain/market-symbol.ts';
import type { DelegationLimit, MarginWallets, Pools } from './shown-margin.ts';
import type { Timeframe } from '../../domain/candle.ts';
import type { z } from 'zod';
import {
  book,
  candles,
  marginLimit,
  marginPools,
  marginWallets,
  signalSubscription,
  stats,
  timer,
  trades,
  type CandleSubscription,
  type Freshness,
  type MarginSubscription,
  type PolledSubscription,
  type TimerSubscription,
} from '../subscriptions.ts';
import type { Signal, SignalData } from '../signal.ts';
import { SarrafError } from '../../domain/errors.ts';
import { universeData, type MemberData, type OfMembers, type UniverseData } from '../universe/member-data.ts';
import type { Universe, UniverseEvent } from '../shown-universe.ts';
import { checkedUniverse, type UniverseWish } from '../universe-rules.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import type { MarketStats } from '../../domain/order-book.ts';
import type { PublicTrade } from '../../domain/trade.ts';

/** Closed candles of one market and length; indicators are declared on them. */
export interface CandleData {
  readonly kind: 'candles';
  readonly from: CandleSubscription;
}

/** The order book of one market. */
export interface BookData {
  readonly kind: 'book';
  readonly from: PolledSubscription;
}

/** The best prices of one market. */
export interface TickerData {
  readonly kind: 'ticker';
  readonly from: PolledSubscription | CandleSubscription;
}

/** The public tape of one market. */
interface TradesData {
  readonly kind: 'trades';
  readonly from: PolledSubscription;
}

/** The numbers of one market's day. */
export interface StatsData {
  readonly kind: 'stats';
  readonly from: PolledSubscription;
}

/** Amounts that can be borrowed, by currency. */
interface PoolsData {
  readonly kind: 'pools';
  readonly from: MarginSubscription;
}

/** The account's margin wallets. */
interface MarginWalletsData {
  readonly kind: 'margin-wallets';
  readonly from: MarginSubscription;
}

/** The most that the account may have delegated of a currency. */
interface DelegationLimitData {
  readonly kind: 'delegation-limit';
  readonly from: MarginSubscription;
}

/** A moment that comes again. */
interface TimerData {
  readonly kind: 'timer';
  readonly from: Omit<TimerSubscription, 'name'>;
}

/** Something that a strategy declares in `data`. */
export type Data =
  | CandleData
  | BookData
  | TickerData
  | TradesData
  | StatsData
  | PoolsData
  | MarginWalletsData
  | DelegationLimitData
  | TimerData
  | SignalData
  | UniverseData
  | MemberData;

/**
 * Data by the name that the author gives it. A list has one handler, such as the candles of several markets.
 */
export type DeclaredData = Readonly<Record<string, Data | readonly Data[]>>;

/** A timer that has come. */
export interface TimerEvent {
  /** The name of its data. */
  readonly name: string;
  /** Time at which it was due, in ms since 1970; `nowMs` of the context is the time at which it came. */
  readonly dueMs: number;
}

/** Current value of each kind of data, now or when its handler is called. */
interface Shown {
  readonly candles: Bar;
  readonly book: Book;
  readonly ticker: Ticker;
  readonly trades: Tape;
  readonly stats: MarketDay;
  readonly pools: Pools;
  readonly 'margin-wallets': MarginWallets;
  readonly 'delegation-limit': DelegationLimit;
  readonly timer: TimerEvent;
  readonly signal: Signal;
  readonly universe: UniverseEvent;
  readonly 'member-candles': Bar;
  readonly 'member-book': Book;
  readonly 'member-ticker': Ticker;
}

/** Event that the handler of some data gets; for a list, that of one of its entries. */
export type EventOf<Declared extends Data | readonly Data[]> = Declared extends readonly (infer One extends
  Data)[]
  ? Shown[One['kind']]
  : Declared extends SignalData<infer Payload>
    ? Signal<Payload>
    : Declared extends Data
      ? Shown[Declared['kind']]
      : never;

/** The last of some data, null before the first; of a list, of each in it; of members, by their market. */
export type LastOf<Declared extends Data | readonly Data[]> = Declared extends readonly Data[]
  ? readonly (EventOf<Declared> | null)[]
  : Declared extends UniverseData
    ? Universe
    : Declared extends MemberData
      ? OfMembers<EventOf<Declared> | null>
      : EventOf<Declared> | null;

/** A market, where data is declared. */
export interface MarketData {
  /** Such as `BTCIRT`. */
  readonly symbol: string;
  /** The currency that is traded, lower case: `btc`. */
  readonly base: string;
  /** The currency of its prices, lower case: `rls`. */
  readonly quote: string;
  /**
   * Closed candles, in order, each once. With `history` the last so many bars (at most 499) are in
   * `ctx.history` under the same name.
   */
  candles(timeframe: Timeframe, options?: { readonly history?: number }): CandleData;
  /** The order book: wanted every 2 s, at most 30 s old. */
  book(freshness?: Freshness): BookData;
  /**
   * The best prices: of the book, wanted every 2 s and at most 30 s old; in a backtest on candles the close
   * of each bar of the run's length, or of `timeframe`.
   */
  ticker(options?: Freshness & { readonly timeframe?: Timeframe }): TickerData;
  /** The public tape: wanted every 8 s, at most 60 s old. Only new trades are delivered. */
  trades(freshness?: Freshness): TradesData;
  /** The numbers of the day: wanted every 10 s, at most 60 s old. */
  stats(freshness?: Freshness): StatsData;
}

/** Margin data of the exchange, which accepts no margin orders. Available live and embedded only. */
export interface MarginData {
  /**
   * Amounts that can be borrowed, by currency: polled every minute, at most 5 min old. Needs a token, no API
   * key.
   */
  pools(freshness?: Freshness): PoolsData;
  /** The account's margin wallets: wanted every 30 s, at most 3 min old. */
  wallets(freshness?: Freshness): MarginWalletsData;
  /**
   * The most that may be delegated of a currency, such as `btc`: of the base currency for a position that is
   * sold, of the quote currency for one that is bought. Wanted every 5 min, at most 30 min old.
   */
  delegationLimit(currency: string, freshness?: Freshness): DelegationLimitData;
}

const MARGIN: MarginData = {
  pools: (freshness) => ({ kind: 'pools', from: marginPools(freshness) }),
  wallets: (freshness) => ({ kind: 'margin-wallets', from: marginWallets(freshness) }),
  delegationLimit: (currency, freshness) => ({
    kind: 'delegation-limit',
    from: marginLimit(currency, freshness),
  }),
};

/** Argument of a strategy's `data`. */
export interface DataSetup<Params> {
  readonly params: Params;
  /** The strategy's own market. */
  readonly market: MarketData;
  /** Other markets: `markets.of('ETHIRT').candles('1h')`. */
  readonly markets: { readonly of: (symbol: string) => MarketData };
  /** Margin data of the exchange: `margin.pools()`. */
  readonly margin: MarginData;
  /** The candle length that the run offers. */
  readonly timeframe: Timeframe;
  /**
   * False in a backtest on candles, which holds no books, no trades of others and no statistics, and refuses
   * a strategy that declares them.
   */
  readonly hasBooks: boolean;
  /**
   * A moment by the calendar: `timer('0 9 * * *')` is nine o'clock in the morning, UTC. Six fields begin with
   * the second. What fell due while nothing ran is not made up for.
   */
  readonly timer: (cron: string) => TimerData;
  /**
   * Signal sent to this strategy from outside under the name of this data: `sarraf signal`, or a request. A
   * payload that is not of the schema is refused, as is one older than `maxAgeMs` (60,000; at most 1,800,000)
   * when the bot accepts it. Each is delivered once for its id.
   */
  readonly signal: <Schema extends z.ZodType>(
    schema: Schema,
    options?: { readonly maxAgeMs?: number },
  ) => SignalData<z.output<Schema>>;
  /**
   * Markets that are chosen by a rule and ranked anew every `refreshMs`. They enter and leave as events;
   * leaving sells nothing.
   */
  readonly universe: (request: UniverseWish) => UniverseData;
}

/** Returns the setup with which a strategy declares its data. */
export function dataSetup<Params>(of: {
  readonly market: string;
  readonly params: Params;
  readonly timeframe: Timeframe;
  readonly hasBooks: boolean;
  readonly marketNames: MarketNames;
  /** Those of the exchange; without them any market is believed. */
  readonly knownMarkets?: ReadonlySet<string> | undefined;
}): DataSetup<Params> {
  const { market, params, timeframe, hasBooks, marketNames, knownMarkets } = of;
  const dataOf = (symbol: string): MarketData =>
    marketData(marketNames.parseMarket(symbol), { symbol, timeframe, hasBooks });
  return {
    params,
    market: dataOf(market),
    markets: { of: dataOf },
    margin: MARGIN,
    timeframe,
    hasBooks,
    timer: (cron) => ({ kind: 'timer', from: withoutName(timer('', cron)) }),
    signal: <Schema extends z.ZodType>(schema: Schema, options?: { readonly maxAgeMs?: number }) => {
      const { kind, maxAgeMs } = signalSubscription('', options);
      // A schema makes what its output says.
      return { kind, from: { kind, maxAgeMs }, schema: schema as unknown as z.ZodType<z.output<Schema>> };
    },
    universe: (request) => {
      const rules = checkedUniverse(request, { marketNames, knownMarkets });
      if (rules.rankBy === 'spread' && !hasBooks) throw new SarrafError('INVALID_STRATEGY', NO_SPREADS);
      return universeData(rules, { timeframe, hasBooks });
    },
  };
}

const NO_SPREADS =
  'universe.rankBy: expected a ranking that candles can tell (volume24h, volatility, change), was spread: run it with --fidelity poll on recorded statistics';

function marketData(
  { base, quote }: Pick<MarketName, 'base' | 'quote'>,
  run: { readonly symbol: string; readonly timeframe: Timeframe; readonly hasBooks: boolean },
): MarketData {
  const { symbol } = run;
  return {
    symbol,
    base,
    quote,
    candles: (timeframe, { history = 0 } = {}) => ({
      kind: 'candles',
      from: candles(symbol, timeframe, { warmUp: history }),
    }),
    book: (freshness) => ({ kind: 'book', from: book(symbol, freshness) }),
    ticker: ({ timeframe = run.timeframe, ...freshness } = {}) => ({
      kind: 'ticker',
      // The close before the first bar is a price, too.
      from: run.hasBooks ? book(symbol, freshness) : candles(symbol, timeframe, { warmUp: 1 }),
    }),
    trades: (freshness) => ({ kind: 'trades', from: trades(symbol, freshness) }),
    stats: (freshness) => ({ kind: 'stats', from: stats(symbol, freshness) }),
  };
}

function withoutName({ kind, cron }: TimerSubscription): Omit<TimerSubscription, 'name'> {
  return { kind, cron };
}

/** The numbers of a market's day. */
interface Numbers<Figure> {
  /** The lowest offer to sell, in the quote currency. */
  readonly bestSell: Figure | null;
  /** The highest offer to buy, in the quote currency. */
  readonly bestBuy: Figure | null;
  /** Traded within the day, in the base currency. */
  readonly baseVolume: Figure | null;
  /** Traded within the day, in the quote currency. */
  readonly quoteVolume: Figure | null;
  /** Price of the last trade, in the quote currency. */
  readonly latest: Figure | null;
  /** Fair price according to the exchange, in the quote currency. */
  readonly mark: Figure | null;
  readonly dayLow: Figure | null;
  readonly dayHigh: Figure | null;
  readonly dayOpen: Figure | null;
  readonly dayClose: Figure | null;
  /** In percent. */
  readonly dayChange: Figure | null;
}

/** A market's day as the exchange sums it up. A closed market may tell nothing but that it is closed. */
export interface MarketDay extends Numbers<number> {
  readonly market: string;
  readonly isClosed: boolean;
  readonly closedReason: string | null;
  readonly exact: Numbers<DecimalText>;
}

export function marketDayOf(stats: MarketStats): MarketDay {
  const { market, isClosed, closedReason, baseVolume, quoteVolume } = stats;
  const { bestSell, bestBuy, latest, mark, dayLow, dayHigh, dayOpen, dayClose, dayChange } = stats;
  const day = { latest, mark, dayLow, dayHigh, dayOpen, dayClose, dayChange };
  const exact = Object.freeze({
    bestSell,
    bestBuy,
    baseVolume: baseVolume,
    quoteVolume: quoteVolume,
    ...day,
  });
  return Object.freeze({
    market: market.symbol,
    isClosed,
    closedReason,
    bestSell: numberOf(bestSell),
    bestBuy: numberOf(bestBuy),
    baseVolume: numberOf(baseVolume),
    quoteVolume: numberOf(quoteVolume),
    latest: numberOf(latest),
    mark: numberOf(mark),
    dayLow: numberOf(dayLow),
    dayHigh: numberOf(dayHigh),
    dayOpen: numberOf(dayOpen),
    dayClose: numberOf(dayClose),
    dayChange: numberOf(dayChange),
    exact,
  });
}

function numberOf(text: DecimalText | null): number | null {
  return text === null ? null : Number(text);
}

export interface TapeTrade extends Pick<PublicTrade, 'timeMs' | 'side'> {
  /** In the quote currency. */
  readonly price: number;
  /** In the base currency. */
  readonly amount: number;
  /** The same numbers with every digit. */
  readonly exact: Pick<PublicTrade, 'price' | 'amount'>;
}

/** New trades of the public tape. */
export interface Tape {
  readonly market: string;
  /** Oldest first. */
  readonly trades: readonly TapeTrade[];
  /** True if trades may be missing before these. */
  readonly hasGap: boolean;
  /** Time at which the bot read them, in ms since 1970. */
  readonly seenAtMs: number;
}

export function tapeOf(of: {
  readonly market: string;
  readonly trades: readonly PublicTrade[];
  readonly hasGap: boolean;
  readonly seenAtMs: number;
}): Tape {
  const { market, hasGap, seenAtMs } = of;
  const trades = Object.freeze(of.trades.map(tradeOf));
  return Object.freeze({ market, trades, hasGap, seenAtMs });
}

function tradeOf({ timeMs, side, price, amount }: PublicTrade): TapeTrade {
  const exact = Object.freeze({ price, amount });
  return Object.freeze({ timeMs, side, price: Number(price), amount: Number(amount), exact });
}
