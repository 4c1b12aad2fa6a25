import { checkDailyLoss } from './daily-loss.ts';
import { checkDataAge } from './data-age.ts';
import { checkDrawdown } from './drawdown.ts';
import { checkLossCooldown } from './loss-cooldown.ts';
import { checkMarketExposure } from './market-exposure.ts';
import { checkOpenOrders } from './open-orders.ts';
import { checkOrderRate } from './order-rate.ts';
import { checkOrderSize } from './order-size.ts';
import { checkOrderValue } from './order-value.ts';
import { checkPositionSize } from './position-size.ts';
import { checkPriceCollar } from './price-collar.ts';
import type { RiskCheck } from './risk-check.ts';
import type { RiskLimits } from './risk-limits.ts';
import type { RiskRefusal, RiskView, WantedOrder } from './risk-view.ts';
import { checkSelfCrossing } from './self-crossing.ts';
import { checkTotalExposure } from './total-exposure.ts';

/**
 * Every check, in the order in which they are asked; the first that refuses is the one that is told. What spoils the numbers of the others comes first
 * (old data), then slips of the order itself, then how often and how many, then what is lost already, and at last what has to add up orders.
 */
export const RISK_CHECKS: readonly RiskCheck[] = [
  checkDataAge,
  checkOrderSize,
  checkPriceCollar,
  checkOrderValue,
  checkOrderRate,
  checkOpenOrders,
  checkDailyLoss,
  checkDrawdown,
  checkLossCooldown,
  checkSelfCrossing,
  checkPositionSize,
  checkMarketExposure,
  checkTotalExposure,
];

/** Only its type is exported, so that nothing but `checkRisk` makes one. The private mark also keeps a copy with another order from passing for it. */
class Approved<T> {
  readonly value: T;
  readonly #isApproved = true;

  constructor(value: T) {
    this.value = value;
  }

  get isApproved(): true {
    return this.#isApproved;
  }
}

/** An order that every check has let pass. What plans orders takes this, so an order that was not checked does not compile. */
export type RiskApproved<T> = Approved<T>;

export type RiskVerdict =
  | { readonly ok: true; readonly order: RiskApproved<WantedOrder> }
  | { readonly ok: false; readonly refusal: RiskRefusal };

/**
 * Asks every check about the wanted order of the view. Each leg of an OCO is asked about by itself, with a view in which the other leg is not live: only
 * one of them trades. Throws nothing for limits that `createRiskLimits` made.
 */
export function checkRisk(view: RiskView, limits: RiskLimits): RiskVerdict {
  for (const check of RISK_CHECKS) {
    const refusal = check(view, limits);
    if (refusal !== null) return { ok: false, refusal };
  }
  return { ok: true, order: new Approved(view.order) };
}
