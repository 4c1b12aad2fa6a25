import { formatUnits } from '../../domain/money.ts';
import { onlyReduces } from './only-reduces.ts';
import { refuseUnvalued } from './refuse-unvalued.ts';
import type { RiskCheck } from './risk-check.ts';
import { sayValue } from './say-units.ts';

/**
 * What was lost since 00:00 UTC in all markets of the strategy, realised and unrealised, each asset valued once in the limit's currency. A limit counts for
 * every strategy that has a market in its currency. Beyond it only orders that reduce the position pass, until the next day.
 */
export const checkDailyLoss: RiskCheck = (view, { maxDailyLoss }) => {
  for (const result of view.results.inCurrencies) {
    const { quote, dayResult, unvalued } = result;
    const limit = maxDailyLoss?.[quote] ?? null;
    const loss = 0n - dayResult;
    if (limit === null || (loss <= limit && unvalued.length === 0) || onlyReduces(view)) continue;
    if (loss <= limit) return refuseUnvalued('daily-loss', result);
    return {
      check: 'daily-loss',
      reason: `the loss of the day is ${sayValue(loss, quote)}, above the limit of ${sayValue(limit, quote)}; only orders that reduce the position pass until 00:00 UTC`,
      numbers: { loss: formatUnits(loss), limit: formatUnits(limit) },
    };
  }
  return null;
};
