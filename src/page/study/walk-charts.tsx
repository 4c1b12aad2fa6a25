import { foreignText, shownTime, unitAfter } from '../report-words.ts';
import type { WalkData } from '../study-data.ts';
import {
  extentOf,
  figureAxis,
  type PictureAxis,
  Axes,
  DotPicture,
  frameOf,
  linePath,
  Picture,
} from './picture.tsx';
import { figureText, allDigits, studyText, shortNumber } from './study-page.ts';

const DAY_MS = 86_400_000;
const EQUITY_HEIGHT = 340;
const SCATTER_HEIGHT = 420;
const MOST_SCATTER_WIDTH = 640;
const MOST_TIMES = 7;
/** Minimum width of a window for its number to fit, in pixels. */
const LEAST_NUMBER_WIDTH = 16;

interface EquityProps {
  readonly walk: WalkData;
  readonly width: number;
}

/** Draws the account of a walk-forward with its windows. */
export function Equity({ walk, width }: EquityProps) {
  const { day, equity, windows, initialEquity, quote } = walk;
  const first = Math.min(day[0] ?? 0, ...windows.map(({ fromMs }) => fromMs / DAY_MS));
  const last = Math.max(day.at(-1) ?? 1, ...windows.map(({ toMs }) => toMs / DAY_MS));
  const x: PictureAxis = {
    title: studyText('walk.days'),
    place: (at) => (at - first) / (last - first || 1),
    ticks: dayTicks(first, last, Math.max(2, Math.min(MOST_TIMES, Math.floor(width / 120)))),
  };
  const y = figureAxis({ title: `${studyText('walk.equity')}${unitAfter(quote)}`, kind: 'number' }, [
    initialEquity,
    ...equity,
  ]);
  const frame = frameOf({ width, height: EQUITY_HEIGHT, x, y });
  const { leftOf, topOf, shareAt, floor, ceiling, left, right } = frame;
  const placed = windows.map(({ number, fromMs, toMs }) => {
    const from = leftOf(fromMs / DAY_MS);
    return { number, from, width: leftOf(toMs / DAY_MS) - from };
  });
  const points = day.map((at, index) => ({ left: leftOf(at), top: topOf(equity[index] ?? initialEquity) }));
  return (
    <Picture
      title={studyText('walk.label')}
      width={width}
      height={EQUITY_HEIGHT}
      linesAt={(spot) => equityLines(walk, first + shareAt(spot.left) * (last - first))}
    >
      {placed.map((window) => (
        <rect
          class={`window ${window.number % 2 === 1 ? 'is-odd' : ''}`}
          data-window={window.number}
          x={window.from}
          y={ceiling}
          width={Math.max(1, window.width)}
          height={floor - ceiling}
        />
      ))}
      <Axes frame={frame} />
      <line class="level" x1={left} x2={right} y1={topOf(initialEquity)} y2={topOf(initialEquity)} />
      <path class="equity-line" data-count={points.length} d={linePath(points)} />
      {placed.map((window) =>
        window.width <= LEAST_NUMBER_WIDTH ? null : (
          <text class="rail-text" x={window.from + window.width / 2} y={ceiling + 12} text-anchor="middle">
            {allDigits(window.number)}
          </text>
        ),
      )}
    </Picture>
  );
}

/** Returns the lines of text for a day: its equity, and the window that traded. */
function equityLines(
  { day, equity, windows, initialEquity, quote }: WalkData,
  at: number,
): readonly string[] {
  const next = day.findIndex((one) => one > at);
  const index = next === -1 ? day.length - 1 : Math.max(0, next - 1);
  const [on, money] = [day[index], equity[index]];
  if (money === undefined || on === undefined) return [];
  const window = windows.find(({ fromMs, toMs }) => fromMs <= at * DAY_MS && at * DAY_MS < toMs);
  return [
    dayText(on),
    studyText('walk.money', {
      money: `${shortNumber(money)}${unitAfter(quote)}`,
      change: figureText(money / initialEquity - 1, 'fraction'),
    }),
    window === undefined
      ? studyText('walk.between')
      : studyText('walk.during', { number: allDigits(window.number), params: window.params }),
  ];
}

/** Draws the result of each window's choice, in its train window and in its test window. */
export function InAgainstOut({ walk, figure, width }: EquityProps & { readonly figure: number }) {
  const shown = walk.figures[figure];
  if (shown === undefined) return null;
  const { title: name, kind, inSample, outOfSample } = shown;
  const windows = walk.windows.flatMap((window, index) => {
    const [x, y] = [inSample[index] ?? null, outOfSample[index] ?? null];
    return x === null || y === null ? [] : [{ ...window, x, y }];
  });
  const all = windows.flatMap(({ x, y }) => [x, y]);
  const axis = figureAxis({ title: name, kind }, all);
  const { low, high } = extentOf(all);
  return (
    <DotPicture
      title={studyText('walk.byOther', { name })}
      width={Math.min(width, MOST_SCATTER_WIDTH)}
      height={SCATTER_HEIGHT}
      x={{ ...axis, title: studyText('walk.inSample', { name }) }}
      y={axis}
      note={studyText('walk.outOfSample', { name })}
      line={all.length === 0 ? [] : [low, high].map((at) => ({ x: at, y: at }))}
      dots={windows.map(({ x, y, number, params }) => ({
        x,
        y,
        kind: 'near',
        key: number,
        lines: () => [
          studyText('walk.window', { number: allDigits(number) }),
          studyText('walk.inSampleIs', { name, value: figureText(x, kind) }),
          studyText('walk.outOfSampleIs', { name, value: figureText(y, kind) }),
          foreignText(params),
        ],
      }))}
      labels={windows.map(({ x, y, number }) => ({ x, y, text: allDigits(number) }))}
    />
  );
}

/** Formats a day at noon UTC, which is on the same day in Tehran. */
const dayText = (day: number): string => shownTime((Math.floor(day) + 0.5) * DAY_MS, 'day');

function dayTicks(first: number, last: number, count: number): PictureAxis['ticks'] {
  const days = Array.from({ length: count }, (_, index) =>
    Math.round(first + ((last - first) * (index + 0.5)) / count),
  );
  return [...new Set(days)].map((at) => ({ at, text: dayText(at) }));
}
