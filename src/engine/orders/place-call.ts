import { present } from '../../domain/invariant.ts';
import type { MarketName } from '../../domain/market-symbol.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { VenueCall } from '../../venues/port.ts';

type PlaceCall = Extract<VenueCall, { kind: 'place' | 'place-oco' }>;

/** The call that places an order, or with `pair`, its stop leg, both legs of an OCO. */
export function placeCall(
  order: OrderRecord,
  pair: OrderRecord | undefined,
  of: { readonly market: Pick<MarketName, 'base' | 'quote'>; readonly isPro: boolean },
): PlaceCall {
  const pro = of.isPro ? { pro: true } : {};
  const { base, quote } = of.market;
  const clientOrderId = present(order.clientOrderId, () => `a clientOrderId of the order ${order.key}`);
  const { side, execution, price, stopPrice, amount } = order;
  if (pair !== undefined && price !== null && pair.stopPrice !== null && pair.price !== null) {
    return {
      kind: 'place-oco',
      order: {
        clientOrderId,
        base,
        quote,
        side,
        amount,
        price,
        stopPrice: pair.stopPrice,
        stopLimitPrice: pair.price,
        ...pro,
      },
    };
  }
  return {
    kind: 'place',
    order: { clientOrderId, base, quote, side, execution, amount, price, stopPrice, ...pro },
  };
}
