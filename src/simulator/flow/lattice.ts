import type { Side } from '../../domain/order.ts';

/**
 * Places where the levels of a ladder may lie: one in every `gap` price steps, each a little off its mark so
 * that a book does not look ruled. They do not depend on the price, so that a ladder which follows the price
 * by one gap changes one level at each end, not all of them.
 */
function latticePrice(index: number, gap: number): number {
  return index * gap + (gap < 3 ? 0 : offsetOf(index, gap));
}

/**
 * The prices of one side, best first: the touch itself and the `count - 1` places of the lattice beyond it.
 * None below one step.
 */
export function ladderPrices(of: {
  readonly side: Side;
  readonly touch: number;
  readonly gap: number;
  readonly count: number;
}): number[] {
  const { side, touch, gap, count } = of;
  const away = side === 'buy' ? -1 : 1;
  const prices = [touch];
  let index = Math.floor(touch / gap);
  while ((latticePrice(index, gap) - touch) * away <= 0) index += away;
  for (; prices.length < count; index += away) {
    const price = latticePrice(index, gap);
    if (price < 1) break;
    prices.push(price);
  }
  return prices;
}

/** Less than half a gap, always the same for the same place. */
function offsetOf(index: number, gap: number): number {
  const mixed = Math.imul((index | 0) ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
  return Math.floor((mixed / 4_294_967_296) * 0.49 * gap);
}
