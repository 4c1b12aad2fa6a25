import type { AccountsState } from '../simulator/accounts.ts';
import type { SimulatedExchange } from '../simulator/exchange.ts';
import type { TradingEvent } from '../simulator/trading.ts';
import type { UserId } from '../simulator/wallet.ts';
import { storeEnded, storeMarket, type ExchangeState, type StoredMarket } from './exchange-state.ts';
import { storeOrder, type SavedOrder } from './stored-order.ts';
import { storeTrade, type StoredTrade } from './stored-trade.ts';
import type { SimulatedOrder, Trade } from '../simulator/market-state.ts';

/** Changes since the last write, as plain JSON. Wallets, counters and markets are whole. */
export interface StoredChanges {
  /** Of the wallets' histories the new lines alone. */
  readonly accounts: AccountsState;
  readonly counters: ExchangeState['counters'];
  /** Without bars. */
  readonly markets: readonly StoredMarket[];
  readonly orders: readonly SavedOrder[];
  readonly trades: readonly StoredTrade[];
}

/**
 * Collects what changes of one user's orders and trades, so that a long history need not be written again
 * with every order. It grows while nobody calls `written`, by what that user trades.
 */
export class ExchangeChanges {
  private readonly exchange: SimulatedExchange;
  private readonly userId: UserId;
  private readonly orders = new Set<SimulatedOrder>();
  private readonly trades = new Set<Trade>();
  private nextTransactionId: number;

  /** `nextTransactionId`: of the first line of a wallet's history that is not written yet. */
  constructor(
    exchange: SimulatedExchange,
    of: { readonly userId: UserId; readonly nextTransactionId: number },
  ) {
    this.exchange = exchange;
    this.userId = of.userId;
    this.nextTransactionId = of.nextTransactionId;
  }

  take(event: TradingEvent): void {
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

  /** All of it, the same again until it is written. */
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

  /** Of others the balances are kept, not how they came to be. */
  private shortened(wallet: AccountsState['wallets'][number]): AccountsState['wallets'][number] {
    return wallet.userId === this.userId ? wallet : { ...wallet, transactions: [] };
  }

  /** Notes that the stored changes are on the disk. */
  written({ accounts }: StoredChanges): void {
    this.orders.clear();
    this.trades.clear();
    this.nextTransactionId = accounts.nextTransactionId;
  }
}
