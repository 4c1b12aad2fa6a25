import type { ReportParameter } from '../study-data.ts';
import { figureAxis, rangeAxis } from './axis.ts';
import { DotPicture, type Dot, type DotKind } from './picture.tsx';
import {
  studyText,
  trialLines,
  type Figure,
  type StudyPage,
  type StudyView,
  type TrialPoint,
} from './study-page.ts';

/** Trials as dots: each param against a figure, and two objectives against one another. */

const SLICE_HEIGHT = 240;
const LEAST_SLICE_WIDTH = 320;
const GAP = 16;
const PARETO_HEIGHT = 420;
/** Part of the room of a choice, to both sides of its middle. */
const SPREAD = 0.3;

export function Slices({ view, width: room }: { readonly view: StudyView; readonly width: number }) {
  const { study, figure } = view;
  const shown = study.figures[figure];
  if (shown === undefined) return null;
  const across = Math.max(1, Math.floor((room + GAP) / (LEAST_SLICE_WIDTH + GAP)));
  const columns = Math.min(across, study.parameters.length);
  const y = figureAxis(
    shown,
    study.points.map(({ figures }) => figures[figure]),
  );
  const hasNeighbours = study.trials.isNear.includes(1);
  return study.parameters.map((parameter, index) => (
    <DotPicture
      key={parameter.name}
      title={studyText('chart.by', { figure: shown.title, other: parameter.name })}
      width={Math.floor((room - GAP * (columns - 1)) / columns)}
      height={SLICE_HEIGHT}
      x={rangeAxis(parameter)}
      y={y}
      dots={trialDots(view, study.points, {
        x: (trial) => spreadOut(parameter, trial, trial.values[index] ?? null),
        y: ({ figures }) => figures[figure] ?? null,
      })}
      band={hasNeighbours ? parameter.near : null}
      levels={levelsOf(study, figure)}
      onChoose={view.choose}
    />
  ));
}

/** Positions of trials: trials with the same choice stand side by side, so that none hides another. */
function spreadOut(
  { isChoice }: ReportParameter,
  { number }: TrialPoint,
  value: number | null,
): number | null {
  // Parts of the golden ratio fill the room evenly, however many there are.
  return !isChoice || value === null ? value : value + SPREAD * (2 * ((number * 0.618_034) % 1) - 1);
}

/** Levels by which the plateau is judged, if the figure is the first objective. */
function levelsOf({ plateau }: StudyPage, figure: number) {
  if (figure !== 0 || plateau === null) return [];
  const { medianOfNeighbours, worstTenth } = plateau;
  return [
    ...(medianOfNeighbours === null ? [] : [{ at: medianOfNeighbours, text: studyText('level.median') }]),
    { at: worstTenth, text: studyText('level.worst') },
  ];
}

interface ParetoProps {
  readonly view: StudyView;
  /** Places of two objectives among the figures. */
  readonly across: number;
  readonly up: number;
  readonly width: number;
}

/** Trials by two objectives, with those that no other one is better than. */
export function Pareto({ view, across, up, width }: ParetoProps) {
  const { points, figures } = view.study;
  const [x, y] = [figures[across], figures[up]];
  if (x === undefined || y === undefined) return null;
  const shown = points.filter(({ state }) => state !== 2);
  const valuesOf = (figure: number) => shown.map((trial) => trial.figures[figure]);
  const objectives = figures.filter(({ direction }) => direction !== null).length;
  return (
    <DotPicture
      title={studyText('chart.by', { figure: y.title, other: x.title })}
      width={width}
      height={PARETO_HEIGHT}
      x={{ ...figureAxis(x, valuesOf(across)), title: objectiveTitle(x) }}
      y={figureAxis(y, valuesOf(up))}
      note={objectiveTitle(y)}
      dots={trialDots(view, shown, {
        x: (trial) => trial.figures[across] ?? null,
        y: (trial) => trial.figures[up] ?? null,
        isByFront: true,
      })}
      line={objectives === 2 ? stairs(shown, across, up) : []}
      onChoose={view.choose}
    />
  );
}

const objectiveTitle = ({ title, direction }: Figure): string =>
  studyText(direction === 'minimize' ? 'pareto.less' : 'pareto.more', { name: title });

/** The front as steps: between two of its trials nothing better is known than the worse of each objective. */
function stairs(points: readonly TrialPoint[], across: number, up: number) {
  const front = points
    .filter(({ isFront }) => isFront)
    .map(({ figures }) => ({ x: figures[across] ?? 0, y: figures[up] ?? 0 }))
    .toSorted((left, right) => left.x - right.x || left.y - right.y);
  return front.flatMap((point, index) => {
    const next = front[index + 1];
    return next === undefined ? [point] : [point, { x: next.x, y: point.y }];
  });
}

interface DotPlaces {
  readonly x: (trial: TrialPoint) => number | null;
  /** Without a height those that failed are drawn alone. */
  readonly y: (trial: TrialPoint) => number | null;
  /** The front stands out, and not the neighbours of the best one. */
  readonly isByFront?: boolean;
}

function trialDots(
  { study, chosen }: StudyView,
  trials: readonly TrialPoint[],
  { x, y, isByFront = false }: DotPlaces,
): readonly Dot[] {
  return trials.flatMap((trial) => {
    const [across, height] = [x(trial), y(trial)];
    const hasFailed = height === null || trial.state === 2;
    if (across === null || (height === null && trial.state !== 2)) return [];
    const kind = trial.number === chosen ? 'chosen' : kindOf(trial, isByFront);
    return {
      x: across,
      y: height ?? 0,
      kind: hasFailed ? 'failed' : kind,
      key: trial.number,
      lines: () => trialLines(study, trial),
    };
  });
}

function kindOf({ isBest, isFront, isNear, state }: TrialPoint, isByFront: boolean): DotKind {
  if (isBest) return 'best';
  if (isByFront ? isFront : isNear) return isByFront ? 'front' : 'near';
  return state === 1 ? 'broken' : 'other';
}
