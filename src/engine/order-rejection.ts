import { formatUnits } from '../domain/money.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import { IDENTICAL_ORDER } from './order-placer.ts';

/**
 * By which code a rejected order was refused, and the whole of it in words; null where it is told with the
 * other leg of its pair, or was only canceled.
 */
export function rejectionOf(order: OrderRecord): { readonly code: string; readonly reason: string } | null {
  const { key, clientOrderId, reason } = order;
  // The stop leg of an OCO shares the fate of the other.
  if (clientOrderId === null || reason === 'Cancelled') return null;
  const code = reason?.startsWith(IDENTICAL_ORDER) === true ? IDENTICAL_ORDER : (reason ?? 'rejected');
  return { code, reason: `${key}: ${reason ?? code}: ${wishText(order)}` };
}

/** What an order was to do, with its numbers. */
function wishText({ side, market, amount, execution, price, stopPrice }: OrderRecord): string {
  const isTaking = execution === 'market' || execution === 'stop_market';
  const bound = price === null ? '' : `${isTaking ? ', no worse than' : 'at'} ${formatUnits(price)}`;
  const at = isTaking ? `at the market${bound}` : bound;
  const once = stopPrice === null ? '' : ` once ${formatUnits(stopPrice)} is reached`;
  return `${side} ${formatUnits(amount)} in ${market} ${at}${once}`;
}
