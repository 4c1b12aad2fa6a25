import type { Market } from '../../domain/market.ts';
import { orientBook, type BookLevel } from '../../domain/order-book.ts';
import type { StepLevel } from './replay-book.ts';
import type { BookRow } from './replay-row.ts';
import type { RowGrid } from './row-grid.ts';

/** Levels of a recorded book that are repeated; those further back are left out. */
const LEVELS_REPEATED = 200;

/**
 * A recorded book on the market's grid. Levels that fall on one step are added up; a step that both sides
 * claim is left to the bids.
 */
export function levelsOnGrid(
  row: BookRow,
  rules: Market,
  grid: RowGrid,
): { readonly bids: readonly StepLevel[]; readonly asks: readonly StepLevel[] } {
  const book = orientBook({ named: row, updatedAtMs: row.timeMs, buysAre: 'bids' });
  const bids = onGrid(book.bids, rules, grid);
  const best = bids[0]?.price ?? 0;
  return { bids, asks: onGrid(book.asks, rules, grid).filter(({ price }) => price > best) };
}

function onGrid(levels: readonly BookLevel[], rules: Market, grid: RowGrid): StepLevel[] {
  const amounts = new Map<number, number>();
  for (const [priceText, amountText] of levels.slice(0, LEVELS_REPEATED)) {
    const price = grid.price(rules, priceText);
    const amount = grid.amount(rules, amountText);
    if (amount > 0) amounts.set(price, (amounts.get(price) ?? 0) + amount);
  }
  return [...amounts].map(([price, amount]) => ({ price, amount }));
}
