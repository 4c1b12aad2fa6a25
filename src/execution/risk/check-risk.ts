import { checkDataAge } from './data-age.ts';
import { checkMarketExposure, checkPositionSize, checkTotalExposure } from './exposure-checks.ts';
import { checkOpenOrders, checkOrderRate, checkOrderSize, checkOrderValue } from './order-checks.ts';
import { checkDailyLoss, checkDrawdown, checkLossCooldown } from './pnl-checks.ts';
import { checkPriceCollar } from './price-collar.ts';
import type { RiskLimits } from './risk-limits.ts';
import type { RiskCheck, RiskRefusal, RiskView, WantedOrder } from './risk-view.ts';
import { checkSelfCrossing } from './self-crossing.ts';

/**
 * Every check by the name that a refusal says, in the order in which they are asked; the first that refuses
 * is the one that is reported.
 */
export const RISK_CHECKS: ReadonlyMap<string, RiskCheck> = new Map([
  // What spoils the numbers of the others.
  ['data-age', checkDataAge],
  // Slips of the order itself.
  ['order-size', checkOrderSize],
  ['price-collar', checkPriceCollar],
  ['order-value', checkOrderValue],
  // How often, and how many.
  ['order-rate', checkOrderRate],
  ['open-orders', checkOpenOrders],
  // What is lost already.
  ['daily-loss', checkDailyLoss],
  ['drawdown', checkDrawdown],
  ['loss-cooldown', checkLossCooldown],
  // What has to add up orders.
  ['self-crossing', checkSelfCrossing],
  ['position-size', checkPositionSize],
  ['market-exposure', checkMarketExposure],
  ['total-exposure', checkTotalExposure],
]);

/**
 * Not asked about the exit of a bracket. It sells no more than its entry bought, which was asked about: what
 * guards against slips of a strategy must not leave a position without its stop. Other live orders of the
 * strategy, which may sell the same coins, do not change that: what they add up to is asked about below.
 */
const NOT_OF_EXITS: ReadonlySet<string> = new Set([
  'data-age',
  'order-size',
  'order-value',
  'order-rate',
  'open-orders',
]);

/** The same as a list: a map would make a pair of each at every order. */
const IN_ORDER = [...RISK_CHECKS].map(([name, check]) => ({ name, check }));

/**
 * Only its type is exported, so that nothing but `checkRisk` makes one. The private mark also keeps a copy
 * with another order from passing for it.
 */
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

/**
 * An order that every check has let pass. What plans orders takes this, so an unchecked order does not
 * compile.
 */
export type RiskApproved<T> = Approved<T>;

export type RiskVerdict =
  | { readonly ok: true; readonly order: RiskApproved<WantedOrder> }
  | { readonly ok: false; readonly refusal: RiskRefusal };

/**
 * Asks every check about the wanted order of the view. Each leg of an OCO is asked about by itself, with a
 * view in which the other leg is not live: only one of them trades. Throws nothing for limits that
 * `createRiskLimits` made.
 */
export function checkRisk(view: RiskView, limits: RiskLimits): RiskVerdict {
  for (const { name, check } of IN_ORDER) {
    if (view.order.isExit && NOT_OF_EXITS.has(name)) continue;
    const refusal = check(view, limits);
    if (refusal !== null) return { ok: false, refusal: { check: name, ...refusal } };
  }
  return { ok: true, order: new Approved(view.order) };
}
