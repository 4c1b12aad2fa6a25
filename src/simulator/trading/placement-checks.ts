import type { Currency } from '../../domain/market-symbol.ts';
import type { UserId } from '../wallet.ts';
import type { MarketState, PlacementPlan, Trader } from '../market-state.ts';
import { refuse, type Refusal } from '../result.ts';
import type { Placement } from './order-plan.ts';
import type { PlaceOrder } from '../requests.ts';

/** Reason that a user may not trade in the markets of a quote currency; null if the user may. */
export type IsBarred = (userId: UserId, quote: Currency) => string | null;

/** Refuses while the market is closed or the user may not trade there. */
export function checkMayTrade(
  market: MarketState,
  trader: Trader,
  isBarred: IsBarred | null,
): Refusal | null {
  if (market.isClosed) return refuse('MarketClosed', 'the market is closed for now');
  if (!trader.mayTrade)
    return refuse('TradingUnavailable', 'the identity process of this user is incomplete');
  const reason = isBarred?.(trader.userId, market.rules.quote) ?? null;
  return reason === null ? null : refuse('TradingUnavailable', reason);
}

/** Refuses a client id that another open order of the user has. */
export function checkClientOrderId(trader: Trader, request: PlaceOrder): Refusal | null {
  const { clientOrderId } = request;
  if (clientOrderId === null || !trader.openByClientId.has(clientOrderId)) return null;
  return refuse('DuplicateClientOrderId', 'another open order has this clientOrderId');
}

export function checkAmount(amount: number): Refusal | null {
  if (Number.isSafeInteger(amount) && amount > 0) return null;
  return refuse('ParseError', 'amount must be a positive number of amount steps');
}

/** Refuses a value that does not exceed the market's minimum. Of an OCO each order must. */
export function checkValue(market: MarketState, placement: Placement): Refusal | null {
  const { first, second } = placement;
  const { minOrderValue } = market.rules;
  if (first.value > minOrderValue && (second === null || second.value > minOrderValue)) return null;
  return refuse('SmallOrder', 'the value of the order does not exceed the minimum of its market');
}

/** Refuses what the paying wallet's free part does not cover. */
export function checkBalance(placement: Placement, free: bigint): Refusal | null {
  const { first, second } = placement;
  if (neededFor(first) <= free && (second === null || neededFor(second) <= free)) return null;
  return refuse('OverValueOrder', 'the order exceeds the usable balance of the wallet');
}

/**
 * A market buy may go one band beyond its reference price, but its sender needs to own the value at that
 * price only: its fills end where its money does.
 */
function neededFor(plan: PlacementPlan): bigint {
  const isMarketBuy =
    plan.side === 'buy' && (plan.execution === 'market' || plan.execution === 'stop_market');
  return isMarketBuy ? plan.value : plan.hold;
}
