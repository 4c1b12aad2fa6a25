import { effect, useSignal, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatCompact } from '../../language/format-number.ts';
import {
  fixedText,
  foreignText,
  pageLanguage,
  moneyWithUnit,
  shownPercent,
  pageText,
  shownTime,
  unitAfter,
} from '../report-words.ts';
import { isDark, colour } from '../theme.ts';
import { type NamedValue, createSeries, DrawnPlots, paintSeries, type ChartSeries } from './chart-series.ts';
import type { RunPage, TradeRow } from './run-page.ts';
import type {
  CandlestickData,
  ISeriesApi,
  MouseEventParams,
  SeriesMarker,
  SeriesType,
  SingleValueData,
  Time,
} from 'lightweight-charts';

import { arrowOf, shownBy } from '../price-chart.ts';
import { fillMarks } from '../run-data.ts';
import { bandLines, hiddenOverlays, startOverlays, visibleTime, type View } from './overlays.ts';

const VOLUME_DIGITS = 3;

interface RunChartsProps {
  readonly data: RunPage;
  /** Trade to show; a new object for each choice. */
  readonly chosen: ReadonlySignal<{ readonly trade: TradeRow } | null>;
}

export function RunCharts({ data, chosen }: RunChartsProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<RunChart>(null);
  const market = useSignal(0);
  const isHoldShown = useSignal(!isSquashedByHold(data));
  const isLog = useSignal(false);
  const pointed = useSignal<Pointed | null>(null);
  const plots = useSignal<readonly NamedValue[]>([]);
  const note = useSignal('');
  useLayoutEffect(() => {
    if (place.current === null) return;
    const drawn = new RunChart(data, place.current, {
      point: (at, names) => {
        pointed.value = at;
        plots.value = names;
      },
      note: (text) => (note.value = text),
    });
    chart.current = drawn;
    effect(() => drawn.showHold(isHoldShown.value));
    effect(() => drawn.showLog(isLog.value));
    effect(() => {
      if (isDark.value !== null) drawn.paint();
    });
    effect(() => {
      if (chosen.value === null) return;
      const { trade } = chosen.value;
      if (trade.market !== market.peek()) {
        market.value = trade.market;
        drawn.showMarket(trade.market);
      }
      drawn.goTo(trade);
    });
  }, []);
  const at = pointed.value;
  return (
    <>
      <div class="bar">
        <h2>{pageText('charts')}</h2>
        <span>
          <select
            id="market"
            aria-label={pageText('market')}
            hidden={data.markets.length < 2}
            value={market.value}
            onChange={({ currentTarget }) => {
              market.value = Number(currentTarget.value);
              chart.current?.showMarket(market.value);
            }}
          >
            {data.markets.map(({ name }, index) => (
              <option value={index}>{name}</option>
            ))}
          </select>
          <button
            type="button"
            id="hold"
            aria-pressed={isHoldShown.value}
            onClick={() => (isHoldShown.value = !isHoldShown.value)}
          >
            {pageText('hold')}
          </button>
          <button
            type="button"
            id="log"
            aria-pressed={isLog.value}
            onClick={() => (isLog.value = !isLog.value)}
          >
            {pageText('log')}
          </button>
          <button type="button" id="whole" onClick={() => chart.current?.showAll()}>
            {pageText('whole')}
          </button>
        </span>
      </div>
      <div id="legend">
        {at === null ? (
          <Usage data={data} plots={plots.value} />
        ) : (
          <Values at={at} market={data.markets[market.value]} quote={data.quote} />
        )}
      </div>
      <div class="drawn">
        <div id="chart" ref={place} />
        <div id="held" class={at?.isLeft === true ? 'is-right' : ''}>
          {at?.bands.join('\n')}
        </div>
      </div>
      <p class="muted" id="note">
        {note.value}
      </p>
    </>
  );
}

/** Shows a name with its colour, and a value. */
function Key({
  name,
  text = '',
  kind,
}: {
  readonly name: string;
  readonly text?: string;
  readonly kind: string;
}) {
  return (
    <span>
      <b class={`key key-${kind}`}>{name}</b> {text}
    </span>
  );
}

function PlotKeys({ plots }: { readonly plots: readonly NamedValue[] }) {
  return (
    <>
      {plots.map(({ name, key, text }) => (
        <Key name={foreignText(name)} text={text} kind={key} />
      ))}
    </>
  );
}

/** Shows how to use the charts while nothing is under the pointer. */
function Usage({ data, plots }: { readonly data: RunPage; readonly plots: readonly NamedValue[] }) {
  const { exits, locks, members } = data;
  return (
    <>
      <PlotKeys plots={plots} />
      <Key name={pageText('equity')} kind="equity" />
      <Key name={pageText('hold')} kind="hold" />
      <Key name={pageText('drawdown')} kind="down" />
      {exits.length > 0 && <Key name={pageText('target')} kind="target" />}
      {exits.length > 0 && <Key name={pageText('stop')} kind="stop" />}
      {locks.length > 0 && <Key name={pageText('lock')} kind="lock" />}
      {members.length > 0 && <Key name={pageText('member')} kind="member" />}
      <span>{pageText('usage')}</span>
    </>
  );
}

interface ValuesProps {
  readonly at: Pointed;
  readonly market: RunPage['markets'][number] | undefined;
  /** Currency of the account. */
  readonly quote: string;
}

/** Shows the values under the pointer. */
function Values({ at, market, quote }: ValuesProps) {
  const { timeMs, bar, volume, plots, equity, hold, drawdown } = at;
  return (
    <>
      <span>{shownTime(timeMs)}</span>
      {bar !== null && market !== undefined && (
        <span>
          <b>{foreignText(market.name)}</b> {barText(bar, market)}
          {volume !== null &&
            ` ${pageText('volume', { volume: `${formatCompact(pageLanguage, volume, VOLUME_DIGITS)}${unitAfter(market.base)}` })}`}
        </span>
      )}
      <PlotKeys plots={plots} />
      {equity !== null && <Key name={pageText('equity')} text={moneyWithUnit(equity, quote)} kind="equity" />}
      {hold !== null && <Key name={pageText('hold')} text={moneyWithUnit(hold, quote)} kind="hold" />}
      {drawdown !== null && <Key name={pageText('drawdown')} text={shownPercent(drawdown, 2)} kind="down" />}
    </>
  );
}

function barText(
  { open, high, low, close }: Readonly<Record<'open' | 'high' | 'low' | 'close', number>>,
  { decimals, quote }: NonNullable<ValuesProps['market']>,
): string {
  const price = (value: number): string => `${fixedText(value, decimals)}${unitAfter(quote)}`;
  return pageText('bar', { open: price(open), high: price(high), low: price(low), close: price(close) });
}

/** True if buy-and-hold would flatten the equity curve into a line: then it is hidden at first. */
function isSquashedByHold({ equity, hold }: RunPage): boolean {
  return spanOf(hold) > 5 * spanOf(equity);
}

function spanOf(points: RunPage['equity']): number {
  let [low, high] = [Infinity, -Infinity];
  for (const { value } of points) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high - low;
}

/** Maximum number of marks in view: more would hide the bars, and are left out until the reader zooms in. */
const MOST_MARKS = 300;

/** Values under the pointer; null if a series has none. */
interface Pointed {
  readonly timeMs: number;
  readonly bar: CandlestickData | null;
  readonly volume: number | null;
  readonly equity: number | null;
  readonly hold: number | null;
  readonly drawdown: number | null;
  readonly plots: readonly NamedValue[];
  readonly bands: readonly string[];
  /** True if the pointer is in the left half, so that bands are named in the right one. */
  readonly isLeft: boolean;
}

/** Functions that show the texts of a chart. */
interface ChartTexts {
  readonly point: (at: Pointed | null, plots: readonly NamedValue[]) => void;
  readonly note: (note: string) => void;
}

/** Charts of price, equity and drawdown over one time scale. */
class RunChart {
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

  /** Paints everything in the colours of the theme. */
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

  /** Moves the charts to a trade of the shown market. */
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
    // Values of the library's PriceScaleMode: 1 is logarithmic, 0 is linear.
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

  /** Returns marks of the fills in view, or a note if they are too many. */
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
