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

/** Time since each kind of data was read, in ms; null before the first reading. */
export interface DataAges {
  /** Time since the order book was read, in ms; null before the first reading. */
  readonly book: number | null;
  /** Time since the market's statistics were read, in ms; null before the first reading. */
  readonly stats: number | null;
  /** Time since the public trades were read, in ms; null before the first reading. */
  readonly trades: number | null;
  /** Time since candles were read, in ms; null before the first reading. */
  readonly candles: number | null;
  /** Time since the account's orders were read, in ms; null before the first reading. */
  readonly orders: number | null;
  /** Time since the account's trades were read, in ms; null before the first reading. */
  readonly fills: number | null;
  /** Time since the account's balances were read, in ms; null before the first reading. */
  readonly balances: number | null;
}

/** Type of the values of indicators when none is null. */
export type WarmValues<Specs extends IndicatorSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends MemberIndicatorSpec
    ? OfMembers<ValueOf<Specs[Name]> | null>
    : ValueOf<Specs[Name]>;
};

/** Type of the values of indicators when each may still be null. */
export type ColdValues<Specs extends IndicatorSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends MemberIndicatorSpec
    ? OfMembers<ValueOf<Specs[Name]> | null>
    : ValueOf<Specs[Name]> | null;
};

type Retained =
  | Extract<Data, { kind: 'candles' | 'book' | 'ticker' | 'stats' | MarginSubscription['kind'] }>
  | UniverseData
  | MemberData;

/** Names of data that can be read between two of its events. */
type Lasting<Declared extends DeclaredData> = {
  [Name in keyof Declared]: Declared[Name] extends Retained | readonly Retained[] ? Name : never;
}[keyof Declared];

type Candles<Declared extends DeclaredData> = {
  [Name in keyof Declared]: Declared[Name] extends CandleData | MemberCandles ? Name : never;
}[keyof Declared];

/** One market as the strategy sees it, and the intents that it can make there. */
export interface MarketContext extends MarketIntents {
  /** Symbol of the market, such as `BTCIRT`. */
  readonly market: string;
  /** Base currency, which is traded, in lower case: `btc`. */
  readonly base: string;
  /** Quote currency, in which prices are, in lower case: `rls`. */
  readonly quote: string;
  /**
   * The strategy's own holding, in the base currency: what its fills bought, less what they sold and
   * fees, over all markets of that currency, plus its `inventory`. At least zero. Tether spent in tether
   * markets is subtracted from the position in USDTIRT.
   */
  readonly position: number;
  /** Amount of the base currency that the configuration gives it (`inventory`); part of its position. */
  readonly inventory: number;
  /** Amount of the base currency that it may sell: its position less what orders and algorithms reserve. */
  readonly freeBase: number;
  /** Amount of the quote currency that it may spend: what is free and, at most, left of its capital. */
  readonly freeQuote: number;
  /**
   * Worth of all that the strategy has, in the quote currency; each asset counts once. It is the strategy's
   * capital (or else the account's balance) in the quote currencies of its markets, and every coin that its
   * fills brought. Null without a price.
   */
  readonly equity: number | null;
  /** Steps and least value of orders. Throws for a market that the bot does not follow. */
  readonly rules: Rules;
  /**
   * Locks that refuse new risk of this strategy here now, the last to end first; mostly empty. A drawdown
   * lock can also begin with an order, since drawdown is checked again for each.
   */
  readonly locks: readonly ShownLock[];
  /** Time since each kind of data was read, in ms. */
  readonly ages: DataAges;
  /** The amounts above as exact decimals. */
  readonly exact: {
    readonly position: DecimalText;
    readonly freeBase: DecimalText;
    readonly freeQuote: DecimalText;
    readonly equity: DecimalText | null;
  };
  /**
   * True if an amount (base currency) is enough for an order at a price (quote currency): at least one step,
   * and worth more than the least value. The rest of a sale after rounding down is not enough.
   */
  readonly isTradable: (amount: number, price: number) => boolean;
  /**
   * Draws a value with the bars of this market, at the event's bar or else at the run's time: over the bars,
   * or in a pane below them. Null is a gap. The values are only drawn; orders never use them. At most 100
   * series for each strategy. Throws for a value that is not finite.
   */
  readonly plot: (name: string, value: number | null, options?: PlotOptions) => void;
}

/**
 * Context of every handler, for the strategy's own market. It shows the state as the bot knows it, a little
 * behind the exchange. Each part is computed only when it is read. Valid during the call only.
 */
export interface StrategyContext<
  Params = unknown,
  State = unknown,
  Declared extends DeclaredData = DeclaredData,
  Values = unknown,
> extends MarketContext {
  /** Parameters as the schema returns them, with its defaults. */
  readonly params: Params;
  /** State of the strategy, frozen; `setState` changes it. */
  readonly state: State;
  /** Changes fields of the state; other fields stay. The change is dropped if the handler throws. */
  readonly setState: (change: Partial<State>) => void;
  /** The run's time, in ms since 1970. */
  readonly nowMs: number;
  /** Last value of each declared data; null before the first. */
  readonly data: { readonly [Name in Lasting<Declared>]: LastOf<Declared[Name]> };
  /** Last bars of declared candles, oldest first, as many as `history` says; of members by market. */
  readonly history: {
    readonly [Name in Candles<Declared>]: Declared[Name] extends MemberCandles
      ? OfMembers<readonly Bar[]>
      : readonly Bar[];
  };
  /** Values of the declared indicators. */
  readonly indicators: Values;
  /** Own orders of all markets that are not final. */
  readonly orders: readonly Order[];
  /** Contexts of other markets: `markets.of('ETHIRT').buy({ … })`. */
  readonly markets: { readonly of: (symbol: string) => MarketContext };
  /** Cancels one of its own orders; for a leg of a pair, both legs. */
  readonly cancel: (clientOrderId: string) => void;
  /** Cancels all own orders and ends running algorithms, in one market or in all. */
  readonly cancelAll: (market?: string) => void;
  /** Changes an open limit order: it is canceled, and once its fills are known the rest is placed. */
  readonly replace: (clientOrderId: string, change: Change) => void;
  /**
   * Sets shares of the equity by market, each 0 to 1, together at most 1, all in one quote currency. Sales
   * come first, then purchases. A market that is not named is left alone.
   */
  readonly targets: (shares: Readonly<Record<string, DecimalInput>>, options?: TargetsOptions) => void;
  /**
   * Moves money between the spot and the margin wallet of a currency. The request is sent once and never
   * repeated; its outcome comes as the event `transfer`, or as a rejection.
   */
  readonly transfer: (request: TransferWish) => void;
  /**
   * Writes a line to the log of the bot, the mirror (`sarraf intents --log`) or the backtest's result. At
   * most 20 lines for each call and 1000 for each hour, of 500 characters each. `fields` are plain JSON.
   */
  readonly log: (text: string, fields?: Readonly<Record<string, unknown>>) => void;
}
