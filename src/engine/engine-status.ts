import { mayTrade, type OrderRecord } from '../records/order.ts';

/** State of an engine, for the shell around it. */
export interface EngineStatus {
  readonly phase: 'syncing' | 'trading' | 'halted' | 'draining';
  readonly liveOrders: number;
  /** Orders whose fate is not known, that are being canceled, or whose fills are missing. */
  readonly unsettled: number;
  readonly isBroken: boolean;
  readonly conclusions: number;
}

/** Counts the orders that are not at their end, beside how the rest stands. */
export function statusOf({
  unfinished,
  ...rest
}: Pick<EngineStatus, 'phase' | 'isBroken' | 'conclusions'> & {
  readonly unfinished: readonly OrderRecord[];
}): EngineStatus {
  return {
    ...rest,
    liveOrders: unfinished.filter((order) => mayTrade(order) || order.state === 'planned').length,
    unsettled: unfinished.filter(({ state }) => state !== 'open' && state !== 'planned').length,
  };
}

/** Returns the number of orders in each state; a state without any is omitted. */
export function ordersByState(orders: readonly OrderRecord[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { state } of orders) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Object.fromEntries(counts);
}
