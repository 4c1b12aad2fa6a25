import type { RiskRefusal, PnlView } from './risk-view.ts';

/** A limit on a result that can not be told does not hold: says what has no price, and which market would give one. */
export function refuseUnvalued(check: string, { quote, unvalued }: PnlView): RiskRefusal {
  return {
    check,
    reason: `the result in ${quote.toUpperCase()} can not be told: ${unvalued.join(' and ')} ${unvalued.length === 1 ? 'has' : 'have'} no price in ${quote} before USDTIRT was seen, so it has to be among the markets of the bot; only orders that reduce the position pass`,
    numbers: { unvalued: unvalued.join(' ') },
  };
}
