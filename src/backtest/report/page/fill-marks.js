import { colour } from './theme.js';
import { say } from './words.js';

/** More marks than these in view would hide the bars: they are left out until the reader zooms in. */
const MOST_MARKS = 300;

/**
 * The fills of a market that are in view as marks for the chart, and what is to be said where there are too many to be seen.
 * @param {import('./read-data.js').PageData} data
 * @param {number} market
 * @param {{ readonly from: unknown, readonly to: unknown } | null} view
 * @returns {{ readonly marks: import('lightweight-charts').SeriesMarker<import('lightweight-charts').Time>[], readonly note: string }}
 */
export function fillMarks(data, market, view) {
  const inView = data.fills.filter(
    (fill) =>
      fill.market === market &&
      view !== null &&
      fill.time >= Number(view.from) &&
      fill.time <= Number(view.to),
  );
  const places = marksOf(inView);
  if (places.length > MOST_MARKS) return { marks: [], note: say('hiddenFills', { count: inView.length }) };
  const marks = places.map(({ time, isBuy, price, count }) => ({
    time,
    price,
    position: isBuy ? /** @type {const} */ ('atPriceBottom') : /** @type {const} */ ('atPriceTop'),
    shape: isBuy ? /** @type {const} */ ('arrowUp') : /** @type {const} */ ('arrowDown'),
    color: colour(isBuy ? 'buy' : 'sell'),
    size: 1,
    text: count > 1 ? String(count) : '',
  }));
  return { marks, note: '' };
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
