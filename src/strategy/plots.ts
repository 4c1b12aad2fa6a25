import { type SarrafError, invalidStrategy } from '../domain/errors.ts';
import { PLOT_COLORS, PLOT_STYLES, type PlotColor, type PlotStyle } from '../domain/figure-name.ts';
import type { Candle } from '../domain/candle.ts';
import { Decimal, inputText } from './decimal-input.ts';
import { isFields } from './fields.ts';
import { usualOf } from './indicators/declare-indicator.ts';
import { createIndicator, INDICATORS, valueShapeOf } from './indicators/indicators.ts';
import type { ClosedCandle, EngineView } from './strategy-event.ts';
import { candles as candlesOf } from './subscriptions.ts';

/** Place and style of a series; they must be the same at each call. */
export interface PlotOptions {
  /** Title of a pane below the bars, which series may share; if left out, it is drawn over the bars. */
  readonly pane?: string;
  /** Style; `line` if left out. `bars` start at zero. */
  readonly style?: PlotStyle;
  /** Colour of the series; if left out, each series gets another one. */
  readonly color?: PlotColor;
}

/** A series of numbers that a strategy plots with the bars of a market. */
export interface PlotSeries {
  readonly market: string;
  readonly name: string;
  /** Title of its pane; null if it is drawn over the bars. */
  readonly pane: string | null;
  readonly style: PlotStyle;
  readonly color: PlotColor | null;
}

/** Receives plotted values. A series is the same object at each call; NaN stands for a gap. */
export interface PlotSink {
  add(series: PlotSeries, atMs: number, value: number): void;
}

/** Maximum number of series of one strategy; more are not drawn, and its log says so once. */
export const MOST_PLOTS = 100;

/** Maximum number of characters of the name of a series, and of the title of a pane. */
const LONGEST_TITLE = 40;

/** Passes a strategy's plots to a sink that draws them; the strategy can not read them back. */
export class StrategyPlots {
  /** Null if plots are not drawn; the numbers are still checked. */
  sink: PlotSink | null = null;
  private candle: ClosedCandle | null = null;
  private count = 0;
  private isFull = false;
  private readonly log: (text: string) => void;

  constructor(log: (text: string) => void) {
    this.log = log;
  }

  /** Begins a call; `candle` is the candle of its event, or null. */
  begin(candle: ClosedCandle | null): void {
    this.candle = candle;
  }

  /** Returns the `plot` function for the context of a market. `viewOf` throws outside of a call. */
  plotIn(
    market: string,
    viewOf: () => EngineView,
  ): (name: string, value: number | null, options?: PlotOptions) => void {
    const known = new Map<string, PlotSeries>();
    return Object.freeze((name: string, value: number | null, options?: PlotOptions): void => {
      const { nowMs } = viewOf();
      const series = known.get(name) ?? this.seriesOf({ market, name, options });
      if (value !== null && !Number.isFinite(value)) throw noValue(name, value);
      if (series === null) return;
      known.set(name, series);
      if (options !== undefined && !isAlike(series, options)) throw otherOptions(series, options);
      if (this.sink === null) return;
      const { candle } = this;
      const atMs = candle === null ? nowMs : candle.closeTimeMs;
      this.sink.add(series, atMs, value ?? Number.NaN);
    });
  }

  /** Adds a series; returns null if there are already `MOST_PLOTS`. */
  private seriesOf(wanted: {
    readonly market: string;
    readonly name: unknown;
    readonly options: unknown;
  }): PlotSeries | null {
    const series = checkedSeries(wanted);
    if (this.count < MOST_PLOTS) {
      this.count += 1;
      return series;
    }
    if (!this.isFull) this.log(`plot: expected at most ${MOST_PLOTS} series, "${series.name}" is one more`);
    this.isFull = true;
    return null;
  }
}

/** Checks a series from an author or from a thread. Throws `INVALID_STRATEGY` that names it. */
export function checkedSeries({
  market,
  name,
  options = {},
}: {
  readonly market: string;
  readonly name: unknown;
  readonly options: unknown;
}): PlotSeries {
  if (!isTitle(name))
    throw invalidStrategy(
      `ctx.plot: expected a name of 1 to ${LONGEST_TITLE} characters first, was ${inputText(name)}`,
    );
  const place = `ctx.plot "${name}"`;
  if (!isFields(options))
    throw invalidStrategy(`${place}: expected options such as { pane: "rsi" }, was ${inputText(options)}`);
  const { pane, style = 'line', color, ...others } = options;
  const [stray] = Object.keys(others);
  if (stray !== undefined)
    throw invalidStrategy(`${place}: expected pane, style or color, was ${inputText(stray)}`);
  if (pane !== undefined && !isTitle(pane))
    throw invalidStrategy(
      `${place}: pane: expected a title of 1 to ${LONGEST_TITLE} characters, was ${inputText(pane)}`,
    );
  return {
    market,
    name,
    pane: pane ?? null,
    style: oneOf(PLOT_STYLES, style, `${place}: style`),
    color: color === undefined ? null : oneOf(PLOT_COLORS, color, `${place}: color`),
  };
}

const isTitle = (text: unknown): text is string =>
  typeof text === 'string' && text.trim() !== '' && text.length <= LONGEST_TITLE;

function oneOf<Word extends string>(words: readonly Word[], given: unknown, place: string): Word {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  throw invalidStrategy(`${place}: expected one of ${words.join(', ')}, was ${inputText(given)}`);
}

function isAlike({ pane, style, color }: PlotSeries, options: PlotOptions): boolean {
  return (
    (options.pane ?? null) === pane &&
    (options.style ?? 'line') === style &&
    (options.color ?? null) === color
  );
}

function noValue(name: string, value: unknown): SarrafError {
  const remedy = Decimal.isDecimal(value) ? ', a Decimal: plot Number(…) of it' : '';
  return invalidStrategy(
    `ctx.plot "${name}": expected a finite number, or null for a gap, was ${inputText(value)}${remedy}`,
  );
}

function otherOptions({ market, name }: PlotSeries, options: unknown): SarrafError {
  const checked = checkedSeries({ market, name, options });
  return invalidStrategy(
    `ctx.plot "${name}": expected the pane, style and color of its first value, was ${JSON.stringify(checked)}`,
  );
}

/** One value of a series; null is a gap. */
export interface PlotPoint {
  readonly series: PlotSeries;
  readonly atMs: number;
  readonly value: number | null;
}

/** Maximum number of values of one call; more are dropped. */
export const MOST_POINTS = 1_000;

/** Collects what a strategy plots until it is drained. */
export class PlotBatch implements PlotSink {
  private points: PlotPoint[] = [];

  add(series: PlotSeries, atMs: number, value: number): void {
    if (this.points.length >= MOST_POINTS) return;
    this.points.push({ series, atMs, value: Number.isNaN(value) ? null : value });
  }

  /** Returns the points plotted since the last call, and forgets them. */
  drain(): readonly PlotPoint[] {
    const { points } = this;
    if (points.length > 0) this.points = [];
    return points;
  }
}

/** Indicators that a person may add to a chart, by name, with their usual length; 0 where there is none. */
export const CHART_INDICATORS: ReadonlyMap<string, number> = new Map(
  [...INDICATORS].flatMap(([kind, { params }]) => {
    const { length } = params;
    if (length !== undefined) return [[kind, length.usual]];
    return Object.keys(params).length === 0 ? [[kind, 0]] : [];
  }),
);

/** A line of an indicator: its value at the start of each candle after which it has one. */
interface IndicatorLine {
  readonly title: string;
  /** True for prices, which are drawn over the candles. */
  readonly isPrice: boolean;
  readonly points: [atMs: number, value: number][];
}

/**
 * Returns the lines of an indicator over candles, oldest first; several for one with a record of numbers.
 * Throws `INVALID_STRATEGY` for an unknown one, and for a length out of its range.
 */
export function indicatorLines(
  { kind, length }: { readonly kind: string; readonly length: number },
  candles: readonly Candle[],
): readonly IndicatorLine[] {
  const usual = usualOf(INDICATORS.get(kind)?.params ?? {});
  const of = { kind: 'candles', from: candlesOf('', '1h') } as const;
  const spec = { kind, params: 'length' in usual ? { ...usual, length } : usual, of };
  const indicator = createIndicator(spec);
  const { isPrice } = valueShapeOf(spec);
  const name = length === 0 ? kind : `${kind} ${length}`;
  const lines = new Map<string, IndicatorLine>();
  for (const candle of candles) {
    indicator.add(candle);
    const { value } = indicator;
    const parts = typeof value === 'number' ? { '': value } : (value ?? {});
    for (const [part, number] of Object.entries(parts)) {
      if (typeof number !== 'number') continue;
      const title = part === '' ? name : `${name} ${part}`;
      const line = lines.get(title) ?? { title, isPrice, points: [] };
      line.points.push([candle.openTimeMs, number]);
      lines.set(title, line);
    }
  }
  return [...lines.values()];
}
