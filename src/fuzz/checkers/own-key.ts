import type { ExchangeTruth, TrueOrder } from './exchange-truth.ts';

/**
 * Returns the mirror's key of one of our orders; null for any other order. The stop leg of a pair is named
 * after the other leg. `instance` is the first part of our ids.
 */
export function ownKeyOf(
  order: TrueOrder,
  byId: ReadonlyMap<number, TrueOrder>,
  instance: string,
): string | null {
  const { clientOrderId, pairId } = order;
  if (clientOrderId !== null) return clientOrderId.startsWith(`${instance}-`) ? clientOrderId : null;
  const limitLeg = pairId === null ? undefined : byId.get(pairId);
  const key = limitLeg === undefined ? null : ownKeyOf({ ...limitLeg, pairId: null }, byId, instance);
  return key === null ? null : `${key}/2`;
}

/** Empty set: nothing was refused wrongly. */
export const NONE_REFUSED: ReadonlySet<string> = new Set();

/** The clientOrderId that an order was placed with: its own, or of a stop leg that of the other leg. */
export function placedNameOf(key: string): string {
  return key.endsWith('/2') ? key.slice(0, -'/2'.length) : key;
}

/** An order of ours, and the clientOrderId that it was placed with. */
export interface NamedOrder {
  readonly order: TrueOrder;
  readonly name: string;
}

/** The orders of ours, with what they were placed as. */
export function namedOrders(
  { orders }: Pick<ExchangeTruth, 'orders'>,
  instance: string,
): readonly NamedOrder[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  return orders.flatMap((order) => {
    const key = ownKeyOf(order, byId, instance);
    return key === null ? [] : [{ order, name: placedNameOf(key) }];
  });
}

/** True if an order of a strategy was refused wrongly: its holding differs from what the bot may assume. */
export function isSpoiledBy(refused: ReadonlySet<string>, strategy: string): boolean {
  return [...refused].some((name) => name.includes(`-${strategy}-`));
}
