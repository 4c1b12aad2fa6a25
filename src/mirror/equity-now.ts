import {
  drawdownOf,
  profitOfTehranDay,
  valuesOf,
  withoutDeposits,
  type ProfitOfDay,
  type ValueAt,
} from '../portfolio/value-series.ts';
import { addUnits, subtractUnits } from '../domain/money.ts';
import type { FigureValue, SeriesRange } from './read-series.ts';

/** Values that a drawdown is measured over; a peak between two of them is missed beyond that. */
const MOST_VALUES = 2_000;

/** A day begins with the value of midnight, which a series that is thinned over years may not have. */
const DAY_BEGINS_WITHIN_MS = 2 * 86_400_000;

const EQUITY = 'equity/';

/** Source of a mirror's series: its reader, or the bot that writes it. */
export interface FigureSource {
  figures(name: string, range: SeriesRange): readonly FigureValue[];
  figureNames(prefix: string): readonly string[];
}

/** Equity in a currency, as the bot wrote it. */
interface EquityNow {
  /** The last value; null where none is written yet. */
  readonly worth: ValueAt | null;
  /** Result of all strategies since the bot began; null while nothing is written. */
  readonly made: ValueAt | null;
  /** Result of all strategies since midnight in Tehran; null while nothing is written. */
  readonly day: ProfitOfDay | null;
  /** Fall of the equity below its highest, in hundredths of a percent of that. A withdrawal is no fall. */
  readonly drawdownBps: number | null;
}

/** Currencies in which the bot wrote its equity. */
export function equityCurrencies(source: FigureSource): readonly string[] {
  return source.figureNames(EQUITY).map((name) => name.slice(EQUITY.length));
}

/**
 * The bot writes values every few minutes. `madeNow`, the profit of all strategies as it is now, brings the
 * last ones up to now, so that they agree with what else is shown of now.
 */
export function equityNow(source: FigureSource, currency: string, madeNow: ValueAt | null = null): EquityNow {
  const profit = `profit/${currency}`;
  const written = valuesFrom(source, `${EQUITY}${currency}`, { fromMs: 0, most: 1 }).at(-1) ?? null;
  const before = valuesFrom(source, profit, { fromMs: 0, most: MOST_VALUES });
  const last = before.at(-1);
  const isLater = madeNow !== null && last !== undefined && madeNow.atMs > last.atMs;
  // Both of one moment: what was made since then has changed both.
  const isSame = written !== null && last !== undefined && written.atMs === last.atMs;
  const made = isLater ? [...before, madeNow] : before;
  const worth =
    isLater && isSame
      ? { atMs: madeNow.atMs, value: addUnits(written.value, subtractUnits(madeNow.value, last.value)) }
      : written;
  const lastMs = made.at(-1)?.atMs ?? 0;
  const lately = { fromMs: lastMs - DAY_BEGINS_WITHIN_MS, most: MOST_VALUES };
  const fall = worth === null ? null : drawdownOf(withoutDeposits(made, worth.value));
  return {
    worth,
    made: made.at(-1) ?? null,
    day: profitOfTehranDay([...valuesFrom(source, profit, lately), ...(isLater ? [madeNow] : [])], lastMs),
    drawdownBps: fall?.now.depthBps ?? null,
  };
}

function valuesFrom(
  source: FigureSource,
  name: string,
  range: { readonly fromMs: number; readonly most: number },
): readonly ValueAt[] {
  return valuesOf(source.figures(name, { ...range, toMs: Number.MAX_SAFE_INTEGER }));
}
