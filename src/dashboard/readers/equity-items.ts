import { addUnits, formatUnits, NO_UNITS, parseUnits, type Units } from '../../domain/money.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import {
  drawdownOf,
  profitOfTehranDay,
  valuesOf,
  withoutDeposits,
  type ValueAt,
} from '../../portfolio/value-series.ts';
import type { EquityItem, StrategyItem } from '../schema/overview.ts';

/** Values that a drawdown is measured over; a peak between two of them is missed beyond that. */
const MOST_VALUES = 2_000;

/** A day begins with the value of midnight, which a series that is thinned over years may not have. */
const DAY_BEGINS_WITHIN_MS = 2 * 86_400_000;

const BASIS_POINTS = 10_000;

/**
 * Equity and profit by currency: equity as the bot wrote it last, profit of all strategies as their rows have
 * it now. A deposit is no profit, and a withdrawal no drawdown.
 */
export function equityItems(
  reader: MirrorReader,
  strategies: readonly StrategyItem[],
): readonly EquityItem[] {
  const equity = reader.figureNames('equity/').map((name) => name.slice('equity/'.length));
  const currencies = [...new Set([...equity, ...strategies.map(({ currency }) => currency)])];
  return currencies.map((currency) => {
    const own = strategies.filter((strategy) => strategy.currency === currency);
    const worth = seriesOf(reader, `equity/${currency}`, { fromMs: 0, most: 1 }).at(-1);
    const profit = `profit/${currency}`;
    const made = seriesOf(reader, profit, { fromMs: 0, most: MOST_VALUES });
    const lastMs = made.at(-1)?.atMs ?? 0;
    const lately = { fromMs: lastMs - DAY_BEGINS_WITHIN_MS, most: MOST_VALUES };
    const day = profitOfTehranDay(seriesOf(reader, profit, lately), lastMs);
    return {
      currency,
      now: worth === undefined ? null : formatUnits(worth.value),
      day: day === null ? null : formatUnits(day.profit),
      total: sumOf(own.map(({ profit }) => profit)),
      drawdown: worth === undefined ? null : fallText(withoutDeposits(made, worth.value)),
      asOfMs: worth?.atMs ?? null,
    };
  });
}

function seriesOf(
  reader: MirrorReader,
  name: string,
  range: { readonly fromMs: number; readonly most: number },
): readonly ValueAt[] {
  return valuesOf(reader.figures(name, { ...range, toMs: Number.MAX_SAFE_INTEGER }));
}

/** Null where something has no value, and for none. */
function sumOf(texts: readonly (string | null)[]): string | null {
  let sum: Units = NO_UNITS;
  for (const text of texts) {
    if (text === null) return null;
    sum = addUnits(sum, parseUnits(text));
  }
  return texts.length === 0 ? null : formatUnits(sum);
}

/** How far the last value is below the highest before it, as a share of that. */
function fallText(values: readonly ValueAt[]): string | null {
  const fall = drawdownOf(values)?.now.depthBps ?? null;
  return fall === null ? null : String(fall / BASIS_POINTS);
}
