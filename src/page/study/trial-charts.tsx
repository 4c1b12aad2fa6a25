import type { ReportParameter } from '../study-data.ts';
import {
  figureAxis,
  rangeAxis,
  extentOf,
  DotPicture,
  type Dot,
  type DotKind,
  Picture,
  letterCount,
  linePath,
  nearest,
  type Spot,
} from './picture.tsx';
import {
  studyText,
  trialLines,
  type Figure,
  type StudyPage,
  type StudyView,
  type TrialPoint,
  figureText,
  isLessBetter,
} from './study-page.ts';
import { foreignText, pictureText } from '../report-words.ts';

/** Charts of trials as dots: each param against a metric, and two objectives against each other. */

const SLICE_HEIGHT = 240;
const LEAST_SLICE_WIDTH = 320;
const GAP = 16;
const PARETO_HEIGHT = 420;
/** Maximum shift of a dot to either side of a choice's middle, as a share of its width. */
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

/** Returns positions of trials: those with the same choice stand side by side, so that none hides another. */
function spreadOut(
  { isChoice }: ReportParameter,
  { number }: TrialPoint,
  value: number | null,
): number | null {
  // Multiples of the golden ratio, modulo 1, fill the space evenly for any number of trials.
  return !isChoice || value === null ? value : value + SPREAD * (2 * ((number * 0.618_034) % 1) - 1);
}

/** Returns the levels by which the plateau is judged, if the metric is the first objective. */
function levelsOf({ plateau }: StudyPage, figure: number) {
  if (figure !== 0 || plateau === null) return [];
  const { medianOfNeighbours, worstTenth } = plateau;
  return [
    ...(medianOfNeighbours === null ? [] : [{ at: medianOfNeighbours, text: studyText('level.median') }]),
    { at: worstTenth, text: studyText('level.worst') },
  ];
}

interface PlaneProps {
  readonly view: StudyView;
  /** Index of the metric or param on the horizontal axis; `up` is that of the vertical one. */
  readonly across: number;
  readonly up: number;
  readonly width: number;
}

/** Draws trials by two objectives, with the Pareto front. */
export function Pareto({ view, across, up, width }: PlaneProps) {
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

/** Returns the front as a stepped line: between two trials, only the worse of each objective is known. */
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
  /** Returns the height of a trial; one without a height is drawn only if it failed, at the bottom. */
  readonly y: (trial: TrialPoint) => number | null;
  /** True to highlight the front; otherwise the best trial's neighbours are highlighted. */
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

const EDGES = { left: 84, right: 14, top: 8, bottom: 46 };
const MOST_WIDTH = 860;
const CELL_HEIGHT = 34;
/** Minimum width of a cell for its number to fit, in pixels. */
const TEXT_WIDTH = 46;

/** Draws a metric by two params, as the median of the trials in each cell. */
export function HeatMap({ view, across, up, width: room }: PlaneProps) {
  const { study, figure } = view;
  const [x, y, shown] = [study.parameters[across], study.parameters[up], study.figures[figure]];
  if (x === undefined || y === undefined || shown === undefined) return null;
  const [columns, rows] = [x.cells.map(foreignText), y.cells.map(foreignText)];
  const cells = heatCells(study, { across, up, figure });
  const width = Math.min(room, MOST_WIDTH);
  const cellWidth = (width - EDGES.left - EDGES.right) / columns.length;
  const floor = EDGES.top + rows.length * CELL_HEIGHT;
  const { low, high } = extentOf(cells.map(({ median }) => median));
  const opacityOf = (median: number): string => {
    const share = high === low ? 1 : (median - low) / (high - low);
    return (0.06 + 0.6 * (isLessBetter(shown) ? 1 - share : share)).toFixed(3);
  };
  const every = Math.max(1, Math.ceil((Math.max(...columns.map(letterCount)) * 6.4) / cellWidth));
  return (
    <Picture
      name="heat-map"
      title={studyText('heat.label', { figure: shown.title, across: x.name, up: y.name })}
      width={width}
      height={floor + EDGES.bottom}
      linesAt={({ left, top }) => {
        const column = Math.floor((left - EDGES.left) / cellWidth);
        const row = Math.floor((floor - top) / CELL_HEIGHT);
        const cell = cells.find((one) => one.column === column && one.row === row);
        if (cell === undefined) return [];
        return [
          studyText('line.figure', { name: x.name, value: columns[column] ?? '' }),
          studyText('line.figure', { name: y.name, value: rows[row] ?? '' }),
          studyText('heat.median', { figure: shown.title, value: figureText(cell.median, shown.kind) }),
          studyText(cell.trials === 1 ? 'heat.trial' : 'heat.trials', { count: cell.trials }),
        ];
      }}
    >
      {cells.map(({ column, row, median }) => {
        const [left, top] = [EDGES.left + column * cellWidth, floor - (row + 1) * CELL_HEIGHT];
        return (
          <>
            <rect
              class="cell"
              x={left + 1}
              y={top + 1}
              width={Math.max(1, cellWidth - 2)}
              height={CELL_HEIGHT - 2}
              rx={3}
              fill-opacity={opacityOf(median)}
            />
            {cellWidth >= TEXT_WIDTH && (
              <text class="cell-text" x={left + cellWidth / 2} y={top + 21} text-anchor="middle">
                {figureText(median, shown.kind)}
              </text>
            )}
          </>
        );
      })}
      {columns.map((text, index) =>
        index % every !== 0 ? null : (
          <text x={EDGES.left + (index + 0.5) * cellWidth} y={floor + 16} text-anchor="middle">
            {text}
          </text>
        ),
      )}
      {rows.map((text, index) => (
        <text x={EDGES.left - 6} y={floor - (index + 0.5) * CELL_HEIGHT + 4} text-anchor="end">
          {text}
        </text>
      ))}
      <text class="axis-title" x={(EDGES.left + width - EDGES.right) / 2} y={floor + 38} text-anchor="middle">
        {pictureText(studyText('heat.axes', { across: x.name, up: y.name }))}
      </text>
    </Picture>
  );
}

interface HeatCell {
  readonly column: number;
  readonly row: number;
  readonly trials: number;
  readonly median: number;
}

/**
 * Returns the cells, from trials that have values and hold every constraint. Trials that are shown because
 * they are among the best are left out: medians would be too good.
 */
function heatCells(
  { points, parameters }: StudyPage,
  { across, up, figure }: { readonly across: number; readonly up: number; readonly figure: number },
): readonly HeatCell[] {
  const found = new Map<
    string,
    { readonly column: number; readonly row: number; readonly values: number[] }
  >();
  for (const { values, figures, state, isDrawn } of points) {
    const value = figures[figure] ?? null;
    const column = cellOf(parameters[across], values[across] ?? null);
    const row = cellOf(parameters[up], values[up] ?? null);
    if (!isDrawn || state !== 0 || value === null || column === null || row === null) continue;
    const key = `${column} ${row}`;
    const cell = found.get(key) ?? { column, row, values: [] };
    cell.values.push(value);
    found.set(key, cell);
  }
  return [...found.values()].map(({ column, row, values }) => ({
    column,
    row,
    trials: values.length,
    median: medianOf(values),
  }));
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

function cellOf(parameter: ReportParameter | undefined, value: number | null): number | null {
  if (parameter === undefined || value === null || parameter.isChoice) return value;
  const { edges } = parameter;
  // The highest value is in the last cell, and not after it.
  const after = edges.findIndex((edge, index) => index > 0 && value < edge);
  return after === -1 ? edges.length - 2 : after - 1;
}

const PARALLEL_HEIGHT = 380;
const SIDES = { left: 46, right: 62, top: 34, bottom: 14 };
/** Minimum width of a param in pixels: the picture scrolls if there is less room. */
const LEAST_STEP = 92;
/** Share of the best trials by the metric, whose lines are highlighted. */
const FOREMOST = 0.1;

/** Draws every trial as a line over all params to its metric at the right. */
export function Parallel({ view, width: room }: { readonly view: StudyView; readonly width: number }) {
  const { study, figure, chosen } = view;
  const shown = study.figures[figure];
  if (shown === undefined) return null;
  const complete = study.points.filter(
    ({ state, figures }) => state !== 2 && (figures[figure] ?? null) !== null,
  );
  const ofFigure = figureAxis(
    shown,
    complete.map(({ figures }) => figures[figure]),
  );
  const axes = [...study.parameters.map(rangeAxis), ofFigure];
  const width = Math.max(room, SIDES.left + SIDES.right + (axes.length - 1) * LEAST_STEP);
  const step = (width - SIDES.left - SIDES.right) / Math.max(1, axes.length - 1);
  const [ceiling, floor] = [SIDES.top, PARALLEL_HEIGHT - SIDES.bottom];
  const leftOf = (index: number): number => SIDES.left + index * step;
  const topOf = (part: number): number => floor - part * (floor - ceiling);
  const lines = complete.map((trial) => ({
    trial,
    points: [...trial.values, trial.figures[figure] ?? null].flatMap((value, index) =>
      value === null ? [] : [{ left: leftOf(index), top: topOf(axes[index]?.place(value) ?? 0) }],
    ),
  }));
  const foremost = foremostOf(complete, figure, isLessBetter(shown));
  const groups = [
    { name: 'line-other', own: lines.filter(({ trial }) => !foremost.has(trial)) },
    { name: 'line-foremost', own: lines.filter(({ trial }) => foremost.has(trial)) },
    { name: 'line-best', own: lines.filter(({ trial }) => trial.isBest) },
    { name: 'line-chosen', own: lines.filter(({ trial }) => trial.number === chosen) },
  ];
  const places = lines.flatMap(({ trial, points }) => points.map((point) => ({ ...point, trial })));
  const trialAt = (spot: Spot): TrialPoint | null => nearest(places, spot)?.trial ?? null;
  return (
    <Picture
      title={studyText('parallel.label', { figure: shown.title })}
      width={width}
      height={PARALLEL_HEIGHT}
      linesAt={(spot) => {
        const trial = trialAt(spot);
        return trial === null ? [] : trialLines(study, trial);
      }}
      onChoose={(spot) => {
        const trial = trialAt(spot);
        if (trial !== null) view.choose(trial.number);
      }}
    >
      {groups.map(({ name, own }) =>
        own.length === 0 ? null : (
          <path
            class={`line ${name}`}
            data-count={own.length}
            d={own.map(({ points }) => linePath(points)).join('')}
          />
        ),
      )}
      {axes.map(({ title, ticks, place }, index) => {
        const left = leftOf(index);
        const isLast = index === axes.length - 1;
        return (
          <>
            <line class="rail" x1={left} x2={left} y1={ceiling} y2={floor} />
            <text class="axis-title" x={left} y={index % 2 === 0 ? 13 : 26} text-anchor="middle">
              {pictureText(title)}
            </text>
            {ticks.map(({ at, text }) => (
              <text
                class="rail-text"
                x={isLast ? left + 6 : left - 5}
                y={topOf(place(at)) + 4}
                text-anchor={isLast ? 'start' : 'end'}
              >
                {text}
              </text>
            ))}
          </>
        );
      })}
    </Picture>
  );
}

/** Returns the best tenth of the trials by a metric. */
function foremostOf(trials: readonly TrialPoint[], figure: number, isLess: boolean): ReadonlySet<TrialPoint> {
  const sign = isLess ? 1 : -1;
  const sorted = trials.toSorted(
    (left, right) => sign * ((left.figures[figure] ?? 0) - (right.figures[figure] ?? 0)),
  );
  return new Set(sorted.slice(0, Math.ceil(sorted.length * FOREMOST)));
}
