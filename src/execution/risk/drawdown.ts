import { formatUnits } from '../../domain/money.ts';
import { onlyReduces } from './only-reduces.ts';
import { refuseUnvalued } from './refuse-unvalued.ts';
import type { RiskCheck } from './risk-check.ts';
import { sayValue } from './say-units.ts';

/**
 * How far the result of the strategy has fallen from its highest, in all its markets, each asset valued once in the limit's currency. Beyond the limit only
 * orders that reduce the position pass: until what is held recovers, or an operator raises the limit.
 */
export const checkDrawdown: RiskCheck = (view, { maxDrawdown }) => {
  for (const one of view.results.inCurrencies) {
    const { quote, peakResult, result, unvalued } = one;
    const limit = maxDrawdown?.[quote] ?? null;
    const drawdown = peakResult - result;
    if (limit === null || (drawdown <= limit && unvalued.length === 0) || onlyReduces(view)) continue;
    if (drawdown <= limit) return refuseUnvalued('drawdown', one);
    return {
      check: 'drawdown',
      reason: `the result has fallen by ${sayValue(drawdown, quote)} from its highest of ${sayValue(peakResult, quote)}, above the limit of ${sayValue(limit, quote)}; only orders that reduce the position pass`,
      numbers: {
        peak: formatUnits(peakResult),
        result: formatUnits(result),
        drawdown: formatUnits(drawdown),
        limit: formatUnits(limit),
      },
    };
  }
  return null;
};
