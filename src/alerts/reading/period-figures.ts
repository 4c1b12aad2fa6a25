import { formatUnits, NO_UNITS, type Units } from '../../domain/money.ts';
import { addUnits, subtractUnits } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import type { RowPage } from '../../mirror/row-pages.ts';
import { drawdownOf, type ValueAt } from '../../portfolio/value-series.ts';
import type { PeriodFigures } from '../core/alert-facts.ts';
import { equityOf } from './mirror-now.ts';

/** Trades that are read at once. */
const FILLS_AT_ONCE = 2_000;
const MOST_POINTS = 100;
const BASIS_POINTS = 10_000;

/** Equity, trades and fees of a time, as the mirror has them. */
export function periodFigures(
  reader: MirrorReader,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Omit<PeriodFigures, 'lockouts'> {
  let trades = 0;
  const fees = new Map<string, Units>();
  for (const { market, side, fee } of ownFills(reader, { fromMs, toMs })) {
    trades += 1;
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
    trades,
    fees: [...fees]
      .filter(([, amount]) => amount > 0n)
      .map(([currency, amount]) => ({ currency, amount: formatUnits(amount) })),
  };
}

/** Trades of the bot's own orders, however many: the newest first, up to a page that is all older. */
function* ownFills(
  reader: MirrorReader,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Generator<FillRecord> {
  const all = { strategy: null, market: null, orderKey: null, limit: FILLS_AT_ONCE };
  for (let before: string | null = null; ;) {
    const { rows, next }: RowPage<FillRecord> = reader.pages.fills({ ...all, before });
    for (const fill of rows)
      if (fill.orderKey !== null && fill.atMs >= fromMs && fill.atMs < toMs) yield fill;
    if (next === null || rows.every(({ atMs }) => atMs < fromMs)) return;
    before = next;
  }
}

/** At most a hundred values, the first and the last among them. */
function thinned(values: readonly ValueAt[]): readonly ValueAt[] {
  if (values.length <= MOST_POINTS) return values;
  const step = (values.length - 1) / (MOST_POINTS - 1);
  return Array.from({ length: MOST_POINTS }, (_, index) => values[Math.round(index * step)]).filter(
    (value) => value !== undefined,
  );
}
