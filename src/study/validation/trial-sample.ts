import type { RandomSource } from '../../domain/random.ts';
import type { DailyReturns } from '../../backtest/daily-returns.ts';

/** Trials of a sample. Clusters of more take more than seconds. */
const MOST_SAMPLED = 1_000;
/** Returns of a sample: every test takes seconds, and all together 8 MB. */
const MOST_RETURNS = 1_000_000;
/** The same of a range of very many days. */
const LEAST_SAMPLED = 100;

/** Returns the number of trials tested together for so many days. */
export function sampleSize(days: number): number {
  return Math.min(MOST_SAMPLED, Math.max(LEAST_SAMPLED, Math.floor(MOST_RETURNS / Math.max(1, days))));
}

/**
 * At most `size` of some numbers, each as likely as any other, in their order (selection sampling: Knuth,
 * "The Art of Computer Programming" 2, 3.4.2, algorithm S). The best trial has no place of its own in it: a
 * winner of many among the few of a sample would look better than luck.
 */
export function drawSample(
  numbers: readonly number[],
  { size, random }: { readonly size: number; readonly random: RandomSource },
): readonly number[] {
  if (numbers.length <= size) return numbers;
  const drawn: number[] = [];
  for (const [index, number] of numbers.entries()) {
    const left = numbers.length - index;
    if (random.next() * left < size - drawn.length) drawn.push(number);
  }
  return drawn;
}

/**
 * Daily returns as columns of the same days, from the first day of any to the last one of any. A day that is
 * missing in one is before or after its run, where it held nothing: 0.
 */
export function sameDays(all: readonly DailyReturns[]): readonly Float64Array[] {
  let [first, end] = [Infinity, -Infinity];
  for (const { firstDay, returns } of all) {
    first = Math.min(first, firstDay);
    end = Math.max(end, firstDay + returns.length);
  }
  return all.map(({ firstDay, returns }) => {
    const column = new Float64Array(end - first);
    column.set(returns, firstDay - first);
    return column;
  });
}
