import { present } from '../../domain/invariant.ts';
import { formatUnits, type Units } from '../../domain/money.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import type { RoundTrip } from '../metrics/round-trips.ts';
import { stepAt, type TimeGrid } from './thinning.ts';

/** Lines of exits on a page at most. Of more those of the trades that are shown, the first ones. */
const MOST_LINES = 10_000;

/** Lines where the exits of brackets rested, by their beginning: each from step to step at one price. */
export interface ExitLines {
  readonly market: readonly number[];
  readonly from: readonly number[];
  /** The last step in which it rested. */
  readonly to: readonly number[];
  /** 1 for a target, 0 for a stop. */
  readonly isTarget: readonly number[];
  readonly price: readonly number[];
  /** The line that the same exit had before, by its place among these; -1 without one. */
  readonly before: readonly number[];
}

/** The lines of all exits that rested at the exchange. */
export function exitLines(options: {
  readonly orders: readonly OrderRecord[];
  readonly shown: readonly RoundTrip[];
  readonly grid: TimeGrid;
  readonly endMs: number;
  readonly indexOf: ReadonlyMap<string, number>;
}): ExitLines {
  const { grid, endMs, indexOf } = options;
  const chosen = exitsToShow(options.orders, options.shown);
  const last = new Map<string, number>();
  const lines = chosen.map((order, index) => {
    const isTarget = order.exit === 'take-profit';
    const name = `${order.intentId} ${isTarget}`;
    const before = last.get(name) ?? -1;
    last.set(name, index);
    const from = stepAt(grid, order.sentAtMs ?? order.plannedAtMs);
    return {
      market: indexOf.get(order.market) ?? 0,
      from,
      to: Math.max(from, stepAt(grid, endOf(order, endMs))),
      isTarget: isTarget ? 1 : 0,
      price: Number(formatUnits(linePrice(order))),
      before,
    };
  });
  return {
    market: lines.map(({ market }) => market),
    from: lines.map(({ from }) => from),
    to: lines.map(({ to }) => to),
    isTarget: lines.map(({ isTarget }) => isTarget),
    price: lines.map(({ price }) => price),
    before: lines.map(({ before }) => before),
  };
}

/**
 * Returns the end of a line. A filled order reaches its mark; a canceled one ends before the step in which
 * another rests.
 */
function endOf({ state, closedAtMs }: OrderRecord, endMs: number): number {
  if (closedAtMs === null) return endMs - 1;
  return state === 'filled' ? closedAtMs : closedAtMs - 1;
}

/** The price at which an exit waits: that of a limit order, or the one that triggers a stop. */
function linePrice({ exit, price, stopPrice }: OrderRecord): Units {
  const wanted = exit === 'take-profit' ? price : stopPrice;
  return present(wanted, 'the price of an exit that rests');
}

function exitsToShow(orders: readonly OrderRecord[], shown: readonly RoundTrip[]): readonly OrderRecord[] {
  const rested = orders.filter(
    ({ exit, price, stopPrice, venueId }) =>
      exit !== null && venueId !== null && (exit === 'take-profit' ? price : stopPrice) !== null,
  );
  if (rested.length <= MOST_LINES) return rested;
  const keys = new Set(shown.map(({ exitOrder }) => exitOrder));
  const intents = new Set(rested.flatMap(({ key, intentId }) => (keys.has(key) ? [intentId] : [])));
  return rested.filter(({ intentId }) => intents.has(intentId)).slice(0, MOST_LINES);
}

/** Labels of trades in a list, from their orders: the exit, and the tag of the entry; empty for none. */
export interface TripLabels {
  readonly exit: readonly string[];
  readonly tag: readonly string[];
  /** Strategy of each trade; no entries if all are of one strategy. */
  readonly strategy: readonly string[];
}

export function tripLabels(orders: readonly OrderRecord[], shown: readonly RoundTrip[]): TripLabels {
  const wanted = new Set(shown.flatMap(({ entryOrder, exitOrder }) => [entryOrder, exitOrder]));
  const byKey = new Map<string, OrderRecord>();
  for (const order of orders) if (wanted.has(order.key)) byKey.set(order.key, order);
  const of = (key: string | null): OrderRecord | undefined => (key === null ? undefined : byKey.get(key));
  return {
    exit: shown.map(({ exitOrder }) => of(exitOrder)?.exit ?? ''),
    tag: shown.map(({ entryOrder }) => of(entryOrder)?.tag ?? ''),
    strategy: new Set(shown.map(({ strategy }) => strategy)).size < 2 ? [] : shown.map(strategyOf),
  };
}

function strategyOf({ strategy }: RoundTrip): string {
  return strategy ?? '';
}
