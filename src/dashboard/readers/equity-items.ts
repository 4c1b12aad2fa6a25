import { addUnits, formatUnits, NO_UNITS, parseUnits, type Units } from '../../domain/money.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { equityCurrencies, equityNow } from '../../mirror/equity-now.ts';
import type { EquityItem, StrategyItem } from '../schema/overview.ts';

const BASIS_POINTS = 10_000;

/**
 * Equity and profit by currency: equity as the bot wrote it last, brought up to `nowMs`, the bot's time, by
 * the profit of all strategies as their rows have it now. Where strategies count in several currencies it
 * stays as it was written. A deposit is no profit, and a withdrawal no drawdown.
 */
export function equityItems(
  reader: MirrorReader,
  strategies: readonly StrategyItem[],
  nowMs: number | null,
): readonly EquityItem[] {
  const currencies = [
    ...new Set([...equityCurrencies(reader), ...strategies.map(({ currency }) => currency)]),
  ];
  return currencies.map((currency) => {
    const own = strategies.filter((strategy) => strategy.currency === currency);
    const total = sumOf(own.map(({ profit }) => profit));
    const isAll = own.length === strategies.length;
    const madeNow =
      isAll && total !== null && nowMs !== null ? { atMs: nowMs, value: parseUnits(total) } : null;
    const { worth, day, drawdownBps } = equityNow(reader, currency, madeNow);
    return {
      currency,
      now: worth === null ? null : formatUnits(worth.value),
      day: day === null ? null : formatUnits(day.profit),
      total,
      drawdown: drawdownBps === null ? null : String(drawdownBps / BASIS_POINTS),
      asOfMs: worth?.atMs ?? null,
    };
  });
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
