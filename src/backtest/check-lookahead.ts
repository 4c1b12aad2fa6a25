import type { ExpectedOrder } from './run-backtest.ts';

/** Point where two runs differ: the order of the run on all bars, and that of the run on fewer bars. */
export interface LookaheadDifference {
  readonly atMs: number;
  readonly whole: string | null;
  readonly part: string | null;
}

/**
 * Compares what was wanted before `untilMs` in a run on all bars with what was wanted in one that had only
 * the bars up to then. A strategy that saw something later in the first wants something else in the second.
 * Answers the first difference; null where there is none.
 */
export function firstDifference(
  whole: readonly ExpectedOrder[],
  part: readonly ExpectedOrder[],
  range: { readonly fromMs: number; readonly untilMs: number },
): LookaheadDifference | null {
  const within = ({ atMs }: ExpectedOrder): boolean => atMs >= range.fromMs && atMs <= range.untilMs;
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

/** Bars that are looked through for a moment to cut at. */
const MOST_BACK = 1_000;

/**
 * Returns when to cut a run, at a moment or before: a close after which nothing filled at the very next open.
 * There a run on all bars orders nothing more at the same moment than one whose bars end. If there is no such
 * close, the last one, less a millisecond.
 */
export function cutMoment(
  of: { readonly timeMs: Float64Array; readonly filledAtMs: readonly number[] },
  beforeMs: number,
): { readonly cutMs: number; readonly comparedUntilMs: number } {
  const filledMs = new Set(of.filledAtMs);
  const last = lastAtOrBefore(of.timeMs, beforeMs);
  for (let index = last; index > Math.max(-1, last - MOST_BACK); index -= 1) {
    const closeMs = of.timeMs[index] ?? beforeMs;
    if (!filledMs.has(closeMs)) return { cutMs: closeMs, comparedUntilMs: closeMs };
  }
  const cutMs = of.timeMs[last] ?? beforeMs;
  return { cutMs, comparedUntilMs: cutMs - 1 };
}

function lastAtOrBefore(times: Float64Array, timeMs: number): number {
  let index = times.length - 1;
  while (index >= 0 && (times[index] ?? 0) > timeMs) index -= 1;
  return index;
}
