import type { DecimalText } from '../domain/decimal-text.ts';
import { present } from '../domain/invariant.ts';
import { parseMarket } from '../domain/market-symbol.ts';
import { formatUnits, type Units } from '../domain/money.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { VenueCall } from '../venues/port.ts';

type PlaceCall = Extract<VenueCall, { kind: 'place' | 'place-oco' }>;

/** The call that places an order, or with `pair`, its stop leg, both legs of an OCO. */
export function placeCall(order: OrderRecord, pair: OrderRecord | undefined, isPro: boolean): PlaceCall {
  const pro = isPro ? { pro: true } : {};
  const { base, quote } = parseMarket(order.market);
  const clientOrderId = present(order.clientOrderId, () => `a clientOrderId of the order ${order.key}`);
  const amount = formatUnits(order.amount);
  if (pair !== undefined && order.price !== null && pair.stopPrice !== null && pair.price !== null) {
    return {
      kind: 'place-oco',
      order: {
        clientOrderId,
        base,
        quote,
        side: order.side,
        amount,
        price: formatUnits(order.price),
        stopPrice: formatUnits(pair.stopPrice),
        stopLimitPrice: formatUnits(pair.price),
        ...pro,
      },
    };
  }
  const { side, execution, price, stopPrice } = order;
  return {
    kind: 'place',
    order: {
      clientOrderId,
      base,
      quote,
      side,
      execution,
      amount,
      price: textOf(price),
      stopPrice: textOf(stopPrice),
      ...pro,
    },
  };
}

function textOf(units: Units | null): DecimalText | null {
  return units === null ? null : formatUnits(units);
}
