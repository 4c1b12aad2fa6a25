import type { FeeSchedule } from '../domain/market.ts';
import { disposable } from '../domain/closing.ts';
import { parseUnits } from '../domain/money.ts';
import type { AccountsState, Wallet, UserId } from '../simulator/accounts.ts';
import type { SimulatedExchange } from '../simulator/exchange.ts';
import type { SimulatedBar } from '../simulator/candle-series.ts';
import type { MarketState, SimulatedOrder, Trade } from '../simulator/market-state.ts';
import type { ServicesState } from '../simulator/services.ts';
import {
  readOrder,
  storeGrid,
  storeOrder,
  type StoredGrid,
  type SavedOrder,
  readTrade,
  storeTrade,
  type StoredTrade,
} from './stored-order.ts';
import type { TradingEvent } from '../simulator/trading.ts';
import { fsyncSync, readFileSync, renameSync, rmSync, writeFileSync, openSync, closeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

/** Minute bars that are stored of each market: a little more than a day. */
const BARS_STORED = 1_500;
/** Newest orders and trades that are stored of each user, besides all open orders. */
const HISTORY_STORED = 20_000;

export interface StoredMarket extends StoredGrid {
  readonly symbol: string;
  readonly lastPrice: number;
  readonly isClosed: boolean;
  readonly closedReason: string | null;
  readonly bars: readonly Readonly<SimulatedBar>[];
}

export interface ExchangeState {
  readonly accounts: AccountsState;
  readonly services: ServicesState;
  readonly counters: { readonly nextOrderId: number; readonly nextTradeId: number };
  readonly traders: readonly {
    readonly userId: number;
    readonly fees: FeeSchedule;
    readonly mayTrade: boolean;
    readonly lacksClientIdLookup: boolean;
  }[];
  readonly orders: readonly SavedOrder[];
  readonly trades: readonly StoredTrade[];
  readonly markets: readonly StoredMarket[];
}

/**
 * Returns users, balances, orders and trades as plain data. Of synthetic traders only the wallets are stored,
 * and closed copies of the orders that users traded with; the flow makes the rest again.
 */
export function storeExchange(exchange: SimulatedExchange): ExchangeState {
  const { trading, services } = exchange;
  const traders = [...services.users.all()].map((user) => trading.trader(user.id));
  const orders = new Map<number, SavedOrder>();
  const trades = new Map<number, StoredTrade>();
  for (const trader of traders) {
    for (const order of [...trader.open.values(), ...trader.orders.values().slice(-HISTORY_STORED)])
      orders.set(order.id, storeOrder(order));
    for (const trade of trader.trades.values().slice(-HISTORY_STORED))
      trades.set(trade.id, storeTrade(trade));
  }
  for (const trader of traders) {
    for (const trade of trader.trades.values().slice(-HISTORY_STORED)) restoreSides(trade, orders);
  }
  return {
    accounts: storeAccounts(exchange),
    services: services.snapshot(),
    counters: trading.counters,
    traders: traders.map(({ userId, fees, mayTrade, lacksClientIdLookup }) => ({
      userId,
      fees,
      mayTrade,
      lacksClientIdLookup,
    })),
    orders: [...orders.values()].sort((left, right) => left.id - right.id),
    trades: [...trades.values()].sort((left, right) => left.id - right.id),
    markets: [...exchange.markets.values()].map((market) => storeMarket(market)),
  };
}

/**
 * Restores a stored state into an exchange fresh from its configuration. Throws if it does not fit, such as
 * for a market that the configuration lacks; the exchange is then unusable.
 */
export function restoreExchange(exchange: SimulatedExchange, state: ExchangeState, timeMs: number): void {
  const { trading, services, accounts } = exchange;
  accounts.restore(state.accounts);
  services.restore(state.services, timeMs);
  for (const { userId, ...trader } of state.traders) Object.assign(trading.trader(userId), trader);
  restoreMarkets(exchange, state);
  const orders = new Map<number, SimulatedOrder>();
  for (const stored of state.orders) orders.set(stored.id, readOrder(stored, exchange));
  for (const { id, pairId } of state.orders) {
    const order = orders.get(id);
    if (order !== undefined && pairId !== null) order.pair = orders.get(pairId) ?? null;
  }
  for (const order of orders.values()) {
    trading.restore(order);
    const { status, matched, total, fee } = order;
    order.versions?.push({ timeMs: order.createdAtMs, status, matched, total, fee });
  }
  for (const stored of state.trades) {
    const maker = orders.get(stored.makerId);
    const taker = orders.get(stored.takerId);
    if (maker === undefined || taker === undefined) continue;
    const trade = readTrade(stored, { maker, taker });
    taker.trader.trades.push(trade);
    if (maker.trader !== taker.trader) maker.trader.trades.push(trade);
  }
  checkRestored(exchange);
  trading.resumeFrom(state.counters);
  for (const order of orders.values())
    if (order.status === 'New' && order.isOpen) trading.activate(order, timeMs);
}

/** Returns the accounts; of synthetic traders, which trade all day, only the balances without history. */
function storeAccounts({ accounts, services }: SimulatedExchange): AccountsState {
  const state = accounts.snapshot();
  const wallets = state.wallets.map((wallet) =>
    services.users.find(wallet.userId) === undefined ? { ...wallet, held: 0n, transactions: [] } : wallet,
  );
  return { ...state, wallets };
}

/** Returns a market as plain data with its `count` newest minute bars. */
function storeMarket(market: MarketState, count = BARS_STORED): StoredMarket {
  const { priceStep, amountStep } = storeGrid(market.grid);
  const { lastPrice, isClosed, closedReason } = market;
  const all = market.candles.bars('1m');
  const bars = all.slice(Math.max(0, all.length - count)).map((bar) => ({ ...bar }));
  return { symbol: market.rules.symbol, priceStep, amountStep, lastPrice, isClosed, closedReason, bars };
}

/** Restores the two orders of a trade. Those of synthetic traders become ended ones that hold nothing. */
function restoreSides(trade: Trade, orders: Map<number, SavedOrder>): void {
  for (const order of [trade.maker, trade.taker])
    if (!orders.has(order.id)) orders.set(order.id, storeEnded(order));
}

/** Returns an order as canceled and without a hold, whatever its state is. */
function storeEnded(order: SimulatedOrder): SavedOrder {
  return { ...storeOrder(order), status: 'Canceled', held: 0n, pairId: null };
}

function restoreMarkets(exchange: SimulatedExchange, state: ExchangeState): void {
  for (const stored of state.markets) {
    const market = [...exchange.markets.values()].find(({ rules }) => rules.symbol === stored.symbol);
    if (market === undefined) continue;
    const { rules } = market;
    const configured = storeGrid(rules);
    if (stored.priceStep !== configured.priceStep || stored.amountStep !== configured.amountStep) {
      // Makes the grid fine enough for what was stored; what the public sees is the configuration's again.
      market.changeRules({ priceStep: stored.priceStep, amountStep: stored.amountStep });
      market.rules = rules;
    }
    const factor = Number(parseUnits(stored.priceStep) / market.grid.priceStep);
    const isSameGrid = factor === 1 && parseUnits(stored.amountStep) === market.grid.amountStep;
    market.lastPrice = stored.lastPrice * factor;
    market.isClosed = stored.isClosed;
    market.closedReason = stored.closedReason;
    // Bars of another grid are left behind: they are history, not balances.
    if (isSameGrid) market.candles.seed('1m', stored.bars);
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

/**
 * Checks that a restored exchange is consistent: its books add up, wallets hold the amounts that their orders
 * hold, and prices and amounts are whole numbers. Throws a `RangeError` that names the first violation.
 */
function checkRestored(exchange: SimulatedExchange): void {
  const { accounts, trading } = exchange;
  for (const market of exchange.markets.values()) checkMarket(market);
  const held = new Map<Wallet, bigint>();
  for (const trader of trading.allTraders()) {
    for (const order of trader.open.values()) {
      checkOrder(order);
      held.set(order.payingWallet, (held.get(order.payingWallet) ?? 0n) + order.held);
    }
  }
  for (const wallet of accounts.allWallets()) {
    const expected = held.get(wallet) ?? 0n;
    if (wallet.held !== expected)
      throw new RangeError(
        `expected wallet ${wallet.id} to hold ${expected} units for open orders, was ${wallet.held}`,
      );
  }
  const currencies = new Set([...accounts.allWallets()].map(({ currency }) => currency));
  for (const currency of currencies) {
    const imbalance = accounts.imbalanceOf(currency);
    if (imbalance !== 0n)
      throw new RangeError(`expected the books of ${currency} to add up to 0, was ${imbalance}`);
  }
}

function checkMarket(market: MarketState): void {
  const { symbol } = market.rules;
  if (!isCount(market.lastPrice))
    throw new RangeError(`expected a last price of ${symbol} in whole steps, was ${market.lastPrice}`);
  const bad = market.candles
    .bars('1m')
    .find((bar) => ![bar.open, bar.high, bar.low, bar.close].every(isCount));
  if (bad !== undefined)
    throw new RangeError(`expected candles of ${symbol} in whole steps, was ${bad.open}`);
}

function checkOrder(order: SimulatedOrder): void {
  const isWhole = isCount(order.amount) && isCount(order.remaining) && isCount(order.price);
  if (isWhole && order.remaining <= order.amount && order.held >= 0n) return;
  throw new RangeError(
    `expected open order ${order.id} with something left at a price, was ${order.remaining} of ${order.amount} at ${order.price}`,
  );
}

/** Changes since the last write, as plain data. Wallets, counters and markets are complete. */
export interface StoredChanges {
  /** Accounts; of the wallets' histories only the new lines. */
  readonly accounts: AccountsState;
  readonly counters: ExchangeState['counters'];
  /** Markets without bars. */
  readonly markets: readonly StoredMarket[];
  readonly orders: readonly SavedOrder[];
  readonly trades: readonly StoredTrade[];
}

/**
 * Collects the changed orders and trades of one user, so that a long history is not written again with every
 * order. It grows with that user's trades until `written` is called.
 */
export class ExchangeChanges {
  private readonly exchange: SimulatedExchange;
  private readonly userId: UserId;
  private readonly orders = new Set<SimulatedOrder>();
  private readonly trades = new Set<Trade>();
  private nextTransactionId: number;

  /** `nextTransactionId`: id of the first wallet history line that is not written yet. */
  constructor(
    exchange: SimulatedExchange,
    of: { readonly userId: UserId; readonly nextTransactionId: number },
  ) {
    this.exchange = exchange;
    this.userId = of.userId;
    this.nextTransactionId = of.nextTransactionId;
  }

  apply(event: TradingEvent): void {
    if (event.kind === 'order') {
      if (event.order.userId === this.userId) this.orders.add(event.order);
      return;
    }
    const { maker, taker } = event.trade;
    if (maker.userId === this.userId || taker.userId === this.userId) this.trades.add(event.trade);
  }

  get isEmpty(): boolean {
    return this.orders.size === 0 && this.trades.size === 0;
  }

  /** Returns all changes; it returns them again until they are written. */
  stored(): StoredChanges {
    const { exchange, orders, trades, userId } = this;
    const saved = new Map([...orders].map((order) => [order.id, storeOrder(order)]));
    for (const { maker, taker } of trades) {
      for (const order of [maker, taker]) if (order.userId !== userId) saved.set(order.id, storeEnded(order));
    }
    const accounts = exchange.accounts.snapshot(this.nextTransactionId);
    return {
      accounts: { ...accounts, wallets: accounts.wallets.map((wallet) => this.shortened(wallet)) },
      counters: exchange.trading.counters,
      markets: [...exchange.markets.values()].map((market) => storeMarket(market, 0)),
      orders: [...saved.values()],
      trades: [...trades].map(storeTrade),
    };
  }

  /** Removes the history of other users' wallets; their balances stay. */
  private shortened(wallet: AccountsState['wallets'][number]): AccountsState['wallets'][number] {
    return wallet.userId === this.userId ? wallet : { ...wallet, transactions: [] };
  }

  /** Notes that the changes are on the disk. */
  written({ accounts }: StoredChanges): void {
    this.orders.clear();
    this.trades.clear();
    this.nextTransactionId = accounts.nextTransactionId;
  }
}

/** Fields of the state that are bigints, which JSON has as text. */
const BIGINTS = new Set(
  (
    'units fee fees total held balanceAfter outside rounding refunded paidUnits value ' +
    'filledSteps makerTotal makerFee takerTotal takerFee'
  ).split(' '),
);

/** Returns the JSON of a state, or of a part of it. */
export const stateJson = (state: unknown): string =>
  JSON.stringify(state, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** Reads what `stateJson` returned. Throws a `SyntaxError` if it is damaged. */
export const readStateJson = (json: string): unknown =>
  JSON.parse(json, (name, value: unknown) =>
    typeof value === 'string' && BIGINTS.has(name) ? BigInt(value) : value,
  );

const FORMAT = 'sarraf exchange state';
/** Version of the format; it rises when older programs could not read the file. */
const VERSION = 1;

/** Latest time that a Date can hold, in ms since 1970. */
const LATEST_MS = 8.64e15;

const header = z.object({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  savedAtMs: z.int().min(0).max(LATEST_MS),
});

/** Error of a state file that can not be used; the message is one line for the user. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message.split('\n', 1)[0] : String(error)) ?? '';

/**
 * Writes the state so that at every moment the file is completely the old or the new one: to a temporary file
 * beside it, to the disk, then under its name. Throws `StateFileError`.
 */
export function writeStateFile(file: string, exchange: SimulatedExchange, savedAtMs: number): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const text = stateJson({
      format: FORMAT,
      version: VERSION,
      savedAtMs,
      state: storeExchange(exchange),
    });
    writeFileSync(temporary, text, { flush: true, mode: 0o600 });
    renameSync(temporary, file);
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new StateFileError(`${file}: the state can not be written: ${reasonOf(error)}`, { cause: error });
  }
}

/** Syncs a folder: a new file name must reach the disk too. */
function syncFolder(folder: string): void {
  using descriptor = disposable(openSync(folder, 'r'), closeSync);
  fsyncSync(descriptor.value);
}

/**
 * Restores a stored state into a fresh exchange; returns the time it was saved, or null if there is no file.
 * Throws `StateFileError` for a file of another program, of a newer version, or damaged; the file is left as
 * it is.
 */
export function readStateFile(file: string, exchange: SimulatedExchange, nowMs: number): number | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StateFileError(`${file}: the state can not be read: ${reasonOf(error)}`, { cause: error });
  }
  const savedAtMs = readSavedAtMs(file, text);
  try {
    const { state } = readStateJson(text) as { readonly state: ExchangeState };
    restoreExchange(exchange, state, Math.max(nowMs, savedAtMs));
  } catch (error) {
    throw new StateFileError(`${file}: the state does not fit: ${reasonOf(error)}`, { cause: error });
  }
  return savedAtMs;
}

/** Checks the header of a state file, and returns the time it was saved. */
function readSavedAtMs(file: string, text: string): number {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new StateFileError(`${file}: expected a state file, found no JSON: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  const read = header.safeParse(parsed);
  if (!read.success)
    throw new StateFileError(`${file}: expected a file of the format "${FORMAT}", found another`);
  if (read.data.version > VERSION)
    throw new StateFileError(
      `${file}: expected version ${VERSION} or older, found ${read.data.version} of a newer program`,
    );
  return read.data.savedAtMs;
}
