import { pictureText } from '../report-words.ts';
import { figureAxis, rangeAxis } from './axis.ts';
import { linePath, nearest, Picture, type Spot } from './picture.tsx';
import { isLessBetter, studyText, trialLines, type StudyView, type TrialPoint } from './study-page.ts';

const PARALLEL_HEIGHT = 380;
const SIDES = { left: 46, right: 62, top: 34, bottom: 14 };
/** Width of a param: a narrower one could not be read, and the picture scrolls instead. */
const LEAST_STEP = 92;
/** Lines above this share of all by the figure stand out. */
const FOREMOST = 0.1;

/** Every trial as a line over all params, to its figure at the right. */
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

/** The best tenth by a figure. */
function foremostOf(trials: readonly TrialPoint[], figure: number, isLess: boolean): ReadonlySet<TrialPoint> {
  const sign = isLess ? 1 : -1;
  const sorted = trials.toSorted(
    (left, right) => sign * ((left.figures[figure] ?? 0) - (right.figures[figure] ?? 0)),
  );
  return new Set(sorted.slice(0, Math.ceil(sorted.length * FOREMOST)));
}
