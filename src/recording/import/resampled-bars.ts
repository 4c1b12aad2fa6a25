import type { Candle } from '../../domain/candle.ts';
import { SarrafError } from '../../domain/errors.ts';
import { TIMEFRAMES, timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import { BarBuilder, MOST_BUILT_BARS } from '../bar-builder.ts';
import { lengthText } from '../length-text.ts';
import { RowSpan } from './row-span.ts';

/**
 * Bars put together of finer ones, all at once: those that the file reaches over whole, gaps or not. Throws `INVALID_FILE` where there are too many, or none
 * of finer ones.
 */
export async function* resampledBars(
  parts: AsyncIterable<readonly Candle[]>,
  of: {
    readonly path: string;
    readonly timeframe: Timeframe;
    readonly partMs: number;
    /** Told how many bars were left out. */
    readonly ends: { leftOut: number };
  },
): AsyncGenerator<readonly Candle[]> {
  const { path, timeframe, partMs, ends } = of;
  const builder = new BarBuilder(timeframe);
  const span = new RowSpan(partMs);
  for await (const part of parts) {
    for (const candle of part) {
      builder.add(candle);
      span.add(candle.openTimeMs);
    }
    if (builder.count > MOST_BUILT_BARS) {
      throw new SarrafError(
        'INVALID_FILE',
        `expected at most ${MOST_BUILT_BARS} bars, found more: import a coarser timeframe`,
      );
    }
  }
  const built = builder.candles();
  const lengthMs = timeframeMs(timeframe);
  // What another file may have the rest of is no bar yet.
  const whole = built.filter(({ openTimeMs }) => span.reachesOver(openTimeMs, openTimeMs + lengthMs));
  if (built.length > 0 && whole.length === 0) {
    throw new SarrafError(
      'INVALID_FILE',
      `expected bars in ${path} that fill at least one of ${lengthText(lengthMs)}, found fewer: ${wayToWhole(partMs)}`,
    );
  }
  ends.leftOut = built.length - whole.length;
  yield whole;
}

/** What to do for bars that one file does not reach over whole, where those that it has are this long. */
export function wayToWhole(partMs: number): string {
  return TIMEFRAMES.some((timeframe) => timeframeMs(timeframe) === partMs)
    ? 'import the finer ones, and resample them once the rest is there'
    : 'put the file together with those before and after it, and import them as one';
}
