import { colour } from './theme.js';

/** The chart with its series: prices above, equity below them, drawdown at the bottom. */

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
      timeVisible: data.stepMs < 86_400_000,
      secondsVisible: data.stepMs < 60_000,
    },
    localization: { locale: 'en-US' },
  });
  const prices = chart.addSeries(charts.CandlestickSeries, { priceLineVisible: false }, 0);
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
  const range = chart.addSeries(
    charts.CandlestickSeries,
    { priceLineVisible: false, lastValueVisible: false },
    1,
  );
  const hold = chart.addSeries(
    charts.LineSeries,
    { lineWidth: 1, priceLineVisible: false, lastValueVisible: false },
    1,
  );
  const equity = chart.addSeries(charts.LineSeries, { lineWidth: 2, priceLineVisible: false }, 1);
  const drawdown = chart.addSeries(charts.BaselineSeries, { lineWidth: 1, priceLineVisible: false }, 2);
  const marks = charts.createSeriesMarkers(prices, []);
  const panes = chart.panes();
  [3, 2, 1].forEach((factor, index) => panes[index]?.setStretchFactor(factor));

  equity.setData([...data.equity]);
  hold.setData([...data.hold]);
  range.setData(data.isThinned ? [...data.equityRange] : []);
  drawdown.setData([...data.drawdown]);
  const money = {
    type: /** @type {const} */ ('custom'),
    formatter: (/** @type {number} */ value) => shortMoney(value),
  };
  equity.applyOptions({ priceFormat: money });
  hold.applyOptions({ priceFormat: money });
  range.applyOptions({ priceFormat: money });
  drawdown.applyOptions({
    priceFormat: { type: 'custom', formatter: (/** @type {number} */ value) => `${value.toFixed(1)} %` },
  });
  return { chart, prices, tradeLine, range, hold, equity, drawdown, marks };
}

/**
 * Gives all of them the colours of the theme.
 * @param {ChartSeries} series
 */
export function paintSeries({ chart, prices, range, hold, equity, drawdown }) {
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
  const faint = colour('equity-range');
  range.applyOptions({
    upColor: faint,
    downColor: faint,
    wickUpColor: faint,
    wickDownColor: faint,
    borderVisible: false,
  });
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
 * Money on an axis, where there is little room: `1.25M`.
 * @param {number} value
 */
function shortMoney(value) {
  return Math.abs(value) >= 1e6
    ? value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 2 })
    : value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
}
