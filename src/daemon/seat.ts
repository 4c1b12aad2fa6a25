import { ZERO, type DecimalText } from '../domain/decimal-text.ts';
import { formatAmount, formatPrice, type Market } from '../domain/market.ts';
import { formatUnits } from '../domain/money.ts';
import type { OrderBook } from '../domain/order-book.ts';
import { isLive, type OwnOrder } from '../execution/own-order.ts';
import type { StrategyAccount } from '../portfolio/strategy-account.ts';
import type { OwnOrder as SeenOrder } from '../strategy/definition.ts';
import type { StrategyRunner } from '../strategy/runner.ts';
import type { EngineView } from '../strategy/strategy-event.ts';

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
): EngineView {
  const { nowMs, free, orders, book } = of;
  const mine = orders.filter((order) => order.strategy === runner.name && isLive(order));
  const position = formatUnits(account.position);
  return {
    nowMs,
    position: (symbol) => (symbol === market.symbol ? position : ZERO),
    free: () => free,
    orders: () => mine.map((order) => seenOrder(order, { market, nowMs })),
    book: (symbol) => (symbol === market.symbol ? book : null),
    stats: () => null,
    equity: () => null,
    ageMs: () => null,
    accountAgeMs: () => null,
  };
}

function seenOrder(order: OwnOrder, { market, nowMs }: { readonly market: Market; readonly nowMs: number }): SeenOrder {
  return {
    clientOrderId: order.clientOrderId,
    market: order.market,
    side: order.side,
    execution: order.execution,
    stopPrice: null,
    tag: null,
    state: order.stage === 'sending' ? 'sending' : 'open',
    ageMs: nowMs - order.plannedAtMs,
    price: order.execution === 'market' ? null : formatPrice(market, order.price),
    amount: formatAmount(market, order.amount),
    matchedAmount: formatAmount(market, order.matched),
  };
}
