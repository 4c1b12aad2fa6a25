import { profitFigure } from '../../domain/figure-name.ts';
import { addUnits, formatUnits, NO_UNITS, parseUnits, type Units } from '../../domain/money.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { equityCurrencies, equityNow } from '../../mirror/equity-now.ts';
import type { EquityItem, StrategyItem } from '../schema/overview.ts';
import type { SeriesItem } from '../schema/series.ts';

const BASIS_POINTS = 10_000;
/** The bot writes what it counts every five minutes. */
const FIGURES_EVERY_MS = 300_000;

/**
 * Equity and profit by currency: equity as the bot wrote it last, brought up to `nowMs`, the bot's time, by
 * the profit of all strategies as their rows have it now. Where strategies count in several currencies all of
 * it stays as it was written. A deposit is no profit, and a withdrawal no drawdown.
 *
 * What the bot wrote is of the whole bot, with strategies that count in another currency. So these have no
 * figures of their own beside it, but before anything is written.
 */
export function equityItems(
  reader: MirrorReader,
  strategies: readonly StrategyItem[],
  nowMs: number | null,
): readonly EquityItem[] {
  const written = equityCurrencies(reader);
  const own = strategies.map(({ currency }) => currency);
  return [...new Set(written.length === 0 ? own : written)].map((currency) =>
    equityItem(reader, { currency, strategies, nowMs }),
  );
}

function equityItem(
  reader: MirrorReader,
  of: {
    readonly currency: string;
    readonly strategies: readonly StrategyItem[];
    readonly nowMs: number | null;
  },
): EquityItem {
  const { currency, nowMs } = of;
  const strategies = countedBy(reader, of);
  const own = strategies.filter((strategy) => strategy.currency === currency);
  const sum = sumOf(own.map(({ profit }) => profit));
  const isAll = own.length === strategies.length;
  const madeNow = isAll && sum !== null && nowMs !== null ? { atMs: nowMs, value: parseUnits(sum) } : null;
  const { worth, made, day, drawdownBps } = equityNow(reader, currency, madeNow);
  // The same as what the day is counted in: of the whole bot.
  const total = isAll || made === null ? sum : formatUnits(made.value);
  return {
    currency,
    now: worth === null ? null : formatUnits(worth.value),
    day: day === null ? null : formatUnits(day.profit),
    total,
    drawdown: drawdownBps === null ? null : String(drawdownBps / BASIS_POINTS),
    asOfMs: worth?.atMs ?? null,
  };
}

/**
 * The strategies that the bot counted when it last wrote its profit: one that has left the configuration
 * keeps its row, and what it made is in no figure any more. All, where nothing is written.
 */
function countedBy(
  reader: MirrorReader,
  { currency, strategies }: { readonly currency: string; readonly strategies: readonly StrategyItem[] },
): readonly StrategyItem[] {
  const writtenMs = lastMs(reader, profitFigure(null, currency));
  if (writtenMs === null) return strategies;
  return strategies.filter(({ name, currency: own }) => {
    const atMs = lastMs(reader, profitFigure(name, own));
    return atMs !== null && atMs >= writtenMs - FIGURES_EVERY_MS;
  });
}

function lastMs(reader: MirrorReader, figure: string): number | null {
  const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, most: 1 };
  return reader.figures(figure, range).at(-1)?.atMs ?? null;
}

/** Sum of the values; null if one of them is missing, or there are none. */
function sumOf(texts: readonly (string | null)[]): string | null {
  let sum: Units = NO_UNITS;
  for (const text of texts) {
    if (text === null) return null;
    sum = addUnits(sum, parseUnits(text));
  }
  return texts.length === 0 ? null : formatUnits(sum);
}

/** Points of one series: as many as a screen has. */
const MOST_POINTS = 2_000;
/** Series of one reply: the rest is left out by its name. */
const MOST_SERIES = 64;

export interface ShownRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Series whose names begin so. Values are numbers from here on: they are drawn, and never counted with. */
export function allSeriesOf(reader: MirrorReader, prefix: string, range: ShownRange): readonly SeriesItem[] {
  return reader
    .figureNames(prefix)
    .slice(0, MOST_SERIES)
    .map((name) => oneSeriesOf(reader, name, range));
}

export function oneSeriesOf(reader: MirrorReader, name: string, { from, to }: ShownRange): SeriesItem {
  const range = { fromMs: from ?? 0, toMs: to ?? Number.MAX_SAFE_INTEGER, most: MOST_POINTS };
  const points = reader.figures(name, range).flatMap(({ atMs, value }): SeriesItem['points'] => {
    // A budget is `used/limit`.
    const drawn = value === null ? Number.NaN : Number(value.split('/', 1)[0]);
    return Number.isFinite(drawn) ? [[Math.floor(atMs), drawn]] : [];
  });
  return { name, points };
}
