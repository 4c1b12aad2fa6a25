import type { RiskCheck } from './risk-check.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** How many orders the strategy has planned within the last 60 seconds and 60 minutes. What was planned exactly that long ago is out of it. */
export const checkOrderRate: RiskCheck = ({ plannedAtMs, nowMs }, { maxOrdersPerMinute, maxOrdersPerHour }) => {
  const perMinute = overRate(plannedAtMs, { limit: maxOrdersPerMinute, afterMs: nowMs - MINUTE_MS });
  if (perMinute !== null) return refusal('60 seconds', perMinute);
  const perHour = overRate(plannedAtMs, { limit: maxOrdersPerHour, afterMs: nowMs - HOUR_MS });
  return perHour === null ? null : refusal('60 minutes', perHour);
};

/** The times rise, so the limit is used up exactly when the time that many places from the end is still within the span. */
function overRate(
  timesMs: readonly number[],
  { limit, afterMs }: { readonly limit: number | null; readonly afterMs: number },
): { readonly limit: number; readonly nextAtMs: number | null } | null {
  if (limit === null) return null;
  if (limit === 0) return { limit, nextAtMs: null };
  const oldest = timesMs.at(-limit);
  return oldest === undefined || oldest <= afterMs ? null : { limit, nextAtMs: oldest - afterMs };
}

function refusal(
  span: string,
  { limit, nextAtMs }: { readonly limit: number; readonly nextAtMs: number | null },
): ReturnType<RiskCheck> {
  const next = nextAtMs === null ? '' : `; the next may follow in ${nextAtMs} ms`;
  return {
    check: 'order-rate',
    reason: `the limit is ${limit} orders within ${span}, and it is used up${next}`,
    numbers: { limit, waitMs: nextAtMs },
  };
}
