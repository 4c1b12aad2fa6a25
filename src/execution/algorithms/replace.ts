import type { Market } from '../../domain/market.ts';
import type { Units } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import type { Intent } from '../../strategy/intents.ts';
import { isFinal, type OrderRecord } from '../order-record.ts';
import { onAmountGrid, onPriceGrid } from './market-grid.ts';
import type { ProgramStep, ProgramView } from './algorithm-step.ts';
import { canceling, over, placing, refused, waiting, type Creation } from './step.ts';
import { positiveWishUnits } from './wish-units.ts';

/**
 * Gives an open limit order another price or amount: it is canceled, and once it has ended and all its fills are read, what is then left of the wanted
 * amount is placed. Nothing is placed while the end of the old order is not seen, and nothing when it was filled meanwhile or never was. Over
 * as soon as the new order is there, which lives on by itself.
 */
export interface ReplaceProgram {
  readonly kind: 'replace';
  readonly replacedKey: string;
  readonly side: Side;
  readonly price: Units;
  /** The whole amount, what the old order filled included. */
  readonly amount: Units;
  /** What is to be placed, once that is certain; null before. Kept, as the old order is in no view for ever. */
  readonly remainder: Units | null;
}

export type ReplaceIntent = Extract<Intent, { kind: 'replace' }>;

export function createReplace(
  intent: ReplaceIntent,
  options: { readonly market: Market; readonly replaced?: OrderRecord | undefined },
): Creation<ReplaceProgram> {
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
  const wantedPrice = intent.price === undefined ? price : positiveWishUnits(intent.price);
  const wantedAmount = intent.amount === undefined ? amount : positiveWishUnits(intent.amount);
  if (wantedPrice === null) return refused(`expected a positive decimal as price, was "${String(intent.price)}"`);
  if (wantedAmount === null) return refused(`expected a positive decimal as amount, was "${String(intent.amount)}"`);
  if (
    onPriceGrid(wantedPrice, market.priceStep) === price &&
    onAmountGrid(market, wantedAmount) === onAmountGrid(market, amount)
  ) {
    return refused(`expected another price or amount for ${name}, were those it has`);
  }
  const program = { kind: 'replace', replacedKey: key, side, remainder: null } as const;
  return { ok: true, program: { ...program, price: wantedPrice, amount: wantedAmount } };
}

export function advanceReplace(program: ReplaceProgram, view: ProgramView): ProgramStep<ReplaceProgram> {
  const placed = view.orders.find(({ key }) => key !== program.replacedKey);
  if (placed !== undefined) return afterPlacing(program, placed);
  const refusal = view.refusals.at(-1);
  if (refusal !== undefined) return over(program, `what is left was refused: ${refusal.reason}`);
  if (program.remainder !== null) return place(program, program.remainder);
  const replaced = view.orders.find(({ key }) => key === program.replacedKey);
  if (replaced === undefined) return over(program, 'the order to replace is not known any more');
  switch (replaced.state) {
    // Without a request there is nothing to cancel yet; it leaves soon, or is dropped.
    case 'planned':
    case 'cancelling':
    case 'settling':
      return waiting(program);
    case 'sending':
    case 'unknown':
    case 'open':
      return canceling(program, replaced.key);
    case 'filled':
      return over(program, 'filled before it could be replaced');
    case 'rejected':
      return over(program, `the order to replace never was: ${replaced.reason ?? 'rejected'}`);
    case 'cancelled': {
      const remainder = (program.amount - replaced.filled) as Units;
      if (remainder <= 0n) return over(program, 'canceled, as no more is wanted than was filled');
      return place({ ...program, remainder }, remainder);
    }
  }
}

function place(program: ReplaceProgram, amount: Units): ProgramStep<ReplaceProgram> {
  const { side, price } = program;
  return placing(program, { side, price, amount });
}

function afterPlacing(program: ReplaceProgram, placed: OrderRecord): ProgramStep<ReplaceProgram> {
  switch (placed.state) {
    case 'planned':
    case 'sending':
    case 'unknown':
      return waiting(program);
    case 'rejected':
      return over(program, `what is left was refused: ${placed.reason ?? 'rejected'}`);
    case 'open':
    case 'cancelling':
    case 'settling':
    case 'filled':
    case 'cancelled':
      return over(program, 'replaced');
  }
}
