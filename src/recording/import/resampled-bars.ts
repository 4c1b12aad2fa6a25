import type { Candle } from '../../domain/candle.ts';
import { SarrafError } from '../../domain/errors.ts';
import { gridText, type BarGrid } from '../../domain/bar-grid.ts';
import { TIMEFRAMES, timeframeMs } from '../../domain/timeframe.ts';
import { BarBuilder, MOST_BUILT_BARS } from '../bar-builder.ts';
import { durationText, isoText } from '../../domain/time-text.ts';

/**
 * Bars put together of finer ones, all at once: those that the file reaches over whole, gaps or not. Throws
 * `INVALID_FILE` where there are too many, or none of finer ones.
 */
export async function* resampledBars(
  parts: AsyncIterable<readonly Candle[]>,
  of: {
    readonly path: string;
    readonly grid: BarGrid;
    readonly partMs: number;
    /** Gets how many bars were left out. */
    readonly ends: { leftOut: number };
  },
): AsyncGenerator<readonly Candle[]> {
  const { path, grid, partMs, ends } = of;
  const builder = new BarBuilder(grid);
  const span = new RowSpan(partMs);
  for await (const part of parts) {
    for (const candle of part) {
      const { openTimeMs } = candle;
      if (grid.startOf(openTimeMs) !== grid.startOf(openTimeMs + partMs - 1))
        throw straddling(of, openTimeMs);
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
  // What another file may have the rest of is no bar yet.
  const whole = built.filter(({ openTimeMs }) => span.reachesOver(openTimeMs, grid.endOf(openTimeMs)));
  if (built.length > 0 && whole.length === 0) {
    throw new SarrafError(
      'INVALID_FILE',
      `expected bars in ${path} that fill at least one of ${durationText(grid.lengthMs)}, found fewer: ${wayToWhole(partMs)}`,
    );
  }
  ends.leftOut = built.length - whole.length;
  yield whole;
}

function straddling(
  { path, grid, partMs }: Parameters<typeof resampledBars>[1],
  openTimeMs: number,
): SarrafError {
  return new SarrafError(
    'INVALID_FILE',
    `expected bars in ${path} that lie whole inside one of ${gridText(grid)}, found the one of ${isoText(openTimeMs)}, which is ${durationText(partMs)} long: import finer bars, or name another beginning with --anchor`,
  );
}

/** Returns the remedy for bars that one file does not cover whole, if its own bars have this length. */
export function wayToWhole(partMs: number): string {
  return TIMEFRAMES.some((timeframe) => timeframeMs(timeframe) === partMs)
    ? 'import the finer ones, and resample them once the rest is there'
    : 'put the file together with those before and after it, and import them as one';
}

/** So many gaps of a length make it usual: an outage or two do not. */
const USUAL_FROM = 3;

/**
 * From when to when the rows of a file reach, and how long nothing is between them. A thin market has seconds
 * or minutes without a row, so a file that was cut at midnight need not begin with the first of them.
 */
class RowSpan {
  firstMs = Number.POSITIVE_INFINITY;
  endMs = Number.NEGATIVE_INFINITY;
  private readonly rowMs: number;
  private beforeMs = Number.NaN;
  /** The longest ones, the longest first. */
  private readonly gapsMs: number[] = [];

  /** `rowMs`: what each row reaches over. */
  constructor(rowMs: number) {
    this.rowMs = rowMs;
  }

  /** Takes in the time of a row, in the order of the file. */
  add(timeMs: number): void {
    const { rowMs, beforeMs, gapsMs } = this;
    this.firstMs = Math.min(this.firstMs, timeMs);
    this.endMs = Math.max(this.endMs, timeMs + rowMs);
    this.beforeMs = timeMs;
    const gapMs = Math.abs(timeMs - beforeMs) - rowMs;
    if (!(gapMs > (gapsMs[USUAL_FROM - 1] ?? 0))) return;
    gapsMs.push(gapMs);
    gapsMs.sort((left, right) => right - left);
    gapsMs.length = Math.min(gapsMs.length, USUAL_FROM);
  }

  /**
   * True if the file covers a range whole, as far as it shows: at an end no more is missing than usually is
   * within it.
   */
  reachesOver(fromMs: number, toMs: number): boolean {
    const usualMs = this.gapsMs[USUAL_FROM - 1] ?? 0;
    return fromMs >= this.firstMs - usualMs && toMs <= this.endMs + usualMs;
  }
}
