import { addUnits, NO_UNITS, type Units } from '../../domain/money.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';

/**
 * Amount filled by the ended orders of an algorithm with one order at a time. It is stored, not summed again:
 * after a restart, orders that ended long ago are in no view.
 */
export interface Tally {
  readonly filled: Units;
  /** The last order that is counted in; those before it are too. Null before the first. */
  readonly countedKey: string | null;
}

export const NO_TALLY: Tally = { filled: NO_UNITS, countedKey: null };

/** State of an algorithm's orders. */
export interface Stock {
  readonly tally: Tally;
  /** Orders that came to their end since the last time, oldest first. */
  readonly ended: readonly OrderRecord[];
  /** The order that is not at its end; null when there is none and another may be placed. */
  readonly live: OrderRecord | null;
}

/**
 * Counts in what has ended. Orders come oldest first; one that is not at its end holds back what is after it.
 */
export function takeStock(tally: Tally, orders: readonly OrderRecord[]): Stock {
  const ended: OrderRecord[] = [];
  let { filled, countedKey } = tally;
  let live: OrderRecord | null = null;
  const first = countedKey === null ? 0 : orders.findLastIndex(({ key }) => key === countedKey) + 1;
  for (let index = first; index < orders.length; index += 1) {
    const order = orders[index];
    if (order === undefined) break;
    if (!isFinal(order)) {
      live = order;
      break;
    }
    ended.push(order);
    filled = addUnits(filled, order.filled);
    countedKey = order.key;
  }
  return { tally: ended.length === 0 ? tally : { filled, countedKey }, ended, live };
}
