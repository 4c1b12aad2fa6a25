import { firstBarFrom, type CandleColumns } from '../../domain/candle-columns.ts';
import { blockLength } from '../statistics/block-length.ts';
import { unknown, known, type Estimate } from '../statistics/estimate.ts';
import { lack } from '../statistics/english-lacks.ts';

/**
 * The mean length of the blocks in which bars are drawn anew, in bars: the longest that returns from close to
 * close, or their sizes, need in any market. Sizes say of each other for longer than returns do: calm and
 * storm come in series, and stops and entries live by them. Unknown below 21 bars, and where no price moves.
 */
export function blockOfBars(markets: readonly CandleColumns[], fromMs: number | null): Estimate<number> {
  let longest: Estimate<number> = unknown('no-variance', lack('lack.onePrice'));
  for (const columns of markets) {
    const returns = returnsOf(columns, fromMs);
    for (const values of [returns, returns.map(Math.abs)]) {
      const found = blockLength(values);
      if (found.kind === 'unknown') {
        if (longest.kind === 'unknown' && found.reason !== 'no-variance') longest = found;
      } else if (longest.kind === 'unknown' || found.value.stationary > longest.value)
        longest = known(found.value.stationary);
    }
  }
  return longest;
}

/** `ln(close / close before)` of the bars from a time on. */
function returnsOf({ close, length, ...columns }: CandleColumns, fromMs: number | null): Float64Array {
  const first = Math.max(1, fromMs === null ? 0 : firstBarFrom({ ...columns, close, length }, fromMs));
  return Float64Array.from({ length: Math.max(0, length - first) }, (_, index) =>
    Math.log((close[first + index] ?? 1) / (close[first + index - 1] ?? 1)),
  );
}
