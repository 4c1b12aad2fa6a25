import type { DecimalText } from '../domain/decimal-text.ts';
import { formatAmount, formatPrice, type Market } from '../domain/market.ts';
import { formatUnits } from '../domain/money.ts';
import type { OrderBook } from '../domain/order-book.ts';
import { isLive, type OwnOrder } from '../execution/own-order.ts';
import type { StrategyAccount } from '../portfolio/strategy-account.ts';
import type { OwnOrder as SeenOrder } from '../strategy/definition.ts';
import type { StrategyRunner, StrategyView } from '../strategy/runner.ts';

/** A strategy with what belongs to it. */
export interface Seat {
  readonly runner: StrategyRunner;
  readonly market: Market;
  readonly account: StrategyAccount;
}

/** What a strategy is shown: of the orders only its own that may still trade. */
export function viewOf(
  { runner, market, account }: Seat,
  of: {
    readonly nowMs: number;
    readonly free: Readonly<Record<string, DecimalText>>;
    readonly orders: readonly OwnOrder[];
    readonly book: OrderBook | null;
  },
): StrategyView {
  const { nowMs, free, orders, book } = of;
  const mine = orders.filter((order) => order.strategy === runner.name && isLive(order));
  const position = formatUnits(account.position);
  return { nowMs, position, free, orders: mine.map((order) => seenOrder(order, market)), book };
}

function seenOrder(order: OwnOrder, market: Market): SeenOrder {
  return {
    clientOrderId: order.clientOrderId,
    market: order.market,
    side: order.side,
    price: order.execution === 'market' ? null : formatPrice(market, order.price),
    amount: formatAmount(market, order.amount),
    matchedAmount: formatAmount(market, order.matched),
  };
}
