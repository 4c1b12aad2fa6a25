import type { BarGrid } from '../../domain/bar-grid.ts';
import { gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import { minuteText } from '../../domain/time-text.ts';
import { rowFrom, countedTimeMs, type PackedMarket } from '../../recording/packed-market.ts';
import type { Stretch } from '../stretch.ts';

/** Times of a market's data: the opens of its candles, or the times of its books. */
export interface MarketTimes {
  readonly market: string;
  readonly noun: 'candles' | 'books';
  /** In ms since 1970, rising. */
  readonly timeMs: Float64Array;
  /** Grid of the candles' starts and ends; absent for books. */
  readonly grid?: BarGrid;
}

export function timesOfCandles(columns: CandleColumns): MarketTimes {
  const { market, openTimeMs, length } = columns;
  const grid = gridOfColumns(columns);
  return { market, noun: 'candles', timeMs: openTimeMs.subarray(0, length), grid };
}

export function timesOfBooks({ market, books }: Pick<PackedMarket, 'market' | 'books'>): MarketTimes {
  const timeMs = new Float64Array(books.length);
  for (let row = 0; row < timeMs.length; row += 1)
    timeMs[row] = countedTimeMs(books.venueTimeMs, books.seenMs, row);
  return { market, noun: 'books', timeMs };
}

/** The first one at a time or later; null where there is none. */
export function firstTimeFrom({ timeMs }: MarketTimes, fromMs: number): number | null {
  return timeMs[placeOf(timeMs, fromMs)] ?? null;
}

/** Throws `INVALID_OPTIONS` where some market has too little in a stretch. */
export function refuseFew(
  all: readonly MarketTimes[],
  of: Stretch & { readonly least: number; readonly where: string; readonly advice: string },
): void {
  const { fromMs, toMs, least, where, advice } = of;
  for (const { market, noun, timeMs } of all) {
    const found = placeOf(timeMs, toMs) - placeOf(timeMs, fromMs);
    if (found >= least) continue;
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected at least ${least} ${noun} of ${market} ${where}, found ${found} from ${minuteText(fromMs)} to ${minuteText(toMs)}: ${advice}`,
    );
  }
}

const placeOf = (timeMs: Float64Array, atMs: number): number =>
  rowFrom(timeMs.length, (row) => timeMs[row] ?? 0, atMs);
