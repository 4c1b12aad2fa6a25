import type { Market } from '../domain/market.ts';
import type { Execution, TradeKind } from '../domain/order.ts';
import type { UserId, Wallet } from './wallet.ts';
import type { MarketState } from './market-state.ts';
import { BookOrder } from './price-level.ts';
import type { PlacementPlan } from './trading/order-plan.ts';
import type { Trader, WalletPair } from './trader.ts';

/** State of an order from a moment on; stored only if lists are to lag. */
export interface OrderVersion {
  readonly timeMs: number;
  readonly status: string;
  readonly matched: number;
  readonly total: bigint;
  readonly fee: bigint;
}

/** No price given: an order that takes what the band allows. */
export const NO_PRICE = 0;

/**
 * An order of the simulated exchange. Its `price` is the worst it may trade at and where it rests. Prices and
 * amounts are in steps of `grid`, the market's finest grid so far; what it was registered with never changes,
 * what was traded grows.
 */
export class SimulatedOrder extends BookOrder {
  readonly trader: Trader;
  readonly market: MarketState;
  readonly execution: Execution;
  readonly clientOrderId: string | null;
  readonly createdAtMs: number;
  private readonly wallets: WalletPair;
  grid: Market;
  /** As registered; `NO_PRICE` for a market order without one. */
  registeredPrice: number;
  stopPrice: number;
  amount: number;
  /** `New`, `Active`, `Inactive`, `Done`, `Canceled`, or the configured word of a rejection. */
  status: string;
  pair: SimulatedOrder | null = null;
  /** Its place among the user's open orders. */
  openPlace = 0;
  /**
   * Still set aside for it, in the currency it pays with. The second leg of an OCO holds nothing: the first
   * holds for both.
   */
  held = 0n;
  /** Sum of price times amount of its fills, in steps of the grid. */
  filledSteps = 0n;
  /** Value of its fills in quote units. */
  total = 0n;
  /** Fees so far, in units of the currency received. */
  fee = 0n;
  versions: OrderVersion[] | null = null;

  constructor(
    id: number,
    plan: PlacementPlan,
    of: {
      readonly trader: Trader;
      readonly market: MarketState;
      readonly wallets: WalletPair;
      readonly createdAtMs: number;
    },
  ) {
    super(id, plan.side, plan.limit, plan.amount);
    this.trader = of.trader;
    this.market = of.market;
    this.grid = of.market.grid;
    this.execution = plan.execution;
    this.registeredPrice = plan.registeredPrice;
    this.stopPrice = plan.stopPrice;
    this.amount = plan.amount;
    this.status = plan.status;
    this.clientOrderId = plan.clientOrderId;
    this.createdAtMs = of.createdAtMs;
    this.wallets = of.wallets;
  }

  get isOpen(): boolean {
    return this.status === 'Active' || this.status === 'Inactive' || this.status === 'New';
  }

  get payingWallet(): Wallet {
    return this.side === 'buy' ? this.wallets.quote : this.wallets.base;
  }

  get receivingWallet(): Wallet {
    return this.side === 'buy' ? this.wallets.base : this.wallets.quote;
  }

  get userId(): UserId {
    return this.trader.userId;
  }

  get tradeKind(): TradeKind {
    return 'Spot';
  }

  get matched(): number {
    return this.amount - this.remaining;
  }

  /** Writes down what it looks like from now on, where the past is kept. */
  keepVersion(timeMs: number): void {
    const { status, matched, total, fee } = this;
    this.versions?.push({ timeMs, status, matched, total, fee });
  }

  /** A market order ends where the band or its money does; the others rest. */
  get isMarket(): boolean {
    return this.execution === 'market' || this.execution === 'stop_market';
  }
}
