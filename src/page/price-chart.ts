import {
  createTextWatermark,
  HistogramSeries,
  type DeepPartial,
  type HistogramSeriesPartialOptions,
  type IChartApiBase,
  type IPaneApi,
  type ISeriesApi,
  type SeriesMarker,
  type TextWatermarkOptions,
  type Time,
} from 'lightweight-charts';
import { colour } from './theme.ts';

/** Parts that every chart of prices has: that of the bot's page, and that of a report. */

/** Maximum number of panes of plots drawn: more would leave no room for the bars. */
export const MOST_PANES = 8;

/** Small enough for the marks of an axis to suit a number of any size. */
const MIN_MOVE = 1e-9;

/** A series whose last value has neither a line nor a place on the axis. */
export const UNMARKED = { lastValueVisible: false, priceLineVisible: false } as const;

export const shownBy = (formatter: (value: number) => string, minMove = MIN_MOVE) =>
  ({ type: 'custom', minMove, formatter }) as const;

/** Adds the traded volume at the bottom of the first pane. */
export function addVolume(
  chart: IChartApiBase,
  options: HistogramSeriesPartialOptions = {},
): ISeriesApi<'Histogram'> {
  const volume = chart.addSeries(HistogramSeries, { ...UNMARKED, ...options, priceScaleId: 'volume' }, 0);
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
  return volume;
}

/** Writes the title of a pane. Returns the function that writes it again in the colour of the theme. */
export function writePaneTitle(pane: IPaneApi<Time>, title: string, fontFamily?: string): () => void {
  const line = { text: ` ${title}`, fontSize: 12, lineHeight: 24, ...(fontFamily && { fontFamily }) };
  const options = (): DeepPartial<TextWatermarkOptions> => ({
    horzAlign: 'left',
    vertAlign: 'top',
    lines: [{ ...line, color: colour('muted') }],
  });
  const text = createTextWatermark(pane, options());
  return () => text.applyOptions(options());
}

/** Arrow of a mark, from below for buys and from above for sells. */
export const arrowOf = (isBuy: boolean): SeriesMarker<Time>['shape'] => (isBuy ? 'arrowUp' : 'arrowDown');
