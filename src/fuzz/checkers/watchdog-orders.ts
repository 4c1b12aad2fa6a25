import Database from 'better-sqlite3';
import { formatUnits, parseUnits } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { readOrderName } from '../../engine/order-names.ts';
import { broughtOf, NOTHING_GIVEN, type GivenCoins } from './adds-risk.ts';
import type { ExchangeTruth, TrueOrder } from './exchange-truth.ts';
import { readMirrorRows } from './mirror-rows.ts';
import { movedBy, readPositionMoves } from './position-checker.ts';
import { namedOrders, type NamedOrder } from './own-key.ts';

interface WatchdogOrdersOptions {
  /** The first part of every id of the bot's orders. */
  readonly instance: string;
  readonly mirrorPath: string;
  /** Orders by which brackets left: nobody but the bot ends them. */
  readonly exitNames: ReadonlySet<string>;
  readonly truth: ExchangeTruth;
  readonly given?: GivenCoins;
}

/** An order is surely one or the other by the exchange's own trades, or that does not show. */
type Role = 'entry' | 'exit' | 'unclear';

/**
 * Roles of the orders a watchdog cancels, derived from the exchange's own tables: sales of no more than a
 * strategy holds are exits, purchases of one that owes nothing are entries.
 */
export class WatchdogOrders {
  private readonly options: WatchdogOrdersOptions;
  private readonly own: readonly NamedOrder[];

  constructor(options: WatchdogOrdersOptions) {
    this.options = options;
    this.own = namedOrders(options.truth, options.instance);
  }

  /** Returns the error in a cancel that leaves now; null if there is none. */
  wrongCancel(id: number): string | null {
    const canceled = this.own.find(({ order }) => order.id === id);
    if (canceled === undefined) return `expected a cancel of an order of the bot, was of ${id}`;
    if (!canceled.order.isOpen || this.roleOf(canceled) !== 'exit') return null;
    return `expected the exit ${textOf(canceled)} to stay`;
  }

  /** Entries that are open; `untilMs`: only those that were there by then, of the exchange's clock. */
  openEntries(untilMs: number): readonly string[] {
    return this.own
      .filter(({ order }) => order.isOpen && order.openedAtMs <= untilMs)
      .filter((one) => this.roleOf(one) === 'entry')
      .map(textOf);
  }

  isOpen(name: string): boolean {
    return this.own.some((one) => one.name === name && one.order.isOpen);
  }

  private roleOf({ order, name }: NamedOrder): Role {
    const { exitNames } = this.options;
    if (exitNames.has(name)) return 'exit';
    const strategy = readOrderName(name)?.strategy ?? '';
    const all = this.own.filter((one) => readOrderName(one.name)?.strategy === strategy);
    const { base } = parseMarket(order.market);
    // What a strategy with several markets holds, the trades of one do not show.
    if (all.some((one) => one.order.market !== order.market) || !this.knows(all)) return 'unclear';
    const held = this.positionOf(strategy, all, base);
    const isOwed = held < 0n;
    if ((order.side === 'sell') === isOwed || held === 0n) return 'entry';
    const size = isOwed ? -held : held;
    if (restOf(order) > size) return 'entry';
    const ways = all.filter((one) => one.order.isOpen && one.order.side === order.side);
    return largestRests(ways) <= size ? 'exit' : 'unclear';
  }

  private positionOf(strategy: string, all: readonly NamedOrder[], base: string): bigint {
    const { given = NOTHING_GIVEN } = this.options;
    const ids = new Set(all.map(({ order }) => order.id));
    const fills = this.options.truth.fills.filter(({ orderId }) => ids.has(orderId));
    const traded = fills.reduce((sum, fill) => sum + broughtOf(base, fill), 0n);
    return traded + this.movedByHand(strategy, base) + (given.get(`${strategy} ${base}`) ?? 0n);
  }

  /** Coins that a person said belong to a strategy, or no longer do. */
  private movedByHand(strategy: string, base: string): bigint {
    const database = new Database(this.options.mirrorPath, { readonly: true });
    try {
      const moves = readPositionMoves(database).filter(({ asset }) => asset === base);
      return moves.reduce((sum, move) => sum + movedBy(move, strategy), 0n);
    } finally {
      database.close();
    }
  }

  /**
   * True if the mirror has the trades of these orders: a bot that went silent has not read its last fills.
   */
  private knows(all: readonly NamedOrder[]): boolean {
    const rows = readMirrorRows(this.options.mirrorPath).orders;
    const filled = new Map(rows.map((row) => [row.venueId, parseUnits(row.filled)]));
    return all.every(({ order }) => (filled.get(String(order.id)) ?? 0n) === order.matched);
  }
}

function restOf({ amount, matched }: TrueOrder): bigint {
  return amount - matched;
}

/** Of all orders together; of a pair only one leg trades. */
function largestRests(orders: readonly NamedOrder[]): bigint {
  const rests = new Map<string, bigint>();
  for (const { order, name } of orders) {
    const rest = restOf(order);
    if (rest > (rests.get(name) ?? 0n)) rests.set(name, rest);
  }
  return [...rests.values()].reduce((sum, rest) => sum + rest, 0n);
}

function textOf({ order, name }: NamedOrder): string {
  return `${name} (${order.side} ${formatUnits(restOf(order))} in ${order.market})`;
}
