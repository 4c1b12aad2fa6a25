import type { MarketNames } from '../../domain/market-symbol.ts';
import type { VenueOrder } from '../../domain/order.ts';
import { exitsAmong, type HeldOf } from '../../execution/exits.ts';
import type { OrderRecord } from '../../execution/order-record.ts';

/** What the exchange lists as open, and what the bot that went silent had written down. */
export interface ListedOrders {
  readonly listed: readonly VenueOrder[];
  /** Own orders that are not at their end, as the mirror has them. */
  readonly own: readonly OrderRecord[];
  readonly heldOf: HeldOf;
  readonly marketNames: MarketNames;
}

/** An open order of the bot as the exchange has it. */
export interface OpenOrder {
  readonly order: OrderRecord;
  readonly listed: VenueOrder;
}

/** Own orders that are open, by what a watchdog does with them. */
export interface SortedOrders {
  /** They can open or add to a position. */
  readonly entries: readonly OpenOrder[];
  /** They only reduce one, or are the exit of a bracket. */
  readonly exits: readonly OpenOrder[];
}

/**
 * Sorts the bot's open orders. An order is the bot's if the mirror has its client order id: each is there
 * before its request leaves. All others stay, those of people and of other bots among them. The mirror may
 * be behind, since the bot no longer reads its fills. So an order that was known as the exit of a bracket
 * stays whatever the mirror thinks is held.
 */
export function sortOpenOrders({ listed, own, heldOf, marketNames }: ListedOrders): SortedOrders {
  const byClientOrderId = new Map(
    own.flatMap((order) => (order.clientOrderId === null ? [] : [[order.clientOrderId, order] as const])),
  );
  const open = listed.flatMap((record): readonly OpenOrder[] => {
    const order = record.clientOrderId === null ? undefined : byClientOrderId.get(record.clientOrderId);
    return order === undefined ? [] : [{ order, listed: record }];
  });
  const pairs = new Set(open.flatMap(({ order }) => (order.pairKey === null ? [] : [order.pairKey])));
  const live = own.filter(({ key }) => pairs.has(key) || open.some(({ order }) => order.key === key));
  const reducing = exitsAmong(live, heldOf, marketNames);
  const isExit = ({ order }: OpenOrder): boolean => order.exit !== null || reducing.has(order.key);
  return { entries: open.filter((each) => !isExit(each)), exits: open.filter(isExit) };
}
