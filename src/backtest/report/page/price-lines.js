import { colour } from './theme.js';
import { say } from './words.js';

/** Lines over the price bars: where exits rested, and which entry belongs to which exit. */

/** More in view would hide the bars: they are left out until the reader zooms in. */
const MOST_EXITS = 2_000;
const MOST_TRADES = 400;

/** A trade of less than this share of the largest one is what another left over: no line is worth it. */
const LEAST_SHARE = 0.001;

/**
 * @typedef {{ readonly data: import('./read-data.js').PageData, readonly market: () => number,
 *   readonly chart: import('lightweight-charts').IChartApi,
 *   readonly prices: import('lightweight-charts').ISeriesApi<'Candlestick'> }} LinePlaces
 * @typedef {{ readonly context: CanvasRenderingContext2D, readonly left: (time: number) => number,
 *   readonly right: (time: number) => number, readonly middle: (time: number) => number,
 *   readonly height: (price: number) => number, readonly unit: number }} Pen
 */

/** What is drawn before the chart is there. */
export function nothing() {
  return undefined;
}

/**
 * Attaches the lines to the price series; they follow every move of the chart by themselves.
 * @param {LinePlaces} places
 * @returns {{ readonly redraw: () => void }}
 */
export function startPriceLines(places) {
  const worth = tradesWorthALine(places.data);
  /** @type {() => void} */
  let update = nothing;
  places.prices.attachPrimitive({
    attached: ({ requestUpdate }) => {
      update = requestUpdate;
    },
    paneViews: () => [
      {
        zOrder: () => 'top',
        renderer: () => ({
          draw: (target) =>
            target.useBitmapCoordinateSpace(({ context, horizontalPixelRatio, verticalPixelRatio }) => {
              drawLines(
                { ...places, worth },
                { context, across: horizontalPixelRatio, down: verticalPixelRatio },
              );
            }),
        }),
      },
    ],
  });
  return { redraw: () => update() };
}

/**
 * @param {LinePlaces & { readonly worth: readonly import('./read-data.js').Trade[] }} places
 * @param {{ readonly context: CanvasRenderingContext2D, readonly across: number, readonly down: number }} canvas
 */
function drawLines(places, { context, across, down }) {
  const { data, chart, prices, market, worth } = places;
  const scale = chart.timeScale();
  const range = scale.getVisibleRange();
  if (range === null) return;
  const [from, to] = [Number(range.from), Number(range.to)];
  const barWidth = (scale.logicalToCoordinate(at(1)) ?? 0) - (scale.logicalToCoordinate(at(0)) ?? 0);
  /** @param {number} time */
  const middle = (time) => {
    const index = scale.timeToIndex(/** @type {any} */ (time), true) ?? 0;
    return (scale.logicalToCoordinate(at(index)) ?? 0) * across;
  };
  /** @type {Pen} */
  const pen = {
    context,
    middle,
    left: (time) => middle(time) - (barWidth / 2) * across,
    right: (time) => middle(time) + (barWidth / 2) * across,
    height: (price) => (prices.priceToCoordinate(price) ?? 0) * down,
    unit: down,
  };
  const exits = exitsIn(data, market(), { from, to });
  if (exits.length <= MOST_EXITS) for (const line of exits) drawExit(line, pen, data.exits);
  const trades = worth.filter((trade) => isIn(trade, data, { market: market(), from, to }));
  if (trades.length <= MOST_TRADES) for (const trade of trades) drawTrade(trade, pen, data);
}

/**
 * Lines of exits of a market within a time.
 * @param {import('./read-data.js').PageData} data
 * @param {number} market
 * @param {{ readonly from: number, readonly to: number }} view
 */
function exitsIn(data, market, { from, to }) {
  return data.exits.filter((line) => line.market === market && line.to >= from && line.from <= to);
}

/**
 * What is to be said where exits in view are too many to be seen.
 * @param {import('./read-data.js').PageData} data
 * @param {number} market
 * @param {{ readonly from: unknown, readonly to: unknown } | null} view
 */
export function hiddenExits(data, market, view) {
  if (view === null) return '';
  const { length } = exitsIn(data, market, { from: Number(view.from), to: Number(view.to) });
  return length > MOST_EXITS ? say('hiddenExits', { count: length }) : '';
}

/** @param {import('./read-data.js').Trade} trade */
function valueOf({ amount, entryPrice }) {
  return Number(amount) * Number(entryPrice);
}

/**
 * The closed trades that are worth a line.
 * @param {import('./read-data.js').PageData} data
 */
function tradesWorthALine({ trades }) {
  const largest = trades.reduce((most, trade) => Math.max(most, valueOf(trade)), 0);
  return trades.filter((trade) => trade.closedAtMs !== null && valueOf(trade) >= LEAST_SHARE * largest);
}

/**
 * @param {import('./read-data.js').Trade} trade
 * @param {import('./read-data.js').PageData} data
 * @param {{ readonly market: number, readonly from: number, readonly to: number }} view
 */
function isIn({ market, openedAtMs, closedAtMs }, data, view) {
  if (market !== view.market || closedAtMs === null) return false;
  return data.timeAt(closedAtMs) >= view.from && data.timeAt(openedAtMs) <= view.to;
}

/**
 * A place on the time scale.
 * @param {number} index
 */
function at(index) {
  return /** @type {import('lightweight-charts').Logical} */ (index);
}

/**
 * The price of an exit while it rested, and the step to it from where it rested before.
 * @param {import('./read-data.js').ExitLine} line
 * @param {Pen} pen
 * @param {readonly import('./read-data.js').ExitLine[]} all
 */
function drawExit(line, pen, all) {
  const { context } = pen;
  const y = pen.height(line.price);
  const left = pen.left(line.from);
  context.beginPath();
  const before = all[line.before];
  if (before !== undefined && before.price !== line.price) {
    context.moveTo(left, pen.height(before.price));
    context.lineTo(left, y);
  } else context.moveTo(left, y);
  context.lineTo(pen.right(line.to), y);
  context.setLineDash([]);
  context.lineWidth = Math.max(1, Math.round(1.5 * pen.unit));
  context.strokeStyle = colour(line.isTarget ? 'target' : 'stop');
  context.stroke();
}

/**
 * From the entry of a trade to its exit.
 * @param {import('./read-data.js').Trade} trade
 * @param {Pen} pen
 * @param {import('./read-data.js').PageData} data
 */
function drawTrade(trade, pen, data) {
  if (trade.closedAtMs === null) return;
  const { context } = pen;
  context.beginPath();
  context.moveTo(pen.middle(data.timeAt(trade.openedAtMs)), pen.height(Number(trade.entryPrice)));
  context.lineTo(pen.middle(data.timeAt(trade.closedAtMs)), pen.height(Number(trade.exitPrice)));
  context.setLineDash([4 * pen.unit, 3 * pen.unit]);
  context.lineWidth = Math.max(1, pen.unit);
  context.strokeStyle = colour(trade.profit >= 0 ? 'up' : 'down');
  context.stroke();
  context.setLineDash([]);
}
