import {
  BaselineSeries,
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  LineSeries,
  LineStyle,
  LineType,
  TickMarkType,
  type IChartApi,
  type ISeriesApi,
  type Time,
} from 'lightweight-charts';
import { addVolume, MOST_PANES, shownBy, UNMARKED, writePaneTitle } from '../price-chart.ts';
import {
  digitsOf,
  isPersian,
  shownPercent,
  pictureText,
  pageText,
  shownTime,
  valueText,
} from '../report-words.ts';
import { colour } from '../theme.ts';
import type { Plot, RunPage } from './run-page.ts';

/** Chart of a run with its series: prices on top, then plots, equity, and drawdown at the bottom. */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Amount of money from which an axis shortens it. */
const LEAST_IN_WORDS = 1e6;

export type ChartSeries = ReturnType<typeof createSeries>;

/** Creates the chart: an empty price pane, panes for plots, and the run's equity and drawdown. */
export function createSeries(data: RunPage, place: HTMLElement) {
  const chart = createChart(place, {
    autoSize: true,
    handleScroll: { vertTouchDrag: false },
    timeScale: {
      minBarSpacing: 0.001,
      // Bars that are narrower than a pixel are drawn as one.
      enableConflation: true,
      timeVisible: data.stepMs < DAY_MS,
      secondsVisible: data.stepMs < MINUTE_MS,
      ...(isPersian ? { tickMarkFormatter: tickText, tickMarkMaxCharacterLength: 10 } : {}),
    },
    localization: { locale: 'en-US', ...(isPersian ? { timeFormatter: secondText } : {}) },
  });
  const line = { ...UNMARKED, lineWidth: 1 } as const;
  const range = { ...UNMARKED, borderVisible: false };
  const prices = chart.addSeries(CandlestickSeries, { priceLineVisible: false }, 0);
  const volume = addVolume(chart, { priceFormat: { type: 'volume' } });
  const dashed = {
    ...UNMARKED,
    lineWidth: 2,
    lineStyle: LineStyle.Dashed,
    crosshairMarkerVisible: false,
  } as const;
  const tradeLine = chart.addSeries(LineSeries, dashed, 0);
  const titles = plotTitles(data).slice(0, MOST_PANES);
  const paintTitles = titles.map((title) => writePaneTitle(chart.addPane(true), title));
  const ofEquity = 1 + titles.length;
  const money = { priceFormat: shownBy(shortMoney, 0.01) };
  const percent = {
    priceFormat: shownBy((value, digitsMore = 0) => shownPercent(value, 1 + digitsMore), 0.01),
  };
  const equityRange = chart.addSeries(CandlestickSeries, { ...range, ...money }, ofEquity);
  const hold = chart.addSeries(LineSeries, { ...line, ...money }, ofEquity);
  const equity = chart.addSeries(LineSeries, { priceLineVisible: false, lineWidth: 2, ...money }, ofEquity);
  const depths = chart.addSeries(CandlestickSeries, { ...range, ...percent }, ofEquity + 1);
  const drawdown = chart.addSeries(
    BaselineSeries,
    { lineWidth: 1, priceLineVisible: false, ...percent },
    ofEquity + 1,
  );
  const panes = chart.panes();
  [3, ...titles.map(() => 1), 2, 1].forEach((factor, index) => panes[index]?.setStretchFactor(factor));
  equity.setData(data.equity);
  hold.setData(data.hold);
  equityRange.setData(data.equityRange);
  depths.setData(data.drawdownRange);
  drawdown.setData(data.drawdown);
  const marks = createSeriesMarkers<Time>(prices, []);
  const series = { chart, prices, volume, tradeLine, equityRange, hold, equity, depths, drawdown, marks };
  showRanges(data, series);
  return { ...series, titles, paintTitles };
}

/**
 * Shows ranges only when a pixel holds several bars. On a thinned page the equity's range is always shown,
 * because a point stands for several bars; a point of the drawdown is the deepest of its bars.
 */
function showRanges(
  { isThinned }: RunPage,
  { chart, equityRange, depths }: Pick<ChartSeries, 'chart' | 'equityRange' | 'depths'>,
): void {
  let isShown = true;
  chart.timeScale().subscribeVisibleLogicalRangeChange((view) => {
    if (view === null) return;
    const isWide = view.to - view.from > chart.timeScale().width();
    if (isWide === isShown) return;
    isShown = isWide;
    depths.applyOptions({ visible: isWide });
    if (!isThinned) equityRange.applyOptions({ visible: isWide });
  });
}

const painted = (upColor: string, downColor: string) =>
  ({ upColor, downColor, wickUpColor: upColor, wickDownColor: downColor }) as const;

/** Paints all series in the colours of the theme. */
export function paintSeries(series: ChartSeries): void {
  const { chart, prices, volume, equityRange, hold, equity, depths, drawdown } = series;
  const line = colour('line');
  chart.applyOptions({
    layout: {
      background: { color: colour('surface') },
      textColor: colour('muted'),
      panes: { separatorColor: line, separatorHoverColor: line },
    },
    grid: { vertLines: { color: colour('raised') }, horzLines: { color: colour('raised') } },
    rightPriceScale: { borderColor: line },
    timeScale: { borderColor: line },
  });
  const [up, down] = [colour('good'), colour('bad')];
  prices.applyOptions({ ...painted(up, down), borderUpColor: up, borderDownColor: down });
  volume.applyOptions({ color: colour('volume') });
  equityRange.applyOptions(painted(colour('equity-range'), colour('equity-range')));
  depths.applyOptions(painted(down, down));
  equity.applyOptions({ color: colour('accent') });
  hold.applyOptions({ color: colour('hold') });
  drawdown.applyOptions({
    bottomLineColor: down,
    bottomFillColor1: colour('depth-low'),
    bottomFillColor2: colour('depth-high'),
    topLineColor: down,
  });
  for (const paintTitle of series.paintTitles) paintTitle();
}

const secondText = (time: Time): string => shownTime(Number(time) * 1_000);

/** Formats a tick: the time within a day, else the date, since ticks are at UTC days. */
function tickText(time: Time, kind: TickMarkType): string {
  return shownTime(Number(time) * 1_000, kind >= TickMarkType.Time ? 'clock' : 'day');
}

/** Formats money on an axis, where there is little room: `1.25M`. */
function shortMoney(value: number, digitsMore = 0): string {
  if (Math.abs(value) >= LEAST_IN_WORDS)
    return pictureText(digitsOf(value, { notation: 'compact', maximumFractionDigits: 2 + digitsMore }));
  return digitsOf(value, { maximumFractionDigits: (Math.abs(value) < 100 ? 2 : 0) + digitsMore });
}

/** Colours for plots that have none of their own, in this order. */
const PLOT_COLORS = ['purple', 'orange', 'blue', 'gray', 'green', 'red'];

/** Returns the titles of all plot panes, of all markets. */
const plotTitles = ({ plots }: RunPage): readonly string[] => [
  ...new Set(plots.flatMap(({ pane }) => pane ?? [])),
];

/** Plots of strategies: over the bars of their market, and in separate panes below. */
export class DrawnPlots {
  readonly #data: RunPage;
  readonly #series: ChartSeries;
  #drawn: readonly {
    readonly name: string;
    readonly key: string;
    readonly series: ISeriesApi<'Line' | 'Histogram'>;
  }[] = [];

  constructor(data: RunPage, series: ChartSeries) {
    this.#data = data;
    this.#series = series;
    document.documentElement.style.setProperty('--panes', String(series.titles.length));
  }

  /** Note that some panes have no room; empty if all have. */
  get note(): string {
    const more = plotTitles(this.#data).length - MOST_PANES;
    return more > 0 ? pageText('morePanes', { count: more }) : '';
  }

  /** Draws the plots of one market, and removes those of the other. */
  show(market: number): void {
    const { chart, titles } = this.#series;
    for (const { series } of this.#drawn) chart.removeSeries(series);
    const plots = this.#data.plots.filter(
      ({ market: own, pane }) => own === market && (pane === null || titles.includes(pane)),
    );
    this.#drawn = plots.map((plot, index) => ({
      name: plot.name,
      key: `plot-${plot.color ?? PLOT_COLORS[index % PLOT_COLORS.length]}`,
      series: drawPlot(chart, plot, titles),
    }));
    document.documentElement.style.setProperty('--plots', String(this.#drawn.length));
    this.paint();
  }

  paint(): void {
    for (const { series, key } of this.#drawn) series.applyOptions({ color: colour(key) });
  }

  names(): readonly NamedValue[] {
    return this.#drawn.map(({ name, key }) => ({ name, key, text: '' }));
  }

  /** Returns the names and values of the plots that have a value under the pointer. */
  valuesOf(valueOf: (series: ISeriesApi<'Line' | 'Histogram'>) => number | null): readonly NamedValue[] {
    return this.#drawn.flatMap(({ name, key, series }) => {
      const value = valueOf(series);
      return value === null ? [] : [{ name, key, text: valueText(value) }];
    });
  }
}

/** Plot in the legend, with its value. */
export interface NamedValue {
  readonly name: string;
  readonly key: string;
  readonly text: string;
}

function drawPlot(
  chart: IChartApi,
  { pane: title, style, points }: Plot,
  titles: readonly string[],
): ISeriesApi<'Line' | 'Histogram'> {
  const pane = title === null ? 0 : 1 + titles.indexOf(title);
  const line = { ...UNMARKED, lineWidth: 1, crosshairMarkerVisible: false } as const;
  const value =
    style === 'points'
      ? { lineVisible: false, pointMarkersVisible: true, pointMarkersRadius: 2 }
      : { lineType: style === 'steps' ? LineType.WithSteps : LineType.Simple };
  const series =
    style === 'bars'
      ? chart.addSeries(HistogramSeries, UNMARKED, pane)
      : chart.addSeries(LineSeries, { ...line, ...value }, pane);
  if (pane > 0) series.applyOptions({ priceFormat: shownBy(valueText) });
  series.setData(points);
  return series;
}
