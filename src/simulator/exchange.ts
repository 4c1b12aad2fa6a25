import type { BarAnchors } from '../domain/candle.ts';
import { type FeeSchedule, parsePrice, priceUnits, type Market } from '../domain/market.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { type Price, UNITS_PER_ONE } from '../domain/money.ts';
import { Accounts, type UserId } from './accounts.ts';
import type { BookSide } from './matching-book.ts';
import { MarketState } from './market-state.ts';
import type { Services } from './services.ts';
import { DEFAULT_TRADING, type TradingSettings } from './requests.ts';
import { Trading } from './trading.ts';

/** Settings of one market. */
interface MarketSettings {
  readonly market: Market;
  /** Price before the first trade, as a decimal on the market's grid. */
  readonly initialPrice: string;
  /** Display name of the base currency, as records show it (`Bitcoin`). */
  readonly baseName: string;
  readonly quoteName: string;
  /** Anchors of its bars; see `CandleStore`. */
  readonly barAnchors?: BarAnchors | undefined;
}

interface ExchangeSettings {
  readonly markets: readonly MarketSettings[];
  readonly fees: FeeSchedule;
  readonly trading?: Partial<TradingSettings>;
  readonly transactionsKept?: number;
  readonly firstOrderId?: number;
  readonly firstTradeId?: number;
}

const MONTH_MS = 30 * 86_400_000;

/**
 * The exchange itself without HTTP: markets, wallets, trading and other services. Calls carry the time and
 * move it. It reads no clock and uses no randomness: the same calls give the same replies.
 */
export class SimulatedExchange {
  readonly accounts: Accounts;
  readonly markets: ReadonlyMap<MarketSymbol, MarketState>;
  readonly trading: Trading;
  readonly books = new BookViews();
  readonly services: Services;
  /** Markets by quote currency, then by base currency. */
  private readonly byCurrencies: ReadonlyMap<string, ReadonlyMap<string, MarketState>>;

  /** `services` makes the services in the constructor, since they need this exchange's accounts. */
  constructor(settings: ExchangeSettings, services: (exchange: SimulatedExchange) => Services) {
    this.accounts = new Accounts(
      settings.transactionsKept === undefined ? {} : { transactionsKept: settings.transactionsKept },
    );
    this.markets = new Map(
      settings.markets.map((market) => [market.market.symbol, this.createMarket(market)]),
    );
    const byQuote = Map.groupBy(this.markets.values(), ({ rules }) => rules.quote);
    this.byCurrencies = new Map(
      [...byQuote].map(([quote, markets]) => [
        quote,
        new Map(markets.map((market) => [market.rules.base, market])),
      ]),
    );
    this.trading = new Trading({
      accounts: this.accounts,
      markets: this.markets,
      fees: settings.fees,
      settings: { ...DEFAULT_TRADING, ...settings.trading },
      isBarred: (userId, quote) => this.services.users.find(userId)?.barredFrom(quote) ?? null,
      firstOrderId: settings.firstOrderId ?? 1,
      firstTradeId: settings.firstTradeId ?? 1,
    });
    this.services = services(this);
  }

  /** Does everything that is due by `timeMs`. Time must not go back. */
  advance(timeMs: number): void {
    this.trading.advance(timeMs);
    this.services.advance(timeMs);
  }

  /** Returns the market of two currencies, lower case; undefined if there is none. */
  marketOf(base: string, quote: string): MarketState | undefined {
    return this.byCurrencies.get(quote)?.get(base);
  }

  /** Returns the value of units in rial at the last prices, maybe through tether; null without a market. */
  rialValue(currency: string, units: bigint): bigint | null {
    if (currency === 'rls') return units;
    const direct = this.lastPriceOf(currency, 'rls');
    if (direct !== null) return (units * direct) / UNITS_PER_ONE;
    const inTether = this.lastPriceOf(currency, 'usdt');
    const tether = this.lastPriceOf('usdt', 'rls');
    if (inTether === null || tether === null) return null;
    return (units * inTether * tether) / (UNITS_PER_ONE * UNITS_PER_ONE);
  }

  /** Returns the value in rial and the number of a user's trades of the last 30 days. */
  monthTrades(userId: UserId, timeMs: number): { readonly total: bigint; readonly count: number } {
    const trades = this.trading
      .trader(userId)
      .trades.values()
      .filter((trade) => trade.timeMs > timeMs - MONTH_MS);
    const total = trades.reduce(
      (sum, trade) => sum + (this.rialValue(trade.taker.market.rules.quote, trade.takerTotal) ?? 0n),
      0n,
    );
    return { total, count: trades.length };
  }

  private lastPriceOf(base: string, quote: string): bigint | null {
    const market = this.marketOf(base, quote);
    return market === undefined ? null : priceUnits(market.grid, market.lastPrice as Price);
  }

  private createMarket(settings: MarketSettings): MarketState {
    const { market } = settings;
    return new MarketState({
      market,
      lastPrice: parsePrice(market, settings.initialPrice),
      baseName: settings.baseName,
      quoteName: settings.quoteName,
      barAnchors: settings.barAnchors,
      baseHouse: this.accounts.houseOf(market.base),
      quoteHouse: this.accounts.houseOf(market.quote),
    });
  }
}

/** Levels that are shown on each side of a book. */
const BOOK_DEPTH = 24;

/** Age up to which a book is served again, in ms: calls within it get the same book, as in the interface. */
const BOOK_CACHE_MS = 1_000;

/** A level of a book, in steps of the view's grid. */
export interface ViewLevel {
  readonly price: number;
  readonly amount: number;
}

/** A public view of a book, served for a second. Both sides are best first. */
export interface BookView {
  readonly snapshotAtMs: number;
  /** Time of the last change of the book before the view; if it never changed, time of the first view. */
  readonly changedAtMs: number;
  readonly grid: Market;
  readonly buys: readonly ViewLevel[];
  readonly sells: readonly ViewLevel[];
  readonly lastPrice: number;
}

/** Public views of the books, one for each market, each made at most once a second. */
class BookViews {
  private readonly views = new Map<MarketState, BookView>();

  of(market: MarketState, timeMs: number): BookView {
    const cached = this.views.get(market);
    if (cached !== undefined && timeMs - cached.snapshotAtMs < BOOK_CACHE_MS && timeMs >= cached.snapshotAtMs)
      return cached;
    market.bookChangedAtMs ??= timeMs;
    const view: BookView = {
      snapshotAtMs: timeMs,
      changedAtMs: market.bookChangedAtMs,
      grid: market.grid,
      buys: levelsOf(market.book.buys),
      sells: levelsOf(market.book.sells),
      lastPrice: market.lastPrice,
    };
    this.views.set(market, view);
    return view;
  }
}

const levelsOf = (side: BookSide): readonly ViewLevel[] =>
  side.top(BOOK_DEPTH).map(({ price, amount }) => ({ price, amount }));

/**
 * Merges levels into coarser ones, as the depth endpoint shows them. The interface says only that they are
 * aggregated and rounded: here prices go to four significant digits, buys down and sells up, so that a merged
 * level never looks better than its parts.
 */
export function aggregateLevels(
  levels: readonly ViewLevel[],
  direction: 'down' | 'up',
): readonly ViewLevel[] {
  const gathered = new Map<number, number>();
  for (const { price, amount } of levels) {
    const unit = 10 ** Math.max(0, Math.floor(Math.log10(price)) - 3);
    const rounded = (direction === 'down' ? Math.floor(price / unit) : Math.ceil(price / unit)) * unit;
    gathered.set(rounded, (gathered.get(rounded) ?? 0) + amount);
  }
  return [...gathered].map(([price, amount]) => ({ price, amount }));
}
