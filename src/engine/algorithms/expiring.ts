import { sentence } from '../../language/sentence.ts';
import type { AlgorithmStep, AlgorithmView } from './algorithm-step.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { canceling, over, placing, waiting } from './step.ts';

/** One order that is canceled when its time is over. What it has filled by then stays. */
export interface ExpiringAlgorithm extends Pick<
  OrderRecord,
  'side' | 'amount' | 'price' | 'stopPrice' | 'tag'
> {
  readonly kind: 'expiring';
  readonly expiresAtMs: number;
  readonly isPlaced: boolean;
}

export function advanceExpiring(
  algorithm: ExpiringAlgorithm,
  view: AlgorithmView,
): AlgorithmStep<ExpiringAlgorithm> {
  const { side, amount, price, stopPrice, expiresAtMs } = algorithm;
  if (!algorithm.isPlaced) {
    const order = { side, amount, price, stopPrice, stopLimitPrice: null };
    return placing({ ...algorithm, isPlaced: true }, order, expiresAtMs);
  }
  const [order] = view.orders;
  if (order === undefined)
    return over(
      algorithm,
      sentence('over-refused-once', { reason: view.refusals.at(-1)?.reason ?? sentence('reason-forgotten') }),
    );
  if (isFinal(order)) return over(algorithm, order.reason ?? order.state);
  if (view.nowMs < expiresAtMs) return waiting(algorithm, { wakeAtMs: expiresAtMs });
  const { state, key } = order;
  // Without a request there is nothing to cancel yet; it leaves soon, or is dropped.
  if (state === 'planned' || state === 'cancelling' || state === 'settling') return waiting(algorithm);
  return canceling(algorithm, key);
}
