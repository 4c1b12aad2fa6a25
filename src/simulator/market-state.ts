import type { BarAnchors } from '../domain/candle.ts';
import { tooLarge } from '../domain/errors.ts';
import { createMarket, type Market, type FeeSchedule } from '../domain/market.ts';
import { formatUnits } from '../domain/money.ts';
import { type HouseAccount, type Accounts, BoundedList, type UserId, type Wallet } from './accounts.ts';
import { MatchingBook, StopBook, BookOrder } from './matching-book.ts';
import { CandleStore } from './candle-series.ts';
import type { Side, Execution, TradeKind } from '../domain/order.ts';

/** Requests of a user that are remembered for the duplicate check: far more than limits allow. */
const RECENT_RETAINED = 10_000;

/** An order before it is registered. Prices and amount are in steps of the market's grid. */
export interface PlacementPlan {
  readonly side: Side;
  readonly execution: Execution;
  readonly amount: number;
  readonly registeredPrice: number;
  readonly limit: number;
  readonly stopPrice: number;
  readonly status: 'New' | 'Inactive';
  readonly clientOrderId: string | null;
  /** Value in quote units, rounded up, at the price by which minimum and balance are checked. */
  readonly value: bigint;
  /** Largest hold, in units of the paying currency. */
  readonly hold: bigint;
}

/** Public trades that are kept of each market; the endpoint shows fewer. */
const TAPE_RETAINED = 1_000;

/**
 * One market of the exchange.
 *
 * `rules` is public: steps and minimum value, which may change while orders rest. `grid` is what the book
 * counts in: the finest grid that the market ever had. A change to coarser steps leaves the grid alone
 * (resting orders keep their prices); a change to finer ones rescales everything once. So all numbers of the
 * book are always in steps of the present grid.
 */
export class MarketState {
  rules: Market;
  grid: Market;
  readonly baseName: string;
  readonly quoteName: string;
  readonly baseHouse: Record<HouseAccount, bigint>;
  readonly quoteHouse: Record<HouseAccount, bigint>;
  readonly book = new MatchingBook<SimulatedOrder>();
  readonly stops = new StopBook<SimulatedOrder>();
  /** Orders that are accepted, but not yet in the book (`New`). */
  readonly waiting = new Set<SimulatedOrder>();
  readonly candles: CandleStore;
  /** The newest public trades, oldest first. */
  readonly tape = new BoundedList<Trade>(TAPE_RETAINED);
  /** Price of the last trade, or the configured one before the first; in steps of the grid. */
  lastPrice: number;
  /** Time at which an order last entered the book, left it or traded in it; null if none has. */
  bookChangedAtMs: number | null = null;
  /** True from a trade until the stops have been checked. */
  hasMoved = false;
  isClosed = false;
  closedReason: string | null = null;

  constructor(options: {
    readonly market: Market;
    readonly lastPrice: number;
    readonly baseName: string;
    readonly quoteName: string;
    readonly baseHouse: Record<HouseAccount, bigint>;
    readonly quoteHouse: Record<HouseAccount, bigint>;
    /** Anchors of its bars; see `CandleStore`. */
    readonly barAnchors?: BarAnchors | undefined;
  }) {
    this.candles = new CandleStore(options.barAnchors);
    this.rules = options.market;
    this.grid = options.market;
    this.lastPrice = options.lastPrice;
    this.baseName = options.baseName;
    this.quoteName = options.quoteName;
    this.baseHouse = options.baseHouse;
    this.quoteHouse = options.quoteHouse;
  }

  /** Number of grid steps in one public price step. */
  get priceFactor(): number {
    return this.rules === this.grid ? 1 : Number(this.rules.priceStep / this.grid.priceStep);
  }

  /** Number of grid steps in one public amount step. */
  get amountFactor(): number {
    return this.rules === this.grid ? 1 : Number(this.rules.amountStep / this.grid.amountStep);
  }

  /**
   * Changes steps or minimum value from now on. Resting orders keep their prices and amounts. Throws
   * `TOO_LARGE` and changes nothing if a price or amount would be more than 2^53 of the new steps.
   */
  changeRules(change: {
    readonly priceStep?: string;
    readonly amountStep?: string;
    readonly minOrderValue?: string;
  }): void {
    const { rules } = this;
    const next = createMarket({
      market: rules,
      priceStep: change.priceStep ?? formatUnits(rules.priceStep),
      amountStep: change.amountStep ?? formatUnits(rules.amountStep),
      minOrderValue: change.minOrderValue ?? formatUnits(rules.minOrderValue),
      version: rules.version + 1,
    });
    const priceStep = greatestCommonDivisor(this.grid.priceStep, next.priceStep);
    const amountStep = greatestCommonDivisor(this.grid.amountStep, next.amountStep);
    if (priceStep !== this.grid.priceStep || amountStep !== this.grid.amountStep)
      this.refine(priceStep, amountStep);
    this.rules = next;
  }

  private refine(priceStep: bigint, amountStep: bigint): void {
    const priceFactor = Number(this.grid.priceStep / priceStep);
    const amountFactor = Number(this.grid.amountStep / amountStep);
    const resting = [...this.book.buys.orders(), ...this.book.sells.orders()] as SimulatedOrder[];
    const open = [...resting, ...this.stops.all(), ...this.waiting];
    const prices = open.flatMap(({ price, registeredPrice, stopPrice }) => [
      price,
      registeredPrice,
      stopPrice,
    ]);
    const highest = Math.max(this.lastPrice, ...this.candles.highs(), ...prices) * priceFactor;
    const largest = Math.max(1, ...open.map(({ amount }) => amount)) * amountFactor;
    if (!Number.isSafeInteger(highest) || !Number.isSafeInteger(largest))
      throw tooLarge(
        `expected steps that the prices and amounts of ${this.rules.symbol} are at most 2^53 of, was ${Math.max(highest, largest)}`,
      );
    this.grid = createMarket({
      market: this.rules,
      priceStep: formatUnits(priceStep),
      amountStep: formatUnits(amountStep),
      version: this.rules.version,
    });
    for (const order of resting) this.book.remove(order);
    for (const order of open) rescaleOrder(order, { grid: this.grid, priceFactor, amountFactor });
    for (const order of resting) this.book.add(order);
    this.candles.rescale(priceFactor, amountFactor);
    this.lastPrice *= priceFactor;
  }
}

/** Converts an order to a finer grid; its meaning stays the same. */
export function rescaleOrder(
  order: SimulatedOrder,
  to: { readonly grid: Market; readonly priceFactor: number; readonly amountFactor: number },
): void {
  order.grid = to.grid;
  order.price *= to.priceFactor;
  order.registeredPrice *= to.priceFactor;
  order.stopPrice *= to.priceFactor;
  order.amount *= to.amountFactor;
  order.remaining *= to.amountFactor;
  order.filledSteps *= BigInt(to.priceFactor) * BigInt(to.amountFactor);
  order.versions =
    order.versions?.map((version) => ({ ...version, matched: version.matched * to.amountFactor })) ?? null;
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [larger, smaller] = [left, right];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/**
 * An order of the simulated exchange. Its `price` is the worst price it may trade at, and where it rests.
 * Prices and amounts are in steps of `grid`, the market's finest grid so far. The registered values never
 * change; the traded ones grow.
 */
export class SimulatedOrder extends BookOrder {
  readonly trader: Trader;
  readonly market: MarketState;
  readonly execution: Execution;
  readonly clientOrderId: string | null;
  readonly createdAtMs: number;
  private readonly wallets: WalletPair;
  grid: Market;
  /** Price as registered; `NO_PRICE` for a market order without one. */
  registeredPrice: number;
  stopPrice: number;
  amount: number;
  /** `New`, `Active`, `Inactive`, `Done`, `Canceled`, or the configured status of a rejection. */
  status: string;
  pair: SimulatedOrder | null = null;
  /** Index among the user's open orders. */
  openPlace = 0;
  /** Units still held for it, in the currency it pays with; 0 for the second leg of an OCO. */
  held = 0n;
  /** Sum of price times amount of its fills, in steps of the grid. */
  filledSteps = 0n;
  /** Value of its fills in quote units. */
  total = 0n;
  /** Fees so far in the currency received, in units. */
  fee = 0n;
  versions: OrderVersion[] | null = null;

  constructor(
    id: number,
    plan: PlacementPlan,
    of: {
      readonly trader: Trader;
      readonly market: MarketState;
      readonly wallets: WalletPair;
      readonly createdAtMs: number;
    },
  ) {
    super(id, plan.side, plan.limit, plan.amount);
    this.trader = of.trader;
    this.market = of.market;
    this.grid = of.market.grid;
    this.execution = plan.execution;
    this.registeredPrice = plan.registeredPrice;
    this.stopPrice = plan.stopPrice;
    this.amount = plan.amount;
    this.status = plan.status;
    this.clientOrderId = plan.clientOrderId;
    this.createdAtMs = of.createdAtMs;
    this.wallets = of.wallets;
  }

  get isOpen(): boolean {
    return this.status === 'Active' || this.status === 'Inactive' || this.status === 'New';
  }

  get payingWallet(): Wallet {
    return this.side === 'buy' ? this.wallets.quote : this.wallets.base;
  }

  get receivingWallet(): Wallet {
    return this.side === 'buy' ? this.wallets.base : this.wallets.quote;
  }

  get userId(): UserId {
    return this.trader.userId;
  }

  get tradeKind(): TradeKind {
    return 'Spot';
  }

  get matched(): number {
    return this.amount - this.remaining;
  }

  /** Stores its present state as a version, if past states are recorded. */
  storeVersion(timeMs: number): void {
    const { status, matched, total, fee } = this;
    this.versions?.push({ timeMs, status, matched, total, fee });
  }

  /** True for an order that never rests: it ends at the edge of the price band or when its money runs out. */
  get isMarket(): boolean {
    return this.execution === 'market' || this.execution === 'stop_market';
  }
}

/** State of an order from a time on; stored only if lists are to lag. */
interface OrderVersion {
  readonly timeMs: number;
  readonly status: string;
  readonly matched: number;
  readonly total: bigint;
  readonly fee: bigint;
}

/** Price of an order without one, which may trade up to the edge of the price band. */
export const NO_PRICE = 0;

/**
 * One match: the same object is in both users' lists and on the public tape. Price and amount are in steps of
 * `grid`, totals and fees in units. A total is before the fee; a fee is in the currency that its order
 * receives, or in the fee coin of its trader.
 */
export class Trade {
  readonly id: number;
  readonly timeMs: number;
  readonly price: number;
  readonly amount: number;
  readonly maker: SimulatedOrder;
  readonly taker: SimulatedOrder;
  readonly grid: Market;
  /** Price times amount in steps. */
  readonly steps: bigint;
  makerTotal = 0n;
  makerFee = 0n;
  takerTotal = 0n;
  takerFee = 0n;
  /** Coins that the fees were taken from; null for the currency received. */
  makerFeeCoin: string | null = null;
  takerFeeCoin: string | null = null;

  constructor(
    id: number,
    timeMs: number,
    match: { readonly maker: SimulatedOrder; readonly taker: SimulatedOrder; readonly amount: number },
  ) {
    this.id = id;
    this.timeMs = timeMs;
    this.price = match.maker.price;
    this.amount = match.amount;
    this.maker = match.maker;
    this.taker = match.taker;
    this.grid = match.maker.grid;
    this.steps = BigInt(this.price) * BigInt(this.amount);
  }

  /** Side of the taker. */
  get side(): Side {
    return this.taker.side;
  }
}

/** A trade as seen from one of its two orders. */
export interface TradeOfOrder {
  readonly trade: Trade;
  readonly order: SimulatedOrder;
  readonly total: bigint;
  readonly fee: bigint;
  readonly feeCoin: string | null;
}

export function takerSide(trade: Trade): TradeOfOrder {
  const { taker: order, takerTotal: total, takerFee: fee, takerFeeCoin: feeCoin } = trade;
  return { trade, order, total, fee, feeCoin };
}

export function makerSide(trade: Trade): TradeOfOrder {
  const { maker: order, makerTotal: total, makerFee: fee, makerFeeCoin: feeCoin } = trade;
  return { trade, order, total, fee, feeCoin };
}

/**
 * A coin that an account pays its fees with while it has enough of it; then they are in the currency received
 * again. Unlike at a real exchange, its price does not change and there is no discount. Only the typed
 * interface shows such fees, since the wire has no field for their currency.
 */
export interface FeeCoin {
  readonly currency: string;
  /** Price of the coin in units, by quote currency; fees in others are in the currency received. */
  readonly prices: ReadonlyMap<string, bigint>;
}

/** The two wallets that a user trades a market with. */
export interface WalletPair {
  readonly base: Wallet;
  readonly quote: Wallet;
}

/** State of one user in the trading core. */
export class Trader {
  readonly userId: UserId;
  fees: FeeSchedule;
  feeCoin: FeeCoin | null = null;
  /** False if the identity process is incomplete: `TradingUnavailable`. */
  mayTrade = true;
  /** True for a user that repeats recorded trades: neither price conditions nor the minimum value apply. */
  isUnrestricted = false;
  /** True if the experimental look-up by client id is not offered: `FeatureUnavailable`. */
  lacksClientIdLookup = false;
  /** The newest orders, oldest first. */
  readonly orders: BoundedList<SimulatedOrder>;
  /** The newest trades, oldest first; a trade of the user with itself is here once. */
  readonly trades: BoundedList<Trade>;
  readonly open = new OpenOrders();
  readonly openByClientId = new Map<string, SimulatedOrder>();
  private readonly walletPairs = new Map<MarketState, WalletPair>();
  /** Time of the last acceptance by parameters, oldest first. Bound: `RECENT_RETAINED` entries. */
  private readonly recent = new Map<string, number>();

  constructor(options: {
    readonly userId: UserId;
    readonly fees: FeeSchedule;
    readonly historyKept: number;
  }) {
    this.userId = options.userId;
    this.fees = options.fees;
    this.orders = new BoundedList(options.historyKept);
    this.trades = new BoundedList(options.historyKept);
  }

  /** Returns the wallets for a market, which are made at the first order there. */
  walletsFor(market: MarketState, accounts: Accounts): WalletPair {
    let pair = this.walletPairs.get(market);
    if (pair === undefined) {
      pair = {
        base: accounts.ensure(this.userId, market.rules.base),
        quote: accounts.ensure(this.userId, market.rules.quote),
      };
      this.walletPairs.set(market, pair);
    }
    return pair;
  }

  /** Returns the free balance of what an order of this side pays with; zero without a wallet. */
  freeFor(side: Side, market: MarketState, accounts: Accounts): bigint {
    const pair = this.walletPairs.get(market);
    if (pair !== undefined) return side === 'buy' ? pair.quote.free : pair.base.free;
    return accounts.find(this.userId, side === 'buy' ? market.rules.quote : market.rules.base)?.free ?? 0n;
  }

  /** Returns a kept order by its id; undefined if there is none. */
  retainedOrder(id: number): SimulatedOrder | undefined {
    const retained = this.orders.values();
    let low = 0;
    let high = retained.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((retained[middle]?.id ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    const found = retained[low];
    return found?.id === id ? found : undefined;
  }

  /** True if the same parameters were accepted within the window before `timeMs`. */
  isDuplicate(parameters: string, window: { readonly timeMs: number; readonly lengthMs: number }): boolean {
    const seen = this.recent.get(parameters);
    return seen !== undefined && window.timeMs - seen < window.lengthMs;
  }

  remember(parameters: string, window: { readonly timeMs: number; readonly lengthMs: number }): void {
    // Entries stay in order of time, because each is put at the end; so the old ones are all at the front.
    for (const [key, seen] of this.recent) {
      if (window.timeMs - seen < window.lengthMs && this.recent.size < RECENT_RETAINED) break;
      this.recent.delete(key);
    }
    this.recent.delete(parameters);
    this.recent.set(parameters, window.timeMs);
  }
}

/**
 * A user's open orders in no order. Each knows its index, so that the last one takes the place of a removed
 * one: no search, and only one other order is touched.
 */
class OpenOrders {
  private readonly orders: SimulatedOrder[] = [];

  get size(): number {
    return this.orders.length;
  }

  add(order: SimulatedOrder): void {
    order.openPlace = this.orders.length;
    this.orders.push(order);
  }

  /** Removes an order of the list. */
  remove(order: SimulatedOrder): void {
    const last = this.orders.pop();
    if (last === undefined || last === order) return;
    this.orders[order.openPlace] = last;
    last.openPlace = order.openPlace;
  }

  /** Returns a copy, oldest first, so that orders may end during iteration. */
  values(): SimulatedOrder[] {
    const orders = this.orders.slice();
    return isInOrder(orders) ? orders : orders.sort((left, right) => left.id - right.id);
  }
}

/** True if orders are sorted by id, as most users' are: they have few, which ended as they came. */
function isInOrder(orders: readonly SimulatedOrder[]): boolean {
  let lastId = Number.NEGATIVE_INFINITY;
  for (const { id } of orders) {
    if (id < lastId) return false;
    lastId = id;
  }
  return true;
}
