import { countText, groupedText, formatUnits } from '../domain/money.ts';
import type { VenueOrderId } from '../domain/order.ts';
import type { LeftBehind } from '../engine/exits.ts';
import { openRest } from '../engine/live-exposure.ts';
import type { OrderWith } from '../records/order.ts';

/** An order that stays open, decimals as texts. `amount` is its unfilled part. */
interface LeftOrder extends Pick<
  OrderWith<string>,
  'strategy' | 'market' | 'side' | 'amount' | 'price' | 'stopPrice'
> {
  readonly order: string;
  readonly id: VenueOrderId | null;
  readonly isOco: boolean;
}

/** Orders and positions that a run leaves at the exchange. */
export interface LeftText {
  readonly orders: readonly LeftOrder[];
  readonly unprotected: readonly Readonly<Record<keyof LeftBehind['unprotected'][number], string>>[];
  /** Number of traded orders whose fills were not all read: profits and positions lack those fills. */
  readonly unread: number;
}

export function leftText({ orders, unprotected, unread }: LeftBehind): LeftText {
  return {
    unread,
    orders: orders.map((order) => ({
      order: order.key,
      id: order.venueId,
      strategy: order.strategy,
      market: order.market,
      side: order.side,
      amount: formatUnits(openRest(order)),
      price: order.price === null ? null : formatUnits(order.price),
      stopPrice: order.stopPrice === null ? null : formatUnits(order.stopPrice),
      isOco: order.pairKey !== null,
    })),
    unprotected: unprotected.map(({ strategy, asset, held, unprotected: rest }) => ({
      strategy,
      asset,
      held: formatUnits(held),
      unprotected: formatUnits(rest),
    })),
  };
}

/**
 * Returns lines for people, each complete in itself: every order that stays, missing fills if any, and every
 * unprotected position.
 */
export function leftLines({ orders, unprotected, unread }: LeftText): readonly string[] {
  return [
    ...(orders.length === 0
      ? ['No order is left open.']
      : orders.map((order) => `Left open: ${orderText(order)}`)),
    ...(unread === 0
      ? []
      : [
          `The fills of ${countText(unread, 'order')} could not be read in time: profits and positions lack them, and the next start reads them.`,
        ]),
    ...unprotected.map((position) => unprotectedText(position)),
  ];
}

/** Describes a position that is not wholly protected, as a line. */
export function unprotectedText({
  strategy,
  asset,
  held,
  unprotected,
}: LeftText['unprotected'][number]): string {
  const isShort = held.startsWith('-');
  const amount = held.replace('-', '');
  const has = isShort ? `has sold ${amount} ${asset} more than it bought` : `holds ${amount} ${asset}`;
  return `Unprotected: ${strategy} ${has}, of which no stop order or OCO covers ${unprotected.replace('-', '')}`;
}

function orderText({
  id,
  order,
  strategy,
  market,
  side,
  amount,
  price,
  stopPrice,
  isOco,
}: LeftOrder): string {
  const at = price === null ? 'at the market' : `at ${groupedText(price)}`;
  const stop = stopPrice === null ? '' : ` once ${groupedText(stopPrice)} is reached`;
  return `${id ?? 'id unknown'} ${market} ${side} ${amount} ${at}${stop}${isOco ? ', of an OCO' : ''} (${strategy}, ${order})`;
}
