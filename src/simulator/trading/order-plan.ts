import { stepValue, valueUp, type Market } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import { type MarketState, type PlacementPlan, NO_PRICE, type Trader } from '../market-state.ts';
import { type PlaceOrder, type TradingSettings, refuse, type Refusal } from '../requests.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { UserId } from '../accounts.ts';

/** Orders made from a request: one order, or the two of an OCO. */
export interface Placement {
  readonly first: PlacementPlan;
  readonly second: PlacementPlan | null;
}

/** Plans the order, or the two of an OCO (limit first), of a request whose prices have been checked. */
export function planOrders(of: {
  readonly request: PlaceOrder;
  readonly prices: OrderPrices;
  readonly amount: number;
  readonly market: MarketState;
  readonly settings: TradingSettings;
}): Placement {
  const { request, prices, amount, market, settings } = of;
  const { side, execution, clientOrderId } = request;
  const { grid } = market;
  const price = prices.price ?? NO_PRICE;
  const stopPrice = prices.stopPrice ?? NO_PRICE;
  const isStop = execution === 'stop_limit' || execution === 'stop_market';
  const status = isStop ? 'Inactive' : 'New';
  if (request.mode === 'oco') {
    const second = prices.stopLimitPrice ?? NO_PRICE;
    return {
      first: plan(grid, {
        side,
        execution: 'limit',
        amount,
        registeredPrice: price,
        limit: price,
        reference: price,
        stopPrice: NO_PRICE,
        status: 'New',
        clientOrderId,
      }),
      second: plan(grid, {
        side,
        execution: 'stop_limit',
        amount,
        registeredPrice: second,
        limit: second,
        reference: second,
        stopPrice,
        status: 'Inactive',
        clientOrderId: null,
      }),
    };
  }
  const isLimit = execution === 'limit' || execution === 'stop_limit';
  const reference = isLimit ? price : (prices.price ?? (isStop ? stopPrice : market.lastPrice));
  const limit = isLimit ? price : bandEdge(reference, settings.marketBandMillionths, side === 'buy' ? 1 : -1);
  return {
    first: plan(grid, {
      side,
      execution,
      amount,
      registeredPrice: price,
      limit,
      reference,
      stopPrice: isStop ? stopPrice : NO_PRICE,
      status,
      clientOrderId,
    }),
    second: null,
  };
}

function plan(
  grid: Market,
  of: Omit<PlacementPlan, 'value' | 'hold'> & { readonly reference: number },
): PlacementPlan {
  const value = valueUp(grid, stepValue(of.reference, of.amount));
  const hold =
    of.side === 'sell' || of.limit !== of.reference
      ? holdFor(grid, { side: of.side, price: of.limit }, of.amount)
      : value;
  return {
    side: of.side,
    execution: of.execution,
    amount: of.amount,
    registeredPrice: of.registeredPrice,
    limit: of.limit,
    stopPrice: of.stopPrice,
    status: of.status,
    clientOrderId: of.clientOrderId,
    value,
    hold,
  };
}

/** Returns what must be held so that `amount` (in steps) can fill at the limit; in units, rounded up. */
export function holdFor(
  grid: Market,
  order: { readonly side: Side; readonly price: number },
  amount: number,
): bigint {
  if (order.side === 'sell') return BigInt(amount) * grid.amountStep;
  return valueUp(grid, stepValue(order.price, amount));
}

/** Returns a key that equal orders share: every parameter but the client's id, which affects no trade. */
export function duplicateKeyOf(request: PlaceOrder): string {
  const { market, side, execution, mode, amount, price, stopPrice, stopLimitPrice } = request;
  return `${market}|${side}|${execution}|${mode}|${amount}|${price}|${stopPrice}|${stopLimitPrice}`;
}

const MILLION = 1_000_000n;

/** Returns `price` moved by a share of itself, rounded so that the band is never wider than stated. */
function bandEdge(price: number, millionths: number, direction: 1 | -1): number {
  const product = price * (1_000_000 + direction * millionths);
  if (product <= Number.MAX_SAFE_INTEGER)
    return direction === -1 ? Math.ceil(product / 1_000_000) : Math.floor(product / 1_000_000);
  const scaled = BigInt(price) * (MILLION + BigInt(direction * millionths));
  const edge = scaled / MILLION;
  return Number(direction === -1 && scaled % MILLION !== 0n ? edge + 1n : edge);
}

/** Prices of an order on the market's grid. */
export interface OrderPrices {
  readonly price: number | null;
  readonly stopPrice: number | null;
  readonly stopLimitPrice: number | null;
}

const isPrice = (value: number | null): value is number =>
  value !== null && Number.isSafeInteger(value) && value > 0;

/** Prices that each kind of order needs. */
const NEEDED: Readonly<Record<PlaceOrder['execution'] | 'oco', readonly (keyof OrderPrices)[]>> = {
  limit: ['price'],
  market: [],
  stop_limit: ['price', 'stopPrice'],
  stop_market: ['stopPrice'],
  oco: ['price', 'stopPrice', 'stopLimitPrice'],
};

/** Refuses missing or impossible prices (`InvalidOrderPrice`). */
export function checkPricesGiven(order: PlaceOrder): Refusal | null {
  const needs = NEEDED[order.mode === 'oco' ? 'oco' : order.execution];
  for (const field of needs) {
    if (!isPrice(order[field])) return refuse('InvalidOrderPrice', `${field} must be a positive price`);
  }
  if (order.price !== null && !isPrice(order.price))
    return refuse('InvalidOrderPrice', 'price must be a positive price');
  return null;
}

/**
 * Checks the conditions between an order's prices and the market (`BadPrice`, `PriceConditionFailed`).
 * Source: rules of order placement and the table of its codes; for the order of stop and stop-limit price in
 * an OCO: deployments.
 */
export function checkPriceConditions(of: {
  readonly request: PlaceOrder;
  readonly prices: OrderPrices;
  readonly market: MarketState;
  readonly settings: TradingSettings;
}): Refusal | null {
  const { request: order, prices, market, settings } = of;
  const last = market.lastPrice;
  const rises = order.side === 'buy' ? 1 : -1;
  const { price, stopPrice, stopLimitPrice } = prices;
  if (order.mode === 'oco') {
    if (price === null || stopPrice === null || stopLimitPrice === null) return null;
    const inOrder =
      (last - price) * rises > 0 &&
      (stopPrice - last) * rises > 0 &&
      (stopLimitPrice - stopPrice) * rises >= 0;
    if (!inOrder)
      return refuse(
        'PriceConditionFailed',
        'price, last price, stopPrice and stopLimitPrice are not in the order an OCO needs',
      );
    return checkBand(price, last, settings);
  }
  if (stopPrice !== null && (order.execution === 'stop_limit' || order.execution === 'stop_market')) {
    if ((stopPrice - last) * rises <= 0)
      return refuse(
        'PriceConditionFailed',
        'stopPrice must be beyond the last price, in the direction of the order',
      );
    if (price !== null && (price - stopPrice) * rises < 0)
      return refuse('BadPrice', 'the price of the resulting order is better than its stopPrice');
    return null;
  }
  return price === null ? null : checkBand(price, last, settings);
}

function checkBand(price: number, last: number, settings: TradingSettings): Refusal | null {
  const distance = Math.abs(price - last);
  const isWithin = isProductExact(distance, last, settings.priceBandMillionths)
    ? distance * 1_000_000 <= last * settings.priceBandMillionths
    : BigInt(distance) * MILLION <= BigInt(last) * BigInt(settings.priceBandMillionths);
  return isWithin ? null : refuse('BadPrice', 'price is too far from the market price');
}

/** True if both sides of the band's inequality are integers that a float holds exactly, and so cheap. */
const isProductExact = (distance: number, last: number, millionths: number): boolean =>
  distance * 1_000_000 <= Number.MAX_SAFE_INTEGER && last * millionths <= Number.MAX_SAFE_INTEGER;

/** Returns the reason that a user may not trade in the markets of a quote currency; null if the user may. */
export type IsBarred = (userId: UserId, quote: Currency) => string | null;

/** Refuses if the market is closed or the user may not trade there. */
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

/** Refuses a value that does not exceed the market's minimum. In an OCO each order must exceed it. */
export function checkValue(market: MarketState, placement: Placement): Refusal | null {
  const { first, second } = placement;
  const { minOrderValue } = market.rules;
  if (first.value > minOrderValue && (second === null || second.value > minOrderValue)) return null;
  return refuse('SmallOrder', 'the value of the order does not exceed the minimum of its market');
}

/** Refuses a placement that the free balance of the paying wallet does not cover. */
export function checkBalance(placement: Placement, free: bigint): Refusal | null {
  const { first, second } = placement;
  if (neededFor(first) <= free && (second === null || neededFor(second) <= free)) return null;
  return refuse('OverValueOrder', 'the order exceeds the usable balance of the wallet');
}

/**
 * Returns the free balance that an order needs. A market buy may trade one band beyond its reference price,
 * but needs only the value at that price: its fills end where its money does.
 */
function neededFor(plan: PlacementPlan): bigint {
  const isMarketBuy =
    plan.side === 'buy' && (plan.execution === 'market' || plan.execution === 'stop_market');
  return isMarketBuy ? plan.value : plan.hold;
}
