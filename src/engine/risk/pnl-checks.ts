import { formatUnits, type Units } from '../../domain/money.ts';
import { sentence } from '../../language/sentence.ts';
import { onlyReduces } from '../live-exposure.ts';
import type { RiskLimits, ValueLimit } from '../risk-limits.ts';
import { sayValue, type Objection, type PnlView, type RiskCheck, type RiskView } from './risk-view.ts';

/** Input of the limits on losses: the results, whatever the order. */
type LossView = Pick<RiskView, 'results' | 'marketNames'>;

/**
 * Checks the loss since 00:00 UTC in all markets of the strategy, realised and unrealised, each asset valued
 * once in the limit's currency. A limit counts for every strategy that has a market in its currency. Beyond
 * it only orders that reduce the position are allowed, until the next day.
 */
export const checkDailyLoss: RiskCheck = (view, limits) => unlessReduced(view, dailyLossOf(view, limits));

/**
 * Checks the fall of the strategy's result from its highest, in all its markets, each asset valued once in
 * the limit's currency. Beyond the limit only orders that reduce the position are allowed: until the position
 * recovers, or an operator raises the limit.
 */
export const checkDrawdown: RiskCheck = (view, limits) => unlessReduced(view, drawdownOf(view, limits));

/** The limit on losses that lets no new risk pass, by the name of its check; null where none does. */
export function lossObjection(
  view: LossView,
  limits: RiskLimits,
): (Objection & { readonly check: string }) | null {
  const ofDay = dailyLossOf(view, limits);
  if (ofDay !== null) return { check: 'daily-loss', ...ofDay };
  const fall = drawdownOf(view, limits);
  return fall === null ? null : { check: 'drawdown', ...fall };
}

function unlessReduced(view: RiskView, objection: Objection | null): Objection | null {
  return objection === null || onlyReduces(view) ? null : objection;
}

function dailyLossOf(view: LossView, { maxDailyLoss }: RiskLimits): Objection | null {
  return objectionToLoss(view, maxDailyLoss, {
    lossOf: ({ dayResult }) => 0n - dayResult,
    objection: ({ quote }, loss, limit) => ({
      reason: sentence('risk-daily-loss', { loss: sayValue(loss, quote), limit: sayValue(limit, quote) }),
      numbers: { loss: formatUnits(loss), limit: formatUnits(limit) },
    }),
  });
}

function drawdownOf(view: LossView, { maxDrawdown }: RiskLimits): Objection | null {
  return objectionToLoss(view, maxDrawdown, {
    lossOf: ({ peakResult, result }) => peakResult - result,
    objection: ({ quote, peakResult, result }, drawdown, limit) => ({
      reason: sentence('risk-drawdown', {
        fall: sayValue(drawdown, quote),
        peak: sayValue(peakResult, quote),
        limit: sayValue(limit, quote),
      }),
      numbers: {
        peak: formatUnits(peakResult),
        result: formatUnits(result),
        drawdown: formatUnits(drawdown),
        limit: formatUnits(limit),
      },
    }),
  });
}

/**
 * A pause after losing round trips in a row, counted from the end of the last. Meanwhile only orders that
 * reduce the position pass. After it the next loss begins a new pause at once; a round trip without a loss
 * ends the row.
 */
export const checkLossCooldown: RiskCheck = (view, { lossCooldown }) => {
  if (lossCooldown === null) return null;
  const { lossesInARow, lastLossAtMs } = view.results;
  if (lastLossAtMs === null || lossesInARow < lossCooldown.losses) return null;
  const waitMs = lastLossAtMs + lossCooldown.pauseMs - view.nowMs;
  if (waitMs <= 0 || onlyReduces(view)) return null;
  return {
    reason: sentence('risk-loss-cooldown', {
      losses: lossesInARow,
      limit: lossCooldown.losses,
      wait: waitMs,
    }),
    numbers: { losses: lossesInARow, limit: lossCooldown.losses, waitMs },
  };
};

/** The first currency whose limit is passed, or is not known. */
function objectionToLoss(
  view: LossView,
  limits: ValueLimit | null,
  of: {
    readonly lossOf: (pnl: PnlView) => bigint;
    readonly objection: (pnl: PnlView, loss: bigint, limit: Units) => Objection;
  },
): Objection | null {
  if (limits === null) return null;
  for (const pnl of view.results.inCurrencies) {
    const limit = limits[pnl.quote] ?? null;
    if (limit === null) continue;
    const loss = of.lossOf(pnl);
    const hasValue = pnl.unvalued.length === 0;
    if (loss <= limit && hasValue) continue;
    return loss <= limit ? unvaluedObjection(pnl, view) : of.objection(pnl, loss, limit);
  }
  return null;
}

/**
 * A limit on a result that is not known does not hold: says what has no price, and which market would give
 * one.
 */
function unvaluedObjection(
  { quote, unvalued }: PnlView,
  { marketNames }: Pick<RiskView, 'marketNames'>,
): Objection {
  return {
    reason: sentence('risk-result-unknown', {
      quote: quote.toUpperCase(),
      assets: `${unvalued.join(' and ')} ${unvalued.length === 1 ? 'has' : 'have'}`,
      currency: quote,
      market: marketNames.bridge.market,
    }),
    numbers: { unvalued: unvalued.join(' ') },
  };
}
