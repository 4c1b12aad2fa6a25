import type {
  IChartApiBase,
  IPrimitivePaneView,
  ISeriesApi,
  Logical,
  SeriesType,
  UTCTimestamp,
} from 'lightweight-charts';

/** Periods as bands behind the bars of a price chart: those of the bot's page and those of a report. */

/** Moment within a bar, with the share of the bar before it. */
export interface BarMoment {
  readonly time: UTCTimestamp;
  readonly part: number;
  readonly isAfterAll: boolean;
}

/** Period on the time scale of a chart. */
interface Band {
  readonly from: BarMoment;
  readonly until: BarMoment;
}

/** Minimum width of a band, in pixels. */
const LEAST_WIDTH = 1;

/** Canvas in device pixels, with the number of them in one page pixel. */
export interface Canvas {
  readonly context: CanvasRenderingContext2D;
  readonly across: number;
  readonly down: number;
  readonly height: number;
}

/** Draws in the pane of a series after every change of the chart; returns a function that redraws it. */
export function attach(
  series: ISeriesApi<SeriesType>,
  zOrder: 'bottom' | 'top',
  draw: (canvas: Canvas) => void,
): () => void {
  let update: (() => void) | null = null;
  const view: IPrimitivePaneView = {
    zOrder: () => zOrder,
    renderer: () => ({
      draw: (target) =>
        target.useBitmapCoordinateSpace(
          ({ context, horizontalPixelRatio: across, verticalPixelRatio: down, bitmapSize }) =>
            draw({ context, across, down, height: bitmapSize.height }),
        ),
    }),
  };
  series.attachPrimitive({
    attached: ({ requestUpdate }) => {
      update = requestUpdate;
    },
    paneViews: () => [view],
  });
  return () => update?.();
}

/** Returns the middle of a bar, by its index on the time scale. */
export const middleOf = (chart: IChartApiBase, index: number): number =>
  chart.timeScale().logicalToCoordinate(index as Logical) ?? 0;

/** Returns the ranges of bands on the canvas. Touching bands are merged, so that nothing is shaded twice. */
export function mergedRanges(
  chart: IChartApiBase,
  bands: readonly Band[],
  across: number,
): readonly (readonly [left: number, width: number])[] {
  const found: [left: number, width: number][] = [];
  for (const { from, until } of bands) {
    const left = placeOf(chart, from) * across;
    const right = Math.max(left + LEAST_WIDTH * across, placeOf(chart, until) * across);
    const last = found.at(-1);
    if (last !== undefined && left <= last[0] + last[1]) last[1] = Math.max(last[1], right - last[0]);
    else found.push([left, right - left]);
  }
  return found;
}

/** Returns the horizontal position of a moment: within its bar, at the next bar's edge, or after the last. */
function placeOf(chart: IChartApiBase, { time, part, isAfterAll }: BarMoment): number {
  const scale = chart.timeScale();
  const exact = scale.timeToIndex(time, false);
  const index = exact ?? scale.timeToIndex(time, true) ?? 0;
  const beside = exact === null ? (isAfterAll ? 0.5 : -0.5) : part - 0.5;
  return middleOf(chart, index) + beside * (middleOf(chart, 1) - middleOf(chart, 0));
}
