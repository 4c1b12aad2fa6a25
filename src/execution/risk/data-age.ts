import type { RiskCheck } from './risk-check.ts';

/**
 * The age of the last book of the order's market: since it was read, and by the exchange's own word where it has one. A book that was never read is
 * too old for any limit. A time ahead of ours counts as now.
 */
export const checkDataAge: RiskCheck = ({ order, book, nowMs }, { maxBookAgeMs, maxBookVenueAgeMs }) => {
  const { symbol } = order.market;
  if (book === null) {
    const limit = maxBookAgeMs ?? maxBookVenueAgeMs;
    if (limit === null) return null;
    return {
      check: 'data-age',
      reason: `no book of ${symbol} was read yet, and it may be at most ${limit} ms old`,
      numbers: { ageMs: null, limitMs: limit },
    };
  }
  const ageMs = nowMs - book.seenAtMs;
  if (maxBookAgeMs !== null && ageMs > maxBookAgeMs) {
    return {
      check: 'data-age',
      reason: `the book of ${symbol} was read ${ageMs} ms ago, above the limit of ${maxBookAgeMs} ms`,
      numbers: { ageMs, limitMs: maxBookAgeMs },
    };
  }
  if (maxBookVenueAgeMs === null || book.venueAtMs === null) return null;
  const venueAgeMs = nowMs - book.venueAtMs;
  if (venueAgeMs <= maxBookVenueAgeMs) return null;
  return {
    check: 'data-age',
    reason: `the exchange says that the book of ${symbol} is ${venueAgeMs} ms old, above the limit of ${maxBookVenueAgeMs} ms`,
    numbers: { venueAgeMs, limitMs: maxBookVenueAgeMs },
  };
};
