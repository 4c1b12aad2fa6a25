import type { Market } from '../../domain/market.ts';
import { subtractUnits, type Units } from '../../domain/money.ts';
import { sentence } from '../../language/sentence.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import { canBeOrdered, positiveWishUnits } from './wish-units.ts';
import {
  plainOrder,
  type AlgorithmStep,
  type AlgorithmView,
  NO_TALLY,
  takeStock,
  type Tally,
  over,
  placing,
  refused,
  waiting,
  type Creation,
} from './algorithm-step.ts';
import { afterSetbacks, MOST_SETBACKS, NO_SETBACKS, type Setbacks } from './setbacks.ts';
import type { PricedOrder } from '../../records/order.ts';

/**
 * A limit order of which only a part rests at a time. The next part is placed once the last is filled and its
 * fills are read, so the parts never add up to more than the amount. Over when all is filled, when the rest
 * is too little to be ordered, when somebody cancels a part, and after three rejections in a row.
 */
export interface IcebergAlgorithm extends Pick<PricedOrder, 'side' | 'amount' | 'price'> {
  readonly kind: 'iceberg';
  readonly visible: Units;
  readonly setbacks: Setbacks;
  readonly tally: Tally;
}

/** A peg intent with its computed amount. */
export type IcebergIntent = Extract<Intent, { kind: 'iceberg' }> & { readonly amount: DecimalInput };

const MOST_PARTS = 1_000n;

export function createIceberg(
  intent: IcebergIntent,
  options: { readonly market: Market },
): Creation<IcebergAlgorithm> {
  const amount = positiveWishUnits(intent.amount);
  const visible = positiveWishUnits(intent.visible);
  const price = positiveWishUnits(intent.price);
  if (amount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (visible === null)
    return refused(sentence('positive-decimal', { field: 'visible', found: String(intent.visible) }));
  if (price === null)
    return refused(sentence('positive-decimal', { field: 'price', found: String(intent.price) }));
  if (visible > amount) {
    return refused(
      `expected at most the amount as visible, was "${String(intent.visible)}" of "${String(intent.amount)}"`,
    );
  }
  if (visible * MOST_PARTS < amount) {
    return refused(
      `expected an amount of at most ${MOST_PARTS} visible parts, was "${String(intent.amount)}"`,
    );
  }
  if (!canBeOrdered(options.market, { amount: visible, price })) {
    return refused(`expected a visible part above the minimum value, was "${String(intent.visible)}"`);
  }
  const begin = { setbacks: NO_SETBACKS, tally: NO_TALLY };
  return { ok: true, algorithm: { kind: 'iceberg', side: intent.side, amount, visible, price, ...begin } };
}

export function advanceIceberg(
  before: IcebergAlgorithm,
  view: AlgorithmView,
): AlgorithmStep<IcebergAlgorithm> {
  const { tally, ended, live } = takeStock(before.tally, view.orders);
  const setbacks = afterSetbacks(before.setbacks, { ended, view });
  const isUnchanged = tally === before.tally && setbacks === before.setbacks;
  const algorithm = isUnchanged ? before : { ...before, tally, setbacks };
  if (live !== null) return waiting(algorithm);
  const { side, price, visible } = algorithm;
  const left = subtractUnits(algorithm.amount, tally.filled);
  if (left <= 0n) return over(algorithm, sentence('filled'));
  if (ended.at(-1)?.state === 'cancelled') return over(algorithm, sentence('over-order-canceled'));
  if (setbacks.inARow >= MOST_SETBACKS) {
    return over(
      algorithm,
      sentence('over-refused', { count: setbacks.inARow, reason: setbacks.reason ?? sentence('no-reason') }),
    );
  }
  if (!canBeOrdered(view.market, { amount: left, price })) {
    return over(algorithm, sentence('over-rest'));
  }
  const { retryAtMs } = setbacks;
  if (retryAtMs !== null && retryAtMs > view.nowMs) return waiting(algorithm, { wakeAtMs: retryAtMs });
  return placing(algorithm, plainOrder(side, left < visible ? left : visible, price));
}
