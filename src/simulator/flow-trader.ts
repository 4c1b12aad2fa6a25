import { valueUp } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import type { UserId } from './wallet.ts';
import type { SimulatedExchange } from './exchange.ts';
import type { MarketState, SimulatedOrder } from './market-state.ts';
import type { PlaceOrder, Result } from './requests.ts';

/** Closed orders, trades and transactions of a wallet kept of a trader of the flow, which has no reader. */
const HISTORY_KEPT = 256;
/** A top-up is worth this many of the order that could not be paid. */
const TOP_UP_ORDERS = 1_000n;

/**
 * An order of the flow: price and amount in the market's public steps. A market order ends no further than 1
 * % beyond its price.
 */
interface FlowOrder {
  readonly side: Side;
  readonly price: number;
  readonly amount: number;
  readonly execution: 'limit' | 'market';
}

/**
 * A user of the exchange who belongs to the flow: his orders are ordinary ones, his money comes from outside
 * whenever it runs out.
 */
export class FlowTrader {
  readonly userId: UserId;
  private readonly exchange: SimulatedExchange;

  /** Orders that an earlier run left open (a stored state) are cancelled. */
  constructor(options: {
    readonly exchange: SimulatedExchange;
    readonly userId: UserId;
    readonly timeMs: number;
    /** Free of the price band and the minimum value: for what was recorded elsewhere. */
    readonly isUnrestricted?: boolean;
  }) {
    this.exchange = options.exchange;
    this.userId = options.userId;
    const { accounts, trading } = this.exchange;
    accounts.keepTransactions(this.userId, HISTORY_KEPT);
    const trader = trading.openTrader(this.userId, {
      historyKept: HISTORY_KEPT,
      isUnrestricted: options.isUnrestricted ?? false,
    });
    for (const order of trader.open.values()) trading.cancel(order, options.timeMs);
  }

  /**
   * Places an order that is in the book or done at once. Null when the exchange refuses it, as it would
   * anybody's.
   */
  place(market: MarketState, order: FlowOrder, timeMs: number): SimulatedOrder | null {
    const request: PlaceOrder = {
      market: market.rules.symbol,
      side: order.side,
      execution: order.execution,
      mode: 'default',
      amount: order.amount,
      price: order.price,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
    };
    const { trading } = this.exchange;
    let result: Result<readonly SimulatedOrder[]> = trading.place(this.userId, request, timeMs);
    if (!result.ok && result.code === 'OverValueOrder') {
      this.topUp(market, order, timeMs);
      result = trading.place(this.userId, request, timeMs);
    }
    if (!result.ok) return null;
    const placed = result.value[0] ?? null;
    if (placed !== null && placed.status === 'New') trading.activate(placed, timeMs);
    return placed;
  }

  cancel(order: SimulatedOrder, timeMs: number): void {
    this.exchange.trading.cancel(order, timeMs);
  }

  private topUp(market: MarketState, order: FlowOrder, timeMs: number): void {
    const { rules } = market;
    const needed =
      order.side === 'sell'
        ? BigInt(order.amount) * rules.amountStep
        : valueUp(rules, BigInt(order.price) * BigInt(order.amount));
    const wallet = this.exchange.accounts.ensure(
      this.userId,
      order.side === 'sell' ? rules.base : rules.quote,
    );
    this.exchange.accounts.post(wallet, 'outside', {
      units: needed * TOP_UP_ORDERS,
      description: 'Deposit',
      timeMs,
    });
  }
}
