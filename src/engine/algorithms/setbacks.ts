import type { OrderRecord } from '../../records/order.ts';
import type { AlgorithmView } from './algorithm-step.ts';
import type { Setbacks } from '../algorithm-json.ts';

/** Rejections in a row after which an algorithm gives up. */
export const MOST_SETBACKS = 3;

export const NO_SETBACKS: Setbacks = { inARow: 0, retryAtMs: null, reason: null, bid: null, ask: null };

/** Reason of a market order that found no counterparty. */
const NO_FILL = 'it ended without a fill';

/**
 * Counts failures since the last step. An order that the exchange refused is both among the refusals and
 * among the ended orders, and after a crash perhaps only among the ended ones, so the larger number counts. A
 * market order that ended without any fill counts as well.
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
      reason ??= order.state === 'rejected' ? (order.reason ?? 'rejected') : NO_FILL;
    }
  }
  const refused = refusals.filter(({ isHeldBack }) => isHeldBack !== true);
  const added = Math.max(failed, refused.length);
  // An order that was held back was not tried again.
  if (added === 0 && refusals.length > 0) return { ...before, retryAtMs: nowMs + refusalPauseMs };
  if (added === 0) return hasProgress ? NO_SETBACKS : before;
  const { bestBid: bid = null, bestAsk: ask = null } = news.view.book ?? {};
  return { inARow: before.inARow + added, retryAtMs: nowMs + refusalPauseMs, reason, bid, ask };
}

/** Minimum and maximum pause before what depends on the market is retried; the pause doubles each time. */
const LEAST_MARKET_PAUSE_MS = 1_000;
const MOST_MARKET_PAUSE_MS = 30_000;

/** Part of a price (1 / 100) by which a price that was too far away has to come nearer before a retry. */
const NEARER = 100n;

/** True if the refusal depends on the market's price, so that the book shows when it may be accepted. */
export function isOfMarket({ reason }: Setbacks, { refusalCauseOf }: AlgorithmView): boolean {
  const cause = reason === null ? null : refusalCauseOf(reason);
  return cause === 'price' || cause === 'band' || reason === NO_FILL;
}

/** True if the market differs from the one at the last refusal, so that another answer can be expected. */
export function hasMarketMoved(
  { reason, bid, ask }: Setbacks,
  { book, refusalCauseOf }: AlgorithmView,
): boolean {
  if (book === null || reason === null) return true;
  if (refusalCauseOf(reason) !== 'band' || bid === null) return book.bestBid !== bid || book.bestAsk !== ask;
  return book.bestBid !== null && book.bestBid - bid >= bid / NEARER;
}

/**
 * Returns the time at which a refused exit is retried; null: at once. A refusal that depends on the market is
 * retried soon after the market has moved. Otherwise the pauses grow with each refusal.
 */
export function exitRetryAtMs(setbacks: Setbacks, view: AlgorithmView): number | null {
  const { retryAtMs, inARow } = setbacks;
  const { refusalPauseMs: pauseMs } = view;
  if (retryAtMs === null || !isOfMarket(setbacks, view)) return retryAtMsOf(setbacks, pauseMs);
  const refusedAtMs = retryAtMs - pauseMs;
  if (!hasMarketMoved(setbacks, view)) return refusedAtMs + MOST_PAUSES * pauseMs;
  return refusedAtMs + Math.min(MOST_MARKET_PAUSE_MS, LEAST_MARKET_PAUSE_MS * 2 ** Math.max(0, inARow - 1));
}

/** Maximum number of pauses between two tries: the wait grows with repeated refusals up to this. */
const MOST_PAUSES = 32;

/** Returns the time of the next try: the more refusals in a row, the later. Null: at once. */
export function retryAtMsOf({ inARow, retryAtMs }: Setbacks, pauseMs: number): number | null {
  if (retryAtMs === null) return null;
  return retryAtMs + pauseMs * (Math.min(MOST_PAUSES, 2 ** Math.max(0, inARow - 1)) - 1);
}
