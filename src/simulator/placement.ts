import type { MarketState, Trader } from './market-state.ts';
import { accept, refuse, type Refusal, type Result } from './result.ts';
import { duplicateKeyOf, planOrders, type Placement } from './trading/order-plan.ts';
import {
  checkAmount,
  checkBalance,
  checkClientOrderId,
  checkMayTrade,
  checkValue,
  type IsBarred,
} from './trading/placement-checks.ts';
import { checkPriceConditions, checkPricesGiven, type OrderPrices } from './trading/price-rules.ts';
import type { PlaceOrder, TradingSettings } from './requests.ts';

/**
 * Decides on a request for an order: what it becomes, or a code of the interface's table of order placement.
 * The checks run in this order: market and user, prices given, amount, client id, duplicate, price
 * conditions, minimum value, balance. A duplicate is one whatever the first of the two has changed since, the
 * balance above all. Remembers an accepted request.
 */
export function decidePlacement(of: {
  readonly request: PlaceOrder;
  readonly trader: Trader;
  readonly market: MarketState;
  /** Free units of the currency that the order pays with. */
  readonly free: bigint;
  readonly settings: TradingSettings;
  readonly isBarred?: IsBarred | null;
  readonly timeMs: number;
}): Result<Placement> {
  const { request, trader, market, free, settings } = of;
  const prices = onGrid(request, market);
  const amount = request.amount * market.amountFactor;
  const window = { timeMs: of.timeMs, lengthMs: settings.duplicateWindowMs };
  const parameters = request.pro ? null : duplicateKeyOf(request);
  const refusal =
    checkMayTrade(market, trader, of.isBarred ?? null) ??
    checkPricesGiven(request) ??
    checkAmount(amount) ??
    checkClientOrderId(trader, request) ??
    (parameters === null ? null : checkDuplicate(trader, parameters, window)) ??
    (trader.isUnrestricted ? null : checkPriceConditions({ request, prices, market, settings }));
  if (refusal !== null) return refusal;
  const placement = planOrders({ request, prices, amount, market, settings });
  const refusedValue =
    (trader.isUnrestricted ? null : checkValue(market, placement)) ?? checkBalance(placement, free);
  if (refusedValue !== null) return refusedValue;
  if (parameters !== null) trader.remember(parameters, window);
  return accept(placement);
}

function checkDuplicate(
  trader: Trader,
  parameters: string,
  window: { readonly timeMs: number; readonly lengthMs: number },
): Refusal | null {
  if (!trader.isDuplicate(parameters, window)) return null;
  return refuse('DuplicateOrder', 'an identical order was accepted within the last ten seconds');
}

/** The prices of a request, from public steps to the steps that the book counts in. */
function onGrid(request: PlaceOrder, market: MarketState): OrderPrices {
  const factor = market.priceFactor;
  if (factor === 1) return request;
  const scaled = (value: number | null): number | null => (value === null ? null : value * factor);
  return {
    price: scaled(request.price),
    stopPrice: scaled(request.stopPrice),
    stopLimitPrice: scaled(request.stopLimitPrice),
  };
}
