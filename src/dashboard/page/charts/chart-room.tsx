import { useEffect, useRef } from 'preact/hooks';
import { loadPart } from '../page-parts.ts';
import { isDark } from '../../../page/theme.ts';
import { indicators, locale, showsConditions } from '../preferences.ts';
import type { LineChartData } from './line-chart.ts';
import type { CandleChart, CandleChartData } from './candle-chart.ts';
import { signal } from '@preact/signals';
import { t } from '../translate.ts';

interface Chart<Data> {
  show(data: Data): unknown;
  remove(): void;
}

interface ChartRoomProps<Data> {
  readonly kind: 'lines' | 'candles';
  readonly label: string;
  readonly data: Data;
  /** Part of the data that requires a new chart when it changes, as the page's appearance does. */
  readonly subject: string;
  /** Parts of the data that the existing chart can update when they change. */
  readonly parts: readonly unknown[];
  /** Loads the code that draws, when a chart is first shown. */
  readonly load: () => Promise<(room: HTMLElement, data: Data) => Chart<Data>>;
}

/** Place of a chart, which is drawn once its code is loaded. */
function ChartRoom<Data>({ kind, label, data, subject, parts, load }: ChartRoomProps<Data>) {
  const room = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart<Data> | null>(null);
  const newest = useRef(data);
  newest.current = data;
  useEffect(() => {
    let isGone = false;
    void loadPart(async () => {
      const draw = await load();
      if (isGone || room.current === null) return;
      chart.current = draw(room.current, newest.current);
      room.current.dataset['drawn'] = 'true';
    });
    return () => {
      isGone = true;
      chart.current?.remove();
      chart.current = null;
    };
  }, [`${isDark.value} ${JSON.stringify(locale.value)} ${subject}`]);
  useEffect(() => {
    chart.current?.show(data);
  }, [...parts]);
  return <div ref={room} class={`chart ${kind}`} dir="ltr" role="img" aria-label={label} />;
}

export function Lines(data: LineChartData) {
  return (
    <ChartRoom
      kind="lines"
      label={data.label}
      data={data}
      subject={`${data.names.join()} ${data.label}`}
      parts={[data.series]}
      load={async () => {
        const { LineChart } = await import('./line-chart.ts');
        return (room, newest) => new LineChart(room, newest, locale.value);
      }}
    />
  );
}

/** The chart of candles on the page; null while there is none. */
export const shownCandles = signal<CandleChart | null>(null);

/** Shows candles with what belongs to them, such as our orders, and names the library as it asks for. */
export function CandleView({ label, ...shown }: Omit<CandleChartData, 'words'> & { readonly label: string }) {
  const words = {
    buy: t('side.buy'),
    sell: t('side.sell'),
    stop: t('chart.stop'),
    takeProfit: t('chart.take'),
  };
  const data = { ...shown, words };
  return (
    <>
      <ChartRoom
        kind="candles"
        label={label}
        data={data}
        subject={`${data.quote} ${data.candles.market} ${indicators.value} ${showsConditions.value}`}
        parts={[data.candles, data.marks, data.plots]}
        load={async () => {
          const { CandleChart } = await import('./candle-chart.ts');
          return (room, newest) => {
            const chart = new CandleChart(room, locale.value, newest.quote);
            chart.show(newest);
            shownCandles.value = chart;
            return {
              show: (shown) => chart.show(shown),
              remove() {
                shownCandles.value = null;
                chart.remove();
              },
            };
          };
        }}
      />
      <p class="note">
        <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
          {t('chart.library')}
        </a>
      </p>
    </>
  );
}
