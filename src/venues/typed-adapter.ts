import {
  type Market,
  floorAmount,
  roundPrice,
  amountUnits,
  formatAmount,
  formatPrice,
  priceUnits,
  stepValue,
  valueHalfEven,
} from '../domain/market.ts';
import type { VenueOrder, VenueWalletId, ListCursor } from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import { type Result, accept, refuse, type OrderReference, type PlaceOrder } from '../simulator/requests.ts';
import { listOrders, type OrdersQuery } from '../simulator/order-list.ts';
import type {
  AskedOrder,
  MarketCallKind,
  Page,
  VenueAnswer,
  VenueCall,
  VenueCallKind,
  VenueValues,
  WalletReading,
  WalletTransaction,
  OcoRequest,
  OrderRequest,
  MarketRule,
} from './port.ts';
import { PAGE_SIZES } from './venue-request.ts';
import { wholeId, orderIdOf, orderIdOrNull, tradeIdOf, transactionIdOf, walletIdOf } from './read-records.ts';
import { SarrafError } from '../domain/errors.ts';
import {
  type Units,
  formatUnits,
  NO_UNITS,
  UNITS_PER_ONE,
  type Amount,
  type Price,
  divideHalfEven,
} from '../domain/money.ts';
import {
  type SimulatedOrder,
  type Trader,
  type MarketState,
  NO_PRICE,
  type TradeOfOrder,
} from '../simulator/market-state.ts';
import type { Candle } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import type { MarketStats } from '../domain/order-book.ts';
import { dayStats, type SimulatedBar } from '../simulator/candle-series.ts';
import type { Wallet, WalletEntry as CoreTransaction } from '../simulator/accounts.ts';
import { marketOfCurrencies } from '../exchange/market-names.ts';
import { madeOnce } from '../domain/retain-newest.ts';

const ALL: OrdersQuery = {
  status: 'all',
  side: null,
  execution: null,
  tradeType: null,
  base: null,
  quote: null,
  fromId: null,
  order: { field: 'id', descending: false },
  page: 1,
  pageSize: PAGE_SIZES.orders,
  asOfMs: null,
};

/** One account at a simulated exchange, built from the simulator's core. It decides how orders fill. */
export interface AdapterAccount {
  /** The markets in their present state. */
  readonly markets: readonly Market[];
  readonly trader: Trader;
  place(request: PlaceOrder, nowMs: number): Result<readonly SimulatedOrder[]>;
  /** Returns false if the order is not open; then nothing has changed. */
  cancel(order: SimulatedOrder, nowMs: number): boolean;
  /** Cancels the active orders; waiting stops stay, unless the other leg of their OCO ends. */
  cancelOld(nowMs: number): void;
  find(reference: OrderReference): SimulatedOrder | undefined;
  recordOf(order: SimulatedOrder): VenueOrder;
  /** Returns the record as `recordOf` does, for an order that the account has just changed. */
  recordOfChanged(order: SimulatedOrder): VenueOrder;
  trades(from: ListCursor, nowMs: number): Page<VenueTrade>;
  wallets(): readonly WalletReading[];
  transactions(walletId: VenueWalletId, page: number): Page<WalletTransaction>;
  /** Answers a call for market data. */
  market(call: Extract<VenueCall, { kind: MarketCallKind }>, nowMs: number): VenueAnswer;
}

/**
 * The typed adapter to a simulated exchange: answers the engine's calls with the values that a client would
 * read from the wire, without encoding. Bars, recorded books and paper trading share it.
 */
export class TypedAdapter {
  private readonly account: AdapterAccount;

  constructor(account: AdapterAccount) {
    this.account = account;
  }

  /** Answers a call as the exchange would at this time. */
  answer(call: VenueCall, nowMs: number): VenueAnswer {
    const { account } = this;
    switch (call.kind) {
      case 'place':
      case 'place-oco':
        return this.place(call, nowMs);
      case 'cancel':
        return this.cancel(account.find(referenceOf(call)), nowMs);
      case 'cancel-old':
        account.cancelOld(nowMs);
        return value('cancel-old', null);
      case 'order': {
        const found = account.find(referenceOf(call));
        return found === undefined
          ? refusedAnswer('NotFound', 'Order not found')
          : value('order', account.recordOf(found));
      }
      case 'orders': {
        const { items, hasNext } = listOrders(account.trader, {
          ...ALL,
          status: call.status,
          fromId: call.from,
        });
        return value('orders', { items: items.map(({ order }) => account.recordOf(order)), hasNext });
      }
      case 'trades':
        return value('trades', account.trades(call.from, nowMs));
      case 'wallets':
        return value('wallets', account.wallets());
      case 'transactions':
        return value('transactions', account.transactions(call.walletId, call.page));
      case 'options':
        return value('options', account.markets.map(marketRuleOf));
      // Strategies that read margin are refused before the run (`interface-profile.ts`).
      case 'pools':
      case 'margin-wallets':
      case 'delegation-limit':
      case 'transfer':
        return refusedAnswer('NotServed', 'this exchange in the process has no margin account');
      case 'book':
      case 'books':
      case 'stats':
      case 'public-trades':
      case 'candles':
        return account.market(call, nowMs);
    }
  }

  private place(call: Placing, nowMs: number): VenueAnswer {
    const { account } = this;
    const { base, quote } = call.order;
    const market = account.markets.find((candidate) => candidate.base === base && candidate.quote === quote);
    if (market === undefined) return refusedAnswer('InvalidMarketPair', `No market of ${base} and ${quote}`);
    const request = readPlacement(call, market);
    if (!request.ok) return refusedAnswer(request.code, request.message);
    const placed = account.place(request.value, nowMs);
    if (!placed.ok) return refusedAnswer(placed.code, placed.message);
    const [first, second] = placed.value;
    if (first === undefined) return refusedAnswer('Failed', 'No order was made');
    const order = account.recordOfChanged(first);
    return second === undefined
      ? value('place', order)
      : value('place-oco', [order, account.recordOfChanged(second)]);
  }

  private cancel(order: SimulatedOrder | undefined, nowMs: number): VenueAnswer {
    if (order === undefined) return refusedAnswer('NotFound', 'Order not found');
    const isCanceled = this.account.cancel(order, nowMs);
    const record = this.account.recordOfChanged(order);
    if (isCanceled) return value('cancel', { status: order.status, order: record });
    return {
      ...refusedAnswer('NotApplied', `the order is ${order.status}`),
      status: order.status,
      order: record,
    };
  }
}

function referenceOf({ venueId, clientOrderId }: AskedOrder): OrderReference {
  return { id: venueId === null ? null : wholeId(venueId), clientOrderId };
}

/** Makes an answer of a value; `_kind` lets the compiler check its type. */
export function value<Kind extends VenueCallKind>(_kind: Kind, of: VenueValues[Kind]): VenueAnswer {
  return { outcome: 'value', value: of };
}

export function refusedAnswer(
  code: string,
  message: string,
): Extract<VenueAnswer, { readonly outcome: 'refused' }> {
  return { outcome: 'refused', code, message, effect: 'none', status: null, order: null };
}

/** A call that places an order, or the pair of an OCO. */
type Placing =
  | { readonly kind: 'place'; readonly order: OrderRequest }
  | { readonly kind: 'place-oco'; readonly order: OcoRequest };

/**
 * Returns a request in steps of its market: amount rounded down, prices half-even, as the exchange rounds.
 * Refuses with `SmallOrder` for an amount below one step, and with `ParseError` or `InvalidOrderPrice` for
 * impossible numbers.
 */
function readPlacement({ kind, order }: Placing, market: Market): Result<PlaceOrder> {
  const amount = stepsOf(floorAmount, market, order.amount);
  if (amount === null) return refuse('ParseError', 'amount: expected a positive decimal');
  if (amount === 0) return refuse('SmallOrder', 'The amount is less than one step of its market');
  const { side, clientOrderId, pro = false } = order;
  return accept({
    market: market.symbol,
    side,
    execution: kind === 'place' ? order.execution : 'limit',
    mode: kind === 'place' ? 'default' : 'oco',
    amount,
    price: stepsOf(roundPrice, market, order.price),
    stopPrice: stepsOf(roundPrice, market, order.stopPrice),
    stopLimitPrice: kind === 'place' ? null : stepsOf(roundPrice, market, order.stopLimitPrice),
    clientOrderId,
    pro,
  });
}

/** Returns null for a number that steps cannot express; the exchange's own checks then name the fault. */
function stepsOf(
  read: (market: Market, units: Units) => number,
  market: Market,
  units: Units | null,
): number | null {
  if (units === null) return null;
  try {
    return read(market, units);
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}

/** Returns the value of an order: at its registered price, else of its trades, else at its stop price. */
function orderTotalOf({ registeredPrice, stopPrice, total, grid, amount }: SimulatedOrder): bigint {
  const price = registeredPrice !== NO_PRICE ? registeredPrice : total === 0n ? stopPrice : NO_PRICE;
  return price === NO_PRICE ? total : valueHalfEven(grid, stepValue(price, amount));
}

/** Returns an order as replies and lists show it, with the fields of the exchange's own record. */
export function venueOrderOf(order: SimulatedOrder, market: MarketName): VenueOrder {
  const { grid, matched, amount, total, stopPrice } = order;
  const { priceStep, amountStep } = grid;
  const whole = BigInt(amount) * amountStep;
  const matchedUnits = matched === amount ? whole : BigInt(matched) * amountStep;
  return {
    id: orderIdOf(order.id),
    side: order.side,
    execution: order.execution,
    tradeKind: 'Spot',
    market,
    price: order.isMarket ? null : ((BigInt(order.registeredPrice) * priceStep) as Units),
    stopPrice: stopPrice === NO_PRICE ? null : ((BigInt(stopPrice) * priceStep) as Units),
    amount: whole as Units,
    matchedAmount: matchedUnits as Units,
    unmatchedAmount: (whole - matchedUnits) as Units,
    total: total as Units,
    orderTotal: orderTotalOf(order) as Units,
    fee: order.fee as Units,
    averagePrice: matched === 0 ? NO_UNITS : (divideHalfEven(total * UNITS_PER_ONE, matchedUnits) as Units),
    status: order.status,
    partial: matched > 0 && matched < amount,
    createdAtMs: order.createdAtMs,
    clientOrderId: order.clientOrderId,
    pairId: orderIdOrNull(order.pair?.id ?? null),
    tooFine: null,
  };
}

/** Returns a trade from its user's side, with the fields of the exchange's own record. */
export function venueTradeOf({ trade, order, total, fee, feeCoin }: TradeOfOrder): VenueTrade {
  const { grid } = trade;
  return {
    id: tradeIdOf(trade.id),
    orderId: orderIdOf(order.id),
    market: nameOfMarket(order.market.rules),
    timeMs: trade.timeMs,
    side: order.side,
    price: priceUnits(grid, trade.price as Price),
    amount: amountUnits(grid, trade.amount as Amount),
    total: total as Units,
    fee: fee as Units,
    feeCurrency: feeCoin,
    tooFine: null,
  };
}

export function walletReadingOf({ currency, id, total, held }: Wallet): WalletReading {
  return { currency, walletId: walletIdOf(id), total: total as Units, held: held as Units, tooFine: null };
}

export function walletTransactionOf({
  id,
  currency,
  timeMs,
  units,
  description,
}: CoreTransaction): WalletTransaction {
  return {
    id: transactionIdOf(id),
    currency,
    atMs: timeMs,
    amount: units as Units,
    description,
    tooFine: null,
  };
}

function marketRuleOf({ symbol, priceStep, amountStep, minOrderValue }: Market): MarketRule {
  return {
    symbol,
    priceStep: formatUnits(priceStep),
    amountStep: formatUnits(amountStep),
    minOrderValue: formatUnits(minOrderValue),
  };
}

export function candleOf(grid: Market, bar: SimulatedBar): Candle {
  return {
    openTimeMs: bar.openTimeMs,
    open: formatPrice(grid, bar.open as Price),
    high: formatPrice(grid, bar.high as Price),
    low: formatPrice(grid, bar.low as Price),
    close: formatPrice(grid, bar.close as Price),
    volume: formatAmount(grid, Math.round(bar.volume) as Amount),
  };
}

/** Returns a market's daily statistics, from the bars so far and the best prices of the shown book. */
export function marketStatsOf(
  state: MarketState,
  of: {
    readonly bestBuy: DecimalText | null;
    readonly bestSell: DecimalText | null;
    readonly timeMs: number;
  },
): MarketStats {
  const { grid } = state;
  const stats = dayStats(state, of.timeMs);
  const price = (steps: number): DecimalText => formatPrice(grid, steps as Price);
  const open = stats.open ?? stats.close;
  const latest = price(stats.close);
  return {
    market: nameOfMarket(state.rules),
    isClosed: false,
    closedReason: null,
    bestSell: of.bestSell,
    bestBuy: of.bestBuy,
    baseVolume: formatAmount(grid, Math.round(stats.volume) as Amount),
    quoteVolume: formatUnits(divideHalfEven(stats.value * grid.stepProduct, UNITS_PER_ONE)),
    latest,
    mark: latest,
    dayLow: price(stats.low ?? stats.close),
    dayHigh: price(stats.high ?? stats.close),
    dayOpen: price(open),
    dayClose: latest,
    dayChange: formatUnits(
      divideHalfEven(BigInt(stats.close - open) * 10_000n, BigInt(open)) * (UNITS_PER_ONE / 100n),
    ),
  };
}

const NAMES = new WeakMap<Market, MarketName>();

/** Returns the name of a market without its steps, for records: they are JSON, which has no bigint. */
export const nameOfMarket = (market: Market): MarketName =>
  madeOnce(NAMES, market, ({ base, quote }) => marketOfCurrencies(base, quote));
