import { gridOf, TIMEFRAMES, timeframeMs, type Timeframe } from '../../domain/candle.ts';
import { gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Points of a curve where no candle says how many. */
const USUAL_POINTS = 2_000;
/** Of any curve. Where candles are more, points lie further apart. */
const MOST_POINTS = 100_000;

/**
 * The moments of the equity curve of a live session, and what lies between two of them: the end of each
 * candle, and the end of the session. Where there are no candles before the first one, after the last one or
 * at all, it is evenly spread.
 */
export function momentsOf(
  candles: readonly CandleColumns[],
  { fromMs, toMs }: Range,
): { readonly barMs: number; readonly momentsMs: readonly number[] } {
  const known = candles.filter(({ length }) => length > 0);
  const most = known.length === 0 ? USUAL_POINTS : MOST_POINTS;
  const finestMs = Math.min(...known.map(({ timeframe }) => timeframeMs(timeframe)));
  const timeframe = barFor((toMs - fromMs) / most, known.length === 0 ? 0 : finestMs);
  const barMs = timeframeMs(timeframe);
  const closes = new Set<number>();
  for (const columns of known) {
    const { openTimeMs, length, anchors } = columns;
    const grid = gridOfColumns(columns);
    // Of many, those that a longer bar would end with.
    const kept = gridOf(timeframe, anchors);
    for (let bar = 0; bar < length; bar += 1) {
      const closeMs = grid.endOf(openTimeMs[bar] ?? 0);
      if (closeMs > fromMs && closeMs < toMs && kept.isStart(closeMs)) closes.add(closeMs);
    }
  }
  const sorted = [...closes].toSorted((left, right) => left - right);
  const firstMs = sorted[0] ?? toMs;
  const lastMs = sorted.at(-1) ?? toMs;
  const spread = [...stepsIn(fromMs, firstMs, barMs), ...sorted, ...stepsIn(lastMs, toMs, barMs), toMs];
  return { barMs, momentsMs: spread };
}

/** The shortest timeframe that is not below either length; the longest one where none is. */
function barFor(leastMs: number, finestMs: number): Timeframe {
  return TIMEFRAMES.find((one) => timeframeMs(one) >= leastMs && timeframeMs(one) >= finestMs) ?? '3d';
}

/** Multiples of a step between two times, without these. */
function stepsIn(afterMs: number, beforeMs: number, stepMs: number): readonly number[] {
  const first = (Math.floor(afterMs / stepMs) + 1) * stepMs;
  const count = Math.max(0, Math.ceil((beforeMs - first) / stepMs));
  return Array.from({ length: count }, (_, index) => first + index * stepMs);
}
