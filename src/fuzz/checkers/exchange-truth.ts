import { createHash } from 'node:crypto';
import type { Side } from '../../domain/order.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import type { UserId } from '../../simulator/wallet.ts';
import {
  type SimulatedOrder,
  type TradeOfOrder,
  takerSide,
  makerSide,
} from '../../simulator/market-state.ts';

/** An order as the exchange has it, in units. */
export interface TrueOrder {
  readonly id: number;
  readonly clientOrderId: string | null;
  readonly pairId: number | null;
  readonly isStop: boolean;
  readonly market: string;
  readonly side: Side;
  /** The worst that it may trade at, and where it rests. */
  readonly price: bigint;
  readonly amount: bigint;
  readonly matched: bigint;
  readonly status: string;
  readonly isOpen: boolean;
  readonly openedAtMs: number;
  /** Null while it is open. */
  readonly closedAtMs: number | null;
}

/** One side of a trade, in units. A trade with oneself has two. */
export interface TrueFill {
  readonly tradeId: number;
  readonly orderId: number;
  readonly atMs: number;
  readonly market: string;
  readonly side: Side;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
  /** The list of trades does not go back so far: nobody who has not read it before learns of it. */
  readonly isUnlisted?: true;
}

/** Exchange's own data on an account: its tables, not its replies. */
export interface ExchangeTruth {
  readonly orders: readonly TrueOrder[];
  readonly fills: readonly TrueFill[];
  readonly balances: ReadonlyMap<string, { readonly total: bigint; readonly held: bigint }>;
}

const OPEN = new Set(['New', 'Active', 'Inactive']);

function orderOf(order: SimulatedOrder): TrueOrder {
  const { grid, isOpen } = order;
  const closed = order.versions?.find(({ status }) => !OPEN.has(status));
  return {
    id: order.id,
    clientOrderId: order.clientOrderId,
    pairId: order.pair?.id ?? null,
    isStop: order.execution === 'stop_limit' || order.execution === 'stop_market',
    market: grid.symbol,
    side: order.side,
    price: BigInt(order.price) * grid.priceStep,
    amount: BigInt(order.amount) * grid.amountStep,
    matched: BigInt(order.matched) * grid.amountStep,
    status: order.status,
    isOpen,
    openedAtMs: order.createdAtMs,
    closedAtMs: isOpen ? null : (closed?.timeMs ?? order.createdAtMs),
  };
}

function fillOf({ trade, order, total, fee }: TradeOfOrder, listedSinceMs: number): TrueFill {
  return {
    tradeId: trade.id,
    orderId: order.id,
    atMs: trade.timeMs,
    market: trade.grid.symbol,
    side: order.side,
    amount: BigInt(trade.amount) * trade.grid.amountStep,
    total,
    fee,
    ...(trade.timeMs < listedSinceMs ? ({ isUnlisted: true } as const) : {}),
  };
}

/** `atMs`: the time of the exchange; without it the list of trades goes back to its beginning. */
export function truthOf(
  exchange: SimulatedExchange,
  userId: UserId,
  atMs = Number.NEGATIVE_INFINITY,
): ExchangeTruth {
  const trader = exchange.trading.trader(userId);
  const listedSinceMs = atMs - exchange.trading.settings.tradesListedMs;
  return {
    orders: trader.orders.values().map(orderOf),
    fills: trader.trades
      .values()
      .flatMap((trade) => [takerSide(trade), makerSide(trade)])
      .filter(({ order }) => order.userId === userId)
      .map((side) => fillOf(side, listedSinceMs)),
    balances: new Map(
      exchange.accounts.walletsOf(userId).map(({ currency, total, held }) => [currency, { total, held }]),
    ),
  };
}

/** SHA-256 of an account's orders, fills and balances at the exchange, whatever the bot writes of them. */
export function hashOfTruth({ orders, fills, balances }: ExchangeTruth): string {
  const text = JSON.stringify([orders, fills, [...balances]], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  return createHash('sha256').update(text).digest('hex');
}
