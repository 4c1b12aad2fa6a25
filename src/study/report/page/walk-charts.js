import { figureAxis } from './axis.js';
import { dotPicture, pictureFrame } from './dots.js';
import { drawn, linePath } from './drawing.js';
import { foreignText, isPersian, tehranDay, unitAfter } from '../../../backtest/report/page/words.js';
import { figureOf, plainNumber, shortNumber } from './study-data.js';
import { tell } from './study-words.js';
import { tipOver } from './tip.js';

/** The account of a walk-forward with its windows, and each window in against out of sample. */

const DAY_MS = 86_400_000;
const EQUITY_HEIGHT = 340;
const SCATTER_HEIGHT = 420;
const MOST_TIMES = 7;

/** @typedef {import('../report-shapes.ts').WalkData} Walk */

/**
 * @param {HTMLElement} place
 * @param {Walk} walk
 * @param {number} width
 */
export function drawEquity(place, walk, width) {
  const { day, equity, windows, initialEquity } = walk;
  const days = day.map((at, index) => ({ x: at, y: equity[index] ?? initialEquity }));
  const first = Math.min(days[0]?.x ?? 0, ...windows.map(({ fromMs }) => fromMs / DAY_MS));
  const last = Math.max(days.at(-1)?.x ?? 1, ...windows.map(({ toMs }) => toMs / DAY_MS));
  const x = {
    title: tell('walk.days'),
    place: (/** @type {number} */ at) => (at - first) / (last - first || 1),
    text: dayText,
    ticks: dayTicks(first, last, Math.max(2, Math.min(MOST_TIMES, Math.floor(width / 120)))),
  };
  const y = figureAxis({ title: `${tell('walk.equity')}${unitAfter(walk.quote)}`, kind: 'number' }, [
    initialEquity,
    ...equity,
  ]);
  const frame = pictureFrame({ title: tell('walk.label'), width, height: EQUITY_HEIGHT, x, y });
  const { svg, leftOf, topOf, shareAt, floor, ceiling, left, right } = frame;
  /** @type {Element[]} */
  const labels = [];
  for (const { number, fromMs, toMs } of windows) {
    const [from, to] = [leftOf(fromMs / DAY_MS), leftOf(toMs / DAY_MS)];
    const isOdd = number % 2 === 1;
    svg.insertBefore(
      drawn('rect', {
        class: `window ${isOdd ? 'is-odd' : ''}`,
        'data-window': number,
        x: from,
        y: ceiling,
        width: Math.max(1, to - from),
        height: floor - ceiling,
      }),
      svg.firstChild,
    );
    if (to - from > 16)
      labels.push(
        drawn('text', { class: 'rail-text', x: (from + to) / 2, y: ceiling + 12, 'text-anchor': 'middle' }, [
          plainNumber(number),
        ]),
      );
  }
  const begin = topOf(initialEquity);
  svg.append(
    drawn('line', { class: 'level', x1: left, x2: right, y1: begin, y2: begin }),
    drawn('path', {
      class: 'equity-line',
      'data-count': days.length,
      d: linePath(days.map((point) => ({ left: leftOf(point.x), top: topOf(point.y) }))),
    }),
    ...labels,
  );
  tipOver(svg, (at) => equityLines(walk, first + shareAt(at) * (last - first)));
  place.replaceChildren(svg);
}

/**
 * What is known of a day: its equity, and the window that traded.
 * @param {Walk} walk
 * @param {number} at
 */
function equityLines({ day, equity, windows, initialEquity, quote }, at) {
  const next = day.findIndex((one) => one > at);
  const index = next === -1 ? day.length - 1 : Math.max(0, next - 1);
  const money = equity[index];
  const on = day[index];
  if (money === undefined || on === undefined) return [];
  const window = windows.find(({ fromMs, toMs }) => fromMs <= at * DAY_MS && at * DAY_MS < toMs);
  return [
    dayText(on),
    tell('walk.money', {
      money: `${shortNumber(money)}${unitAfter(quote)}`,
      change: figureOf(money / initialEquity - 1, 'fraction'),
    }),
    window === undefined
      ? tell('walk.between')
      : tell('walk.during', { number: plainNumber(window.number), params: window.params }),
  ];
}

/**
 * Each window by what its choice brought in its train window and in its test window.
 * @param {HTMLElement} place
 * @param {Walk} walk
 * @param {{ readonly figure: number, readonly width: number }} of
 */
export function drawInAgainstOut(place, walk, { figure, width }) {
  const shown = walk.figures[figure];
  if (shown === undefined) return;
  const { title: name, kind, inSample, outOfSample } = shown;
  const windows = walk.windows.flatMap((window, index) => {
    const [x, y] = [inSample[index] ?? null, outOfSample[index] ?? null];
    return x === null || y === null ? [] : [{ ...window, x, y }];
  });
  const all = windows.flatMap(({ x, y }) => [x, y]);
  const axis = figureAxis({ title: name, kind }, all);
  const ends = [Math.min(...all), Math.max(...all)].map((at) => ({ x: at, y: at }));
  place.replaceChildren(
    dotPicture({
      title: tell('walk.byOther', { name }),
      width: Math.min(width, 640),
      height: SCATTER_HEIGHT,
      x: { ...axis, title: tell('walk.inSample', { name }) },
      y: axis,
      note: tell('walk.outOfSample', { name }),
      line: all.length === 0 ? [] : ends,
      dots: windows.map(({ x, y, number, params }) => ({
        x,
        y,
        kind: 'near',
        key: number,
        lines: () => [
          tell('walk.window', { number: plainNumber(number) }),
          tell('walk.inSampleIs', { name, value: figureOf(x, kind) }),
          tell('walk.outOfSampleIs', { name, value: figureOf(y, kind) }),
          foreignText(params),
        ],
      })),
      labels: windows.map(({ x, y, number }) => ({ x, y, text: plainNumber(number) })),
    }),
  );
}

/** @param {number} day */
function dayText(day) {
  // Noon of the day in UTC is within the same day of Tehran.
  if (isPersian()) return tehranDay((Math.floor(day) + 0.5) * DAY_MS);
  return new Date(Math.floor(day) * DAY_MS).toISOString().slice(0, 10);
}

/**
 * @param {number} first
 * @param {number} last
 * @param {number} count
 */
function dayTicks(first, last, count) {
  const days = Array.from({ length: count }, (_, index) =>
    Math.round(first + ((last - first) * (index + 0.5)) / count),
  );
  return [...new Set(days)].map((at) => ({ at, text: dayText(at) }));
}
