import { formatUnits } from '../domain/money.ts';
import type { OrderRecord } from '../records/order.ts';
import { sentence } from '../language/sentence.ts';
import { IDENTICAL_ORDER } from './orders/order-placer.ts';

/**
 * By which code a rejected order was refused, and the whole of it in words; null where it is told with the
 * other leg of its pair, or was only canceled.
 */
export function rejectionOf(order: OrderRecord): { readonly code: string; readonly reason: string } | null {
  const { clientOrderId, reason } = order;
  // The stop leg of an OCO shares the fate of the other.
  if (clientOrderId === null || reason === 'Cancelled') return null;
  const code = reason?.startsWith(IDENTICAL_ORDER) === true ? IDENTICAL_ORDER : (reason ?? 'rejected');
  return { code, reason: rejectionText(order, reason ?? code) };
}

/** Returns why an order was refused, and what it was to do, with its numbers. */
function rejectionText(order: OrderRecord, reason: string): string {
  const { key, side, market, execution, price, stopPrice } = order;
  const isTaking = execution === 'market' || execution === 'stop_market';
  const what = { order: key, reason, side, amount: formatUnits(order.amount), market };
  const stop = stopPrice === null ? null : formatUnits(stopPrice);
  if (price === null)
    return stop === null
      ? sentence('rejected-market', what)
      : sentence('rejected-market-once', { ...what, stop });
  const priced = { ...what, price: formatUnits(price) };
  if (stop === null) return sentence(isTaking ? 'rejected-bound' : 'rejected-limit', priced);
  return sentence(isTaking ? 'rejected-bound-once' : 'rejected-limit-once', { ...priced, stop });
}
