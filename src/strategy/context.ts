import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import type { ClosedCandle, IndicatorSpecs, OwnOrder } from './definition.ts';
import type { ValueOf } from './indicator-specs.ts';
import type { MarketRules } from './market-rules.ts';

/** How long ago each kind of data was read, in ms; null before the first. */
export interface DataAges {
  readonly book: number | null;
  readonly stats: number | null;
  readonly trades: number | null;
  readonly candles: number | null;
  readonly orders: number | null;
  readonly fills: number | null;
  readonly balances: number | null;
}

/**
 * What every handler gets. Everything is as the bot has seen it, which is a little behind the exchange. What is asked for is worked out when it is asked
 * for, so it costs nothing to leave a part alone; `{ ...context }` holds next to nothing. To be used during the call only.
 */
export interface StrategyContext<Params, State, Specs extends IndicatorSpecs = IndicatorSpecs> {
  readonly params: Params;
  readonly state: State;
  /** The strategy's own market. */
  readonly market: string;
  readonly nowMs: number;
  /**
   * The strategy's own holding of the market's coin: what its fills bought less what they sold, fees taken off, over all markets of the coin together. Tether
   * that was spent in tether markets is taken off the position in USDTIRT.
   */
  readonly position: DecimalText;
  /** Free balances of the account, by lower-case currency. */
  readonly free: Readonly<Record<string, DecimalText>>;
  /**
   * All that the strategy has, each asset valued once in the market's quote currency: its capital, or else the account's balance, of the quote currencies of its
   * markets, and every coin that its fills brought. Null without a price.
   */
  readonly equity: DecimalText | null;
  /** Own orders of all markets that are not at their end. */
  readonly orders: readonly OwnOrder[];
  /** The last book that was seen. */
  readonly book: OrderBook | null;
  readonly stats: MarketStats | null;
  /** Steps and least value of the strategy's own market. */
  readonly rules: MarketRules;
  readonly ages: DataAges;
  /** Values of the declared indicators; null until each has seen enough candles. */
  readonly indicators: { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> | null };
  /** The last bars of the first candle subscription, oldest first, at most as many as its `warmUp` says. */
  readonly history: readonly ClosedCandle[];
  /**
   * Writes a line to the log of the bot, the mirror (`sarraf intents --log`) or the backtest's result. Of a call 20 lines are kept, of an hour 1000, of a
   * line 500 characters. `fields` are plain JSON.
   */
  readonly log: (text: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** The same of other markets. */
  readonly positionOf: (market: string) => DecimalText;
  readonly equityOf: (market: string) => DecimalText | null;
  readonly bookOf: (market: string) => OrderBook | null;
  readonly statsOf: (market: string) => MarketStats | null;
  /** Null for a market that the bot does not follow. */
  readonly rulesOf: (market: string) => MarketRules | null;
  readonly agesOf: (market: string) => DataAges;
  /** The last bars of another candle subscription; empty where there is none. */
  readonly historyOf: (market: string, timeframe: Timeframe) => readonly ClosedCandle[];
}
