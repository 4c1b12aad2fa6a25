import { addUnits, parseUnits, subtractUnits, type Units, divideHalfEven } from '../domain/money.ts';
import { tehranDay, tehranInstant } from '../domain/zone-time.ts';

/** A value of a money series, such as `equity/CURRENCY` or `profit/CURRENCY` of the mirror. */
export interface ValueAt {
  readonly atMs: number;
  readonly value: Units;
}

/** Time in ms after midnight within which a value counts as that of midnight. */
const AT_MIDNIGHT_MS = 600_000;

const BASIS_POINTS = 10_000n;

/** Returns the values of a series from the mirror, in units; gaps are left out. */
export function valuesOf(
  figures: readonly { readonly atMs: number; readonly value: string | null }[],
): readonly ValueAt[] {
  return figures.flatMap(({ atMs, value }) => (value === null ? [] : [{ atMs, value: parseUnits(value) }]));
}

/**
 * Returns an equity series without deposits and withdrawals: the current equity less the profit made since
 * each time. So a deposit is no gain, a withdrawal is no loss, and a fall is a loss.
 */
export function withoutDeposits(profits: readonly ValueAt[], equityNow: Units): readonly ValueAt[] {
  const last = profits.at(-1);
  if (last === undefined) return [];
  const base = subtractUnits(equityNow, last.value);
  return profits.map(({ atMs, value }) => ({ atMs, value: addUnits(base, value) }));
}

/** Profit of a day so far. */
export interface ProfitOfDay {
  readonly profit: Units;
  /** Time of the value with which the day began; later than midnight if there was none before. */
  readonly sinceMs: number;
}

/**
 * Returns the rise of a series since midnight in Tehran, up to its last value of the day of `nowMs`; null if
 * the day has no value. The day begins with the value of midnight, else with the last one before it, else
 * with its first. `values` are oldest first. In a series of equity a deposit counts as profit: use the series
 * of profits.
 */
export function profitOfTehranDay(values: readonly ValueAt[], nowMs: number): ProfitOfDay | null {
  const day = tehranDay(nowMs);
  const [fromMs, toMs] = [tehranInstant(day, 0), tehranInstant(day + 1, 0)];
  const first = values.find(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const last = values.findLast(({ atMs }) => atMs >= fromMs && atMs < toMs);
  if (first === undefined || last === undefined) return null;
  const before = values.findLast(({ atMs }) => atMs < fromMs);
  const start = first.atMs < fromMs + AT_MIDNIGHT_MS ? first : (before ?? first);
  return { profit: subtractUnits(last.value, start.value), sinceMs: start.atMs };
}

/** A fall of a series from its highest value. */
interface Fall {
  /** Lowest value of the fall. */
  readonly low: Units;
  /** Peak less `low`; zero if there is no fall. */
  readonly depth: Units;
  /** `depth` in hundredths of a percent of the peak, half-even; null if the peak is not positive. */
  readonly depthBps: number | null;
}

/** Current fall of a series below its highest value, and the deepest fall that it ever had. */
interface SeriesDrawdown {
  /** Current fall; its `low` is the last value. */
  readonly now: Fall;
  /** Deepest fall; the first one if several are equally deep. */
  readonly deepest: Fall;
}

/** Returns the falls of a series; null if it has no values. `values` are oldest first. */
export function drawdownOf(values: readonly ValueAt[]): SeriesDrawdown | null {
  let [peak] = values;
  let deepest: Fall | null = null;
  let now: Fall | null = null;
  for (const at of values) {
    if (peak === undefined || at.value > peak.value) peak = at;
    now = fallOf(peak, at);
    if (deepest === null || now.depth > deepest.depth) deepest = now;
  }
  return now === null || deepest === null ? null : { now, deepest };
}

function fallOf(peak: ValueAt, low: ValueAt): Fall {
  const depth = subtractUnits(peak.value, low.value);
  return {
    low: low.value,
    depth,
    depthBps: peak.value > 0n ? Number(divideHalfEven(depth * BASIS_POINTS, peak.value)) : null,
  };
}
