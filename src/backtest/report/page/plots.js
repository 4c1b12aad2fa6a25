import { numberText } from './texts.js';
import { colour } from './theme.js';
import { say } from './words.js';

/** What strategies plot: over the bars of their market, and in panes of their own below them. */

/** More would leave no room for the bars. */
const MOST_PANES = 8;

/** Where a series has no colour of its own, in this order. */
const PLOT_COLORS = ['purple', 'orange', 'blue', 'gray', 'green', 'red'];

/**
 * @typedef {import('./read-data.js').Plot & { readonly key: string,
 *   readonly series: import('lightweight-charts').ISeriesApi<any> }} DrawnPlot
 */

/**
 * The titles of all panes of plots, of whatever market.
 * @param {import('./read-data.js').PageData} data
 */
export function plotPanes({ plots }) {
  const titles = [...new Set(plots.flatMap(({ pane }) => pane ?? []))];
  return { titles: titles.slice(0, MOST_PANES), more: Math.max(0, titles.length - MOST_PANES) };
}

/**
 * Draws the plots of one market at a time. Their panes are there, the first one below that of the prices.
 * @param {import('./read-data.js').PageData} data
 * @param {import('lightweight-charts').IChartApi} chart
 */
export function startPlots(data, chart) {
  const { titles, more } = plotPanes(data);
  const paintTitles = titles.map((title, index) => startTitle(chart, title, index + 1));
  document.documentElement.style.setProperty('--panes', String(titles.length));
  /** @type {readonly DrawnPlot[]} */
  let drawn = [];

  const paint = () => {
    for (const { series, key } of drawn) series.applyOptions({ color: colour(key) });
    for (const paintTitle of paintTitles) paintTitle();
  };

  /** @param {number} market */
  const show = (market) => {
    for (const { series } of drawn) chart.removeSeries(series);
    const plots = data.plots.filter(
      (plot) => plot.market === market && (plot.pane === null || titles.includes(plot.pane)),
    );
    drawn = plots.map((plot, index) => {
      const key = `plot-${plot.color ?? PLOT_COLORS[index % PLOT_COLORS.length]}`;
      return { ...plot, key, series: drawPlot(chart, plot, titles) };
    });
    document.documentElement.style.setProperty('--plots', String(drawn.length));
    paint();
  };

  return {
    show,
    paint,
    note: more === 0 ? '' : say('morePanes', { count: more }),
    names: () => drawn.map(({ name, key }) => ({ name, key, text: '' })),
    /**
     * Names and values at a bar.
     * @param {ReadonlyMap<unknown, any>} seriesData
     */
    valuesAt: (seriesData) =>
      drawn.flatMap(({ name, key, series }) => {
        const value = seriesData.get(series)?.value;
        return value === undefined ? [] : [{ name, key, text: numberText(value) }];
      }),
  };
}

/**
 * @param {import('lightweight-charts').IChartApi} chart
 * @param {import('./read-data.js').Plot} plot
 * @param {readonly string[]} titles of the panes, from the top
 */
function drawPlot(chart, plot, titles) {
  /** @type {typeof import('lightweight-charts')} */
  const charts = /** @type {any} */ (globalThis).LightweightCharts;
  const pane = plot.pane === null ? 0 : 1 + titles.indexOf(plot.pane);
  const options = { priceLineVisible: false, lastValueVisible: false };
  const series =
    plot.style === 'bars'
      ? chart.addSeries(charts.HistogramSeries, options, pane)
      : chart.addSeries(charts.LineSeries, { ...options, ...lineOf(plot.style) }, pane);
  if (pane > 0)
    series.applyOptions({ priceFormat: { type: 'custom', minMove: 1e-9, formatter: numberText } });
  series.setData([...plot.points]);
  return series;
}

/** @param {string} style */
function lineOf(style) {
  const line = { lineWidth: /** @type {const} */ (1), crosshairMarkerVisible: false };
  if (style === 'points')
    return { ...line, lineVisible: false, pointMarkersVisible: true, pointMarkersRadius: 2 };
  // 1 has steps, and 0 has none: LineType of the library.
  return { ...line, lineType: style === 'steps' ? 1 : 0 };
}

/**
 * Writes the title of a pane; answers what writes it in the colour of the theme.
 * @param {import('lightweight-charts').IChartApi} chart
 * @param {string} title
 * @param {number} index
 */
function startTitle(chart, title, index) {
  /** @type {typeof import('lightweight-charts')} */
  const charts = /** @type {any} */ (globalThis).LightweightCharts;
  const options = () => ({
    horzAlign: /** @type {const} */ ('left'),
    vertAlign: /** @type {const} */ ('top'),
    lines: [{ text: ` ${title}`, color: colour('muted'), fontSize: 12, lineHeight: 24 }],
  });
  const pane = chart.panes()[index];
  const text = pane === undefined ? null : charts.createTextWatermark(pane, options());
  return () => text?.applyOptions(options());
}
