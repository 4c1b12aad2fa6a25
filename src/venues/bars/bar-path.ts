import { isReached, type WorkingOrder } from './working-order.ts';
import type { BarPath } from './bar-rules.ts';

/** One bar in cells of its columns. */
export interface PathBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Moment of an event that never happens. */
export const NEVER = Number.POSITIVE_INFINITY;

/** Moments of a bar whose path is not known. */
const STOPS = 1;
const LIMITS = 2;
const AT_CLOSE = 3;

/**
 * At which moment of a bar, after its open, it comes to what an order waits for; `NEVER` where it does not.
 *
 * On a path a moment is the way gone from the open, in cells. Under `worst-first` nobody knows, so there are
 * three: all stops that the bar reaches, then all limits, then, for what woke amid the bar, the close.
 */
export function momentOf(working: WorkingOrder, bar: PathBar, path: BarPath): number {
  if (path === 'worst-first') {
    if (working.since > 0) return isReached(working, bar.close) ? AT_CLOSE : NEVER;
    if (!isReached(working, working.isBelow ? bar.low : bar.high)) return NEVER;
    return working.waiting === 'stop' ? STOPS : LIMITS;
  }
  const isHighFirst =
    path === 'nearest-first' ? bar.high - bar.open < bar.open - bar.low : path.startsWith('open-high');
  const [first, second] = isHighFirst ? [bar.high, bar.low] : [bar.low, bar.high];
  const firstAt = Math.abs(first - bar.open);
  const secondAt = firstAt + Math.abs(second - first);
  return Math.min(
    onLeg(working, { start: bar.open, end: first, startsAt: 0 }),
    onLeg(working, { start: first, end: second, startsAt: firstAt }),
    onLeg(working, { start: second, end: bar.close, startsAt: secondAt }),
  );
}

/** The same on a straight way from one price to another. */
function onLeg(
  working: WorkingOrder,
  leg: { readonly start: number; readonly end: number; readonly startsAt: number },
): number {
  const { start, end, startsAt } = leg;
  const { since } = working;
  const endsAt = startsAt + Math.abs(end - start);
  if (since > endsAt) return NEVER;
  const gone = Math.max(0, since - startsAt);
  const here = end > start ? start + gone : start - gone;
  if (isReached(working, here)) return startsAt + gone;
  return isReached(working, end) ? startsAt + Math.abs(working.reach - start) : NEVER;
}
