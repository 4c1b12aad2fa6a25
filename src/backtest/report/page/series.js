import { plotPanes } from './plots.js';
import { percentText, timeOfDay } from './texts.js';
import { colour } from './theme.js';
import { asWordedNumber, isPersian, numberTag, tehranTick } from './words.js';

/** The chart with its series: prices above, equity below them, drawdown at the bottom. */

/** How far from the top of the price pane the largest volume ends. */
const VOLUME_TOP = 0.84;

/** @typedef {ReturnType<typeof createSeries>} ChartSeries */

/**
 * An empty price pane, and equity and drawdown as the run has them.
 * @param {import('./read-data.js').PageData} data
 * @param {HTMLElement} place
 */
export function createSeries(data, place) {
  /** @type {typeof import('lightweight-charts')} */
  const charts = /** @type {any} */ (globalThis).LightweightCharts;
  const chart = charts.createChart(place, {
    autoSize: true,
    handleScroll: { vertTouchDrag: false },
    timeScale: {
      minBarSpacing: 0.001,
      // Bars that are narrower than a pixel are drawn as one.
      enableConflation: true,
      timeVisible: data.stepMs < 86_400_000,
      secondsVisible: data.stepMs < 60_000,
      ...(isPersian() ? { tickMarkFormatter: tickOf, tickMarkMaxCharacterLength: 10 } : {}),
    },
    localization: { locale: 'en-US', ...(isPersian() ? { timeFormatter: timeOfSecond } : {}) },
  });
  const prices = chart.addSeries(charts.CandlestickSeries, { priceLineVisible: false }, 0);
  const volume = chart.addSeries(
    charts.HistogramSeries,
    {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      priceLineVisible: false,
      lastValueVisible: false,
    },
    0,
  );
  volume.priceScale().applyOptions({ scaleMargins: { top: VOLUME_TOP, bottom: 0 } });
  const tradeLine = chart.addSeries(
    charts.LineSeries,
    {
      lineWidth: 2,
      lineStyle: 2,
      priceLineVisible: false,
      lastValueVisible: false,
      crosshairMarkerVisible: false,
    },
    0,
  );
  const ofPlots = plotPanes(data).titles.map(() => chart.addPane(true));
  const ofEquity = 1 + ofPlots.length;
  const range = rangeSeries(chart, charts, ofEquity);
  const hold = chart.addSeries(
    charts.LineSeries,
    { lineWidth: 1, priceLineVisible: false, lastValueVisible: false },
    ofEquity,
  );
  const equity = chart.addSeries(charts.LineSeries, { lineWidth: 2, priceLineVisible: false }, ofEquity);
  const depths = rangeSeries(chart, charts, ofEquity + 1);
  const drawdown = chart.addSeries(
    charts.BaselineSeries,
    { lineWidth: 1, priceLineVisible: false },
    ofEquity + 1,
  );
  const marks = charts.createSeriesMarkers(prices, []);
  const panes = chart.panes();
  [3, ...ofPlots.map(() => 1), 2, 1].forEach((factor, index) => panes[index]?.setStretchFactor(factor));

  equity.setData([...data.equity]);
  hold.setData([...data.hold]);
  range.setData([...data.equityRange]);
  depths.setData([...data.drawdownRange]);
  drawdown.setData([...data.drawdown]);
  const money = {
    type: /** @type {const} */ ('custom'),
    formatter: (/** @type {number} */ value) => shortMoney(value),
  };
  equity.applyOptions({ priceFormat: money });
  hold.applyOptions({ priceFormat: money });
  range.applyOptions({ priceFormat: money });
  const percent = {
    type: /** @type {const} */ ('custom'),
    formatter: (/** @type {number} */ value) => percentText(value, 1),
  };
  drawdown.applyOptions({ priceFormat: percent });
  depths.applyOptions({ priceFormat: percent });
  showRanges(data, { chart, range, depths });
  return { chart, prices, volume, tradeLine, range, hold, equity, depths, drawdown, marks };
}

/**
 * Between which values a curve was within the bars that are drawn as one.
 * @param {import('lightweight-charts').IChartApi} chart
 * @param {typeof import('lightweight-charts')} charts
 * @param {number} pane
 */
function rangeSeries(chart, charts, pane) {
  return chart.addSeries(
    charts.CandlestickSeries,
    { priceLineVisible: false, lastValueVisible: false, borderVisible: false },
    pane,
  );
}

/**
 * Ranges are there where a point stands for several bars: where these are narrower than a pixel. That of the
 * equity is there on a thinned page always; a point of the drawdown is the deepest of its bars.
 * @param {import('./read-data.js').PageData} data
 * @param {Pick<ChartSeries, 'chart' | 'range' | 'depths'>} series
 */
function showRanges({ isThinned }, { chart, range, depths }) {
  let isShown = true;
  chart.timeScale().subscribeVisibleLogicalRangeChange((view) => {
    if (view === null) return;
    const isWide = view.to - view.from > chart.timeScale().width();
    if (isWide === isShown) return;
    isShown = isWide;
    depths.applyOptions({ visible: isWide });
    if (!isThinned) range.applyOptions({ visible: isWide });
  });
}

/**
 * Gives all of them the colours of the theme.
 * @param {ChartSeries} series
 */
export function paintSeries({ chart, prices, volume, range, hold, equity, depths, drawdown }) {
  chart.applyOptions({
    layout: {
      background: { color: colour('card') },
      textColor: colour('muted'),
      panes: { separatorColor: colour('line'), separatorHoverColor: colour('line') },
    },
    grid: { vertLines: { color: colour('grid') }, horzLines: { color: colour('grid') } },
    rightPriceScale: { borderColor: colour('line') },
    timeScale: { borderColor: colour('line') },
  });
  const rise = { upColor: colour('up'), wickUpColor: colour('up'), borderUpColor: colour('up') };
  const fall = { downColor: colour('down'), wickDownColor: colour('down'), borderDownColor: colour('down') };
  prices.applyOptions({ ...rise, ...fall });
  volume.applyOptions({ color: colour('volume') });
  paintRange(range, colour('equity-range'));
  paintRange(depths, colour('down'));
  equity.applyOptions({ color: colour('equity') });
  hold.applyOptions({ color: colour('hold') });
  drawdown.applyOptions({
    bottomLineColor: colour('down'),
    bottomFillColor1: colour('depth-low'),
    bottomFillColor2: colour('depth-high'),
    topLineColor: colour('down'),
  });
}

/**
 * @param {ChartSeries['range']} series
 * @param {string} color
 */
function paintRange(series, color) {
  series.applyOptions({ upColor: color, downColor: color, wickUpColor: color, wickDownColor: color });
}

/** @param {any} time in seconds */
function timeOfSecond(time) {
  return timeOfDay(Number(time) * 1000);
}

/**
 * The text of a tick in Persian. The library numbers what begins there: 3 and 4 are times within a day.
 * @param {any} time in seconds
 * @param {number} kind
 */
function tickOf(time, kind) {
  return tehranTick(Number(time) * 1000, kind >= 3);
}

/**
 * Money on an axis, where there is little room: `1.25M`.
 * @param {number} value
 */
function shortMoney(value) {
  return Math.abs(value) >= 1e6
    ? asWordedNumber(value.toLocaleString(numberTag(), { notation: 'compact', maximumFractionDigits: 2 }))
    : value.toLocaleString(numberTag(), { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
}
