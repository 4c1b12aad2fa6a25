import type { MarketNames } from '../domain/market-symbol.ts';
import { NO_UNITS } from '../domain/money.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import type { HeldOf } from '../engine/exits.ts';
import type { OrderRecord } from '../engine/order-record.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';

/** Own orders that the mirror is asked for. */
const MOST_ORDERS = 100_000;

/** Orders and positions stored by a bot. */
export interface OwnOrders {
  /** Those that are not at their end. */
  readonly orders: readonly OrderRecord[];
  readonly heldOf: HeldOf;
}

/** Reads it from a mirror, also while its bot is alive. Throws `DATA_UNUSABLE` where it can not be read. */
export function readOwnOrders(mirrorPath: string, marketNames: MarketNames): OwnOrders {
  const reader = new MirrorReader(mirrorPath);
  try {
    const ledgers = new Map(
      reader.strategies().map((record) => [record.name, readFigures(record, marketNames).ledger]),
    );
    return {
      orders: reader.orders({ state: 'open', strategy: null, market: null, last: MOST_ORDERS }),
      heldOf: (strategy, asset) => ledgers.get(strategy)?.held(asset) ?? NO_UNITS,
    };
  } finally {
    reader.close();
  }
}
