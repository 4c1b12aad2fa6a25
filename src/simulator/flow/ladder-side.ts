import type { Side } from '../../domain/order.ts';
import type { MarketState, SimulatedOrder } from '../market-state.ts';
import type { FlowTrader } from '../flow-trader.ts';

/** Sizes of the levels of a side; index 0 is the best one. Amounts in public steps. */
export interface LevelSizing {
  amountAt(index: number): number;
  /** True if a level that has `remaining` left may stay as it is. */
  isEnough(index: number, remaining: number): boolean;
}

interface Shown {
  order: SimulatedOrder;
  readonly owner: FlowTrader;
  /** The call of `show` that last wanted it. */
  wantedBy: number;
}

/** The flow's own resting orders on one side of a market: one a price. As many as were last asked for. */
export class LadderSide {
  private readonly market: MarketState;
  private readonly side: Side;
  private readonly makers: readonly FlowTrader[];
  private readonly shown = new Map<number, Shown>();
  private calls = 0;
  private placed = 0;

  constructor(options: {
    readonly market: MarketState;
    readonly side: Side;
    /** They take turns. */
    readonly makers: readonly FlowTrader[];
  }) {
    this.market = options.market;
    this.side = options.side;
    this.makers = options.makers;
  }

  /** Takes back what rests at `price` or better. */
  withdrawFrom(price: number, timeMs: number): void {
    for (const [at, { order, owner }] of this.shown) {
      if (this.side === 'buy' ? at < price : at > price) continue;
      this.shown.delete(at);
      if (order.isOpen) owner.cancel(order, timeMs);
    }
  }

  /**
   * Rests at these prices (best first) and no others. What rests there already keeps its place in the queue.
   */
  show(prices: readonly number[], sizing: LevelSizing, timeMs: number): void {
    this.calls += 1;
    const missing: number[] = [];
    for (let index = 0; index < prices.length; index += 1) {
      const found = this.shown.get(prices[index] ?? 0);
      if (found !== undefined && this.isWhole(found.order, index, sizing)) found.wantedBy = this.calls;
      else missing.push(index);
    }
    for (const [price, { order, owner, wantedBy }] of this.shown) {
      if (wantedBy === this.calls) continue;
      this.shown.delete(price);
      if (order.isOpen) owner.cancel(order, timeMs);
    }
    for (const index of missing) this.place(prices[index] ?? 0, sizing.amountAt(index), timeMs);
  }

  clear(timeMs: number): void {
    for (const { order, owner } of this.shown.values()) if (order.isOpen) owner.cancel(order, timeMs);
    this.shown.clear();
  }

  /**
   * Sees to it that at least `least` rests at a price, by resting `amount` there if less does; the other
   * levels stay.
   */
  ensure(
    level: { readonly price: number; readonly least: number; readonly amount: number },
    timeMs: number,
  ): void {
    const found = this.shown.get(level.price);
    if (found !== undefined) {
      if (found.order.isOpen && found.order.remaining >= level.least * this.market.amountFactor) return;
      this.shown.delete(level.price);
      if (found.order.isOpen) found.owner.cancel(found.order, timeMs);
    }
    this.place(level.price, level.amount, timeMs);
  }

  private isWhole(order: SimulatedOrder, index: number, sizing: LevelSizing): boolean {
    return order.isOpen && sizing.isEnough(index, order.remaining / this.market.amountFactor);
  }

  private place(price: number, amount: number, timeMs: number): void {
    const owner = this.makers[this.placed % this.makers.length];
    if (owner === undefined || price < 1) return;
    this.placed += 1;
    const order = owner.place(this.market, { side: this.side, price, amount, execution: 'limit' }, timeMs);
    if (order !== null && order.isOpen) this.shown.set(price, { order, owner, wantedBy: this.calls });
  }
}
