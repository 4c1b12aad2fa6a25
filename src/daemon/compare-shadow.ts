import type { DecimalText } from '../domain/decimal-text.ts';
import { formatUnits, type Units } from '../domain/money.ts';
import { readRecord } from '../engine/stored-records.ts';
import type { MirrorReader } from '../mirror/mirror-reader.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import { readRun } from './run-record.ts';
import { shadowFolder, shadowProfits, withShadows, type ShadowProfits } from './shadow-note.ts';

/** Maximum number of orders of each that are compared: the newest. */
const MOST_ORDERS = 10_000;

/** Longest time between two orders that count as the same decision, in ms: both poll within it. */
export const SAME_DECISION_MS = 5_000;

interface SideFigures {
  readonly strategy: string;
  /** Its params that are set, as texts, and as `file` that of its code. */
  readonly setup: Readonly<Record<string, string>>;
  /** Profit since the comparison began; null if something held has no price. */
  readonly profit: DecimalText | null;
  readonly currency: string | null;
  readonly orders: number;
  readonly fills: number;
}

/** An order of one side, with its fills. */
interface ComparedOrder {
  readonly order: OrderRecord;
  readonly fills: readonly FillRecord[];
}

/** Orders of a strategy and its shadow that are the same decision; null for the side that did not make it. */
export type OrderPair =
  | readonly [live: ComparedOrder, shadow: ComparedOrder | null]
  | readonly [live: null, shadow: ComparedOrder];

/** Comparison of a strategy with its shadow. */
export interface ShadowComparison {
  readonly name: string;
  /** True if the strategy has the code and params of the shadow, which has those of the strategy. */
  readonly isPromoted: boolean;
  readonly sinceMs: number;
  readonly live: SideFigures;
  readonly shadow: SideFigures;
  /** Profit of the shadow less that of the strategy; null if one is unknown or their currencies differ. */
  readonly ahead: DecimalText | null;
  /** Number of orders that both placed. */
  readonly same: number;
  readonly onlyLive: number;
  readonly onlyShadow: number;
  readonly pairs: readonly OrderPair[];
}

/** Compares all shadows of a data folder with their strategies. `live`: the mirror of the bot. */
export function readShadows(dataFolder: string, live: MirrorReader): readonly ShadowComparison[] {
  const promotions = readRecord(live.stored(), 'promotions') ?? [];
  return withShadows(dataFolder, (name, note, own) => {
    const { of, sinceMs } = note;
    const ofLive = comparedOrders(live, of, sinceMs);
    const ofShadow = comparedOrders(own, name, sinceMs);
    const pairs = pairedOrders(ofLive, ofShadow);
    const profits = shadowProfits(note, name, { live, own });
    return {
      name,
      isPromoted: promotions.some(({ shadow }) => shadow === name),
      sinceMs,
      live: {
        ...figuresOf(of, { profits, profit: profits.live, orders: ofLive }),
        setup: setupOf(dataFolder, of),
      },
      shadow: {
        ...figuresOf(name, { profits, profit: profits.shadow, orders: ofShadow }),
        setup: setupOf(shadowFolder(dataFolder, name), name),
      },
      ahead: textOf(profits.ahead),
      same: pairs.filter(([left, right]) => left !== null && right !== null).length,
      onlyLive: pairs.filter(([, right]) => right === null).length,
      onlyShadow: pairs.filter(([left]) => left === null).length,
      pairs,
    };
  });
}

/** Pairs each order with the first one of the same market, side and kind that was planned shortly after. */
function pairedOrders(
  live: readonly ComparedOrder[],
  shadow: readonly ComparedOrder[],
): readonly OrderPair[] {
  const left = new Set(shadow);
  const pairs = live.map((one): OrderPair => {
    const found = [...left].find(({ order }) => isSameDecision(one.order, order)) ?? null;
    if (found !== null) left.delete(found);
    return [one, found];
  });
  return [...pairs, ...[...left].map((one): OrderPair => [null, one])];
}

function isSameDecision(left: OrderRecord, right: OrderRecord): boolean {
  return (
    left.market === right.market &&
    left.side === right.side &&
    left.execution === right.execution &&
    Math.abs(left.plannedAtMs - right.plannedAtMs) <= SAME_DECISION_MS
  );
}

function comparedOrders(mirror: MirrorReader, strategy: string, sinceMs: number): readonly ComparedOrder[] {
  const filter = { strategy, market: null, last: MOST_ORDERS };
  const fills = Map.groupBy(mirror.fills(filter), ({ orderKey }) => orderKey);
  return mirror
    .orders({ ...filter, state: 'all' })
    .filter(({ plannedAtMs }) => plannedAtMs >= sinceMs)
    .map((order) => ({ order, fills: fills.get(order.key) ?? [] }));
}

/** Returns the code and params of a strategy by the note of its run. */
function setupOf(folder: string, strategy: string): SideFigures['setup'] {
  const start = readRun(folder).note?.strategies.find(({ name }) => name === strategy)?.start;
  if (start === undefined) return {};
  const params = Object.entries(start.params).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  return { file: start.file, ...Object.fromEntries(params) };
}

function figuresOf(
  strategy: string,
  of: {
    readonly profits: ShadowProfits;
    readonly profit: Units | null;
    readonly orders: readonly ComparedOrder[];
  },
): Omit<SideFigures, 'setup'> {
  return {
    strategy,
    profit: textOf(of.profit),
    currency: of.profits.currency,
    orders: of.orders.length,
    fills: of.orders.reduce((sum, { fills }) => sum + fills.length, 0),
  };
}

const textOf = (units: Units | null): DecimalText | null => (units === null ? null : formatUnits(units));
