import { lengthText } from '../domain/time-text.ts';
import { ENDPOINTS } from '../exchange/endpoints.ts';

/** Requirements of canceling at the exchange. */
interface CancelNeed {
  /** Cancels that the exchange takes in a window of `windowMs`. */
  readonly limit: number;
  readonly windowMs: number;
  /** Time for all of them in the worst case, a window that is full when they begin. */
  readonly needMs: number;
}

export function cancelNeed(count: number): CancelNeed {
  const { limit, windowMs } = ENDPOINTS.updateOrderStatus.budget;
  return { limit, windowMs, needMs: Math.ceil(count / limit) * windowMs };
}

/** The same in a sentence. */
export function cancelNeedText(count: number): string {
  const { limit, windowMs, needMs } = cancelNeed(count);
  if (count === 0) return 'no own order is open';
  const orders = count === 1 ? '1 own order is open' : `${count} own orders are open`;
  return `${orders}; at ${limit} cancels in ${lengthText(windowMs)} this takes up to ${lengthText(needMs)}`;
}
