import type {
  CandlestickData,
  ISeriesApi,
  MouseEventParams,
  SeriesMarker,
  SeriesType,
  SingleValueData,
  Time,
} from 'lightweight-charts';
import { fillMarks } from '../fill-marks.ts';
import { arrowOf, shownBy } from '../price-chart.ts';
import { fixedText, pageText } from '../report-words.ts';
import { colour } from '../theme.ts';
import { createSeries, DrawnPlots, paintSeries, type ChartSeries, type NamedValue } from './chart-series.ts';
import { bandLines, hiddenOverlays, startOverlays, visibleTime, type View } from './overlays.ts';
import type { RunPage, TradeRow } from './run-page.ts';

/** More marks than these in view would hide the bars: they are left out until the reader zooms in. */
const MOST_MARKS = 300;

/** Values under the pointer; null where a series has none. */
export interface Pointed {
  readonly timeMs: number;
  readonly bar: CandlestickData | null;
  readonly volume: number | null;
  readonly equity: number | null;
  readonly hold: number | null;
  readonly drawdown: number | null;
  readonly plots: readonly NamedValue[];
  readonly bands: readonly string[];
  /** True if the pointer is in the left half, so that the bands are named in the right one. */
  readonly isLeft: boolean;
}

/** Functions that show what a chart has to say. */
interface ChartTexts {
  readonly point: (at: Pointed | null, plots: readonly NamedValue[]) => void;
  readonly note: (note: string) => void;
}

/** Price, equity and drawdown over one time scale. */
export class RunChart {
  readonly #data: RunPage;
  readonly #texts: ChartTexts;
  readonly #series: ChartSeries;
  readonly #plots: DrawnPlots;
  readonly #redrawOverlays: () => void;
  #market = 0;
  #chosen: TradeRow | null = null;

  constructor(data: RunPage, place: HTMLElement, texts: ChartTexts) {
    this.#data = data;
    this.#texts = texts;
    this.#series = createSeries(data, place);
    this.#plots = new DrawnPlots(data, this.#series);
    this.#redrawOverlays = startOverlays(data, this.#series, () => this.#market);
    const { chart } = this.#series;
    chart.timeScale().subscribeVisibleTimeRangeChange(() => this.#showMarks());
    chart.subscribeCrosshairMove((event) => texts.point(this.#pointed(event), this.#plots.names()));
    this.showMarket(0);
    this.showAll();
  }

  showMarket(index: number): void {
    this.#market = index;
    const { decimals = 2, bars = [], volume = [] } = this.#data.markets[index] ?? {};
    const { prices, tradeLine } = this.#series;
    prices.applyOptions({
      priceFormat: shownBy((value) => fixedText(value, decimals), 10 ** -decimals),
    });
    prices.setData(bars);
    this.#series.volume.setData(volume);
    tradeLine.setData([]);
    this.#plots.show(index);
    this.#texts.point(null, this.#plots.names());
    this.#showMarks();
  }

  /** Gives everything the colours of the theme. */
  paint(): void {
    paintSeries(this.#series);
    this.#plots.paint();
    this.#paintTradeLine();
    this.#showMarks();
    this.#redrawOverlays();
  }

  #paintTradeLine(): void {
    if (this.#chosen !== null)
      this.#series.tradeLine.applyOptions({ color: colour(this.#chosen.profit >= 0 ? 'good' : 'bad') });
  }

  /** Moves to a trade of the market that is shown. */
  goTo(trade: TradeRow): void {
    this.#chosen = trade;
    const { timeAt, equity } = this.#data;
    const opened = timeAt(trade.openedAtMs);
    const closed = trade.closedAtMs === null ? (equity.at(-1)?.time ?? opened) : timeAt(trade.closedAtMs);
    const ends = [{ time: opened, value: trade.entryPrice }];
    if (closed > opened) ends.push({ time: closed, value: trade.exitPrice });
    this.#series.tradeLine.setData(ends);
    this.#paintTradeLine();
    const scale = this.#series.chart.timeScale();
    const from = scale.timeToIndex(opened, true) ?? 0;
    const to = scale.timeToIndex(closed, true) ?? from;
    const margin = Math.max(20, (to - from) / 2);
    scale.setVisibleLogicalRange({ from: from - margin, to: to + margin });
  }

  showAll(): void {
    this.#series.chart.timeScale().fitContent();
  }

  showHold(isShown: boolean): void {
    this.#series.hold.applyOptions({ visible: isShown });
  }

  showLog(isLog: boolean): void {
    // 1 is logarithmic, and 0 is not: PriceScaleMode of the library.
    for (const each of [this.#series.prices, this.#series.equity])
      each.priceScale().applyOptions({ mode: isLog ? 1 : 0 });
  }

  #showMarks(): void {
    const view = visibleTime(this.#series.chart);
    const { marks, note } = this.#marksIn(view);
    this.#series.marks.setMarkers(marks);
    const notes = [note, ...hiddenOverlays(this.#data, this.#market, view), this.#plots.note];
    this.#texts.note(notes.filter((sentence) => sentence !== '').join(' '));
  }

  /** The fills in view as marks; a note in their place where they are too many to be seen. */
  #marksIn(view: View): { readonly marks: SeriesMarker<Time>[]; readonly note: string } {
    if (view === null) return { marks: [], note: '' };
    const inView = this.#data.fills.filter(
      ({ market, time }) => market === this.#market && time >= view.from && time <= view.to,
    );
    const marks = fillMarks(inView);
    if (marks.length > MOST_MARKS)
      return { marks: [], note: pageText('hiddenFills', { count: inView.length }) };
    return {
      marks: marks.map(({ time, isBuy, price, count }) => ({
        time,
        price,
        position: isBuy ? 'atPriceBottom' : 'atPriceTop',
        shape: arrowOf(isBuy),
        color: colour(isBuy ? 'accent' : 'series-2'),
        size: 1,
        text: count > 1 ? String(count) : '',
      })),
      note: '',
    };
  }

  #pointed({ time, point, seriesData }: MouseEventParams): Pointed | null {
    if (time === undefined) return null;
    const { chart, prices, volume, equity, hold, drawdown } = this.#series;
    const valueOf = (series: ISeriesApi<SeriesType>): number | null =>
      (seriesData.get(series) as SingleValueData | undefined)?.value ?? null;
    return {
      timeMs: Number(time) * 1_000,
      bar: (seriesData.get(prices) as CandlestickData | undefined) ?? null,
      volume: valueOf(volume),
      equity: valueOf(equity),
      hold: valueOf(hold),
      drawdown: valueOf(drawdown),
      plots: this.#plots.valuesOf(valueOf),
      bands: bandLines(this.#data, this.#market, Number(time)),
      isLeft: (point?.x ?? 0) < chart.timeScale().width() / 2,
    };
  }
}
