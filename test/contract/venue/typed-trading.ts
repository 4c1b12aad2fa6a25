import {
  amountUnits,
  formatAmount,
  formatPrice,
  parseAmount,
  parsePrice,
} from '../../../src/domain/market.ts';
import { formatUnits, type Amount, type Price } from '../../../src/domain/money.ts';
import type { SimulatedExchange } from '../../../src/simulator/exchange.ts';
import { listOrders, listTrades } from '../../../src/simulator/order-list.ts';
import type { ListFilter, OrderFacts, PlaceFields, TradeFacts, TradingPort } from './trading-port.ts';
import type { TestClock } from './venue.ts';
import type { SimulatedOrder } from '../../../src/simulator/market-state.ts';

const priceOf = (order: SimulatedOrder, steps: number) =>
  steps === 0 ? null : formatPrice(order.grid, steps as Price);

function factsOf(order: SimulatedOrder): OrderFacts {
  const { grid } = order;
  return {
    id: order.id,
    side: order.side,
    execution: order.execution,
    price: order.isMarket ? null : priceOf(order, order.registeredPrice),
    stopPrice: priceOf(order, order.stopPrice),
    amount: formatAmount(grid, order.amount as Amount),
    matchedAmount: formatUnits(amountUnits(grid, order.matched as Amount)),
    total: formatUnits(order.total),
    fee: formatUnits(order.fee),
    status: order.status,
    createdAtMs: order.createdAtMs,
    clientOrderId: order.clientOrderId,
    pairId: order.pair?.id ?? null,
  };
}

/** The typed adapter: calls the matching core directly, as a backtest does. */
export class TypedTrading implements TradingPort {
  private readonly exchange: SimulatedExchange;
  private readonly userId: number;
  private readonly clock: TestClock;

  constructor(exchange: SimulatedExchange, userId: number, clock: TestClock) {
    this.exchange = exchange;
    this.userId = userId;
    this.clock = clock;
  }

  async place(fields: PlaceFields): Promise<readonly OrderFacts[] | string> {
    const market = this.exchange.marketOf(fields.srcCurrency, fields.dstCurrency);
    if (market === undefined) return 'InvalidMarketPair';
    const { rules } = market;
    const steps = (value: string | number | undefined) =>
      value === undefined ? null : parsePrice(rules, String(value));
    const result = this.exchange.trading.place(
      this.userId,
      {
        market: rules.symbol,
        side: fields.type,
        execution: fields.execution ?? 'limit',
        mode: fields.mode ?? 'default',
        amount: parseAmount(rules, String(fields.amount)),
        price: steps(fields.price),
        stopPrice: steps(fields.stopPrice),
        stopLimitPrice: steps(fields.stopLimitPrice),
        clientOrderId: fields.clientOrderId ?? null,
        pro: fields.pro === true,
      },
      this.now(),
    );
    return result.ok ? result.value.map(factsOf) : result.code;
  }

  async cancel(id: number): Promise<string | null> {
    const order = this.find(id);
    this.exchange.trading.cancel(order, this.now());
    return order.status;
  }

  async order(id: number): Promise<OrderFacts> {
    return factsOf(this.find(id));
  }

  async byClientId(clientOrderId: string): Promise<OrderFacts | null> {
    const found = this.exchange.trading.find(this.userId, { id: null, clientOrderId });
    return found === undefined ? null : factsOf(found);
  }

  async list(filter: ListFilter): Promise<readonly OrderFacts[]> {
    const { items } = listOrders(this.exchange.trading.trader(this.userId), {
      status: filter.status ?? 'open',
      side: filter.type ?? null,
      execution: filter.execution ?? null,
      tradeType: filter.tradeType ?? null,
      base: filter.srcCurrency ?? null,
      quote: filter.dstCurrency ?? null,
      fromId: null,
      order: { field: 'id', descending: false },
      page: 1,
      pageSize: 100,
      asOfMs: null,
    });
    return items.map(({ order }) => factsOf(order));
  }

  async trades(): Promise<readonly TradeFacts[]> {
    const query = { base: null, quote: null, fromId: null, side: null, page: 1, pageSize: 30, asOfMs: null };
    const trader = this.exchange.trading.trader(this.userId);
    return listTrades(trader, { ...query, ascending: true, listedMs: 1e15 }, this.now()).items.map(
      ({ trade, order, total, fee }) => ({
        orderId: order.id,
        side: order.side,
        price: formatPrice(trade.grid, trade.price as Price),
        amount: formatAmount(trade.grid, trade.amount as Amount),
        total: formatUnits(total),
        fee: formatUnits(fee),
      }),
    );
  }

  async balance(currency: string): Promise<readonly [string, string]> {
    const wallet = this.exchange.accounts.find(this.userId, currency);
    if (wallet === undefined) throw new Error(`expected a wallet of ${currency}`);
    return [formatUnits(wallet.total), formatUnits(wallet.held)];
  }

  async cancelOld(hours: number | null): Promise<void> {
    const createdAtOrBeforeMs = hours === null ? null : this.now() - hours * 3_600_000;
    const filter = { execution: null, base: null, quote: null, tradeType: null } as const;
    this.exchange.trading.cancelOld(this.userId, { ...filter, createdAtOrBeforeMs }, this.now());
  }

  /** Advances the time before every call, as the other adapters do. */
  private now(): number {
    this.exchange.advance(this.clock.nowMs);
    return this.clock.nowMs;
  }

  private find(id: number): SimulatedOrder {
    const found = this.exchange.trading.find(this.userId, { id, clientOrderId: null });
    if (found === undefined) throw new Error(`expected an order ${id}`);
    return found;
  }
}
