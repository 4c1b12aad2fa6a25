import { formatUnits, NO_UNITS, type Units } from '../../domain/money.ts';
import { addUnits, subtractUnits } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { drawdownOf, type ValueAt } from '../../portfolio/value-series.ts';
import type { PeriodFigures } from '../core/alert-facts.ts';
import { equityOf } from './mirror-now.ts';

/** The newest trades that a summary counts. */
const MOST_FILLS = 20_000;
const MOST_POINTS = 100;
const BASIS_POINTS = 10_000;

/** Equity, trades and fees of a time, as the mirror has them. */
export function periodFigures(
  reader: MirrorReader,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Omit<PeriodFigures, 'lockouts'> {
  const fills = reader
    .fills({ strategy: null, market: null, last: MOST_FILLS })
    .filter(({ atMs, orderKey }) => orderKey !== null && atMs >= fromMs && atMs < toMs);
  const fees = new Map<string, Units>();
  for (const { market, side, fee } of fills) {
    const { base, quote } = parseMarket(market);
    const currency = side === 'buy' ? base : quote;
    fees.set(currency, addUnits(fees.get(currency) ?? NO_UNITS, fee));
  }
  return {
    fromMs,
    toMs,
    equity: equityOf(reader, toMs, fromMs).flatMap(({ currency, values }) => {
      const [first, last] = [values[0], values.at(-1)];
      if (first === undefined || last === undefined) return [];
      return [
        {
          currency,
          now: formatUnits(last.value),
          change: formatUnits(subtractUnits(last.value, first.value)),
          drawdown: (drawdownOf(values)?.deepest.depthBps ?? 0) / BASIS_POINTS,
          points: thinned(values).map(({ value }) => Number(formatUnits(value))),
        },
      ];
    }),
    trades: fills.length,
    fees: [...fees]
      .filter(([, amount]) => amount > 0n)
      .map(([currency, amount]) => ({ currency, amount: formatUnits(amount) })),
  };
}

/** At most a hundred values, the first and the last among them. */
function thinned(values: readonly ValueAt[]): readonly ValueAt[] {
  if (values.length <= MOST_POINTS) return values;
  const step = (values.length - 1) / (MOST_POINTS - 1);
  return Array.from({ length: MOST_POINTS }, (_, index) => values[Math.round(index * step)]).filter(
    (value) => value !== undefined,
  );
}
