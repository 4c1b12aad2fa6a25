import { present } from '../domain/errors.ts';
import { bpsOf, knownMedian, type OrderQuality } from '../portfolio/execution-quality.ts';
import { valueAt } from '../portfolio/round-trips.ts';
import type { OrderReplay, ReplayedOrders, ReplayRules } from './replay-orders.ts';

/** Fill rules that were fitted to orders, and how well they fit later ones. */
export interface FillCalibration {
  /** Market whose orders they rest on; null for the orders of all markets that have too few. */
  readonly market: string | null;
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

const firstOf = <Item>(items: readonly Item[]): Item => present(items[0], 'one item in a group');

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns a cost in the two decimals that a rule takes. */
const rounded = (bps: number | null): number => Math.round(Math.max(0, bps ?? 0) * 100) / 100;

/** Splits orders at the middle: rules that fit the earlier ones are judged by the later ones. */
function halves<Item>(items: readonly Item[]): readonly [earlier: readonly Item[], later: readonly Item[]] {
  return [items.slice(0, items.length >> 1), items.slice(items.length >> 1)];
}

/** Rules of each market with enough orders, and of all others together; empty if these are too few too. */
export interface FillCalibrations {
  readonly found: readonly FillCalibration[];
  /** Number of orders that no rules rest on, and of all markets. */
  readonly left: number;
  readonly orders: number;
}

/** Fits rules to the orders of each market that has enough of them, and to those of all others together. */
function byMarket<Item extends { readonly market: string }>(
  items: readonly Item[],
  fit: (items: readonly Item[]) => Omit<FillCalibration, 'market'>,
): FillCalibrations {
  const markets = [...Map.groupBy(items, ({ market }) => market)];
  const large = markets.filter(([, own]) => own.length >= LEAST_CALIBRATED);
  const own = new Set(large.map(([market]) => market));
  const others = items.filter(({ market }) => !own.has(market));
  const isPooled = others.length >= LEAST_CALIBRATED;
  return {
    found: [
      ...large.map(([market, orders]) => ({ market, ...fit(orders) })),
      ...(isPooled ? [{ market: null, ...fit(others) }] : []),
    ],
    left: isPooled ? 0 : others.length,
    orders: items.length,
  };
}

/** Spread at the plan of an order that took, and its slippage, in basis points. */
interface TakerCost {
  readonly market: string;
  readonly spread: number;
  readonly slippage: number;
}

/** Returns the costs of an order that took from the book; empty for any other order. */
function takerCost({ order, arrival, slippage }: OrderQuality): readonly TakerCost[] {
  const { market, execution, side, price, arrivalBid, arrivalAsk, filled } = order;
  if (arrival === null || slippage === null || arrivalBid === null || arrivalAsk === null) return [];
  if (execution !== 'market' && execution !== 'limit') return [];
  const isResting = price !== null && (side === 'buy' ? price < arrivalAsk : price > arrivalBid);
  const bps = bpsOf(slippage, valueAt(arrival, filled));
  if (bps === null || (execution === 'limit' && isResting)) return [];
  return [{ market, spread: bpsOf(arrivalAsk - arrivalBid, arrival) ?? 0, slippage: bps }];
}

/**
 * Fits `spreadBps` and `slippageBps` of a backtest on candles to the orders that took: the median spread at
 * their plan, and what their median slippage is beyond half of it.
 */
export const calibrateCandles = (qualities: readonly OrderQuality[]): FillCalibrations =>
  byMarket(qualities.toSorted(byPlan).flatMap(takerCost), fitCandles);

function fitCandles(costs: readonly TakerCost[]): Omit<FillCalibration, 'market'> {
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
 * and of the default and the measured latency those whose replay costs most nearly what the orders cost.
 */
export async function calibrateReplay(replay: OrderReplay): Promise<FillCalibrations> {
  const latencies = [...new Set([DEFAULT_REPLAY_RULES.latencyMs, replay.latencyMs])];
  const tried: { readonly rules: ReplayRules; readonly errors: readonly OrderError[] }[] = [];
  for (const latencyMs of latencies)
    for (const kind of ['back', 'front'] as const) {
      const rules: ReplayRules = { queue: { kind }, latencyMs };
      tried.push({ rules, errors: errorsOf(await replay.run(rules)) });
    }
  const byName = Map.groupBy(
    tried.flatMap(({ errors }) => errors),
    ({ name }) => name,
  );
  const known = [...byName.values()]
    .filter((errors) => errors.length === tried.length)
    .map((errors) => ({ market: firstOf(errors).market, errors: errors.map(({ bps }) => bps) }));
  return byMarket(known, (fitted) => {
    const [earlier, later] = halves(fitted);
    const errorBy = (half: typeof fitted, index: number): number =>
      meanOf(half.map(({ errors }) => present(errors[index], 'an error by every rule that was tried')));
    const best = tried
      .map((_, index) => index)
      .reduce((least, next) => (errorBy(earlier, next) < errorBy(earlier, least) ? next : least));
    const { queue, latencyMs } = present(tried[best], 'rules that were tried').rules;
    return {
      fidelity: 'poll',
      rules: { queue: queue.kind, latency: `${latencyMs}ms` },
      fitted: earlier.length,
      heldOut: later.length,
      errorBefore: errorBy(later, 0),
      errorAfter: errorBy(later, best),
    };
  });
}

interface OrderError {
  readonly name: string;
  readonly market: string;
  readonly bps: number;
}

/** Returns the absolute differences of the shortfall of orders, in basis points, in order of plan. */
function errorsOf({ session, replay }: ReplayedOrders): readonly OrderError[] {
  const again = Map.groupBy(replay, nameOf);
  const known = [...Map.groupBy(session.toSorted(byPlan), nameOf)];
  return known.flatMap(([name, legs]) => {
    const [mine, other] = [shortfallOf(legs), shortfallOf(again.get(name) ?? [])];
    const value = legs.reduce((sum, { arrival, wanted }) => sum + valueAt(arrival ?? wanted, wanted), 0n);
    const bps = mine === null || other === null ? null : bpsOf(mine - other, value);
    return bps === null ? [] : [{ name, market: firstOf(legs).order.market, bps: Math.abs(bps) }];
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
