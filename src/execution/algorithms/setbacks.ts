import type { OrderRecord } from '../order-record.ts';
import type { AlgorithmView } from './algorithm-step.ts';

/** Rejections in a row after which an algorithm gives up. */
export const MOST_SETBACKS = 3;

/** Orders that came to nothing, since the last that did not. */
export interface Setbacks {
  readonly inARow: number;
  /** Nothing is placed before it; null when nothing is in the way. */
  readonly retryAtMs: number | null;
  /** Of the last one, for people. */
  readonly reason: string | null;
}

export const NO_SETBACKS: Setbacks = { inARow: 0, retryAtMs: null, reason: null };

/**
 * Takes in what was refused since the last time. An order that the exchange refused is both among the
 * refusals and among the ended orders, and after a crash perhaps among the latter only, so the larger number
 * counts. A market order that ended without any fill counts as well.
 */
export function afterSetbacks(
  before: Setbacks,
  news: { readonly ended: readonly OrderRecord[]; readonly view: AlgorithmView },
): Setbacks {
  const { refusals, refusalPauseMs, nowMs } = news.view;
  let hasProgress = false;
  let failed = 0;
  let reason = refusals.at(-1)?.reason ?? null;
  for (const order of news.ended) {
    if (order.filled > 0n) hasProgress = true;
    else if (order.state === 'rejected' || order.execution === 'market') {
      failed += 1;
      reason ??= order.reason ?? 'it ended without a fill';
    }
  }
  const added = Math.max(failed, refusals.length);
  if (added === 0) return hasProgress ? NO_SETBACKS : before;
  return { inARow: before.inARow + added, retryAtMs: nowMs + refusalPauseMs, reason };
}

/** What is refused again and again is tried ever more rarely, down to once in so many pauses. */
const MOST_PAUSES = 32;

/** When what was refused is tried again: the later the more often in a row it was. Null: at once. */
export function retryAtMsOf({ inARow, retryAtMs }: Setbacks, pauseMs: number): number | null {
  if (retryAtMs === null) return null;
  return retryAtMs + pauseMs * (Math.min(MOST_PAUSES, 2 ** Math.max(0, inARow - 1)) - 1);
}
