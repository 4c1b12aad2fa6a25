import type { Market } from '../../domain/market.ts';
import { subtractUnits, type Units } from '../../domain/money.ts';
import { sentence } from '../../language/sentence.ts';
import type { Intent } from '../../strategy/intents.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { onAmountGrid, onPriceGrid, positiveRequestedUnits } from './requested-units.ts';
import {
  plainOrder,
  type AlgorithmStep,
  type AlgorithmView,
  canceling,
  over,
  placing,
  refused,
  waiting,
  type Creation,
} from './algorithm-step.ts';
import type { AlgorithmOf } from '../algorithm-json.ts';

/**
 * Gives an open limit order another price or amount: it is canceled, and once its end and all its fills are
 * known, the rest of the wanted amount is placed. The wanted amount includes what the old order filled.
 * Nothing is placed if the old order was filled meanwhile or never existed. Over as soon as the new order
 * exists, which then lives by itself.
 */
export type ReplaceAlgorithm = AlgorithmOf<'replace'>;

type ReplaceIntent = Extract<Intent, { kind: 'replace' }>;

export function createReplace(
  intent: ReplaceIntent,
  options: { readonly market: Market; readonly replaced?: OrderRecord | undefined },
): Creation<ReplaceAlgorithm> {
  const { market, replaced } = options;
  const name = intent.clientOrderId;
  if (replaced === undefined) return refused(`expected the id of an own order to replace, was "${name}"`);
  const { key, side, price, amount } = replaced;
  if (isFinal(replaced) || replaced.state === 'settling') {
    return refused(`expected an open order to replace, was ${name}, which is ${replaced.state}`);
  }
  if (replaced.execution !== 'limit' || price === null || replaced.pairKey !== null) {
    return refused(`expected a single limit order to replace, was ${name}, which is of another kind`);
  }
  const wantedPrice = intent.price === undefined ? price : positiveRequestedUnits(intent.price);
  const wantedAmount = intent.amount === undefined ? amount : positiveRequestedUnits(intent.amount);
  if (wantedPrice === null)
    return refused(sentence('positive-decimal', { field: 'price', found: String(intent.price) }));
  if (wantedAmount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (
    onPriceGrid(wantedPrice, market.priceStep) === price &&
    onAmountGrid(market, wantedAmount) === onAmountGrid(market, amount)
  ) {
    return refused(`expected another price or amount for ${name}, were those it has`);
  }
  const algorithm = { kind: 'replace', replacedKey: key, side, remainder: null } as const;
  return { ok: true, algorithm: { ...algorithm, price: wantedPrice, amount: wantedAmount } };
}

export function advanceReplace(
  algorithm: ReplaceAlgorithm,
  view: AlgorithmView,
): AlgorithmStep<ReplaceAlgorithm> {
  const placed = view.orders.find(({ key }) => key !== algorithm.replacedKey);
  if (placed !== undefined) return afterPlacing(algorithm, placed);
  const refusal = view.refusals.at(-1);
  if (refusal !== undefined)
    return over(algorithm, sentence('over-rest-refused', { reason: refusal.reason }));
  if (algorithm.remainder !== null) return place(algorithm, algorithm.remainder);
  const replaced = view.orders.find(({ key }) => key === algorithm.replacedKey);
  if (replaced === undefined) return over(algorithm, sentence('over-no-original'));
  switch (replaced.state) {
    // An order that was not sent or is ending already needs no cancel.
    case 'planned':
    case 'cancelling':
    case 'settling':
      return waiting(algorithm);
    case 'sending':
    case 'unknown':
    case 'open':
      return canceling(algorithm, replaced.key);
    case 'filled':
      return over(algorithm, sentence('over-filled-first'));
    case 'rejected':
      return over(algorithm, sentence('over-never-was', { reason: replaced.reason ?? 'rejected' }));
    case 'cancelled': {
      const remainder = subtractUnits(algorithm.amount, replaced.filled);
      if (remainder <= 0n) return over(algorithm, sentence('over-no-more-wanted'));
      return place({ ...algorithm, remainder }, remainder);
    }
  }
}

function place(algorithm: ReplaceAlgorithm, amount: Units): AlgorithmStep<ReplaceAlgorithm> {
  const { side, price } = algorithm;
  return placing(algorithm, plainOrder(side, amount, price));
}

function afterPlacing(algorithm: ReplaceAlgorithm, placed: OrderRecord): AlgorithmStep<ReplaceAlgorithm> {
  switch (placed.state) {
    case 'planned':
    case 'sending':
    case 'unknown':
      return waiting(algorithm);
    case 'rejected':
      return over(algorithm, sentence('over-rest-refused', { reason: placed.reason ?? 'rejected' }));
    case 'open':
    case 'cancelling':
    case 'settling':
    case 'filled':
    case 'cancelled':
      return over(algorithm, sentence('replaced'));
  }
}
