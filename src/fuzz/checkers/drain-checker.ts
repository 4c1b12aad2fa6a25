import type { Engine } from '../../engine/engine.ts';
import type { DrainPolicy } from '../../engine/engine-event.ts';
import { formatUnits } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { OrderRecord } from '../../records/order.ts';
import { orderIdOf } from '../../venues/read-records.ts';
import type { ExchangeTruth, TrueOrder } from './exchange-truth.ts';
import { violationsOf, type Violation } from './violation.ts';

/** One strategy at the moment of a drain, in a market of its own. */
interface DrainedStrategy {
  readonly name: string;
  readonly held: bigint;
  readonly orders: readonly OrderRecord[];
}

const NO_ORDERS: ReadonlySet<OrderRecord> = new Set();

/** State at the beginning of a drain: strategies of which everything was known, with nothing in flight. */
export interface DrainBeginning {
  readonly policy: DrainPolicy;
  readonly strategies: readonly DrainedStrategy[];
}

/**
 * To be taken just before the drain. In a halt everything is canceled, whatever the policy: then there is
 * nothing to judge.
 */
export function drainBeginning(engine: Engine, policy: DrainPolicy): DrainBeginning {
  const unfinished = engine.haltReason() === null ? engine.unfinishedOrders() : [];
  const strategies = engine.instances.flatMap((instance) => {
    const { name, runner } = instance;
    // One that goes from market to market has positions in several, of which this one knows nothing.
    if (runner.subscriptions.some(({ kind }) => kind === 'universe')) return [];
    const orders = unfinished.filter(({ strategy }) => strategy === name);
    const keys = new Set(orders.map(({ key }) => key));
    const isQuiet = orders.every(
      ({ state, key, venueId, pairKey }) =>
        state === 'open' &&
        venueId !== null &&
        // Where one leg of a pair has ended, the exchange has ended the other, which the bot may be about to
        // read.
        (pairKey === null || keys.has(pairKey)) &&
        !engine.orderManager.cancels.wantsEndOf(key),
    );
    return orders.length > 0 && isQuiet
      ? [{ name, held: instance.held(parseMarket(runner.market).base), orders }]
      : [];
  });
  return { policy, strategies };
}

/**
 * Checks that the orders a drain left open are those of its policy, derived independently here: for a
 * strategy whose orders did not trade since, and whose position agrees with the exchange's own trades. A lock
 * that cancels entries, if one began since, may end orders that a drain leaves open, but no exit. `judged`
 * counts the orders checked.
 */
export function checkDrain(
  truth: ExchangeTruth,
  { policy, strategies }: DrainBeginning,
  hasLockCanceled: boolean,
): { readonly violations: readonly Violation[]; readonly judged: number } {
  const byId = new Map(truth.orders.map((order) => [orderIdOf(order.id), order]));
  const messages: string[] = [];
  let judged = 0;
  for (const { name, held, orders } of strategies) {
    const truthOf = ({ venueId }: OrderRecord): TrueOrder | undefined =>
      venueId === null ? undefined : byId.get(venueId);
    const hasTraded = orders.some((order) => truthOf(order)?.matched !== order.matched);
    if (hasTraded) continue;
    const stays =
      policy === 'keep' ? new Set(orders) : policy === 'cancel' ? NO_ORDERS : exitsOf(orders, held);
    const judgedOf = hasLockCanceled && policy === 'keep' ? exitsOf(orders, held) : new Set(orders);
    for (const order of orders) {
      if (!judgedOf.has(order)) continue;
      judged += 1;
      const isOpen = truthOf(order)?.isOpen === true;
      if (isOpen === stays.has(order)) continue;
      messages.push(
        `expected ${order.key} (${order.side} ${formatUnits(order.amount)}) of ${name}, which held ${formatUnits(held)}, to be ${isOpen ? 'canceled' : 'left open'} by a drain with ${policy}`,
      );
    }
  }
  return { violations: violationsOf('drain', messages), judged };
}

/**
 * By the rule of the documentation: pairs, then stops, then the rest, each older one first, for as long as
 * the position has room.
 */
function exitsOf(orders: readonly OrderRecord[], held: bigint): ReadonlySet<OrderRecord> {
  const side = held > 0n ? 'sell' : 'buy';
  let room = held > 0n ? held : -held;
  const stays = new Set<OrderRecord>();
  const ways = orders.filter((order) => order.side === side);
  const firsts = ways.filter(({ key, pairKey }) => pairKey === null || key < pairKey);
  for (const first of firsts.toSorted((a, b) => rank(a) - rank(b) || a.plannedAtMs - b.plannedAtMs)) {
    const legs = ways.filter((order) => order === first || order.key === first.pairKey);
    const most = legs.map((leg) => restOf(leg)).reduce((left, right) => (left > right ? left : right), 0n);
    if (most > room) continue;
    room -= most;
    for (const leg of legs) stays.add(leg);
  }
  return stays;
}

function restOf({ amount, filled }: OrderRecord): bigint {
  return amount - filled;
}

function rank({ pairKey, stopPrice }: OrderRecord): number {
  if (pairKey !== null) return 0;
  return stopPrice === null ? 2 : 1;
}
