import { figureAxis, rangeAxis } from './axis.js';
import { dotPicture } from './dots.js';
import { trialLines } from './study-data.js';
import { tell } from './study-words.js';

/** Each param against a figure. */

const SLICE_HEIGHT = 240;
const LEAST_WIDTH = 320;
const GAP = 16;

/**
 * @typedef {{ readonly study: import('./study-data.js').StudyPage, readonly figure: number, readonly chosen: number | null,
 *   readonly choose: (number: number) => void }} StudyView
 */

/**
 * @param {HTMLElement} place
 * @param {StudyView} view
 * @param {number} room
 */
export function drawSlices(place, view, room) {
  const { study, figure } = view;
  const shown = study.figures[figure];
  if (shown === undefined) return;
  const across = Math.max(1, Math.floor((room + GAP) / (LEAST_WIDTH + GAP)));
  const columns = Math.min(across, study.parameters.length);
  const width = Math.floor((room - GAP * (columns - 1)) / columns);
  const y = figureAxis(
    shown,
    study.points.map(({ figures }) => figures[figure]),
  );
  place.replaceChildren(
    ...study.parameters.map((parameter, index) =>
      dotPicture({
        title: tell('chart.by', { figure: shown.title, other: parameter.name }),
        width,
        height: SLICE_HEIGHT,
        x: rangeAxis(parameter),
        y,
        dots: trialDots(view, { x: (trial) => spreadOut(parameter, trial, trial.values[index] ?? null) }),
        band: hasNeighbours(study) ? parameter.near : null,
        levels: levelsOf(study, figure),
        choose: view.choose,
      }),
    ),
  );
}

/** Of the room of a choice, to both sides of its middle. */
const SPREAD = 0.3;

/**
 * Where a trial stands: those of a choice beside one another, as they would hide each other in one place.
 * @param {import('./study-data.js').Parameter} parameter
 * @param {import('./study-data.js').TrialPoint} trial
 * @param {number | null} value
 */
function spreadOut({ isChoice }, { number }, value) {
  // Parts of the golden ratio fill the room evenly, however many there are.
  return !isChoice || value === null ? value : value + SPREAD * (2 * ((number * 0.618_034) % 1) - 1);
}

/** @param {import('./study-data.js').StudyPage} study */
export function hasNeighbours({ trials }) {
  return trials.isNear.includes(1);
}

/**
 * What the plateau is judged by, where the figure is the first objective.
 * @param {import('./study-data.js').StudyPage} study
 * @param {number} figure
 */
function levelsOf({ plateau }, figure) {
  if (figure !== 0 || plateau === null) return [];
  const { medianOfNeighbours, worstTenth } = plateau;
  return [
    ...(medianOfNeighbours === null ? [] : [{ at: medianOfNeighbours, text: tell('level.median') }]),
    { at: worstTenth, text: tell('level.worst') },
  ];
}

/**
 * Trials as dots by what they have on the two axes; without a height those that failed.
 * @param {StudyView} view
 * @param {{ readonly x: (trial: import('./study-data.js').TrialPoint) => number | null,
 *   readonly y?: (trial: import('./study-data.js').TrialPoint) => number | null,
 *   readonly isByFront?: boolean }} of `isByFront`: the front stands out, and not the neighbours of the best one
 * @returns {import('./dots.js').Dot[]}
 */
export function trialDots(
  { study, figure, chosen },
  { x, y = ({ figures }) => figures[figure] ?? null, isByFront = false },
) {
  return study.points.flatMap((trial) => {
    const [across, height] = [x(trial), y(trial)];
    if (across === null || (height === null && trial.state !== 2)) return [];
    const hasFailed = height === null || trial.state === 2;
    const kind = trial.number === chosen ? 'chosen' : hasFailed ? 'failed' : kindOf(trial, isByFront);
    return [
      {
        x: across,
        y: height ?? 0,
        kind: hasFailed ? 'failed' : kind,
        key: trial.number,
        lines: () => trialLines(study, trial),
      },
    ];
  });
}

/**
 * @param {import('./study-data.js').TrialPoint} trial
 * @param {boolean} isByFront
 * @returns {import('./dots.js').DotKind}
 */
function kindOf({ isBest, isFront, isNear, state }, isByFront) {
  if (isBest) return 'best';
  if (isByFront ? isFront : isNear) return isByFront ? 'front' : 'near';
  return state === 1 ? 'broken' : 'other';
}
