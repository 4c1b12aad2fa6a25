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
import { distinctTexts } from '../language/format-number.ts';
import { colour } from './theme.ts';

/** Parts that all price charts share: those of the bot's page and those of a report. */

/** Maximum number of panes for plots: more would leave no room for the bars. */
export const MOST_PANES = 8;

/** Smallest price step of an axis, which suits numbers of any size. */
const MIN_MOVE = 1e-9;

/** Options of a series whose last value has no line and no label on the axis. */
export const UNMARKED = { lastValueVisible: false, priceLineVisible: false } as const;

/** Returns a format of prices. `format` gets a number of digits to add, so that labels differ. */
export const shownBy = (format: (value: number, digitsMore?: number) => string, minMove = MIN_MOVE) =>
  ({
    type: 'custom',
    minMove,
    formatter: (value: number) => format(value),
    tickmarksFormatter: (values: readonly number[]) => distinctTexts(values, format),
  }) as const;

/** Adds the traded volume at the bottom of the first pane. */
export function addVolume(
  chart: IChartApiBase,
  options: HistogramSeriesPartialOptions = {},
): ISeriesApi<'Histogram'> {
  const volume = chart.addSeries(HistogramSeries, { ...UNMARKED, ...options, priceScaleId: 'volume' }, 0);
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
  return volume;
}

/** Writes the title of a pane, and returns a function that repaints it in the colour of the theme. */
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

/** Returns the arrow of a mark: up for buys, down for sells. */
export const arrowOf = (isBuy: boolean): SeriesMarker<Time>['shape'] => (isBuy ? 'arrowUp' : 'arrowDown');
