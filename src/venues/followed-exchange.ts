import type { BarAnchors, Candle } from '../domain/candle.ts';
import type { Budget, LimitOverrides } from '../domain/rate-limit.ts';
import { SarrafError, invariant, present } from '../domain/errors.ts';
import { ratesOf, type FeeSchedule, formatAmount, formatPrice, type Market } from '../domain/market.ts';
import { formatUnits, type Amount, type Price, type Units } from '../domain/money.ts';
import type { OrderBook, BookLevel } from '../domain/order-book.ts';
import { type VenueOrder, oppositeOf, type VenueWalletId, type ListCursor } from '../domain/order.ts';
import type { PublicTrade, VenueTrade } from '../domain/trade.ts';
import type { MarketCallKind, Page, VenueAnswer, VenueCall, VenueValues, WalletTransaction } from './port.ts';
import { INTERFACE_PROFILE } from './interface-profile.ts';
import { PAGE_SIZES } from './venue-request.ts';
import type { SimulatedExchange } from '../simulator/exchange.ts';
import { DEFAULT_TRADING } from '../simulator/requests.ts';
import { listTrades } from '../simulator/order-list.ts';
import type { TradingEvent } from '../simulator/trading.ts';
import { readExchangeConfig } from '../simulator-server/exchange-config.ts';
import { createSimulation } from '../simulator-server/simulation.ts';
import {
  nameOfMarket,
  refusedAnswer,
  TypedAdapter,
  value,
  type AdapterAccount,
  candleOf,
  marketStatsOf,
  venueOrderOf,
  venueTradeOf,
  walletReadingOf,
  walletTransactionOf,
} from './typed-adapter.ts';
import type { FollowedRules } from './fill-rules.ts';
import { FollowedMarket } from './followed-market.ts';
import { wholeId } from './read-records.ts';
import type { FeeCoin, SimulatedOrder, Trade, MarketState } from '../simulator/market-state.ts';
import { knownTime, BOOK_LEVELS } from '../recording/records.ts';
import type { PriceLevel } from '../simulator/matching-book.ts';
import type { Liquidity } from './followed/followed-side.ts';

/** Id and name of the account's user. */
export const FOLLOWING_USER = 8_000_001;
const BOT_NAME = 'poll-bot';

const TRADES_SHOWN = 50;

const ALL_TRADES = {
  base: null,
  quote: null,
  side: null,
  ascending: true,
  page: 1,
  pageSize: PAGE_SIZES.trades,
  listedMs: DEFAULT_TRADING.tradesListedMs,
} as const;

export interface FollowedExchangeOptions {
  readonly markets: readonly {
    readonly market: Market;
    readonly hasTrades: boolean;
    /** Anchors of its bars; default: those of the exchange. */
    readonly barAnchors?: BarAnchors | undefined;
  }[];
  readonly fees: FeeSchedule;
  /** Coin that pays the account's fees while it has enough of it; default: none. */
  readonly feeCoin?: FeeCoin;
  /** Balances by currency, lower case. */
  readonly balances: Readonly<Record<string, Units>>;
  readonly limits: LimitOverrides;
  readonly startMs: number;
  readonly rules: FollowedRules;
  /** Restores a stored account; if left out, the account begins with `balances`. */
  readonly restore?: (exchange: SimulatedExchange) => void;
  /** Called with the exchange when its markets and wallets exist, before the first trade. */
  readonly onMade?: (exchange: SimulatedExchange) => void;
  /** Called with every change of an order and every trade, also of others. */
  readonly onEvent?: (event: TradingEvent) => void;
}

/**
 * The simulated exchange, behind the typed adapter, with markets that follow a recording or a real exchange.
 * Backtests on books and paper trading use it, so that both fill alike.
 */
export class FollowedExchange {
  readonly profile = INTERFACE_PROFILE;
  readonly markets: readonly FollowedMarket[];
  private readonly exchange: SimulatedExchange;
  private readonly bySymbol: ReadonlyMap<string, FollowedMarket>;
  private readonly rules: FollowedRules;
  private readonly adapter: TypedAdapter;
  /** Records of orders without a fill, since lists return the same ones again and again. */
  private readonly untouched = new WeakMap<SimulatedOrder, VenueOrder>();

  constructor(options: FollowedExchangeOptions) {
    const { markets, balances, limits, startMs, rules, fees, onEvent } = options;
    const config = readExchangeConfig({
      markets: markets.map(({ market }) => ({
        symbol: market.symbol,
        priceStep: formatUnits(market.priceStep),
        amountStep: formatUnits(market.amountStep),
        minOrderValue: formatUnits(market.minOrderValue),
        initialPrice: formatUnits(market.priceStep),
      })),
      users: [
        {
          username: BOT_NAME,
          id: FOLLOWING_USER,
          balances: Object.fromEntries(
            Object.entries(balances).map(([name, units]) => [name, formatUnits(units)]),
          ),
        },
      ],
      limits: { overrides: { ...limits } },
      flow: { kind: 'none' },
    });
    const { exchange } = createSimulation({
      config: { ...config, fees: { rls: ratesOf(fees, 'rls'), usdt: ratesOf(fees, 'usdt') } },
      startMs,
      seed: 1,
      barAnchors: new Map(
        markets.map(({ market, barAnchors }) => [market.symbol, barAnchors ?? INTERFACE_PROFILE.barAnchors]),
      ),
    });
    // The restore replaces wallets, so it comes before any use of them.
    options.restore?.(exchange);
    exchange.trading.trader(FOLLOWING_USER).feeCoin = options.feeCoin ?? null;
    this.exchange = exchange;
    this.rules = rules;
    this.markets = markets.map(
      ({ market, hasTrades }, index) =>
        new FollowedMarket({ exchange, market: market.symbol, index, rules, hasTrades }),
    );
    this.bySymbol = new Map(this.markets.map((market) => [market.state.rules.symbol, market]));
    this.adapter = new TypedAdapter(this.adapterAccount());
    // Every currency that can be traded needs a wallet, so that it is in the readings.
    for (const { state } of this.markets) {
      exchange.accounts.ensure(FOLLOWING_USER, state.rules.base);
      exchange.accounts.ensure(FOLLOWING_USER, state.rules.quote);
    }
    exchange.trading.onEvent = (event) => {
      onEvent?.(event);
      if (event.kind !== 'trade' || event.trade.taker.userId !== FOLLOWING_USER || rules.own === 'hidden')
        return;
      this.show(event.trade);
    };
    options.onMade?.(exchange);
  }

  /** Returns the account's total of a currency, in units. */
  balance(currency: string): bigint {
    return this.exchange.accounts.find(FOLLOWING_USER, currency)?.total ?? 0n;
  }

  /** Returns the account's total of each currency. */
  balances(): readonly (readonly [currency: string, total: bigint])[] {
    return this.exchange.accounts.walletsOf(FOLLOWING_USER).map(({ currency, total }) => [currency, total]);
  }

  /** Counts a request. Throws `INVARIANT` if the exchange would have locked the bot out. */
  admit(budget: Budget, atMs: number): void {
    const refusal = this.exchange.services.limits.admit(budget, BOT_NAME, atMs);
    if (refusal === null) return;
    throw new SarrafError(
      'INVARIANT',
      `expected at most ${refusal.limit} requests of ${refusal.budgetName} in ${refusal.windowMs} ms, found one more at ${atMs}`,
    );
  }

  /** Answers a call as the exchange would at this time. Its markets must have been moved to it before. */
  answer(call: VenueCall, nowMs: number): VenueAnswer {
    return this.adapter.answer(call, nowMs);
  }

  private adapterAccount(): AdapterAccount {
    const { exchange } = this;
    const { accounts, trading } = exchange;
    const markets = this.markets.map(({ state }) => state);
    return {
      // Steps can change while it runs.
      get markets() {
        return markets.map(({ rules }) => rules);
      },
      get trader() {
        return trading.trader(FOLLOWING_USER);
      },
      place: (request, nowMs) => this.marketOf(request.market).place(FOLLOWING_USER, request, nowMs),
      cancel: (order, nowMs) => trading.cancel(order, nowMs),
      cancelOld: (nowMs) => this.cancelOld(nowMs),
      find: (reference) => trading.find(FOLLOWING_USER, reference),
      recordOf: (order) => this.recordOf(order),
      recordOfChanged: (order) => this.recordOf(order),
      trades: (from, nowMs) => this.trades(from, nowMs),
      wallets: () => accounts.walletsOf(FOLLOWING_USER).map(walletReadingOf),
      transactions: (walletId, page) => this.transactions(walletId, page),
      market: (call, nowMs) => this.market(call, nowMs),
    };
  }

  private marketOf(symbol: string): FollowedMarket {
    const market = this.bySymbol.get(symbol);
    invariant(market !== undefined, () => `expected a market ${symbol}, was none`);
    return market;
  }

  private market(call: Extract<VenueCall, { kind: MarketCallKind }>, nowMs: number): VenueAnswer {
    switch (call.kind) {
      case 'book':
        return this.ofMarket(call.market, (market) => value('book', shownBook(market, this.rules.own)));
      case 'books':
        return value('books', this.books());
      case 'stats':
        return value('stats', this.stats(call, nowMs));
      case 'public-trades':
        return this.ofMarket(call.market, (market) =>
          value('public-trades', market.lastTrades(TRADES_SHOWN)),
        );
      case 'candles':
        return this.ofMarket(call.market, (market) => value('candles', candlesOf(market, call, nowMs)));
    }
  }

  private cancelOld(nowMs: number): void {
    const all = { createdAtOrBeforeMs: null, execution: null, base: null, quote: null, tradeType: null };
    this.exchange.trading.cancelOld(FOLLOWING_USER, all, nowMs);
  }

  private trades(from: ListCursor, nowMs: number): Page<VenueTrade> {
    const { tradesLagMs } = this.rules;
    const asOfMs = tradesLagMs === 0 ? null : nowMs - tradesLagMs;
    const trader = this.exchange.trading.trader(FOLLOWING_USER);
    const { items, hasNext } = listTrades(trader, { ...ALL_TRADES, fromId: from, asOfMs }, nowMs);
    return { items: items.map(venueTradeOf), hasNext };
  }

  private recordOf(order: SimulatedOrder): VenueOrder {
    if (order.remaining !== order.amount) return venueOrderOf(order, nameOfMarket(order.market.rules));
    const known = this.untouched.get(order);
    if (known !== undefined && known.status === order.status) return known;
    const record = venueOrderOf(order, nameOfMarket(order.market.rules));
    this.untouched.set(order, record);
    return record;
  }

  private transactions(walletId: VenueWalletId, page: number): Page<WalletTransaction> {
    const wallet = this.exchange.accounts.byId(wholeId(walletId));
    const lines = wallet?.userId === FOLLOWING_USER ? wallet.transactions.values() : [];
    const end = lines.length - (page - 1) * PAGE_SIZES.transactions;
    const start = Math.max(0, end - PAGE_SIZES.transactions);
    const items = end <= 0 ? [] : lines.slice(start, end).toReversed().map(walletTransactionOf);
    return { items, hasNext: start > 0 };
  }

  private books(): Readonly<Record<string, OrderBook>> {
    return Object.fromEntries(
      this.markets.map((market) => [market.state.rules.symbol, shownBook(market, this.rules.own)]),
    );
  }

  private stats(call: Extract<VenueCall, { kind: 'stats' }>, timeMs: number): VenueValues['stats'] {
    return this.markets
      .filter(({ state }) => call.base.includes(state.rules.base) && call.quote.includes(state.rules.quote))
      .map((market) => {
        if (market.stats !== null) return market.stats;
        const { bids, asks } = shownBook(market, this.rules.own);
        return marketStatsOf(market.state, {
          bestBuy: bids[0]?.[0] ?? null,
          bestSell: asks[0]?.[0] ?? null,
          timeMs,
        });
      });
  }

  private ofMarket(symbol: string, answer: (market: FollowedMarket) => VenueAnswer): VenueAnswer {
    const market = this.bySymbol.get(symbol);
    return market === undefined ? refusedAnswer('NotFound', 'Market not found') : answer(market);
  }

  private show(trade: Trade): void {
    const { timeMs, price, amount, side, grid } = trade;
    const shown: PublicTrade = {
      timeMs,
      price: formatPrice(grid, price as Price),
      amount: formatAmount(grid, amount as Amount),
      side,
    };
    this.bySymbol.get(grid.symbol)?.addTrade(shown);
  }
}

/** Returns the last bars that begin before a time, including the open one. */
function candlesOf(
  { state, bars: recorded }: FollowedMarket,
  call: Extract<VenueCall, { kind: 'candles' }>,
  nowMs: number,
): readonly Candle[] {
  const bars = state.candles.bars(call.timeframe);
  let end = bars.length;
  while (end > 0 && (bars[end - 1]?.openTimeMs ?? 0) >= call.toMs) end -= 1;
  const count = Math.min(call.count, PAGE_SIZES.candles);
  const made = bars.slice(Math.max(0, end - count), end).map((bar) => candleOf(state.grid, bar));
  return recorded.over(made, { ...call, count, nowMs });
}

const NO_BOOK: OrderBook = { bids: [], asks: [], updatedAtMs: null };

/** Returns the book for a poll: the recorded one; with `shown`, less what we took, plus our own orders. */
function shownBook(market: FollowedMarket, own: FollowedRules['own']): OrderBook {
  const { hasBook, bids, asks, state } = market;
  if (!hasBook) return NO_BOOK;
  const updatedAtMs = knownTime(market.bookTimeMs);
  if (own === 'hidden') return { bids: bids.side.levels, asks: asks.side.levels, updatedAtMs };
  return { bids: shownSide(bids, state), asks: shownSide(asks, state), updatedAtMs };
}

function shownSide(of: Liquidity, state: MarketState): readonly BookLevel[] {
  const { side } = of;
  const resting = state.book.sideOf(side.side);
  if (isAsRecorded(of, state))
    return side.length <= BOOK_LEVELS ? side.levels : side.levels.slice(0, BOOK_LEVELS);
  const met = state.book.sideOf(oppositeOf(side.side)).best?.price ?? null;
  const own = resting.top(BOOK_LEVELS);
  if (of.isUntouched && (met === null || side.isBetter(met, side.priceAt(0)))) return withOwn(of, own, state);
  const levels: BookLevel[] = [];
  const { levels: allRecorded } = side;
  let mine = 0;
  for (let index = 0; index < side.length && levels.length < BOOK_LEVELS; index += 1) {
    const price = side.priceAt(index);
    for (let level = own[mine]; level !== undefined && side.isBetter(level.price, price); level = own[mine]) {
      levels.push(levelOf(state, level.price, level.amount));
      mine += 1;
    }
    // If an own order on the other side reaches this price, the others here have traded with it.
    const isMet = met !== null && !side.isBetter(met, price);
    const left = isMet ? of.leftAt(index) : of.shownAt(index);
    const level = own[mine];
    const ours = level?.price === price ? level.amount : 0;
    if (ours > 0) mine += 1;
    const recorded = allRecorded[index];
    if (recorded !== undefined && ours === 0 && left === side.amountAt(index)) levels.push(recorded);
    else if (left + ours > 0) levels.push(levelOf(state, price, left + ours));
  }
  for (const { price, amount } of own.slice(mine)) levels.push(levelOf(state, price, amount));
  return levels.slice(0, BOOK_LEVELS);
}

/** Returns the recorded levels with our orders among them, if we took nothing, read where orders are. */
function withOwn({ side }: Liquidity, own: readonly PriceLevel[], state: MarketState): readonly BookLevel[] {
  const { levels: recorded } = side;
  const levels: BookLevel[] = [];
  let next = 0;
  for (const { price, amount } of own) {
    const place = side.firstFrom(price);
    for (; next < place; next += 1) levels.push(present(recorded[next], 'a recorded level'));
    const isThere = side.priceAt(place) === price;
    levels.push(levelOf(state, price, amount + (isThere ? side.amountAt(place) : 0)));
    if (isThere) next += 1;
  }
  for (; next < recorded.length; next += 1) levels.push(present(recorded[next], 'a recorded level'));
  if (levels.length > BOOK_LEVELS) levels.length = BOOK_LEVELS;
  return levels;
}

/** Returns true if no order of ours changes the shown side. That is the usual case, and cheap. */
function isAsRecorded(of: Liquidity, { book }: MarketState): boolean {
  const { side } = of;
  const { best } = book.sideOf(side.side);
  const met = book.sideOf(oppositeOf(side.side)).best;
  if (!of.isUntouched) return false;
  if (best !== undefined && (side.length < BOOK_LEVELS || side.reaches(best.price))) return false;
  return met === undefined || side.isBetter(met.price, side.priceAt(0));
}

/** Levels written before, by market and price: most of our orders are the same as in the last book. */
const WRITTEN = new WeakMap<Market, Map<number, { readonly amount: number; readonly level: BookLevel }>>();

/** Most prices stored for a market; beyond it all are dropped. */
const MOST_WRITTEN = 256;

function levelOf({ grid }: MarketState, price: number, amount: number): BookLevel {
  let written = WRITTEN.get(grid);
  if (written === undefined) WRITTEN.set(grid, (written = new Map()));
  const known = written.get(price);
  if (known?.amount === amount) return known.level;
  if (written.size >= MOST_WRITTEN) written.clear();
  const level: BookLevel = [formatPrice(grid, price as Price), formatAmount(grid, amount as Amount)];
  written.set(price, { amount, level });
  return level;
}
