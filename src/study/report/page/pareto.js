import { figureAxis } from './axis.js';
import { dotPicture } from './dots.js';
import { trialDots } from './slices.js';
import { tell } from './study-words.js';

/** Trials by two objectives, with those that no other one is better than. */

const PARETO_HEIGHT = 420;

/**
 * @param {HTMLElement} place
 * @param {import('./slices.js').StudyView} view
 * @param {{ readonly across: number, readonly up: number, readonly width: number }} of places of two figures
 */
export function drawPareto(place, view, { across, up, width }) {
  const { points, figures } = view.study;
  const [x, y] = [figures[across], figures[up]];
  if (x === undefined || y === undefined) return;
  const shown = points.filter(({ state }) => state !== 2);
  /** @param {number} figure */
  const valuesOf = (figure) => shown.map((trial) => trial.figures[figure]);
  const complete = { ...view, study: { ...view.study, points: shown } };
  place.replaceChildren(
    dotPicture({
      title: tell('chart.by', { figure: y.title, other: x.title }),
      width,
      height: PARETO_HEIGHT,
      x: { ...figureAxis(x, valuesOf(across)), title: titleOf(x) },
      y: figureAxis(y, valuesOf(up)),
      note: titleOf(y),
      dots: trialDots(complete, {
        x: (trial) => trial.figures[across] ?? null,
        y: (trial) => trial.figures[up] ?? null,
        isByFront: true,
      }),
      line:
        figures.filter(({ direction }) => direction !== null).length === 2 ? stairs(shown, across, up) : [],
      choose: view.choose,
    }),
  );
}

/** @param {import('./study-data.js').Figure} figure */
function titleOf({ title, direction }) {
  return tell(direction === 'minimize' ? 'pareto.less' : 'pareto.more', { name: title });
}

/**
 * The front as steps: between two of its trials nothing better is known than the worse of each objective.
 * @param {readonly import('./study-data.js').TrialPoint[]} points
 * @param {number} across
 * @param {number} up
 */
function stairs(points, across, up) {
  const front = points
    .filter(({ isFront }) => isFront)
    .map(({ figures }) => ({ x: figures[across] ?? 0, y: figures[up] ?? 0 }))
    .sort((left, right) => left.x - right.x || left.y - right.y);
  return front.flatMap((point, index) => {
    const next = front[index + 1];
    return next === undefined ? [point] : [point, { x: next.x, y: point.y }];
  });
}
