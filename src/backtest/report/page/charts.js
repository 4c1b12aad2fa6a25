import { colour } from './theme.js';
import { fillMarks } from './fill-marks.js';
import { legendOf } from './legend.js';
import { hiddenExits, startPriceLines } from './price-lines.js';
import { startPlots } from './plots.js';
import { createSeries, paintSeries } from './series.js';
import { priceOf } from './texts.js';
import { bandLines, hiddenBands, startTimeBands } from './time-bands.js';

/** Price, equity and drawdown over one time scale. */

/**
 * Draws the charts and returns what moves them.
 * @param {import('./read-data.js').PageData} data
 * @param {{ readonly chart: HTMLElement, readonly legend: HTMLElement, readonly held: HTMLElement,
 *   readonly note: HTMLElement }} places
 */
export function startCharts(data, places) {
  const series = createSeries(data, places.chart);
  const { chart, prices, volume, tradeLine, hold, equity, drawdown } = series;
  let market = 0;
  /** @type {import('./read-data.js').Trade | null} */
  let chosen = null;
  const lines = startPriceLines({ data, chart, prices, market: () => market });
  const plots = startPlots(data, chart);
  const bands = startTimeBands({ data, market: () => market, series });

  const showMarks = () => {
    const view = chart.timeScale().getVisibleRange();
    const { marks, note } = fillMarks(data, market, view);
    series.marks.setMarkers(marks);
    places.note.textContent = [
      note,
      hiddenExits(data, market, view),
      hiddenBands(data, market, view),
      plots.note,
    ]
      .filter((sentence) => sentence !== '')
      .join(' ');
  };

  /** @param {number} index */
  const showMarket = (index) => {
    market = index;
    const shown = data.markets[index];
    const decimals = shown?.decimals ?? 2;
    prices.applyOptions({
      priceFormat: {
        type: 'custom',
        minMove: 10 ** -decimals,
        formatter: (/** @type {number} */ value) => priceOf(value, decimals),
      },
    });
    prices.setData([...(shown?.bars ?? [])]);
    volume.setData([...(shown?.volume ?? [])]);
    tradeLine.setData([]);
    plots.show(index);
    places.legend.replaceChildren(...legendOf(data, { plots: plots.names() }));
    showMarks();
  };

  const paint = () => {
    paintSeries(series);
    if (chosen !== null) tradeLine.applyOptions({ color: colour(chosen.profit >= 0 ? 'up' : 'down') });
    plots.paint();
    showMarks();
    lines.redraw();
    bands.redraw();
  };

  /** @param {import('./read-data.js').Trade} trade */
  const goTo = (trade) => {
    if (trade.market !== market) showMarket(trade.market);
    chosen = trade;
    const opened = data.timeAt(trade.openedAtMs);
    const last = data.equity.at(-1)?.time ?? opened;
    const closed = trade.closedAtMs === null ? last : data.timeAt(trade.closedAtMs);
    const ends = [{ time: opened, value: Number(trade.entryPrice) }];
    if (closed > opened) ends.push({ time: closed, value: Number(trade.exitPrice) });
    tradeLine.setData(ends);
    tradeLine.applyOptions({ color: colour(trade.profit >= 0 ? 'up' : 'down') });
    const scale = chart.timeScale();
    const from = scale.timeToIndex(opened, true) ?? 0;
    const to = scale.timeToIndex(closed, true) ?? from;
    const margin = Math.max(20, (to - from) / 2);
    scale.setVisibleLogicalRange({ from: from - margin, to: to + margin });
  };

  chart.timeScale().subscribeVisibleTimeRangeChange(showMarks);
  chart.subscribeCrosshairMove((event) => {
    const bar = /** @type {any} */ (event.seriesData.get(prices)) ?? null;
    const traded = /** @type {any} */ (event.seriesData.get(volume))?.value ?? null;
    const money = /** @type {any} */ (event.seriesData.get(equity))?.value ?? null;
    const held = /** @type {any} */ (event.seriesData.get(hold))?.value ?? null;
    const depth = /** @type {any} */ (event.seriesData.get(drawdown))?.value ?? null;
    const decimals = data.markets[market]?.decimals ?? 2;
    const named = bandLines(data, market, event.time === undefined ? undefined : Number(event.time));
    places.held.textContent = named.join('\n');
    places.held.classList.toggle('is-right', (event.point?.x ?? 0) < chart.timeScale().width() / 2);
    places.legend.replaceChildren(
      ...legendOf(data, {
        time: event.time,
        bar,
        traded,
        money,
        held,
        depth,
        plots: event.time === undefined ? plots.names() : plots.valuesAt(event.seriesData),
        decimals,
        market: data.markets[market]?.name ?? '',
        base: data.markets[market]?.base ?? '',
        quote: data.markets[market]?.quote ?? '',
      }),
    );
  });
  showMarket(0);
  chart.timeScale().fitContent();
  return {
    paint,
    goTo,
    showMarket,
    showAll: () => chart.timeScale().fitContent(),
    /** @param {boolean} isShown */
    showHold: (isShown) => hold.applyOptions({ visible: isShown }),
    /** @param {boolean} isLog */
    showLog: (isLog) => {
      // 1 is logarithmic, and 0 is not: PriceScaleMode of the library.
      for (const one of [prices, equity]) one.priceScale().applyOptions({ mode: isLog ? 1 : 0 });
    },
  };
}

/**
 * Whether the curve of buying and holding would leave the equity a line at the edge, so that it is better not shown at first.
 * @param {import('./read-data.js').PageData} data
 */
export function isSquashedByHold({ equity, hold }) {
  return spanOf(hold) > 5 * spanOf(equity);
}

/** @param {readonly import('./read-data.js').Point[]} points */
function spanOf(points) {
  let low = Infinity;
  let high = -Infinity;
  for (const { value } of points) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high - low;
}
