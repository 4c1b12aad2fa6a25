import type { BarAnchors } from '../domain/candle.ts';
import type { FeeSchedule } from '../domain/fee-schedule.ts';
import { parsePrice, priceUnits, type Market } from '../domain/market.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { type Price, UNITS_PER_ONE } from '../domain/money.ts';
import { Accounts } from './accounts.ts';
import type { UserId } from './wallet.ts';
import { BookViews } from './book-view.ts';
import { MarketState } from './market-state.ts';
import type { Services } from './services.ts';
import { DEFAULT_TRADING, type TradingSettings } from './requests.ts';
import { Trading } from './trading.ts';

/** A market as the exchange is set up with it. */
interface MarketSettings {
  readonly market: Market;
  /** Price before the first trade: a decimal on the market's grid. */
  readonly initialPrice: string;
  /** Display name of the source currency, as records show it (`Bitcoin`). */
  readonly baseName: string;
  readonly quoteName: string;
  /** Starts of its bars; see `CandleStore`. */
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
 * The exchange itself, without any wire: markets, wallets, trading and the services around them, moved by
 * calls that carry their time. It reads no clock and throws no dice; the same calls give the same replies.
 */
export class SimulatedExchange {
  readonly accounts: Accounts;
  readonly markets: ReadonlyMap<MarketSymbol, MarketState>;
  readonly trading: Trading;
  readonly books = new BookViews();
  readonly services: Services;
  /** By quote currency, then by base currency. */
  private readonly byCurrencies: ReadonlyMap<string, ReadonlyMap<string, MarketState>>;

  /**
   * `services` is made from the accounts, which belong to this exchange; so it is built here, not passed in.
   */
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

  /** The market of two currencies, lower case, or undefined. */
  marketOf(base: string, quote: string): MarketState | undefined {
    return this.byCurrencies.get(quote)?.get(base);
  }

  /**
   * Returns the value of units of a currency in rial at the last prices, directly or by way of tether; null
   * if no market gives it.
   */
  rialValue(currency: string, units: bigint): bigint | null {
    if (currency === 'rls') return units;
    const direct = this.lastPriceOf(currency, 'rls');
    if (direct !== null) return (units * direct) / UNITS_PER_ONE;
    const inTether = this.lastPriceOf(currency, 'usdt');
    const tether = this.lastPriceOf('usdt', 'rls');
    if (inTether === null || tether === null) return null;
    return (units * inTether * tether) / (UNITS_PER_ONE * UNITS_PER_ONE);
  }

  /** A user's trades of the last 30 days: their worth in rial, and how many. */
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
