import type { WantedOrder } from './run-backtest.ts';

/** Where two runs parted: what the whole one wanted, and what the one on fewer bars did. */
export interface Difference {
  readonly atMs: number;
  readonly whole: string | null;
  readonly part: string | null;
}

/**
 * Compares what was wanted before `untilMs` in a run on all bars with what was wanted in one that had only the bars up to then. A strategy that saw
 * something later in the first wants something else in the second. Answers the first difference; null where there is none.
 */
export function firstDifference(
  whole: readonly WantedOrder[],
  part: readonly WantedOrder[],
  range: { readonly fromMs: number; readonly untilMs: number },
): Difference | null {
  const within = ({ atMs }: WantedOrder): boolean => atMs >= range.fromMs && atMs <= range.untilMs;
  const [all, some] = [whole.filter(within), part.filter(within)];
  for (let index = 0; index < Math.max(all.length, some.length); index += 1) {
    const [left, right] = [all[index], some[index]];
    if (left?.atMs === right?.atMs && left?.text === right?.text) continue;
    const atMs = Math.min(left?.atMs ?? Number.POSITIVE_INFINITY, right?.atMs ?? Number.POSITIVE_INFINITY);
    return { atMs, whole: left?.text ?? null, part: right?.text ?? null };
  }
  return null;
}

/** Moments that split a stretch into `count` and one parts. */
export function momentsWithin(fromMs: number, toMs: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) =>
    Math.round(fromMs + ((toMs - fromMs) * (index + 1)) / (count + 1)),
  );
}
