import { figureAxis, rangeAxis } from './axis.js';
import { drawn, linePath } from './drawing.js';
import { isLessBetter, trialLines } from './study-data.js';
import { pictureText, tell } from './study-words.js';
import { nearest, tipOver } from './tip.js';

/** Every trial as a line over all params, to its figure at the right. */

const PARALLEL_HEIGHT = 380;
const SIDES = { left: 46, right: 62, top: 34, bottom: 14 };
/** Of a param: a narrower one could not be read, and the picture scrolls instead. */
const LEAST_STEP = 92;
/** Lines above this share of all by the figure stand out. */
const FOREMOST = 0.1;

/**
 * @param {HTMLElement} place
 * @param {import('./slices.js').StudyView} view
 * @param {number} room
 */
export function drawParallel(place, view, room) {
  const { study, figure, chosen } = view;
  const shown = study.figures[figure];
  if (shown === undefined) return;
  const complete = study.points.filter(
    ({ state, figures }) => state !== 2 && (figures[figure] ?? null) !== null,
  );
  const axes = [
    ...study.parameters.map(rangeAxis),
    figureAxis(
      shown,
      complete.map(({ figures }) => figures[figure]),
    ),
  ];
  const width = Math.max(room, SIDES.left + SIDES.right + (axes.length - 1) * LEAST_STEP);
  const step = (width - SIDES.left - SIDES.right) / Math.max(1, axes.length - 1);
  const [ceiling, floor] = [SIDES.top, PARALLEL_HEIGHT - SIDES.bottom];
  /** @param {number} index @param {number} value */
  const pointAt = (index, value) => ({
    left: SIDES.left + index * step,
    top: floor - (axes[index]?.place(value) ?? 0) * (floor - ceiling),
  });
  const lines = complete.map((trial) => {
    const values = [...trial.values, trial.figures[figure] ?? null];
    return {
      trial,
      points: values.flatMap((value, index) => (value === null ? [] : [pointAt(index, value)])),
    };
  });
  const svg = drawn('svg', {
    class: 'plot',
    width,
    height: PARALLEL_HEIGHT,
    role: 'img',
    'aria-label': tell('parallel.label', { figure: shown.title }),
  });
  const foremost = foremostOf(complete, figure, isLessBetter(shown));
  const groups = [
    { name: 'line-other', own: lines.filter(({ trial }) => !foremost.has(trial)) },
    { name: 'line-foremost', own: lines.filter(({ trial }) => foremost.has(trial)) },
    { name: 'line-best', own: lines.filter(({ trial }) => trial.isBest) },
    { name: 'line-chosen', own: lines.filter(({ trial }) => trial.number === chosen) },
  ];
  for (const { name, own } of groups) {
    if (own.length === 0) continue;
    const d = own.map(({ points }) => linePath(points)).join('');
    svg.append(drawn('path', { class: `line ${name}`, 'data-count': own.length, d }));
  }
  appendAxes(svg, axes, { step, ceiling, floor });
  const places = lines.flatMap(({ trial, points }) => points.map((point) => ({ ...point, trial })));
  tipOver(svg, (left, top) => {
    const found = nearest(places, left, top);
    return found === null ? [] : trialLines(study, found.trial);
  });
  svg.addEventListener('click', (event) => {
    if (!(event instanceof MouseEvent)) return;
    const box = svg.getBoundingClientRect();
    const found = nearest(places, event.clientX - box.left, event.clientY - box.top);
    if (found !== null) view.choose(found.trial.number);
  });
  place.replaceChildren(svg);
}

/**
 * The best tenth by a figure.
 * @param {readonly import('./study-data.js').TrialPoint[]} trials
 * @param {number} figure
 * @param {boolean} isLess
 */
function foremostOf(trials, figure, isLess) {
  const sign = isLess ? 1 : -1;
  const sorted = [...trials].sort(
    (left, right) => sign * ((left.figures[figure] ?? 0) - (right.figures[figure] ?? 0)),
  );
  return new Set(sorted.slice(0, Math.ceil(sorted.length * FOREMOST)));
}

/**
 * @param {Element} svg
 * @param {readonly import('./axis.js').Axis[]} axes
 * @param {{ readonly step: number, readonly ceiling: number, readonly floor: number }} of
 */
function appendAxes(svg, axes, { step, ceiling, floor }) {
  axes.forEach(({ title, ticks, place }, index) => {
    const left = SIDES.left + index * step;
    const isLast = index === axes.length - 1;
    svg.append(
      drawn('line', { class: 'rail', x1: left, x2: left, y1: ceiling, y2: floor }),
      drawn('text', { class: 'axis-title', x: left, y: index % 2 === 0 ? 13 : 26, 'text-anchor': 'middle' }, [
        pictureText(title),
      ]),
    );
    for (const { at, text } of ticks) {
      const top = floor - place(at) * (floor - ceiling);
      const side = isLast ? { x: left + 6, 'text-anchor': 'start' } : { x: left - 5, 'text-anchor': 'end' };
      svg.append(drawn('text', { class: 'rail-text', y: top + 4, ...side }, [text]));
    }
  });
}
