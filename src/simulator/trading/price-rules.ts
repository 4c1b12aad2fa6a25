import type { MarketState } from '../market-state.ts';
import { refuse, type Refusal } from '../result.ts';
import type { PlaceOrder, TradingSettings } from '../requests.ts';

const MILLION = 1_000_000n;

/** `price` moved by a share of itself; rounded so that the band is never wider than it says. */
export function bandEdge(price: number, millionths: number, direction: 1 | -1): number {
  const product = price * (1_000_000 + direction * millionths);
  if (product <= Number.MAX_SAFE_INTEGER) {
    return direction === -1 ? Math.ceil(product / 1_000_000) : Math.floor(product / 1_000_000);
  }
  const scaled = BigInt(price) * (MILLION + BigInt(direction * millionths));
  const edge = scaled / MILLION;
  return Number(direction === -1 && scaled % MILLION !== 0n ? edge + 1n : edge);
}

/** An order's prices on the market's grid. */
export interface OrderPrices {
  readonly price: number | null;
  readonly stopPrice: number | null;
  readonly stopLimitPrice: number | null;
}

const isPrice = (value: number | null): value is number =>
  value !== null && Number.isSafeInteger(value) && value > 0;

/** Prices that each kind of order must have. */
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
 * The conditions between an order's prices and the market (`BadPrice`, `PriceConditionFailed`). Source: rules
 * of order placement and the table of its codes; the order of stop and stop-limit price of an OCO:
 * deployments.
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
    if (!inOrder) {
      return refuse(
        'PriceConditionFailed',
        'price, last price, stopPrice and stopLimitPrice are not in the order an OCO needs',
      );
    }
    return checkBand(price, last, settings);
  }
  if (stopPrice !== null && (order.execution === 'stop_limit' || order.execution === 'stop_market')) {
    if ((stopPrice - last) * rises <= 0) {
      return refuse(
        'PriceConditionFailed',
        'stopPrice must be beyond the last price, in the direction of the order',
      );
    }
    if (price !== null && (price - stopPrice) * rises < 0) {
      return refuse('BadPrice', 'the price of the resulting order is better than its stopPrice');
    }
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

/**
 * True if both sides of the band's inequality stay within the integers that a float holds exactly: the usual
 * case, and far cheaper.
 */
function isProductExact(distance: number, last: number, millionths: number): boolean {
  return distance * 1_000_000 <= Number.MAX_SAFE_INTEGER && last * millionths <= Number.MAX_SAFE_INTEGER;
}
