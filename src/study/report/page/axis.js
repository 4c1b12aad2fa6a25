import { percentTick } from '../../../backtest/report/page/texts.js';
import { foreignText } from '../../../backtest/report/page/words.js';
import { figureOf, shortNumber } from './study-data.js';

/** Scales of a picture. */

/**
 * @typedef {{ readonly title: string, readonly place: (value: number) => number, readonly text: (value: number) => string,
 *   readonly ticks: readonly { readonly at: number, readonly text: string }[] }} Axis `place`: 0 to 1
 */

const TICKS = 6;

/**
 * The axis of a param, over its whole range.
 * @param {import('./study-data.js').Parameter} parameter
 * @returns {Axis}
 */
export function rangeAxis({ name, isChoice, cells, isLog, min, max }) {
  if (isChoice) {
    return {
      title: foreignText(name),
      place: (value) => (value + 0.5) / cells.length,
      text: (value) => foreignText(cells[value] ?? ''),
      ticks: cells.map((text, at) => ({ at, text: foreignText(text) })),
    };
  }
  return scaleOf({ title: foreignText(name), low: min, high: max, isLog, text: shortNumber });
}

/**
 * The axis of a figure, over what its values are.
 * @param {{ readonly title: string, readonly kind: import('../report-shapes.ts').FigureKind }} figure
 * @param {Iterable<number | null | undefined>} values
 * @returns {Axis}
 */
export function figureAxis({ title, kind }, values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) [low, high] = [0, 1];
  const margin = (high - low) * 0.04 || Math.abs(high) * 0.1 || 1;
  return scaleOf({
    title,
    low: low - margin,
    high: high + margin,
    isLog: false,
    text: (value) => (kind === 'fraction' ? percentTick(shortNumber(100 * value)) : figureOf(value, kind)),
  });
}

/**
 * @param {{ readonly title: string, readonly low: number, readonly high: number, readonly isLog: boolean,
 *   readonly text: (value: number) => string }} of
 * @returns {Axis}
 */
function scaleOf({ title, low, high, isLog, text }) {
  /** @param {number} value */
  const onLine = (value) => (isLog ? Math.log(value) : value);
  const [from, to] = [onLine(low), onLine(high)];
  return {
    title,
    text,
    place: (value) => (to === from ? 0.5 : (onLine(value) - from) / (to - from)),
    ticks: (isLog ? logTicks(low, high) : evenTicks(low, high)).map((at) => ({ at, text: text(at) })),
  };
}

/**
 * Round numbers within a range, about six.
 * @param {number} low
 * @param {number} high
 */
function evenTicks(low, high) {
  const raw = (high - low) / TICKS;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toFixed(decimals)));
}

/**
 * Powers of ten, and where these are few twice and five times as much.
 * @param {number} low
 * @param {number} high
 */
function logTicks(low, high) {
  const powers = Math.log10(high / low);
  const factors = powers > 4 ? [1] : powers > 1.5 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1)
    for (const factor of factors) ticks.push(Number((factor * 10 ** power).toPrecision(3)));
  return ticks.filter((at) => at >= low && at <= high);
}
