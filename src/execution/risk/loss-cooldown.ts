import { onlyReduces } from './only-reduces.ts';
import type { RiskCheck } from './risk-check.ts';

/**
 * A pause after losing round trips in a row, counted from the end of the last. Meanwhile only orders that reduce the position pass. After it the next
 * loss begins a new pause at once; a round trip without a loss ends the row.
 */
export const checkLossCooldown: RiskCheck = (view, { lossCooldown }) => {
  const { lossesInARow, lastLossAtMs } = view.results;
  if (lossCooldown === null || lastLossAtMs === null || lossesInARow < lossCooldown.losses) return null;
  const waitMs = lastLossAtMs + lossCooldown.pauseMs - view.nowMs;
  if (waitMs <= 0 || onlyReduces(view)) return null;
  return {
    check: 'loss-cooldown',
    reason: `${lossesInARow} round trips in a row lost money, the limit is ${lossCooldown.losses}; only orders that reduce the position pass for the next ${waitMs} ms`,
    numbers: { losses: lossesInARow, limit: lossCooldown.losses, waitMs },
  };
};
