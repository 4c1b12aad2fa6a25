import { bpsOf, knownMedian, type OrderQuality } from '../portfolio/execution-quality.ts';
import { valueAt } from '../portfolio/round-trips.ts';
import type { OrderReplay, ReplayedOrders, ReplayRules } from './replay-orders.ts';

/** Fill rules that were fitted to orders, and how well they fit later ones. */
export interface FillCalibration {
  readonly fidelity: 'candles' | 'poll';
  /** Fields of `rules` of a backtest. */
  readonly rules: Readonly<Record<string, string | number>>;
  /** Numbers of the earlier half of the orders, which the rules fit, and of the later half. */
  readonly fitted: number;
  readonly heldOut: number;
  /**
   * Mean absolute difference of the cost of a held-out order between what happened and what the rules give,
   * in basis points: of the default rules, and of these.
   */
  readonly errorBefore: number;
  readonly errorAfter: number;
}

/** Least number of orders to fit rules to: ten in each half. */
export const LEAST_CALIBRATED = 20;

const byPlan = (left: OrderQuality, right: OrderQuality): number =>
  left.order.plannedAtMs - right.order.plannedAtMs;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns a cost in the two decimals that a rule takes. */
const rounded = (bps: number | null): number => Math.round(Math.max(0, bps ?? 0) * 100) / 100;

/** Splits orders at the middle: rules that fit the earlier ones are judged by the later ones. */
function halves<Item>(items: readonly Item[]): readonly [earlier: readonly Item[], later: readonly Item[]] {
  return [items.slice(0, items.length >> 1), items.slice(items.length >> 1)];
}

/** Spread at the plan of an order that took, and its slippage, in basis points. */
interface TakerCost {
  readonly spread: number;
  readonly slippage: number;
}

/** Returns the costs of an order that took from the book; empty for any other order. */
function takerCost({ order, arrival, slippage }: OrderQuality): readonly TakerCost[] {
  const { execution, side, price, arrivalBid, arrivalAsk, filled } = order;
  if (arrival === null || slippage === null || arrivalBid === null || arrivalAsk === null) return [];
  if (execution !== 'market' && execution !== 'limit') return [];
  const isResting = price !== null && (side === 'buy' ? price < arrivalAsk : price > arrivalBid);
  const bps = bpsOf(slippage, valueAt(arrival, filled));
  if (bps === null || (execution === 'limit' && isResting)) return [];
  return [{ spread: bpsOf(arrivalAsk - arrivalBid, arrival) ?? 0, slippage: bps }];
}

/**
 * Fits `spreadBps` and `slippageBps` of a backtest on candles to the orders that took: the median spread at
 * their plan, and what their median slippage is beyond half of it. Null for too few orders.
 */
export function calibrateCandles(qualities: readonly OrderQuality[]): FillCalibration | null {
  const costs = qualities.toSorted(byPlan).flatMap(takerCost);
  if (costs.length < LEAST_CALIBRATED) return null;
  const [earlier, later] = halves(costs);
  const spreadBps = rounded(knownMedian(earlier.map(({ spread }) => spread)));
  const slippageBps = rounded((knownMedian(earlier.map(({ slippage }) => slippage)) ?? 0) - spreadBps / 2);
  const errorOf = (model: number): number => meanOf(later.map(({ slippage }) => Math.abs(slippage - model)));
  return {
    fidelity: 'candles',
    rules: { spreadBps, slippageBps },
    fitted: earlier.length,
    heldOut: later.length,
    errorBefore: errorOf(0),
    errorAfter: errorOf(spreadBps / 2 + slippageBps),
  };
}

/** Rules of a backtest on books without options. */
export const DEFAULT_REPLAY_RULES: ReplayRules = { queue: { kind: 'back' }, latencyMs: 50 };

/**
 * Fits `queue` and `latency` of a backtest on books to the orders of a recorded session: of both queue places
 * and of the default and the measured latency those whose replay costs most nearly what the orders cost. Null
 * for too few orders.
 */
export async function calibrateReplay(replay: OrderReplay): Promise<FillCalibration | null> {
  const latencies = [...new Set([DEFAULT_REPLAY_RULES.latencyMs, replay.latencyMs])];
  const tried: { readonly rules: ReplayRules; readonly errors: readonly number[] }[] = [];
  for (const latencyMs of latencies)
    for (const kind of ['back', 'front'] as const) {
      const rules: ReplayRules = { queue: { kind }, latencyMs };
      tried.push({ rules, errors: errorsOf(await replay.run(rules)) });
    }
  const [before] = tried;
  if (before === undefined || before.errors.length < LEAST_CALIBRATED) return null;
  const earlierError = ({ errors }: (typeof tried)[number]): number => meanOf(halves(errors)[0]);
  const best = tried.reduce((least, next) => (earlierError(next) < earlierError(least) ? next : least));
  const [earlier, later] = halves(before.errors);
  return {
    fidelity: 'poll',
    rules: { queue: best.rules.queue.kind, latency: `${best.rules.latencyMs}ms` },
    fitted: earlier.length,
    heldOut: later.length,
    errorBefore: meanOf(later),
    errorAfter: meanOf(halves(best.errors)[1]),
  };
}

/** Returns the absolute differences of the shortfall of orders, in basis points, in order of plan. */
function errorsOf({ session, replay }: ReplayedOrders): readonly number[] {
  const again = Map.groupBy(replay, nameOf);
  const known = [...Map.groupBy(session.toSorted(byPlan), nameOf)];
  return known.flatMap(([name, legs]) => {
    const [mine, other] = [shortfallOf(legs), shortfallOf(again.get(name) ?? [])];
    const value = legs.reduce((sum, { arrival, wanted }) => sum + valueAt(arrival ?? wanted, wanted), 0n);
    const bps = mine === null || other === null ? null : bpsOf(mine - other, value);
    return bps === null ? [] : [Math.abs(bps)];
  });
}

const nameOf = ({ order }: OrderQuality): string =>
  order.clientOrderId === null ? (order.pairKey ?? order.key) : order.key;

/** Returns the shortfall of the legs of an order; null if that of one is not known. */
function shortfallOf(legs: readonly OrderQuality[]): bigint | null {
  let sum = 0n;
  for (const { shortfall } of legs) {
    if (shortfall === null) return null;
    sum += shortfall;
  }
  return sum;
}
