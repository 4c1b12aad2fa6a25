import type { Candle } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import {
  amountUnits,
  formatAmount,
  formatPrice,
  priceUnits,
  stepValue,
  valueHalfEven,
  type Market,
} from '../domain/market.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import type { VenueOrder } from '../domain/order.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import {
  formatUnits,
  NO_UNITS,
  UNITS_PER_ONE,
  type Amount,
  type Price,
  type Units,
} from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { MarketRule, WalletReading, WalletTransaction } from './port.ts';
import type { SimulatedBar } from '../simulator/candle-series.ts';
import { dayStats } from '../simulator/day-stats.ts';
import {
  type MarketState,
  type SimulatedOrder,
  NO_PRICE,
  type TradeOfOrder,
} from '../simulator/market-state.ts';
import { orderIdOf, orderIdOrNull, tradeIdOf, transactionIdOf, walletIdOf } from './whole-ids.ts';
import { nameOfMarket } from './name-of-market.ts';
import type { Wallet, WalletEntry as CoreTransaction } from '../simulator/wallet.ts';

/**
 * Value at the registered price; of an order without one by what it traded, or before that by its stop price.
 */
function orderTotalOf({ registeredPrice, stopPrice, total, grid, amount }: SimulatedOrder): bigint {
  const price = registeredPrice !== NO_PRICE ? registeredPrice : total === 0n ? stopPrice : NO_PRICE;
  return price === NO_PRICE ? total : valueHalfEven(grid, stepValue(price, amount));
}

/** An order as replies and lists show it, with the same fields as the exchange's own record. */
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

/** A trade from its user's side, with the fields of the exchange's own record. */
export function venueTradeOf({ trade, order, total, fee }: TradeOfOrder): VenueTrade {
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

export function marketRuleOf({ symbol, priceStep, amountStep, minOrderValue }: Market): MarketRule {
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

/** A market's day, by the bars so far and the best prices of the book as it is shown. */
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
