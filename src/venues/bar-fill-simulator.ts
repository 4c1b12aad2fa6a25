import type { CandleColumns } from '../domain/candle-columns.ts';
import { invariant, SarrafError, invalidOptions } from '../domain/errors.ts';
import type { FeeSchedule, Market } from '../domain/market.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { type Units, formatUnits, NO_UNITS } from '../domain/money.ts';
import type { VenueOrder, ListCursor } from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { Page, VenueAnswer, VenueCall, WalletReading } from './port.ts';
import { longestBarMs } from '../domain/candle.ts';
import { accept, type Result, type PlaceOrder } from '../simulator/requests.ts';
import { INTERFACE_PROFILE } from './interface-profile.ts';
import { PAGE_SIZES } from './venue-request.ts';
import { BarAccount } from './bars/bar-account.ts';
import { BarMarket, type WorkingOrder } from './bars/bar-market.ts';
import { createBarRules, type BarRules } from './fill-rules.ts';
import { EquityValuer } from './equity-valuer.ts';
import { BarFiller, type FillContext, takerCostsOf } from './bars/fill-bar.ts';
import { venueOrderOf, walletReadingOf, TypedAdapter, type AdapterAccount } from './typed-adapter.ts';
import { Wallet } from '../simulator/accounts.ts';
import type { SimulatedOrder, WalletPair } from '../simulator/market-state.ts';

interface BarFillSimulatorOptions {
  /** Markets of the account. Bars are passed with the index of their market in this list. */
  readonly markets: readonly Market[];
  readonly fees: FeeSchedule;
  /** Balances by currency, lower case. A currency that is left out is empty. */
  readonly balances: Readonly<Record<string, Units>>;
  /** Differences from the default rules. */
  readonly rules?: Partial<BarRules>;
}

/** One currency of the account. `held` is the part of `total` that open orders may still take. */
interface Balance {
  readonly total: Units;
  readonly held: Units;
}

/** Changes since the last call: orders as they are now, by their first change; trades by rising id. */
interface VenueNews {
  readonly orders: readonly VenueOrder[];
  readonly trades: readonly VenueTrade[];
  readonly walletsChanged: boolean;
}

const NO_ORDERS: readonly VenueOrder[] = [];

/**
 * An exchange with one account that knows only bars: it answers the engine's calls at once, and fills orders
 * inside later bars, by the rules that `describeBarRules` puts in words. An order takes part from the first
 * bar of its market that opens at the order's time or later.
 * Its checks, holds, fees, statuses and refusals are those of the simulated exchange, whose parts it uses. A
 * bar that concerns no order costs a few comparisons.
 */
export class BarFillSimulator {
  readonly profile = INTERFACE_PROFILE;
  readonly rules: BarRules;
  private readonly markets: readonly BarMarket[];
  private readonly bySymbol: ReadonlyMap<string, BarMarket>;
  private readonly wallets: BarWallets;
  private readonly account: BarAccount;
  private readonly context: FillContext;
  private readonly adapter: TypedAdapter;
  private reportedWallets = 0;
  /** Time of the newest event that reveals more than an earlier open: a close, a fill, a signal. */
  private knownMs = Number.NEGATIVE_INFINITY;

  /** Throws `INVALID_OPTIONS` for unknown or repeated markets, a negative balance, or rules out of range. */
  constructor(options: BarFillSimulatorOptions) {
    const rules = createBarRules(options.rules);
    this.rules = rules;
    const wallets = new BarWallets(options.markets, options.balances);
    this.wallets = wallets;
    this.markets = options.markets.map((market) => new BarMarket(market, wallets.pairOf(market), rules));
    this.bySymbol = new Map(this.markets.map((market) => [market.name.symbol, market]));
    if (this.markets.length === 0 || this.bySymbol.size !== this.markets.length) {
      const symbols = options.markets.map(({ symbol }) => symbol).join(', ');
      throw invalidOptions(`expected one or more markets, each once, was "${symbols}"`);
    }
    this.account = new BarAccount(options.fees);
    this.context = { account: this.account, rules, costs: takerCostsOf(rules) };
    this.adapter = new TypedAdapter(this.adapterAccount());
  }

  /** Answers a call of the engine as the exchange would now; as unsent if the data for it is missing. */
  answer(call: VenueCall, nowMs: number): VenueAnswer {
    return this.adapter.answer(call, nowMs);
  }

  /**
   * Begins a bar: orders that fill at its open do so now. Returns true if there are changes to drain. Bars of
   * a market come in the order of time.
   * @param marketIndex the index of the bar's market in the options
   */
  onOpen(marketIndex: number, columns: CandleColumns, index: number): boolean {
    const market = this.marketAt(marketIndex);
    if (columns !== market.columns && this.markets.length > 1)
      this.account.receipts.retainFor(longestBarMs(columns.timeframe));
    if (!market.open(columns, index)) return false;
    new BarFiller(market, this.context).runOpen();
    return this.hasNews;
  }

  /** True if a bar, the current one or a later one, may fill or trigger an order that waits now. */
  mayConcern(marketIndex: number, columns: CandleColumns, index: number): boolean {
    return this.marketAt(marketIndex).isReachedIn(columns, index);
  }

  /**
   * Continues the current bar from its open towards its close, up to the next fill or trigger. Returns true
   * if there was one; report it before the next call. An order that is placed in reaction arrives while the
   * price is there.
   */
  onPath(marketIndex: number): boolean {
    const market = this.marketAt(marketIndex);
    if (!market.hasTraded && market.mayConcern) {
      const filler = new BarFiller(market, this.context);
      for (let reached = filler.advance(); reached !== null; reached = filler.advance()) {
        if (!this.hasNews) continue;
        market.passing = reached;
        this.learn(market.lastMs);
        return true;
      }
    }
    market.hasTraded = true;
    return false;
  }

  /** Returns the price that the path has reached, in units. Call it only after a true `onPath`. */
  reachedPrice(marketIndex: number): Units {
    const { passing, name } = this.marketAt(marketIndex);
    invariant(passing !== null, () => `expected a price inside the bar of ${name.symbol}, was none`);
    return passing.at as Units;
  }

  /** Ends the current bar: the rest of its path happens now. Returns true if there are changes to drain. */
  onClose(marketIndex: number): boolean {
    const market = this.marketAt(marketIndex);
    let hasReached = false;
    while (this.onPath(marketIndex)) hasReached = true;
    market.close();
    this.learn(market.closedMs);
    return hasReached;
  }

  /** Records that news of this time is known: an order inside a bar does not trade at an older open. */
  learn(atMs: number): void {
    if (atMs > this.knownMs) this.knownMs = atMs;
  }

  /** Runs a whole bar that concerns no order. */
  onQuiet(marketIndex: number, columns: CandleColumns, index: number): void {
    const market = this.marketAt(marketIndex);
    if (market.index !== index || !market.isInProgress) market.open(columns, index);
    market.close();
    this.learn(market.closedMs);
  }

  /** Runs a whole bar at once: its open, its path and its close. */
  onCandle(marketIndex: number, columns: CandleColumns, index: number): boolean {
    const hasOpened = this.onOpen(marketIndex, columns, index);
    return this.onClose(marketIndex) || hasOpened;
  }

  /** Returns the changes since the last call, except those that an answer has already reported. */
  drain(): VenueNews {
    const { account } = this;
    const walletsChanged = account.walletVersion !== this.reportedWallets;
    this.reportedWallets = account.walletVersion;
    return { orders: this.drainOrders(), trades: account.drainTrades(), walletsChanged };
  }

  private drainOrders(): readonly VenueOrder[] {
    const { changedOrders } = this.account;
    if (changedOrders.length === 0) return NO_ORDERS;
    const orders = changedOrders.map((order) => this.record(order));
    changedOrders.length = 0;
    return orders;
  }

  /** Open orders, the oldest first. */
  get openOrders(): readonly VenueOrder[] {
    return this.account.trader.open.values().map((order) => this.record(order));
  }

  /** Returns the account's balance of a currency, and the part reserved for open orders. */
  balance(currency: string): Balance {
    return this.wallets.balance(currency);
  }

  /** Returns the exact equity of the account by the last closes. Use `valuer` for each point of a curve. */
  equity(quote: Currency): Units {
    return this.valuer(quote).exact();
  }

  /** Returns a valuer that follows all changes of the account. `firstPrices`: first opens by market. */
  valuer(quote: Currency, firstPrices: ReadonlyMap<string, Units> = new Map()): EquityValuer {
    const { wallets, markets, account } = this;
    return new EquityValuer({
      quote,
      wallets: wallets.all,
      markets,
      firstPrices,
      account,
    });
  }

  private adapterAccount(): AdapterAccount {
    const { account, markets, wallets } = this;
    return {
      markets: markets.map(({ grid }) => grid),
      trader: account.trader,
      place: (request, nowMs) => this.place(request, nowMs),
      cancel: (order, nowMs) => this.cancel(order, nowMs),
      cancelOld: (nowMs) => this.cancelOld(nowMs),
      find: (reference) => account.find(reference),
      recordOf: (order) => this.record(order),
      // A change that is in an answer is not reported again.
      recordOfChanged: (order) => {
        account.forgetChange(order);
        return this.record(order);
      },
      trades: (from) => this.trades(from),
      wallets: () => wallets.read(),
      // Balances change only by trades.
      transactions: () => ({ items: [], hasNext: false }),
      market: ({ kind }) => ({
        outcome: 'unsent',
        reason: `a backtest on candles has no answer to "${kind}"`,
      }),
    };
  }

  private place(request: PlaceOrder, nowMs: number): Result<readonly SimulatedOrder[]> {
    const market = this.bySymbol.get(request.market);
    invariant(market !== undefined, () => `expected a market ${request.market}, was none`);
    const placed = this.account.place(request, market, nowMs);
    if (!placed.ok) return placed;
    for (const working of placed.value) if (working.order.isOpen) this.arrive(market, working, nowMs);
    return accept(placed.value.map(({ order }) => order));
  }

  /**
   * Lets an order arrive. Inside a bar it can fill at the open, but only while nothing newer is known: else
   * it would trade at a price that others have moved on from.
   */
  private arrive(market: BarMarket, working: WorkingOrder, nowMs: number): void {
    const filler = new BarFiller(market, this.context);
    if (!market.isInProgress) {
      if (this.rules.arrival === 'this-close') filler.arriveAtClose(working, nowMs);
    } else if (market.openMs >= this.knownMs) filler.arriveInside(working, nowMs);
    else filler.arriveBetween(working);
  }

  /**
   * Cancels an order. Inside a bar an older stop counts as triggered first, since the bar may have reached it
   * sooner. So does a limit order if something newer than the open is known. What the answer reveals of the
   * bar is known from then on.
   */
  private cancel(order: SimulatedOrder, nowMs: number): boolean {
    const market = this.marketOf(order);
    if (order.isOpen && market.isInProgress && nowMs > market.openMs) {
      const isNewer = market.openMs < this.knownMs;
      const legs = market.working.filter(
        (working) => working.order === order || working.order === order.pair,
      );
      const filler = new BarFiller(market, this.context);
      if (filler.isWaiting(legs, isNewer ? 'anything' : 'stop')) {
        filler.touch(legs, nowMs, isNewer);
        this.learn(nowMs);
      }
    }
    return this.account.cancel(order, market);
  }

  private marketAt(index: number): BarMarket {
    const market = this.markets[index];
    if (market === undefined)
      throw new RangeError(`expected a market below ${this.markets.length}, was ${index}`);
    return market;
  }

  private get hasNews(): boolean {
    return this.account.changedOrders.length > 0 || this.account.walletVersion !== this.reportedWallets;
  }

  /** Cancels the active orders; waiting stops stay, unless the other leg of their OCO ends. */
  private cancelOld(nowMs: number): void {
    const active = this.account.trader.open.values().filter(({ status }) => status === 'Active');
    for (const order of active) this.cancel(order, nowMs);
  }

  private trades(from: ListCursor): Page<VenueTrade> {
    const retained = this.account.trades.values();
    // Ids rise by one, so the index of a trade is known.
    const start = Math.max(0, from - Number(retained[0]?.id ?? 0));
    const items = retained.slice(start, start + PAGE_SIZES.trades);
    return { items, hasNext: retained.length > start + items.length };
  }

  private record(order: SimulatedOrder): VenueOrder {
    return venueOrderOf(order, this.marketOf(order).name);
  }

  private marketOf(order: SimulatedOrder): BarMarket {
    const market = this.bySymbol.get(order.grid.symbol);
    if (market === undefined)
      throw new SarrafError('INVARIANT', `expected a market of the order ${order.id}, was none`);
    return market;
  }
}

/** Wallets of each currency that is traded or has a balance. */
class BarWallets {
  private readonly wallets = new Map<string, Wallet>();
  /** Readings of the wallets that were returned last; most stay the same. */
  private readonly readings: WalletReading[] = [];

  /** Throws `INVALID_OPTIONS` for a negative balance. */
  constructor(markets: readonly Market[], balances: Readonly<Record<string, Units>>) {
    const currencies = new Set([
      ...markets.flatMap(({ quote, base }) => [quote, base]),
      ...Object.keys(balances),
    ]);
    for (const currency of currencies) {
      const wallet = this.ensure(currency);
      wallet.total = balances[currency] ?? NO_UNITS;
      if (wallet.total >= 0n) continue;
      throw invalidOptions(`expected no negative balance of ${currency}, was ${formatUnits(wallet.total)}`);
    }
  }

  get all(): ReadonlyMap<string, Wallet> {
    return this.wallets;
  }

  /** Returns the wallets of a market's two currencies. */
  pairOf({ base, quote }: Market): WalletPair {
    return { base: this.ensure(base), quote: this.ensure(quote) };
  }

  /** Returns the balance of a currency; zero for one without a wallet. */
  balance(currency: string): Balance {
    const { total = NO_UNITS, held = NO_UNITS } = this.wallets.get(currency) ?? {};
    return { total: total as Units, held: held as Units };
  }

  read(): readonly WalletReading[] {
    const { readings } = this;
    let place = 0;
    for (const wallet of this.wallets.values()) {
      const last = readings[place];
      if (last === undefined) readings.push(walletReadingOf(wallet));
      else if (last.total !== wallet.total || last.held !== wallet.held)
        readings[place] = { ...last, total: wallet.total as Units, held: wallet.held as Units };
      place += 1;
    }
    return readings.slice();
  }

  private ensure(currency: string): Wallet {
    const found = this.wallets.get(currency);
    if (found !== undefined) return found;
    const id = this.wallets.size + 1;
    const wallet = new Wallet({ id, userId: 1, currency, kind: 'spot', transactionsKept: 1 });
    this.wallets.set(currency, wallet);
    return wallet;
  }
}
