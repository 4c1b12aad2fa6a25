import {
  CandlestickSeries,
  createChartEx,
  createSeriesMarkers,
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
import { formatPlain } from '../../../language/format-number.ts';
import { formatTime } from '../../../language/format-time.ts';
import type { Locale } from '../../../language/locale.ts';
import {
  addVolume,
  arrowOf,
  MOST_PANES,
  shownBy,
  UNMARKED,
  writePaneTitle,
} from '../../../page/price-chart.ts';
import type { MarksReply, ChartCandlesReply, PlotsReply } from '../../schema/market.ts';
import { chartColours } from '../../../page/theme.ts';
import { levelsOf } from './candle-marks.ts';
import { priceFormatOf, timesNumber } from './chart-number.ts';
import { tehranScale } from './tehran-scale.ts';

export interface CandleChartData {
  readonly candles: ChartCandlesReply;
  readonly marks: MarksReply | null;
  readonly plots: PlotsReply | null;
  readonly quote: string;
  readonly words: {
    readonly buy: string;
    readonly sell: string;
    readonly stop: string;
    readonly takeProfit: string;
  };
}

type CandleSeries = ISeriesApi<'Candlestick'>;

/** Height of the candles' pane; each pane of plots has height 1. */
const CANDLES_HEIGHT = 4;

const KINDS: Readonly<Record<TickMarkType, TickKind>> = {
  [TickMarkType.Year]: 'year',
  [TickMarkType.Month]: 'month',
  [TickMarkType.DayOfMonth]: 'day',
  [TickMarkType.Time]: 'minute',
  [TickMarkType.TimeWithSeconds]: 'minute',
};

const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1_000) as UTCTimestamp;

/** Returns the options of the time scale. Their type lacks the formatter, which they do have. */
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

/** Chart of a market's candles with our orders, fills and brackets, and with series of strategies. */
export class CandleChart {
  readonly #room: HTMLElement;
  readonly #locale: Locale;
  readonly chart: IChartApiBase;
  readonly candles: CandleSeries;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #markers: ISeriesMarkersPluginApi<Time>;
  readonly #lines = new Map<string, ISeriesApi<'Line'>>();
  /** Titles of the panes below the candles, from the top. */
  readonly #panes: string[] = [];
  #levels: ReturnType<CandleSeries['createPriceLine']>[] = [];
  #shown = '';

  constructor(room: HTMLElement, locale: Locale, quote: string) {
    this.#room = room;
    this.#locale = locale;
    const colours = chartColours();
    this.chart = createChartEx<Time, ReturnType<typeof tehranScale>>(room, tehranScale(locale.calendar), {
      autoSize: true,
      layout: {
        // The library's logo adds an inline style, which the page forbids; the view has the link as text.
        attributionLogo: false,
        background: { color: 'transparent' },
        textColor: colours.text,
        fontFamily: colours.font,
        fontSize: 11,
      },
      grid: { vertLines: { color: colours.line }, horzLines: { color: colours.line } },
      rightPriceScale: { borderColor: colours.line },
      timeScale: timeScaleOptions(locale, colours.line),
      localization: { timeFormatter: (time: Time) => formatTime(Number(time) * 1_000, locale) },
    });
    this.candles = this.chart.addSeries(CandlestickSeries, {
      upColor: colours.up,
      downColor: colours.down,
      wickUpColor: colours.up,
      wickDownColor: colours.down,
      borderVisible: false,
      // Format for this series only: the panes below show no prices, and no unit of money.
      priceFormat: shownBy(priceFormatOf(room.clientWidth, quote, locale)),
    });
    this.#volume = addVolume(this.chart, { color: colours.line });
    this.#markers = createSeriesMarkers(this.candles, []);
  }

  show({ candles, marks, plots, words }: CandleChartData): void {
    const colours = chartColours();
    this.candles.setData(
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
      (marks?.fills ?? [])
        .filter(({ openTimeMs }) => openTimeMs >= (times[0] ?? Infinity))
        .map(({ openTimeMs, side, count }) => {
          const isBuy = side === 'buy';
          return {
            time: seconds(openTimeMs),
            position: isBuy ? ('belowBar' as const) : ('aboveBar' as const),
            shape: arrowOf(isBuy),
            color: isBuy ? colours.up : colours.down,
            ...(count > 1 ? { text: timesNumber(count, this.#locale) } : {}),
          };
        })
        .toReversed(),
    );
    for (const level of this.#levels) this.candles.removePriceLine(level);
    this.#levels = levelsOf(marks, words).map(({ price, title, tone }) =>
      this.candles.createPriceLine({
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
      this.chart
        .timeScale()
        .setVisibleLogicalRange({ from: Math.max(-1, times.length - 140), to: times.length + 4 });
    }
  }

  #showPlots(plots: PlotsReply | null, colours: readonly string[]): void {
    for (const [index, { name, plot, pane, points }] of (plots?.series ?? []).entries()) {
      const place = this.#paneOf(pane);
      if (place === null) continue;
      let line = this.#lines.get(name);
      if (line === undefined) {
        line = this.chart.addSeries(
          LineSeries,
          { ...UNMARKED, color: colours[index % colours.length] ?? '', lineWidth: 1, title: plot },
          place,
        );
        this.#lines.set(name, line);
        if (pane !== null) this.#beginPane(line, pane);
      }
      const values = new Map(points.map(([atMs, value]) => [seconds(atMs), value]));
      line.setData([...values].map(([time, value]) => ({ time, value })));
    }
  }

  /** Returns the index of the pane with a title, and adds one if needed; null if there are too many. */
  #paneOf(title: string | null): number | null {
    if (title === null) return 0;
    const known = this.#panes.indexOf(title);
    if (known !== -1) return known + 1;
    return this.#panes.length < MOST_PANES ? this.#panes.length + 1 : null;
  }

  #beginPane(line: ISeriesApi<'Line'>, title: string): void {
    line.applyOptions({ priceFormat: shownBy((value) => formatPlain(this.#locale.language, value)) });
    if (this.#panes.includes(title)) return;
    this.#panes.push(title);
    this.#room.style.setProperty('--panes', String(this.#panes.length));
    this.chart.panes()[0]?.setStretchFactor(CANDLES_HEIGHT);
    writePaneTitle(line.getPane(), title, chartColours().font);
  }

  remove(): void {
    this.#room.style.removeProperty('--panes');
    this.chart.remove();
  }
}
