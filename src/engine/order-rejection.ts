import { formatUnits } from '../domain/money.ts';
import type { OrderRecord } from '../records/order.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import { IDENTICAL_ORDER } from './orders/order-placer.ts';

const CANCELED = sentence('order-cancelled');

/**
 * Returns the code and the full reason of an order's rejection; null if its other leg reports it, or if it
 * was only canceled.
 */
export function rejectionOf(order: OrderRecord): { readonly code: string; readonly reason: Sentence } | null {
  const { clientOrderId, reason } = order;
  // The stop leg of an OCO is rejected together with the first leg, which reports it.
  if (clientOrderId === null || reason === CANCELED) return null;
  const text = english(reason) ?? 'rejected';
  const code = text.startsWith(IDENTICAL_ORDER) ? IDENTICAL_ORDER : text;
  return { code, reason: rejectionText(order, reason ?? code) };
}

/** Returns the text on why an order was refused and what it was, with its numbers. */
function rejectionText(order: OrderRecord, reason: Sentence): Sentence {
  const { key, side, market, execution, price, stopPrice } = order;
  const isMarketable = execution === 'market' || execution === 'stop_market';
  const what = { order: key, reason, side, amount: formatUnits(order.amount), market };
  const stop = stopPrice === null ? null : formatUnits(stopPrice);
  if (price === null)
    return stop === null
      ? sentence('rejected-market', what)
      : sentence('rejected-market-once', { ...what, stop });
  const priced = { ...what, price: formatUnits(price) };
  if (stop === null) return sentence(isMarketable ? 'rejected-bound' : 'rejected-limit', priced);
  return sentence(isMarketable ? 'rejected-bound-once' : 'rejected-limit-once', { ...priced, stop });
}
