import { formatUnits } from '../../domain/money.ts';
import { onlyReduces } from './only-reduces.ts';
import type { RiskCheck } from './risk-check.ts';
import { sayValue } from './say-units.ts';

/**
 * How far the result has fallen from its highest. Beyond the limit only orders that reduce the position pass: until what is held recovers, or an
 * operator raises the limit.
 */
export const checkDrawdown: RiskCheck = (view, { maxDrawdown }) => {
  const { quote, peakResult, result } = view.results;
  const limit = maxDrawdown?.[quote] ?? null;
  if (limit === null || peakResult - result <= limit || onlyReduces(view)) return null;
  return {
    check: 'drawdown',
    reason: `the result has fallen by ${sayValue(peakResult - result, quote)} from its highest of ${sayValue(peakResult, quote)}, above the limit of ${sayValue(limit, quote)}; only orders that reduce the position pass`,
    numbers: {
      peak: formatUnits(peakResult),
      result: formatUnits(result),
      drawdown: formatUnits(peakResult - result),
      limit: formatUnits(limit),
    },
  };
};
