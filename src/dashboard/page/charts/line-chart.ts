import Plot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { calendarTicks, tickKind, tickLabel } from '../../../language/calendar-ticks.ts';
import { formatTime } from '../../../language/format-time.ts';
import type { Locale } from '../../../language/locale.ts';
import { chartColours } from '../../../page/theme.ts';
import { chartNumber, shortChartNumbers } from './chart-number.ts';

/** Lines over time that share one unit. */
export interface LineChartData {
  readonly series: readonly { readonly points: readonly (readonly [number, number | null])[] }[];
  readonly names: readonly string[];
  readonly currency: string;
  readonly label: string;
  /** True for values that hold until the next point; null is none. */
  readonly isStepped?: boolean;
}

const TICK_PX = 62;
const HEIGHT_PX = 170;
/** Minimum width of the value axis, and space beside its longest value, in pixels. */
const AXIS_PX = 64;
const BESIDE_VALUE_PX = 20;

/** Chart of lines over time, left to right, with ticks at days and months of the reader's calendar. */
export class LineChart {
  readonly #plot: Plot;
  readonly #watch: ResizeObserver;
  readonly #series: string;

  constructor(room: HTMLElement, data: LineChartData, locale: Locale) {
    const colours = chartColours();
    const { names, currency, isStepped = false } = data;
    const stepped = isStepped ? Plot.paths.stepped?.({ align: 1 }) : undefined;
    const grid = { stroke: colours.line, width: 1 };
    const font = `11px ${colours.font}`;
    this.#series = names.join();
    this.#plot = new Plot(
      {
        width: Math.max(1, room.clientWidth),
        height: HEIGHT_PX,
        ms: 1,
        padding: [8, 8, 0, 0],
        cursor: { y: false, drag: { x: true, y: false } },
        legend: { live: true, isolate: false },
        scales: { x: { time: true } },
        axes: [
          {
            stroke: colours.text,
            grid,
            ticks: grid,
            font,
            splits: (plot, _axis, fromMs, toMs) => [
              ...calendarTicks(
                { fromMs, toMs, most: Math.max(2, Math.floor(plot.bbox.width / devicePixelRatio / TICK_PX)) },
                locale.calendar,
              ),
            ],
            values: (_plot, ticks) =>
              ticks.map((atMs) => tickLabel(atMs, tickKind(atMs, locale.calendar), locale)),
          },
          {
            side: 1,
            size: (plot, values) => axisWidth(plot.ctx, font, values),
            stroke: colours.text,
            grid,
            ticks: grid,
            font,
            values: (_plot, ticks) => shortChartNumbers(ticks, currency, locale),
          },
        ],
        series: [
          {
            label: data.label,
            value: (plot, atMs: number | null) => formatTime(atMs ?? lastOf(plot, 0), locale),
          },
          ...names.map((label, index) => ({
            label,
            stroke: colours.series[index % colours.series.length] ?? '',
            width: 1.5,
            points: { show: false },
            spanGaps: !isStepped,
            ...(stepped === undefined ? {} : { paths: stepped }),
            value: (plot: Plot, value: number | null) => {
              const shown = value ?? lastOf(plot, index + 1, isStepped);
              return shown === null ? '–' : chartNumber(shown, currency, locale);
            },
          })),
        ],
      },
      columnsOf(data.series),
      room,
    );
    this.#watch = new ResizeObserver(() => {
      this.#plot.setSize({ width: Math.max(1, room.clientWidth), height: HEIGHT_PX });
    });
    this.#watch.observe(room);
  }

  /** Shows newer points of the same lines; returns false if the lines differ, which needs a new chart. */
  show(data: LineChartData): boolean {
    if (data.names.join() !== this.#series) return false;
    this.#plot.setData(columnsOf(data.series));
    return true;
  }

  remove(): void {
    this.#watch.disconnect();
    this.#plot.destroy();
  }
}

/**
 * Returns the newest value of a line up to where somebody points, which may be between two of its points. A
 * stepped line has a value there, or none.
 */
function lastOf({ data, cursor }: Plot, line: number, isStepped = false): number | null {
  const until = typeof cursor.idx === 'number' ? cursor.idx + 1 : undefined;
  const values = [...(data[line] ?? [])].slice(0, until);
  if (isStepped) return values.at(-1) ?? null;
  return values.findLast((value) => value !== null && value !== undefined) ?? null;
}

/** Returns the width of the value axis. Persian values contain words, which may exceed the minimum. */
function axisWidth(
  context: CanvasRenderingContext2D,
  font: string,
  values: readonly string[] | null,
): number {
  context.save();
  context.font = font;
  const widths = (values ?? []).map((value) => context.measureText(value).width);
  context.restore();
  return Math.max(AXIS_PX, Math.ceil(Math.max(0, ...widths)) + BESIDE_VALUE_PX);
}

/** Returns the points of all lines by time, with gaps where a line has none. */
function columnsOf(series: LineChartData['series']): Plot.AlignedData {
  const times = [...new Set(series.flatMap(({ points }) => points.map(([atMs]) => atMs)))].toSorted(
    (left, right) => left - right,
  );
  const columns = series.map(({ points }) => {
    const values = new Map(points);
    return times.map((atMs) => values.get(atMs) ?? null);
  });
  return [times, ...columns];
}
