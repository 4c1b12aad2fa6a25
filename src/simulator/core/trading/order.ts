import type { Execution, TradeKind } from '../../../domain/order.ts';
import type { Market } from '../../../domain/market.ts';
import type { UserId, Wallet } from '../accounts.ts';
import type { MarketState } from '../market/market-state.ts';
import { BookOrder } from '../matching/price-level.ts';
import type { OrderPlan } from './order-plan.ts';

/** What an order looked like from a moment on; kept only where lists are to lag behind. */
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
 * An order of the simulated exchange. Prices and amounts are in steps of `grid`, the market's finest grid so far; what it was registered
 * with never changes, what was traded grows.
 */
export class SimulatedOrder extends BookOrder {
  readonly userId: UserId;
  readonly market: MarketState;
  readonly execution: Execution;
  readonly tradeKind: TradeKind = 'Spot';
  readonly clientOrderId: string | null;
  readonly createdAtMs: number;
  readonly srcWallet: Wallet;
  readonly dstWallet: Wallet;
  grid: Market;
  /** As registered; `NO_PRICE` for a market order without one. */
  registeredPrice: number;
  /** The worst price it may trade at. */
  limit: number;
  stopPrice: number;
  amount: number;
  /** `New`, `Active`, `Inactive`, `Done`, `Canceled`, or the configured word of a rejection. */
  status: string;
  pair: SimulatedOrder | null = null;
  /** Still set aside for it, in the currency it pays with. The second leg of an OCO holds nothing: the first holds for both. */
  held = 0n;
  /** Sum of price times amount of its fills, in steps of the grid. */
  filledSteps = 0n;
  /** Value of its fills in quote units. */
  total = 0n;
  /** Fees so far, in units of the currency received. */
  fee = 0n;
  closedAtMs: number | null = null;
  versions: OrderVersion[] | null = null;

  constructor(options: {
    readonly id: number;
    readonly userId: UserId;
    readonly market: MarketState;
    readonly plan: OrderPlan;
    readonly createdAtMs: number;
    readonly srcWallet: Wallet;
    readonly dstWallet: Wallet;
  }) {
    const { plan } = options;
    super({ id: options.id, side: plan.side, price: plan.limit, remaining: plan.amount });
    this.userId = options.userId;
    this.market = options.market;
    this.grid = options.market.grid;
    this.execution = plan.execution;
    this.registeredPrice = plan.registeredPrice;
    this.limit = plan.limit;
    this.stopPrice = plan.stopPrice;
    this.amount = plan.amount;
    this.status = plan.status;
    this.clientOrderId = plan.clientOrderId;
    this.createdAtMs = options.createdAtMs;
    this.srcWallet = options.srcWallet;
    this.dstWallet = options.dstWallet;
  }

  get matched(): number {
    return this.amount - this.remaining;
  }

  get isOpen(): boolean {
    return this.status === 'Active' || this.status === 'Inactive' || this.status === 'New';
  }

  /** The wallet it pays from. */
  get payingWallet(): Wallet {
    return this.side === 'buy' ? this.dstWallet : this.srcWallet;
  }
}
