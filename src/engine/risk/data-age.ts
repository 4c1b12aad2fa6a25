import { sentence } from '../../language/sentence.ts';
import type { Objection, RiskCheck } from './risk-view.ts';
import { standstillText } from './market-standstill.ts';

/**
 * The age of the last book of the order's market: since it was read, and by the exchange's own word where it
 * has one. A book that was never read is too old for any limit. A time ahead of ours counts as now. A book
 * that stands still is refused only where something shows that the market went on: a quiet market is open.
 *
 * Where bars come in place of books, as in a backtest on them, the newest is what can be known until the
 * next one is due to close, and ages from then on: in a gap of the data orders are refused as they are while
 * no book comes.
 */
export const checkDataAge: RiskCheck = (view, limits) => {
  const { order, book, nowMs, standstill } = view;
  const { maxBookAgeMs, maxBookVenueAgeMs, maxStandstillMs } = limits;
  const { symbol } = order.market;
  if (book === null) {
    const limit = maxBookAgeMs ?? maxBookVenueAgeMs;
    if (limit === null) return null;
    return {
      reason: sentence('risk-book-unread', { market: symbol, limit }),
      numbers: { ageMs: null, limitMs: limit },
    };
  }
  if (book.freshUntilMs !== null)
    return barAge(nowMs, book.freshUntilMs, { symbol, maxBookAgeMs, maxBookVenueAgeMs });
  const ageMs = nowMs - book.seenAtMs;
  if (maxBookAgeMs !== null && ageMs > maxBookAgeMs) {
    return {
      reason: sentence('risk-book-old', { market: symbol, age: ageMs, limit: maxBookAgeMs }),
      numbers: { ageMs, limitMs: maxBookAgeMs },
    };
  }
  if (maxStandstillMs !== null && standstill !== null && standstill.ageMs > maxStandstillMs) {
    return {
      reason: standstillText(standstill, maxStandstillMs),
      numbers: { standstillMs: standstill.ageMs, limitMs: maxStandstillMs },
    };
  }
  if (maxBookVenueAgeMs === null || book.venueAtMs === null) return null;
  const venueAgeMs = nowMs - book.venueAtMs;
  if (venueAgeMs <= maxBookVenueAgeMs) return null;
  return {
    reason: sentence('risk-book-old-there', { market: symbol, age: venueAgeMs, limit: maxBookVenueAgeMs }),
    numbers: { venueAgeMs, limitMs: maxBookVenueAgeMs },
  };
};

/** The same of a bar, by how long the next one is late. */
function barAge(
  nowMs: number,
  dueMs: number,
  of: {
    readonly symbol: string;
    readonly maxBookAgeMs: number | null;
    readonly maxBookVenueAgeMs: number | null;
  },
): Objection | null {
  const { symbol, maxBookAgeMs, maxBookVenueAgeMs } = of;
  const limitMs = Math.min(
    maxBookAgeMs ?? Number.POSITIVE_INFINITY,
    maxBookVenueAgeMs ?? Number.POSITIVE_INFINITY,
  );
  const ageMs = nowMs - dueMs;
  if (ageMs <= limitMs) return null;
  return {
    reason: sentence('risk-bar-late', { market: symbol, age: ageMs, limit: limitMs }),
    numbers: { ageMs, limitMs },
  };
}
