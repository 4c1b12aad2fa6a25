import { SarrafError } from '../domain/errors.ts';
import { inputText } from './decimal-input.ts';
import { Decimal } from './sdk/strategy-decimal.ts';
import { isFields } from './fields.ts';
import type { ClosedCandle, EngineView } from './strategy-event.ts';

/** Drawing styles for the values of a series. */
export const PLOT_STYLES = ['line', 'steps', 'points', 'bars'] as const;
export type PlotStyle = (typeof PLOT_STYLES)[number];

/** Colours that can be told from their background in the light and in the dark. */
export const PLOT_COLORS = ['blue', 'orange', 'green', 'red', 'purple', 'gray'] as const;
export type PlotColor = (typeof PLOT_COLORS)[number];

/** Place and style of a series: the same at each call. */
export interface PlotOptions {
  /** The title of a pane below the bars; series of one title share it. Without it: over the bars. */
  readonly pane?: string;
  /** A `line` without it; `bars` stand on zero. */
  readonly style?: PlotStyle;
  /** Without it another one for each series. */
  readonly color?: PlotColor;
}

/** A series of numbers that a strategy wants to have drawn with the bars of a market. */
export interface PlotSeries {
  readonly market: string;
  readonly name: string;
  /** Null: over the bars. */
  readonly pane: string | null;
  readonly style: PlotStyle;
  readonly color: PlotColor | null;
}

/** Takes what a strategy plots. The series is the same object each time; NaN stands for a gap. */
export interface PlotSink {
  add(series: PlotSeries, atMs: number, value: number): void;
}

/** Series of one strategy: what is more is not drawn, and its log says so once. */
export const MOST_PLOTS = 100;

/** Characters of the name of a series, and of the title of a pane. */
const LONGEST_TITLE = 40;

/**
 * Hands a strategy's plots to a sink that draws them. For the eye alone: nothing here comes back to the
 * strategy.
 */
export class StrategyPlots {
  /** Null: nobody draws. The numbers are checked all the same. */
  sink: PlotSink | null = null;
  private candle: ClosedCandle | null = null;
  private count = 0;
  private isFull = false;
  private readonly log: (text: string) => void;

  constructor(log: (text: string) => void) {
    this.log = log;
  }

  /** A call begins; `candle` is what it is about, where it is about one. */
  begin(candle: ClosedCandle | null): void {
    this.candle = candle;
  }

  /** `plot` of the context of a market. `viewOf` throws outside of a call. */
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

  /** Adds a series; null if the number of series is at its bound. */
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

/** A series as it comes from an author, or from a thread. Throws `INVALID_STRATEGY` that names it. */
export function checkedSeries({
  market,
  name,
  options = {},
}: {
  readonly market: string;
  readonly name: unknown;
  readonly options: unknown;
}): PlotSeries {
  if (!isTitle(name)) {
    throw refusal(
      `ctx.plot: expected a name of 1 to ${LONGEST_TITLE} characters first, was ${inputText(name)}`,
    );
  }
  const place = `ctx.plot "${name}"`;
  if (!isFields(options)) {
    throw refusal(`${place}: expected options such as { pane: "rsi" }, was ${inputText(options)}`);
  }
  const { pane, style = 'line', color, ...others } = options;
  const [stray] = Object.keys(others);
  if (stray !== undefined) throw refusal(`${place}: expected pane, style or color, was ${inputText(stray)}`);
  if (pane !== undefined && !isTitle(pane)) {
    throw refusal(
      `${place}: pane: expected a title of 1 to ${LONGEST_TITLE} characters, was ${inputText(pane)}`,
    );
  }
  return {
    market,
    name,
    pane: pane ?? null,
    style: oneOf(PLOT_STYLES, style, `${place}: style`),
    color: color === undefined ? null : oneOf(PLOT_COLORS, color, `${place}: color`),
  };
}

function isTitle(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '' && text.length <= LONGEST_TITLE;
}

function oneOf<Word extends string>(words: readonly Word[], given: unknown, place: string): Word {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  throw refusal(`${place}: expected one of ${words.join(', ')}, was ${inputText(given)}`);
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
  return refusal(
    `ctx.plot "${name}": expected a finite number, or null for a gap, was ${inputText(value)}${remedy}`,
  );
}

function otherOptions({ market, name }: PlotSeries, options: unknown): SarrafError {
  const checked = checkedSeries({ market, name, options });
  return refusal(
    `ctx.plot "${name}": expected the pane, style and color of its first value, was ${JSON.stringify(checked)}`,
  );
}

function refusal(message: string): SarrafError {
  return new SarrafError('INVALID_STRATEGY', message);
}

/** One value of a series; null for a gap. */
export interface PlotPoint {
  readonly series: PlotSeries;
  readonly atMs: number;
  readonly value: number | null;
}

/** Values of one call; what is more is left out. */
export const MOST_POINTS = 1_000;

/** Gathers what a strategy plots until somebody takes it. */
export class PlotBatch implements PlotSink {
  private points: PlotPoint[] = [];

  add(series: PlotSeries, atMs: number, value: number): void {
    if (this.points.length >= MOST_POINTS) return;
    this.points.push({ series, atMs, value: Number.isNaN(value) ? null : value });
  }

  /** Returns the points plotted since its last call. */
  drain(): readonly PlotPoint[] {
    const { points } = this;
    if (points.length > 0) this.points = [];
    return points;
  }
}
