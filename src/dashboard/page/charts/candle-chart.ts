import {
  CandlestickSeries,
  createChartEx,
  createSeriesMarkers,
  HistogramSeries,
  LineSeries,
  LineStyle,
  TickMarkType,
  type DeepPartial,
  type IChartApiBase,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type Time,
  type TimeScaleOptions,
  type UTCTimestamp,
} from 'lightweight-charts';
import { tickLabel, type TickKind } from '../../../language/calendar-ticks.ts';
import { formatTime } from '../../../language/format-time.ts';
import type { Locale } from '../../../language/locale.ts';
import type { MarksReply } from '../../schema/market.ts';
import type { ChartCandlesReply, PlotsReply } from '../../schema/series.ts';
import { chartColours } from './chart-colours.ts';
import { fillMarks, levelsOf } from './candle-marks.ts';
import { chartNumber, timesNumber } from './chart-number.ts';
import { tehranScale } from './tehran-scale.ts';

/** All that the chart of a market shows. */
export interface CandleChartData {
  readonly candles: ChartCandlesReply;
  readonly marks: MarksReply | null;
  readonly plots: PlotsReply | null;
  readonly quote: string;
  readonly words: {
    readonly buy: string;
    readonly sell: string;
    readonly stop: string;
    readonly take: string;
  };
}

type CandleSeries = ISeriesApi<'Candlestick'>;

const KINDS: Readonly<Record<TickMarkType, TickKind>> = {
  [TickMarkType.Year]: 'year',
  [TickMarkType.Month]: 'month',
  [TickMarkType.DayOfMonth]: 'day',
  [TickMarkType.Time]: 'minute',
  [TickMarkType.TimeWithSeconds]: 'minute',
};

const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1_000) as UTCTimestamp;

/** Its type lacks the formatter that a scale of times has. */
function timeScaleOptions(locale: Locale, borderColor: string): DeepPartial<TimeScaleOptions> {
  return {
    borderColor,
    timeVisible: true,
    secondsVisible: false,
    rightOffset: 4,
    tickMarkFormatter: (time: Time, type: TickMarkType) =>
      tickLabel(Number(time) * 1_000, KINDS[type], locale),
  };
}

/** The candles of a market with our orders, fills, brackets and the series of strategies. */
export class CandleChart {
  readonly #locale: Locale;
  readonly #chart: IChartApiBase;
  readonly #candles: CandleSeries;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #markers: ISeriesMarkersPluginApi<Time>;
  readonly #lines = new Map<string, ISeriesApi<'Line'>>();
  #levels: ReturnType<CandleSeries['createPriceLine']>[] = [];
  #shown = '';

  constructor(room: HTMLElement, locale: Locale, quote: string) {
    this.#locale = locale;
    const colours = chartColours();
    const price = (value: number): string => chartNumber(value, quote, locale);
    this.#chart = createChartEx<Time, ReturnType<typeof tehranScale>>(room, tehranScale(locale.calendar), {
      autoSize: true,
      layout: {
        // Its logo brings a style of its own, which the page forbids; the view has the link as text.
        attributionLogo: false,
        background: { color: 'transparent' },
        textColor: colours.text,
        fontFamily: colours.font,
        fontSize: 11,
      },
      grid: { vertLines: { color: colours.line }, horzLines: { color: colours.line } },
      rightPriceScale: { borderColor: colours.line },
      timeScale: timeScaleOptions(locale, colours.line),
      localization: {
        priceFormatter: price,
        timeFormatter: (time: Time) => formatTime(Number(time) * 1_000, locale),
      },
    });
    this.#candles = this.#chart.addSeries(CandlestickSeries, {
      upColor: colours.up,
      downColor: colours.down,
      wickUpColor: colours.up,
      wickDownColor: colours.down,
      borderVisible: false,
    });
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      color: colours.line,
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.85, bottom: 0 } });
    this.#markers = createSeriesMarkers(this.#candles, []);
  }

  show({ candles, marks, plots, words }: CandleChartData): void {
    const colours = chartColours();
    this.#candles.setData(
      candles.candles.map(({ openTimeMs, open, high, low, close }) => ({
        time: seconds(openTimeMs),
        open: Number(open),
        high: Number(high),
        low: Number(low),
        close: Number(close),
      })),
    );
    this.#volume.setData(
      candles.candles.map(({ openTimeMs, volume }) => ({ time: seconds(openTimeMs), value: Number(volume) })),
    );
    const times = candles.candles.map(({ openTimeMs }) => openTimeMs);
    this.#markers.setMarkers(
      fillMarks(marks?.fills ?? [], times).map((mark) => ({
        time: seconds(mark.openTimeMs),
        position: mark.side === 'buy' ? 'belowBar' : 'aboveBar',
        shape: mark.side === 'buy' ? 'arrowUp' : 'arrowDown',
        color: mark.side === 'buy' ? colours.up : colours.down,
        ...(mark.count > 1 ? { text: timesNumber(mark.count, this.#locale) } : {}),
      })),
    );
    for (const level of this.#levels) this.#candles.removePriceLine(level);
    this.#levels = levelsOf(marks, words).map(({ price, title, tone }) =>
      this.#candles.createPriceLine({
        price,
        title,
        color: { buy: colours.up, sell: colours.down, take: colours.accent, stop: colours.down }[tone],
        lineWidth: 1,
        lineStyle: tone === 'buy' || tone === 'sell' ? LineStyle.Solid : LineStyle.Dashed,
        axisLabelVisible: true,
      }),
    );
    this.#showPlots(plots, colours.series);
    const shown = `${candles.market} ${candles.timeframe}`;
    if (shown !== this.#shown && times.length > 0) {
      this.#shown = shown;
      this.#chart
        .timeScale()
        .setVisibleLogicalRange({ from: Math.max(-1, times.length - 140), to: times.length + 4 });
    }
  }

  #showPlots(plots: PlotsReply | null, colours: readonly string[]): void {
    for (const [index, { name, plot, points }] of (plots?.series ?? []).entries()) {
      let line = this.#lines.get(name);
      if (line === undefined) {
        line = this.#chart.addSeries(LineSeries, {
          color: colours[index % colours.length] ?? '',
          lineWidth: 1,
          title: plot,
          lastValueVisible: false,
          priceLineVisible: false,
        });
        this.#lines.set(name, line);
      }
      const values = new Map(points.map(([atMs, value]) => [seconds(atMs), value]));
      line.setData([...values].map(([time, value]) => ({ time, value })));
    }
  }

  remove(): void {
    this.#chart.remove();
  }
}
