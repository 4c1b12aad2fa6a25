import type { Market } from '../../domain/market.ts';
import type { Currency, MarketNames } from '../../domain/market-symbol.ts';
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
}

/**
 * The last book that was seen of a market. Units of the quote currency for one of the source currency; null
 * on an empty side.
 */
export interface SeenBook {
  readonly bestBid: Units | null;
  readonly bestAsk: Units | null;
  readonly seenAtMs: number;
  /** Time of the book by the exchange; null if not given. */
  readonly venueAtMs: number | null;
  /**
   * Until when there can be no newer one: where bars come in place of books, the next one closes then.
   * Null for a book.
   */
  readonly freshUntilMs: number | null;
}

/** Data that is newer than a book that stands still. */
export type MarketNews = 'newer-trades' | 'newer-stats' | 'newer-book' | 'newer-other-books';

/** A book whose own time does not move though it is read, and what shows that the market went on. */
export interface MarketStandstill {
  readonly market: string;
  /** By the exchange's own time. */
  readonly sinceMs: number;
  readonly ageMs: number;
  /** Null where nothing of the exchange moves. */
  readonly news: MarketNews | null;
}

/**
 * Gains and losses of one strategy in all its markets, each asset valued once in `quote`, in units of that.
 */
export interface PnlView {
  readonly quote: Currency;
  /** Realised and unrealised since the day began (00:00 UTC). Negative for a loss. */
  readonly dayResult: Units;
  /** The highest result there ever was, and where it is now; the difference is the drawdown. */
  readonly peakResult: Units;
  readonly result: Units;
  /**
   * Assets that are held and have no price in `quote`: while there are any, the numbers are those of the last
   * time that there were none.
   */
  readonly unvalued: readonly string[];
}

/** The same result in every quote currency of the strategy's markets. */
export interface PnlViews {
  readonly inCurrencies: readonly PnlView[];
  /** Losing round trips in a row, and when the last one ended. */
  readonly lossesInARow: number;
  readonly lastLossAtMs: number | null;
}

/**
 * Input of the checks. Made by the engine for one requested order; nothing in it changes while the checks
 * run.
 */
export interface RiskView {
  readonly nowMs: number;
  readonly order: WantedOrder;
  readonly book: SeenBook | null;
  /** Standstill of the book at the exchange while the market goes on; null if nothing shows one. */
  readonly standstill: MarketStandstill | null;
  /** The strategy's own holding of the source currency over all its markets; may be negative. */
  readonly position: Units;
  /** Every order of this bot that may still trade or is planned, of all strategies and markets. */
  readonly liveOrders: readonly OrderRecord[];
  /** The exchange's words for an order that works: a stop of which it says so has woken. */
  readonly working: readonly string[];
  /**
   * By market symbol: what all strategies of this bot hold there, each coin once (`positionIn`), and its last
   * price in units; null before the first.
   */
  readonly holdings: ReadonlyMap<
    string,
    { readonly market: Market; readonly position: Units; readonly price: Units | null }
  >;
  readonly results: PnlViews;
  /** Times at which orders of this strategy were planned within the last hour, rising. */
  readonly plannedAtMs: readonly number[];
  readonly marketNames: MarketNames;
}

/** Reason one check refuses an order, for people and programs. */
export interface Objection {
  /** One sentence with the numbers: what the limit is, and what the order would make of it. */
  readonly reason: Sentence;
  /** The same numbers by name, decimals as texts. */
  readonly numbers: Readonly<Record<string, string | number | null>>;
}

/** A refusal with the check that made it, such as `order-value`. */
export interface RiskRefusal extends Objection {
  readonly check: string;
}

/** One check: why it refuses the order of the view, or null. It looks at nothing but its arguments. */
export type RiskCheck = (view: RiskView, limits: RiskLimits) => Objection | null;

/** An amount with its currency, as a refusal says it: `1.2 BTC`. */
export function amountText(units: bigint, market: Market): string {
  return `${formatUnits(units)} ${market.base.toUpperCase()}`;
}

/** A value or price with its currency: `5000 USDT`. */
export function quoteText(units: bigint, quote: string): string {
  return `${formatUnits(units)} ${quote.toUpperCase()}`;
}

/** Returns the reason no order is placed on it, in a sentence that stays the same while it lasts. */
export function standstillText({ market, sinceMs, news }: MarketStandstill, limitMs: number): Sentence {
  return sentence('market-standstill', {
    market,
    since: bothTimesText(sinceMs),
    limit: limitMs,
    news: sentence(news ?? 'nothing-newer'),
  });
}
