import type { DecimalText } from '../domain/decimal-text.ts';
import type { Bar } from './data/bar.ts';
import type { CandleData, Data, DeclaredData, LastOf } from './data/data.ts';
import type { IndicatorSpecs, MemberIndicatorSpec, ValueOf } from './indicators/declare-indicator.ts';
import type { MemberCandles, MemberData, OfMembers, UniverseData } from './universe/member-data.ts';
import type { Change, DecimalInput, TargetsOptions, TransferWish } from './intents.ts';
import type { MarketIntents } from './handlers/market-intents.ts';
import type { Rules, ShownLock, Order } from './strategy-event.ts';
import type { PlotOptions } from './plots.ts';
import type { MarginSubscription } from './subscriptions.ts';

/** Age of each kind of data since its reading, in ms; null before the first. */
export interface DataAges {
  /** Since the order book was read, in ms; null before the first. */
  readonly book: number | null;
  /** Since the numbers of the market's day were read, in ms; null before the first. */
  readonly stats: number | null;
  /** Since the public tape was read, in ms; null before the first. */
  readonly trades: number | null;
  /** Since candles were read, in ms; null before the first. */
  readonly candles: number | null;
  /** Since the account's orders were read, in ms; null before the first. */
  readonly orders: number | null;
  /** Since the account's trades were read, in ms; null before the first. */
  readonly fills: number | null;
  /** Since the account's balances were read, in ms; null before the first. */
  readonly balances: number | null;
}

/** Values of indicators that all have one. */
export type WarmValues<Specs extends IndicatorSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends MemberIndicatorSpec
    ? OfMembers<ValueOf<Specs[Name]> | null>
    : ValueOf<Specs[Name]>;
};

/** Values of indicators, null of those that have none yet. */
export type ColdValues<Specs extends IndicatorSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends MemberIndicatorSpec
    ? OfMembers<ValueOf<Specs[Name]> | null>
    : ValueOf<Specs[Name]> | null;
};

type Retained =
  | Extract<Data, { kind: 'candles' | 'book' | 'ticker' | 'stats' | MarginSubscription['kind'] }>
  | UniverseData
  | MemberData;

/** Names of data that can be looked at between two events of it. */
type Lasting<Declared extends DeclaredData> = {
  [Name in keyof Declared]: Declared[Name] extends Retained | readonly Retained[] ? Name : never;
}[keyof Declared];

type Candles<Declared extends DeclaredData> = {
  [Name in keyof Declared]: Declared[Name] extends CandleData | MemberCandles ? Name : never;
}[keyof Declared];

/** State of a strategy in a market, and the intents it can make there. */
export interface MarketContext extends MarketIntents {
  /** Such as `BTCIRT`. */
  readonly market: string;
  /** The currency that is traded, lower case: `btc`. */
  readonly base: string;
  /** The currency of its prices, lower case: `rls`. */
  readonly quote: string;
  /**
   * The strategy's own holding, in the base currency: what its fills bought less what they sold, fees taken
   * off, over all markets of that currency together, and what it was given of it. At least zero. Tether spent
   * in tether markets is taken off the position in USDTIRT.
   */
  readonly position: number;
  /** Amount of the base currency given by its configuration (`inventory`), which is part of its position. */
  readonly inventory: number;
  /**
   * Amount of the base currency that it may sell: its position less the amounts reserved by orders and
   * algorithms.
   */
  readonly freeBase: number;
  /** Amount of the quote currency that it may spend: the same, and no more than is left of its capital. */
  readonly freeQuote: number;
  /**
   * All that the strategy has, each asset valued once in the quote currency: its capital, or else the
   * account's balance, of the quote currencies of its markets, and every coin that its fills brought. Null
   * without a price.
   */
  readonly equity: number | null;
  /** Steps and least value of orders. Throws for a market that the bot does not follow. */
  readonly rules: Rules;
  /**
   * Locks that refuse new risk of this strategy here now, the one that ends last first; mostly none. A
   * drawdown is looked at again with each order, so that one can also begin with it.
   */
  readonly locks: readonly ShownLock[];
  /** Age of each kind of data since its reading, in ms. */
  readonly ages: DataAges;
  /** The numbers above with every digit. */
  readonly exact: {
    readonly position: DecimalText;
    readonly freeBase: DecimalText;
    readonly freeQuote: DecimalText;
    readonly equity: DecimalText | null;
  };
  /**
   * True if an amount (base currency) is enough for an order at a price (quote currency): at least a step,
   * and worth more than the least value. The rest of a sale rounded down to the step is not.
   */
  readonly isTradable: (amount: number, price: number) => boolean;
  /**
   * Draws a value with the bars of this market, at the bar of the event or else at the run's time: over the
   * bars, or in a pane below them. Null is a gap. Numbers for the eye, which orders never use. A strategy has
   * 100 series at most. Throws for a value that is not finite.
   */
  readonly plot: (name: string, value: number | null, options?: PlotOptions) => void;
}

/**
 * Context of every handler, for the strategy's own market. Everything is as the bot has seen it, a little
 * behind the exchange. Each part is computed only when it is read, so an unused part costs nothing. To be
 * used during the call only.
 */
export interface StrategyContext<
  Params = unknown,
  State = unknown,
  Declared extends DeclaredData = DeclaredData,
  Values = unknown,
> extends MarketContext {
  /** As the schema gives them: with its defaults. */
  readonly params: Params;
  /** Frozen: `setState` changes it. */
  readonly state: State;
  /** Changes fields of the state; what is left out stays. Nothing is kept where the handler throws. */
  readonly setState: (change: Partial<State>) => void;
  /** The run's time, in ms since 1970. */
  readonly nowMs: number;
  /** The last of each data that was declared; null before the first. */
  readonly data: { readonly [Name in Lasting<Declared>]: LastOf<Declared[Name]> };
  /**
   * The last bars of declared candles, oldest first, as many as `history` of `candles` says; of members by
   * their market.
   */
  readonly history: {
    readonly [Name in Candles<Declared>]: Declared[Name] extends MemberCandles
      ? OfMembers<readonly Bar[]>
      : readonly Bar[];
  };
  /** Values of the declared indicators. */
  readonly indicators: Values;
  /** Own orders of all markets that are not at their end. */
  readonly orders: readonly Order[];
  /** The same of another market: `markets.of('ETHIRT').buy({ … })`. */
  readonly markets: { readonly of: (symbol: string) => MarketContext };
  /** Cancels one of its own orders; for a leg of a pair, both legs. */
  readonly cancel: (clientOrderId: string) => void;
  /** Ends all own orders, in one market or without it in all, and algorithms at work there. */
  readonly cancelAll: (market?: string) => void;
  /**
   * Gives an open limit order another price or amount: it is canceled, and once its fills are known the rest
   * is placed.
   */
  readonly replace: (clientOrderId: string, change: Change) => void;
  /**
   * Shares of the equity by market, 0 to 1 and at most 1 together, of one quote currency: sales first, then
   * purchases. A market that is not named is left alone.
   */
  readonly targets: (shares: Readonly<Record<string, DecimalInput>>, options?: TargetsOptions) => void;
  /**
   * Moves money between the spot and the margin wallet of a currency. It is sent once, and never again by
   * itself; what became of it comes as the event `transfer`, or as a rejection.
   */
  readonly transfer: (request: TransferWish) => void;
  /**
   * Writes a line to the log of the bot, the mirror (`sarraf intents --log`) or the backtest's result. Of a
   * call 20 lines are kept, of an hour 1000, of a line 500 characters. `fields` are plain JSON.
   */
  readonly log: (text: string, fields?: Readonly<Record<string, unknown>>) => void;
}
