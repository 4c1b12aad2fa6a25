import type { Market } from '../../domain/market.ts';
import type { Currency, MarketNames } from '../../domain/market-symbol.ts';
import type { BookSides } from '../../domain/order-book.ts';
import { formatUnits, type Units } from '../../domain/money.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { RiskLimits } from '../risk-limits.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { bothTimesText } from '../../domain/zone-time.ts';

export const BPS_OF_ALL = 10_000n;

/** An order that is about to be planned, fitted to its market. Units of 1e-10. */
export interface WantedOrder extends Pick<
  OrderRecord,
  'strategy' | 'side' | 'execution' | 'price' | 'stopPrice' | 'amount'
> {
  readonly market: Market;
  /** True if it is the exit of a position that would be unprotected without it. */
  readonly isExit: boolean;
  /** True if it is only checked: a refusal is neither counted nor logged. */
  readonly isDryRun?: boolean;
}

/**
 * Best prices of the last book that was read of a market, in units of the quote currency for one of the
 * base currency; null on an empty side.
 */
export interface SeenBook {
  readonly bestBid: Units | null;
  readonly bestAsk: Units | null;
  readonly seenAtMs: number;
  /** Time of the book by the exchange; null if not given. */
  readonly venueAtMs: number | null;
  /**
   * Time until which there can be no newer price: where bars replace books, the next one closes then. Null
   * for a book.
   */
  readonly freshUntilMs: number | null;
  /** Levels of the book; left out for a bar. */
  readonly sides?: BookSides;
}

/** Kind of data that is newer than a book at a standstill. */
export type MarketNews = 'newer-trades' | 'newer-stats' | 'newer-book' | 'newer-other-books';

/** A book whose own time does not move though it is read, and what shows that the market went on. */
export interface MarketStandstill {
  readonly market: string;
  /** Time of the book, by the exchange's clock. */
  readonly sinceMs: number;
  readonly ageMs: number;
  /** Data that shows that the market went on; null if nothing of the exchange moves. */
  readonly news: MarketNews | null;
}

/** A book of another venue that is too old for a strategy; `ageMs` is null if it was never read. */
export interface LateBook {
  readonly market: string;
  readonly ageMs: number | null;
  readonly limitMs: number;
}

/** Gains and losses of one strategy in all its markets, each asset valued once, in units of `quote`. */
export interface PnlView {
  readonly quote: Currency;
  /** Realised and unrealised result since the day began (00:00 UTC). Negative for a loss. */
  readonly dayResult: Units;
  /** Highest result so far; the drawdown is its difference to the current result. */
  readonly peakResult: Units;
  readonly result: Units;
  /**
   * Assets that are held and have no price in `quote`. While there are any, the numbers are the last ones
   * from before.
   */
  readonly unvalued: readonly string[];
}

/** Results of one strategy in every quote currency of its markets. */
export interface PnlViews {
  readonly inCurrencies: readonly PnlView[];
  /** Number of losing round trips in a row, and the time the last one ended; null if there was none. */
  readonly lossesInARow: number;
  readonly lastLossAtMs: number | null;
}

/**
 * Input of the checks for one requested order, made by the engine. Nothing in it changes while the checks
 * run.
 */
export interface RiskView {
  readonly nowMs: number;
  readonly order: WantedOrder;
  readonly book: SeenBook | null;
  /** Standstill of the book at the exchange while the market goes on; null if nothing shows one. */
  readonly standstill: MarketStandstill | null;
  /** A late book of another venue by which the order was decided; null if none is late. */
  readonly late: LateBook | null;
  /** The strategy's own holding of the base currency over all its markets; may be negative. */
  readonly position: Units;
  /** Every order of this bot that may still trade or is planned, of all strategies and markets. */
  readonly liveOrders: readonly OrderRecord[];
  /** States in which the exchange reports an order as working: a stop in such a state was triggered. */
  readonly working: readonly string[];
  /**
   * Holdings of all strategies of this bot by market symbol, each coin once (`positionIn`), with the last
   * price in units; null before the first.
   */
  readonly holdings: ReadonlyMap<
    string,
    { readonly market: Market; readonly position: Units; readonly price: Units | null }
  >;
  readonly results: PnlViews;
  /** Times at which orders of this strategy were planned within the last hour, oldest first. */
  readonly plannedAtMs: readonly number[];
  readonly marketNames: MarketNames;
}

/** Reason one check refuses an order, for people and programs. */
export interface Objection {
  /** One sentence with the numbers: the limit, and what the order would lead to. */
  readonly reason: Sentence;
  /** Numbers of the sentence by name, decimals as texts. */
  readonly numbers: Readonly<Record<string, string | number | null>>;
}

/** A refusal with the check that made it, such as `order-value`. */
export interface RiskRefusal extends Objection {
  readonly check: string;
}

/** A check: returns why it refuses the order of the view, or null. It reads nothing but its arguments. */
export type RiskCheck = (view: RiskView, limits: RiskLimits) => Objection | null;

/** Writes an amount with its currency, as refusals do: `1.2 BTC`. */
export function amountText(units: bigint, market: Market): string {
  return `${formatUnits(units)} ${market.base.toUpperCase()}`;
}

/** Writes a value or price with its currency: `5000 USDT`. */
export function quoteText(units: bigint, quote: string): string {
  return `${formatUnits(units)} ${quote.toUpperCase()}`;
}

/** Returns why no order is placed during a standstill, in a sentence that stays the same while it lasts. */
export function standstillText({ market, sinceMs, news }: MarketStandstill, limitMs: number): Sentence {
  return sentence('market-standstill', {
    market,
    since: bothTimesText(sinceMs),
    limit: limitMs,
    news: sentence(news ?? 'nothing-newer'),
  });
}
