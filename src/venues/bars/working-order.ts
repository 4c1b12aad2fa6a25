import type { BarRules } from '../bar-rules.ts';
import type { SimulatedOrder } from '../../simulator/market-state.ts';

/** Price that an open order waits for: an open to fill at, its limit price, or its stop price. */
type WaitsFor = 'open' | 'limit' | 'stop';

/** An open order, and the cell of its market's columns that decides whether a bar concerns it. */
export interface WorkingOrder {
  readonly order: SimulatedOrder;
  waiting: WaitsFor;
  /** True if prices at `reach` or below reach it; false if those at `reach` or above do. */
  isBelow: boolean;
  /** A whole cell. Without meaning while it waits for an open. */
  reach: number;
  /** From which moment of the bar on it waits; 0 for its open. */
  since: number;
  /** True if it had its part of the bar, or came too late for it. */
  isServed: boolean;
  /**
   * Start of the bar in which it last took, or would have with more volume: at the open after that one it
   * goes on taking. NaN before.
   */
  tookInMs: number;
}

export function createWorkingOrder(order: SimulatedOrder): WorkingOrder {
  const waiting = order.status === 'Inactive' ? 'stop' : order.isMarket ? 'open' : 'limit';
  return { order, waiting, isBelow: false, reach: 0, since: 0, isServed: false, tookInMs: Number.NaN };
}

/**
 * Sets the cell that a bar must come to: at a stop price or beyond it, and beyond a limit price, or at it by
 * the rules. Whole cells, so that a bar is held against it exactly whatever the decimals of its column.
 */
export function setReach(
  working: WorkingOrder,
  scale: bigint,
  { limitFill }: Pick<BarRules, 'limitFill'>,
): void {
  const { order, waiting } = working;
  const { grid, side } = order;
  const isStop = waiting === 'stop';
  working.isBelow = (side === 'buy') !== isStop;
  const units = BigInt(isStop ? order.stopPrice : order.price) * grid.priceStep;
  const below = units / scale;
  const isOnCell = below * scale === units;
  if (isStop || limitFill === 'touch') {
    working.reach = Number(working.isBelow || isOnCell ? below : below + 1n);
  } else if (working.isBelow) working.reach = Number(isOnCell ? below - 1n : below);
  else working.reach = Number(below + 1n);
}

/** True if a price, as a cell, is one that the order waits for. */
export function isReached({ isBelow, reach }: WorkingOrder, cell: number): boolean {
  return isBelow ? cell <= reach : cell >= reach;
}
