import { colour } from './theme.js';
import { moneyOf, priceOf, timeOfDay } from './texts.js';

/** Price, equity and drawdown over one time scale. */

/** More marks than these in view would hide the bars: they are left out until the reader zooms in. */
const MOST_MARKS = 300;

/**
 * Draws the charts and returns what moves them.
 * @param {import('./read-data.js').PageData} data
 * @param {{ readonly chart: HTMLElement, readonly legend: HTMLElement, readonly note: HTMLElement }} places
 */
export function startCharts(data, places) {
  /** @type {typeof import('lightweight-charts')} */
  const charts = /** @type {any} */ (globalThis).LightweightCharts;
  const chart = charts.createChart(places.chart, {
    autoSize: true,
    handleScroll: { vertTouchDrag: false },
    timeScale: { minBarSpacing: 0.001, timeVisible: data.stepMs < 86_400_000, secondsVisible: data.stepMs < 60_000 },
    localization: { locale: 'en-US' },
  });
  const prices = chart.addSeries(charts.CandlestickSeries, { priceLineVisible: false }, 0);
  const tradeLine = chart.addSeries(
    charts.LineSeries,
    { lineWidth: 2, lineStyle: 2, priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false },
    0,
  );
  const range = chart.addSeries(charts.CandlestickSeries, { priceLineVisible: false, lastValueVisible: false }, 1);
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

  let market = 0;
  /** @type {import('./read-data.js').Trade | null} */
  let chosen = null;

  const showMarks = () => {
    const view = chart.timeScale().getVisibleRange();
    const inView = data.fills.filter(
      (fill) =>
        fill.market === market && view !== null && fill.time >= Number(view.from) && fill.time <= Number(view.to),
    );
    const shown = marksOf(inView);
    const isTooMany = shown.length > MOST_MARKS;
    places.note.textContent = isTooMany ? `${inView.length} fills in view: zoom in to see them.` : '';
    marks.setMarkers(
      (isTooMany ? [] : shown).map(({ time, isBuy, price, count }) => ({
        time,
        price,
        position: isBuy ? 'atPriceBottom' : 'atPriceTop',
        shape: isBuy ? 'arrowUp' : 'arrowDown',
        color: colour(isBuy ? 'buy' : 'sell'),
        size: 1,
        text: count > 1 ? String(count) : '',
      })),
    );
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
    tradeLine.setData([]);
    showMarks();
  };

  const paint = () => {
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
    if (chosen !== null) tradeLine.applyOptions({ color: colour(chosen.profit >= 0 ? 'up' : 'down') });
    showMarks();
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
    const money = /** @type {any} */ (event.seriesData.get(equity))?.value ?? null;
    const held = /** @type {any} */ (event.seriesData.get(hold))?.value ?? null;
    const depth = /** @type {any} */ (event.seriesData.get(drawdown))?.value ?? null;
    const decimals = data.markets[market]?.decimals ?? 2;
    places.legend.replaceChildren(
      ...legendOf(data, {
        time: event.time,
        bar,
        money,
        held,
        depth,
        decimals,
        market: data.markets[market]?.name ?? '',
      }),
    );
  });
  places.legend.replaceChildren(...legendOf(data, {}));
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
      const mode = isLog ? charts.PriceScaleMode.Logarithmic : charts.PriceScaleMode.Normal;
      for (const series of [prices, equity]) series.priceScale().applyOptions({ mode });
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

/**
 * One mark for the buys of a bar and one for its sells, at their mean price, with their number.
 * @param {readonly import('./read-data.js').Fill[]} fills
 */
function marksOf(fills) {
  /** @type {Map<string, { time: import('lightweight-charts').UTCTimestamp, isBuy: boolean, price: number, count: number }>} */
  const marks = new Map();
  for (const { time, isBuy, price } of fills) {
    const key = `${time} ${isBuy}`;
    const before = marks.get(key) ?? { price: 0, count: 0 };
    const count = before.count + 1;
    marks.set(key, { time, isBuy, price: before.price + (price - before.price) / count, count });
  }
  return [...marks.values()];
}

/**
 * What is under the pointer, or how the charts are to be used where there is none.
 * @param {import('./read-data.js').PageData} data
 * @param {any} at
 */
export function legendOf(data, at) {
  const { time, bar, money, held, depth, decimals, market } = at;
  if (time === undefined) {
    return [
      labelled('Equity', '', 'equity'),
      labelled('Buy and hold', '', 'hold'),
      labelled('Drawdown', '', 'down'),
      labelled('', 'Wheel or pinch to zoom, drag to move, point for values. Times are UTC.'),
    ];
  }
  const parts = [labelled('', timeOfDay(Number(time) * 1000))];
  if (bar !== null) {
    const numbers = [bar.open, bar.high, bar.low, bar.close].map((value) => priceOf(value, decimals));
    parts.push(labelled(market, `O ${numbers[0]} H ${numbers[1]} L ${numbers[2]} C ${numbers[3]}`));
  }
  if (money !== null) parts.push(labelled('Equity', moneyOf(money, data.quote), 'equity'));
  if (held !== null) parts.push(labelled('Buy and hold', moneyOf(held, data.quote), 'hold'));
  if (depth !== null) parts.push(labelled('Drawdown', `${depth.toFixed(2)} %`, 'down'));
  return parts;
}

/**
 * @param {string} label
 * @param {string} text
 * @param {string} [key]
 */
function labelled(label, text, key) {
  const part = document.createElement('span');
  const name = document.createElement('b');
  name.textContent = label;
  if (key !== undefined) name.className = `key key-${key}`;
  part.append(...(label === '' ? [text] : [name, ` ${text}`]));
  return part;
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
