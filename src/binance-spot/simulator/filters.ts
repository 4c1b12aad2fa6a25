import { UNITS_PER_ONE, unitsOf } from '../../domain/money.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import type { Side } from '../../domain/order.ts';
import { isLimitType, type SpotAccount, type SpotMarket, type SpotOrderType } from './state.ts';
import { refusals } from './refusal.ts';

/** Order in units, before it is in steps. */
interface FilteredOrder {
  readonly side: Side;
  readonly type: SpotOrderType;
  readonly price: bigint;
  readonly stopPrice: bigint;
  readonly quantity: bigint;
  readonly quoteOrderQty: bigint;
  readonly icebergQty: bigint;
  readonly trailingDelta: number;
}

/** True if a value lies within bounds, of which a zero is none, and on a step. */
function isWithin(value: bigint, bounds: readonly [DecimalText, DecimalText, DecimalText]): boolean {
  const [least = 0n, most = 0n, step = 0n] = bounds.map((text) => unitsOf(text) as bigint);
  return (
    (least === 0n || value >= least) && (most === 0n || value <= most) && (step === 0n || value % step === 0n)
  );
}

/** Returns the first filter that an order fails by itself; null if it passes all. */
export function failedFilter(market: SpotMarket, order: FilteredOrder, nowMs: number): string | null {
  const { settings } = market.rules;
  const { side, type, price, stopPrice, quantity, quoteOrderQty, icebergQty } = order;
  const prices = [settings.minPrice, settings.maxPrice, settings.tickSize] as const;
  for (const sent of [price, stopPrice]) if (sent !== 0n && !isWithin(sent, prices)) return 'PRICE_FILTER';
  const average = market.averagePrice(nowMs);
  if (price !== 0n) {
    const up = side === 'buy' ? settings.bidMultiplierUp : settings.askMultiplierUp;
    const down = side === 'buy' ? settings.bidMultiplierDown : settings.askMultiplierDown;
    const scaled = price * UNITS_PER_ONE;
    if (scaled > average * unitsOf(up) || scaled < average * unitsOf(down)) return 'PERCENT_PRICE_BY_SIDE';
  }
  const lots = [settings.minQty, settings.maxQty, settings.stepSize] as const;
  for (const sent of [quantity, icebergQty]) if (sent !== 0n && !isWithin(sent, lots)) return 'LOT_SIZE';
  if (type === 'MARKET' && quantity !== 0n && !isWithinMarketLot(market, quantity)) return 'MARKET_LOT_SIZE';
  if (!isLimitType(type)) {
    const notional = quoteOrderQty === 0n ? (average * quantity) / UNITS_PER_ONE : quoteOrderQty;
    if (settings.applyMinToMarket && notional < unitsOf(settings.minNotional)) return 'NOTIONAL';
    if (settings.applyMaxToMarket && isAbove(notional, settings.maxNotional)) return 'NOTIONAL';
  } else {
    const notional = (price * quantity) / UNITS_PER_ONE;
    if (notional < unitsOf(settings.minNotional) || isAbove(notional, settings.maxNotional))
      return 'NOTIONAL';
  }
  if (icebergQty !== 0n && (quantity + icebergQty - 1n) / icebergQty > BigInt(settings.icebergParts))
    return 'ICEBERG_PARTS';
  const { trailingDelta } = order;
  if (
    trailingDelta !== 0 &&
    (trailingDelta < settings.minTrailingDelta || trailingDelta > settings.maxTrailingDelta)
  )
    return 'TRAILING_DELTA';
  return null;
}

const isAbove = (value: bigint, most: DecimalText): boolean => most !== '0' && value > unitsOf(most);

/** Tests the amount of a market order, also of one that was worked out from `quoteOrderQty`. */
export function isWithinMarketLot({ rules: { settings } }: SpotMarket, quantity: bigint): boolean {
  return isWithin(quantity, [settings.marketMinQty, settings.marketMaxQty, settings.marketStepSize]);
}

/** Kinds of orders that filters count. */
export interface CountedOrders {
  readonly orders: number;
  readonly stops: number;
  readonly icebergs: number;
  readonly lists: number;
}

/** Refuses orders that are too many beside the open ones of the account, or buy too much of an asset. */
export function checkCounts(
  account: SpotAccount,
  market: SpotMarket,
  added: CountedOrders & { readonly buys: bigint },
  exchange: { readonly orders: number; readonly stops: number; readonly code: number },
): void {
  const { settings, symbol, base } = market.rules;
  const here = account.openOrders(symbol);
  const anywhere = account.openOrders();
  const listsOf = new Set(here.flatMap(({ list }) => list ?? []));
  const stopsOf = (orders: typeof here): number => orders.filter(({ isStop }) => isStop).length;
  const rows: readonly (readonly [string, number, number, number])[] = [
    ['MAX_NUM_ORDERS', settings.maxNumOrders, here.length, added.orders],
    ['MAX_NUM_ALGO_ORDERS', settings.maxNumAlgoOrders, stopsOf(here), added.stops],
    [
      'MAX_NUM_ICEBERG_ORDERS',
      settings.maxNumIcebergOrders,
      here.filter(({ request }) => request.icebergQty > 0).length,
      added.icebergs,
    ],
    ['MAX_NUM_ORDER_LISTS', settings.maxNumOrderLists, listsOf.size, added.lists],
    ['EXCHANGE_MAX_NUM_ORDERS', exchange.orders, anywhere.length, added.orders],
    ['EXCHANGE_MAX_NUM_ALGO_ORDERS', exchange.stops, stopsOf(anywhere), added.stops],
  ];
  for (const [name, most, open, more] of rows)
    if (most !== 0 && more > 0 && open + more > most) throw refusals.filter(name, exchange.code);
  if (settings.maxPosition === '0' || added.buys === 0n) return;
  const wallet = account.wallet(base);
  const resting = here
    .filter(({ side }) => side === 'buy')
    .reduce((sum, order) => sum + market.rules.amount(order.rest), 0n);
  if (wallet.free + wallet.locked + resting + added.buys > unitsOf(settings.maxPosition))
    throw refusals.filter('MAX_POSITION', exchange.code);
}
