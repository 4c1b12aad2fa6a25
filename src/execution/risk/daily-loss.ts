import { formatUnits } from '../../domain/money.ts';
import { onlyReduces } from './only-reduces.ts';
import type { RiskCheck } from './risk-check.ts';
import { sayValue } from './say-units.ts';

/** What was lost since 00:00 UTC, realised and unrealised. Beyond the limit only orders that reduce the position pass, until the next day. */
export const checkDailyLoss: RiskCheck = (view, { maxDailyLoss }) => {
  const { quote, dayResult } = view.results;
  const limit = maxDailyLoss?.[quote] ?? null;
  const loss = 0n - dayResult;
  if (limit === null || loss <= limit || onlyReduces(view)) return null;
  return {
    check: 'daily-loss',
    reason: `the loss of the day is ${sayValue(loss, quote)}, above the limit of ${sayValue(limit, quote)}; only orders that reduce the position pass until 00:00 UTC`,
    numbers: { loss: formatUnits(loss), limit: formatUnits(limit) },
  };
};
