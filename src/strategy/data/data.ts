import type { Bar, Ticker } from './bar.ts';
import type { Book } from '../book.ts';
import { otherMarketText, type MarketName, type MarketNames } from '../../domain/market-symbol.ts';
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
  type OtherVenueAges,
  type PolledSubscription,
  type TimerSubscription,
} from '../subscriptions.ts';
import type { Signal, SignalData } from '../signal.ts';
import { invalidStrategy } from '../../domain/errors.ts';
import { universeData, type MemberData, type OfMembers, type UniverseData } from '../universe/member-data.ts';
import type { Universe, UniverseEvent } from '../shown-universe.ts';
import { checkedUniverse, type UniverseWish } from '../universe-rules.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import type { MarketStats, StatsFigures } from '../../domain/order-book.ts';
import type { PublicTrade } from '../../domain/trade.ts';

/** Declared candles of one market and timeframe, on which indicators are declared. */
export interface CandleData {
  readonly kind: 'candles';
  readonly from: CandleSubscription;
}

/** Declared order book of one market. */
export interface BookData {
  readonly kind: 'book';
  readonly from: PolledSubscription;
}

/** Declared best prices of one market. */
export interface TickerData {
  readonly kind: 'ticker';
  readonly from: PolledSubscription | CandleSubscription;
}

/** Declared public trades of one market. */
interface TradesData {
  readonly kind: 'trades';
  readonly from: PolledSubscription;
}

/** Declared statistics of a market's last day. */
export interface StatsData {
  readonly kind: 'stats';
  readonly from: PolledSubscription;
}

/** Declared amounts that can be borrowed, by currency. */
interface PoolsData {
  readonly kind: 'pools';
  readonly from: MarginSubscription;
}

/** Declared margin wallets of the account. */
interface MarginWalletsData {
  readonly kind: 'margin-wallets';
  readonly from: MarginSubscription;
}

/** Declared limit of what the account may delegate of a currency. */
interface DelegationLimitData {
  readonly kind: 'delegation-limit';
  readonly from: MarginSubscription;
}

/** Declared timer, which is due at the times of a cron pattern. */
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

/** Declared data by its name. A list of data, such as candles of several markets, has one handler. */
export type DeclaredData = Readonly<Record<string, Data | readonly Data[]>>;

/** Event of a timer that is due. */
export interface TimerEvent {
  readonly name: string;
  /** Time at which it was due, in ms since 1970; `nowMs` of the context is the time at which it came. */
  readonly dueMs: number;
}

/** Values that handlers receive, for each kind of data. */
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

/** Event that the handler of some data receives; for a list, the event of one of its entries. */
export type EventOf<Declared extends Data | readonly Data[]> = Declared extends readonly (infer One extends
  Data)[]
  ? Shown[One['kind']]
  : Declared extends SignalData<infer Payload>
    ? Signal<Payload>
    : Declared extends Data
      ? Shown[Declared['kind']]
      : never;

/** The last value of some data, null before the first. For a list: of each entry. For members: by market. */
export type LastOf<Declared extends Data | readonly Data[]> = Declared extends readonly Data[]
  ? readonly (EventOf<Declared> | null)[]
  : Declared extends UniverseData
    ? Universe
    : Declared extends MemberData
      ? OfMembers<EventOf<Declared> | null>
      : EventOf<Declared> | null;

/** A market, with the data that can be declared for it. */
export interface MarketData {
  /** Symbol of the market, such as `BTCIRT`. */
  readonly symbol: string;
  /** Base currency, which is traded, in lower case: `btc`. */
  readonly base: string;
  /** Quote currency, in which prices are, in lower case: `rls`. */
  readonly quote: string;
  /** Closed candles in order, each once. With `history`, the last bars (at most 499) are in `ctx.history`. */
  candles(timeframe: Timeframe, options?: { readonly history?: number }): CandleData;
  /** The order book: polled every 2 s, at most 30 s old. */
  book(freshness?: Freshness): BookData;
  /**
   * The best prices: from the book, polled every 2 s and at most 30 s old. In a backtest on candles: the
   * close of each bar of the run's timeframe, or of `timeframe`.
   */
  ticker(options?: Freshness & { readonly timeframe?: Timeframe }): TickerData;
  /** The public tape: polled every 8 s, at most 60 s old. Only new trades are delivered. */
  trades(freshness?: Freshness): TradesData;
  /** Statistics of the last day: polled every 10 s, at most 60 s old. */
  stats(freshness?: Freshness): StatsData;
}

/** Another venue of the configuration, whose public data is read. Nothing is traded there. */
interface OtherVenueData {
  /**
   * The order book of a market there, whose symbol is written as that venue does: polled every 2 s, at most
   * 30 s old. An older one is null in `ctx.data`, and orders of the strategy wait until there is a newer one.
   */
  book(symbol: string, freshness?: Freshness): BookData;
  /** The best prices of that book; null in `ctx.data` also while one side is empty. */
  ticker(symbol: string, freshness?: Freshness): TickerData;
}

/** Margin data of the exchange; no margin orders are made. Available in live and embedded runs only. */
export interface MarginData {
  /** Amounts that can be borrowed, by currency: polled every minute, at most 5 min old. Needs a token. */
  pools(freshness?: Freshness): PoolsData;
  /** The account's margin wallets: polled every 30 s, at most 3 min old. */
  wallets(freshness?: Freshness): MarginWalletsData;
  /**
   * The most that may be delegated of a currency, such as `btc`: of the base currency to sell short, of the
   * quote currency to buy. Polled every 5 min, at most 30 min old.
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
  /** Access to other markets: `markets.of('ETHIRT').candles('1h')`. */
  readonly markets: { readonly of: (symbol: string) => MarketData };
  /** Another venue by its name in the configuration: `venue('world').book('BTCUSDT')`. */
  readonly venue: (name: string) => OtherVenueData;
  /** Margin data of the exchange: `margin.pools()`. */
  readonly margin: MarginData;
  /** Timeframe of the run's candles. */
  readonly timeframe: Timeframe;
  /** False in a backtest on candles, which has no books, public trades or statistics. */
  readonly hasBooks: boolean;
  /**
   * A time by the calendar: `timer('0 9 * * *')` is nine o'clock in the morning, UTC. A sixth field, the
   * second, may come first. Times that passed while the bot was off are skipped.
   */
  readonly timer: (cron: string) => TimerData;
  /**
   * Signal that is sent to this strategy from outside under the name of this data: `sarraf signal`, or a
   * request. It is refused if its payload does not fit the schema, or if it is older than `maxAgeMs` (60,000;
   * at most 1,800,000) when the bot accepts it. Each id is delivered once.
   */
  readonly signal: <Schema extends z.ZodType>(
    schema: Schema,
    options?: { readonly maxAgeMs?: number },
  ) => SignalData<z.output<Schema>>;
  /**
   * Markets that are chosen by a rule and ranked again every `refreshMs`. Changes of members come as events;
   * a market that leaves is not sold.
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
  /** Markets of the exchange; undefined: any market is accepted. */
  readonly knownMarkets?: ReadonlySet<string> | undefined;
  /** Other venues of the configuration; undefined: any name is accepted. */
  readonly venues?: OtherVenueAges | undefined;
}): DataSetup<Params> {
  const { market, params, timeframe, hasBooks, marketNames, knownMarkets } = of;
  const dataOf = (symbol: string): MarketData =>
    marketData(marketNames.parseMarket(symbol), { symbol, timeframe, hasBooks });
  return {
    params,
    market: dataOf(market),
    markets: { of: dataOf },
    venue: (name) => otherVenueData(name, of),
    margin: MARGIN,
    timeframe,
    hasBooks,
    timer: (cron) => ({ kind: 'timer', from: { kind: 'timer', cron: timer('', cron).cron } }),
    signal: <Schema extends z.ZodType>(schema: Schema, options?: { readonly maxAgeMs?: number }) => {
      const { kind, maxAgeMs } = signalSubscription('', options);
      // The type of a signal's payload is the output of its schema.
      return { kind, from: { kind, maxAgeMs }, schema: schema as unknown as z.ZodType<z.output<Schema>> };
    },
    universe: (request) => {
      const rules = checkedUniverse(request, { marketNames, knownMarkets });
      if (rules.rankBy === 'spread' && !hasBooks) throw invalidStrategy(NO_SPREADS);
      return universeData(rules, { timeframe, hasBooks });
    },
  };
}

const NO_SPREADS =
  'universe.rankBy: expected a ranking that candles can tell (volume24h, volatility, change), was spread: run it with --fidelity poll on recorded statistics';

const NO_OTHER_VENUE =
  'expected a backtest on recorded books, since candles have no prices of another venue: record both with "sarraf run --record", then run it with --fidelity poll';

function otherVenueData(
  venue: string,
  { hasBooks, venues }: { readonly hasBooks: boolean; readonly venues?: OtherVenueAges | undefined },
): OtherVenueData {
  const place = `venue(${JSON.stringify(venue)})`;
  if (venues !== undefined && !Object.hasOwn(venues, venue)) {
    const known = Object.keys(venues).join(', ') || 'it has none';
    throw invalidStrategy(
      `${place}: expected one of the venues of the configuration (${known}): add it to venues, with its venue and baseUrl`,
    );
  }
  const longestMs = venues?.[venue] ?? Number.POSITIVE_INFINITY;
  const wish = (symbol: string, freshness?: Freshness): PolledSubscription => {
    if (!hasBooks) throw invalidStrategy(`${place}: ${NO_OTHER_VENUE}`);
    const wanted = book(otherMarketText({ venue, symbol }), freshness);
    const maxAgeMs = Math.min(wanted.maxAgeMs, longestMs);
    return { ...wanted, maxAgeMs, everyMs: Math.min(wanted.everyMs, maxAgeMs) };
  };
  return {
    book: (symbol, freshness) => ({ kind: 'book', from: wish(symbol, freshness) }),
    ticker: (symbol, freshness) => ({ kind: 'ticker', from: wish(symbol, freshness) }),
  };
}

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
      // The warm-up of one gives a price before the first live bar closes.
      from: run.hasBooks ? book(symbol, freshness) : candles(symbol, timeframe, { warmUp: 1 }),
    }),
    trades: (freshness) => ({ kind: 'trades', from: trades(symbol, freshness) }),
    stats: (freshness) => ({ kind: 'stats', from: stats(symbol, freshness) }),
  };
}

/** Statistics of a market's last day, from the exchange. For a closed market all other fields may be null. */
export interface MarketDay extends StatsFigures<number> {
  readonly market: string;
  readonly isClosed: boolean;
  readonly closedReason: string | null;
  readonly exact: StatsFigures<DecimalText>;
}

export function marketDayOf(stats: MarketStats): MarketDay {
  const { market, isClosed, closedReason, baseVolume, quoteVolume } = stats;
  const { bestSell, bestBuy, latest, mark, dayLow, dayHigh, dayOpen, dayClose, dayChange } = stats;
  const day = { latest, mark, dayLow, dayHigh, dayOpen, dayClose, dayChange };
  const exact = Object.freeze({ bestSell, bestBuy, baseVolume, quoteVolume, ...day });
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

const numberOf = (text: DecimalText | null): number | null => (text === null ? null : Number(text));

export interface TapeTrade extends Pick<PublicTrade, 'timeMs' | 'side'> {
  /** Price in the quote currency. */
  readonly price: number;
  /** Amount in the base currency. */
  readonly amount: number;
  /** These numbers as exact decimals. */
  readonly exact: Pick<PublicTrade, 'price' | 'amount'>;
}

/** New trades of the public tape. */
export interface Tape {
  readonly market: string;
  /** New trades, oldest first. */
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
