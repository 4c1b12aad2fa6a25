import type { ExchangeClient } from '../../../src/exchange/client.ts';
import type { EndpointRequest } from '../../../src/exchange/endpoints.ts';
import type { ExchangeOrder } from '../../../src/exchange/order.ts';
import { valueOf } from './venue.ts';

/** Fields of an order that every venue reports. */
export type OrderFacts = Pick<
  ExchangeOrder,
  | 'id'
  | 'side'
  | 'execution'
  | 'price'
  | 'stopPrice'
  | 'amount'
  | 'matchedAmount'
  | 'total'
  | 'fee'
  | 'status'
  | 'createdAtMs'
  | 'clientOrderId'
  | 'pairId'
>;

export interface TradeFacts {
  readonly orderId: number | null;
  readonly side: string;
  readonly price: string;
  readonly amount: string;
  readonly total: string;
  readonly fee: string;
}

export interface ListFilter {
  readonly status?: 'all' | 'open' | 'done' | 'close';
  readonly type?: 'buy' | 'sell';
  readonly execution?: 'limit' | 'market' | 'stop_limit' | 'stop_market';
  readonly tradeType?: 'spot' | 'margin';
  readonly srcCurrency?: string;
  readonly dstCurrency?: string;
}

export type PlaceFields = EndpointRequest<'addOrder'>;

/** Trading as one user sees it, through any adapter: bytes or typed calls. */
export interface TradingPort {
  /** Returns the accepted orders, the limit order first; or the code of the refusal. */
  place(order: PlaceFields): Promise<readonly OrderFacts[] | string>;
  /** Returns `Canceled`, or the status that the cancel found. */
  cancel(id: number): Promise<string | null>;
  order(id: number): Promise<OrderFacts>;
  /** Finds an open order; null when there is none. */
  byClientId(clientOrderId: string): Promise<OrderFacts | null>;
  /** Returns orders by ascending id. */
  list(filter: ListFilter): Promise<readonly OrderFacts[]>;
  /** Returns trades, the oldest first. */
  trades(): Promise<readonly TradeFacts[]>;
  /** Returns the owned amount, and the part of it that is held. */
  balance(currency: string): Promise<readonly [owned: string, held: string]>;
  cancelOld(hours: number | null): Promise<void>;
}

/** The adapter for bytes, through the real client. */
export class ClientTrading implements TradingPort {
  private readonly client: ExchangeClient;

  constructor(client: ExchangeClient) {
    this.client = client;
  }

  async place(order: PlaceFields): Promise<readonly OrderFacts[] | string> {
    const result = await this.client.addOrder(order);
    if (!result.ok) return result.code;
    const { order: first, pair } = result.value;
    return pair === null ? [first] : [first, pair];
  }

  async cancel(id: number): Promise<string | null> {
    const result = await this.client.updateOrderStatus({ order: id, status: 'canceled' });
    return result.ok ? result.value.updatedStatus : (result.updatedStatus ?? result.code);
  }

  order(id: number): Promise<OrderFacts> {
    return valueOf(this.client.orderStatus({ id }));
  }

  async byClientId(clientOrderId: string): Promise<OrderFacts | null> {
    const result = await this.client.orderStatus({ clientOrderId });
    return result.ok ? result.value : null;
  }

  async list(filter: ListFilter): Promise<readonly OrderFacts[]> {
    return (await valueOf(this.client.ordersList({ ...filter, details: 2, order: 'id' }))).items;
  }

  async trades(): Promise<readonly TradeFacts[]> {
    return (await valueOf(this.client.tradesList({ tradeOrder: 'asc' }))).items;
  }

  async balance(currency: string): Promise<readonly [string, string]> {
    const [wallet] = await valueOf(this.client.wallets({ currencies: currency }));
    if (wallet === undefined) throw new Error(`expected a wallet of ${currency}`);
    return [wallet.balance, wallet.blocked];
  }

  async cancelOld(hours: number | null): Promise<void> {
    await valueOf(this.client.cancelOldOrders(hours === null ? {} : { hours }));
  }
}
