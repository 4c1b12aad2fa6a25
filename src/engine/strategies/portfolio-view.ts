import type { DecimalText } from '../../domain/decimal-text.ts';
import { present } from '../../domain/errors.ts';
import type { SeenMargin } from '../../records/margin.ts';
import type { MarketStats, OrderBook } from '../../domain/order-book.ts';
import type { Currency, MarketNames } from '../../domain/market-symbol.ts';
import { addUnits, formatUnits, NO_UNITS, numberOfUnits, type Units } from '../../domain/money.ts';
import { labelsOf, type OrderRecord } from '../../records/order.ts';
import { valueIn, type PriceOf, type Prices } from '../../portfolio/holding.ts';
import type { MarketRules, EngineView, OwnOrder, ShownLock } from '../../strategy/strategy-event.ts';
import type { UniverseState } from '../../strategy/rank-markets.ts';
import type { AccountState, MarginCache } from '../feeds/account-state.ts';
import { candlesSeenAtMs, type CandleReaders } from '../feeds/candle-reader.ts';
import type { CachedMarket, MarketDataCache } from '../feeds/market-data-cache.ts';
import type { OrderBlotter } from '../orders/order-blotter.ts';
import type { Reservations } from '../risk/reservations.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

const NO_ORDERS: readonly OwnOrder[] = [];

interface PortfolioViewsOptions {
  readonly markets: MarketDataCache;
  readonly blotter: OrderBlotter;
  readonly account: AccountState;
  readonly reservations: Reservations;
  readonly readers: CandleReaders;
  readonly margin: MarginCache;
  readonly universeOf: (instance: StrategyInstance, name: string) => UniverseState | null;
  readonly locksOn: (strategy: string, market: string) => readonly ShownLock[];
}

/** Views of all strategies. */
export class PortfolioViews {
  private readonly views: ReadonlyMap<StrategyInstance, PortfolioView>;

  constructor(instances: readonly StrategyInstance[], options: PortfolioViewsOptions) {
    this.views = new Map(instances.map((instance) => [instance, new PortfolioView(instance, options)]));
  }

  of(instance: StrategyInstance): PortfolioView {
    return present(this.views.get(instance), () => `a view of ${instance.name}, an instance of this engine`);
  }
}

/** View of one strategy. Everything is computed when it is read. */
export class PortfolioView implements EngineView, Prices {
  /** Cache of the last position that was read: it is read far more often than it changes. */
  private lastMarket = '';
  private lastTrades = -1;
  private lastPosition = 0;
  private lastRuled: CachedMarket | null = null;
  private lastFree: ReadonlyMap<string, DecimalText> = new Map();
  private lastFreeRecord: Readonly<Record<string, DecimalText>> = {};
  private readonly instance: StrategyInstance;
  private readonly options: PortfolioViewsOptions;
  readonly marketNames: MarketNames;
  /** Current price in the market, or else the last price in the ledger. */
  readonly priceOf: PriceOf = (market) =>
    this.options.markets.priceOf(market) ?? this.instance.ledger.priceOf(market);

  constructor(instance: StrategyInstance, options: PortfolioViewsOptions) {
    this.instance = instance;
    this.marketNames = instance.marketNames;
    this.options = options;
  }

  get nowMs(): number {
    return this.options.blotter.outbox.nowMs;
  }

  position(market: string): DecimalText {
    return formatUnits(this.positionUnits(market));
  }

  positionNumber(market: string): number {
    const { trades } = this.instance.ledger;
    if (market !== this.lastMarket || trades !== this.lastTrades) {
      this.lastMarket = market;
      this.lastTrades = trades;
      this.lastPosition = numberOfUnits(this.positionUnits(market));
    }
    return this.lastPosition;
  }

  positionUnits(market: string): Units {
    const state = this.options.markets.get(market);
    return state === undefined ? NO_UNITS : this.instance.position(state.market.base);
  }

  inventory(market: string): DecimalText {
    const state = this.options.markets.get(market);
    return formatUnits(state === undefined ? NO_UNITS : this.instance.ledger.inventoryOf(state.market.base));
  }

  free(): Readonly<Record<string, DecimalText>> {
    const { account, reservations } = this.options;
    const all = account.readings.map(
      ({ currency }) => [currency, formatUnits(reservations.spendable(this.instance, currency))] as const,
    );
    // Returns the same record while nothing in it changes, so that it can be compared by identity.
    if (all.length !== this.lastFree.size || all.some(([name, text]) => this.lastFree.get(name) !== text)) {
      this.lastFree = new Map(all);
      this.lastFreeRecord = Object.fromEntries(all);
    }
    return this.lastFreeRecord;
  }

  freeNumber(currency: string): number {
    const { account, reservations } = this.options;
    // Most strategies have the account to themselves, and read this at every bar.
    if (reservations.isFree(this.instance, currency)) return account.freeNumber(currency);
    return numberOfUnits(reservations.spendable(this.instance, currency));
  }

  orders(): readonly OwnOrder[] {
    const orders = this.options.blotter.table.unfinished(this.instance.name);
    return orders.length === 0 ? NO_ORDERS : orders.map((order) => this.shown(order));
  }

  book(market: string): OrderBook | null {
    const { markets } = this.options;
    const own = markets.get(market);
    if (own !== undefined) return own.book;
    const wanted = this.instance.others.find((other) => other.market === market);
    return wanted === undefined ? null : markets.otherBook(wanted);
  }

  stats(market: string): MarketStats | null {
    return this.options.markets.get(market)?.stats ?? null;
  }

  margin(topic: string): SeenMargin | null {
    return this.options.margin.get(topic);
  }

  rules(market: string): MarketRules | null {
    // Most calls are for one market, whose rules are the same until the exchange changes them.
    if (this.lastRuled?.market.symbol !== market) this.lastRuled = this.options.markets.get(market) ?? null;
    return this.lastRuled === null ? null : this.options.markets.rulesOf(this.lastRuled);
  }

  locks(market: string): readonly ShownLock[] {
    return this.options.locksOn(this.instance.name, market);
  }

  universe(name: string): UniverseState | null {
    return this.options.universeOf(this.instance, name);
  }

  equity(market: string): DecimalText | null {
    const units = this.equityUnits(market);
    return units === null ? null : formatUnits(units);
  }

  /**
   * Returns the equity in the market's quote currency: the money of the strategy's quote currencies, and
   * every coin from its fills, each valued once. Null while the market or one of them has no price.
   */
  equityUnits(market: string): Units | null {
    const state = this.options.markets.get(market);
    if (state === undefined || this.options.markets.priceOf(market) === null) return null;
    const { quote } = state.market;
    const { ledger, quotes } = this.instance;
    let sum: Units | null = NO_UNITS;
    for (const asset of quotes) sum = this.addValue(sum, quote, { asset, amount: this.moneyOf(asset) });
    if (!quotes.has(quote)) sum = this.addValue(sum, quote, { asset: quote, amount: this.moneyOf(quote) });
    for (const [asset, { held }] of ledger.state.holdings) {
      if (asset !== quote && !quotes.has(asset)) sum = this.addValue(sum, quote, { asset, amount: held });
    }
    return sum;
  }

  ageMs(what: 'book' | 'stats' | 'trades' | 'candles', market: string): number | null {
    const state = this.options.markets.get(market);
    if (state === undefined) return null;
    const seenAtMs = {
      book: state.bookSeenAtMs,
      stats: state.statsSeenAtMs,
      trades: state.tapeSeenAtMs,
      candles:
        what === 'candles'
          ? candlesSeenAtMs(market, { markets: this.options.markets, readers: this.options.readers })
          : null,
    }[what];
    return seenAtMs === null ? null : this.nowMs - seenAtMs;
  }

  accountAgeMs(what: 'orders' | 'fills' | 'balances'): number | null {
    const seenAtMs = this.options.account.seenAtMs(what);
    return seenAtMs === null ? null : this.nowMs - seenAtMs;
  }

  private addValue(
    sum: Units | null,
    into: Currency,
    held: { readonly asset: string; readonly amount: bigint },
  ): Units | null {
    const value = sum === null ? null : valueIn(into, held, this);
    return sum === null || value === null ? null : addUnits(sum, value);
  }

  /**
   * Returns its capital with the money that its fills moved, or the account's balance if it has no capital in
   * any quote currency of its markets.
   */
  private moneyOf(currency: Currency): bigint {
    return this.instance.moneyOf(currency) ?? this.options.account.totalOf(currency);
  }

  private shown(order: OrderRecord): OwnOrder {
    const { key, market, side, execution, price, stopPrice, amount, matched, exit, state } = order;
    return {
      clientOrderId: key,
      market,
      side,
      execution,
      price: price === null || execution === 'market' ? null : formatUnits(price),
      stopPrice: stopPrice === null ? null : formatUnits(stopPrice),
      amount: formatUnits(amount),
      matchedAmount: formatUnits(matched),
      ...labelsOf(order),
      exit,
      state,
      ageMs: this.nowMs - order.plannedAtMs,
    };
  }
}
