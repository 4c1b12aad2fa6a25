import type { MarketNames } from '../../domain/market-symbol.ts';
import type { VenueOrder } from '../../domain/order.ts';
import { exitsAmong, type HeldOf } from '../../execution/exits.ts';
import { readOrderName } from '../../execution/order-names.ts';
import type { OrderRecord } from '../../execution/order-record.ts';

/** Open orders listed by the exchange, and the stored data of the bot that went silent. */
export interface ListedOrders {
  readonly listed: readonly VenueOrder[];
  /** Own orders that are not at their end, as the mirror has them. */
  readonly own: readonly OrderRecord[];
  readonly heldOf: HeldOf;
  readonly marketNames: MarketNames;
  /** The first part of every id of the bot's orders. */
  readonly instance: string;
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
  /**
   * They have a name of the bot and are not in its records, as after a restored copy: nobody knows what for.
   */
  readonly strange: readonly VenueOrder[];
  /** Those of its records that are no exits, that may be at the exchange, and that it does not list. */
  readonly unseen: readonly OrderRecord[];
}

/**
 * Sorts the bot's open orders. An order is the bot's if the mirror has its client order id: each is there
 * before its request leaves. All others stay, those of people and of other bots among them. The mirror may
 * be behind, since the bot no longer reads its fills. So an order that was known as the exit of a bracket
 * stays whatever the mirror thinks is held.
 */
export function sortOpenOrders({ listed, own, heldOf, marketNames, instance }: ListedOrders): SortedOrders {
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
  const seen = new Set(open.map(({ order }) => order.key));
  return {
    entries: open.filter((each) => !isExit(each)),
    exits: open.filter(isExit),
    strange: listed.filter(
      ({ clientOrderId }) =>
        readOrderName(clientOrderId)?.instance === instance &&
        (clientOrderId === null || !byClientOrderId.has(clientOrderId)),
    ),
    unseen: own.filter(
      ({ key, clientOrderId, exit, state }) =>
        MAY_BE_THERE.has(state) && clientOrderId !== null && exit === null && !seen.has(key),
    ),
  };
}

/** A list may lag, and a request may still be on its way. */
const MAY_BE_THERE: ReadonlySet<OrderRecord['state']> = new Set(['sending', 'unknown', 'open', 'cancelling']);
