import { useEffect, useRef } from 'preact/hooks';
import { isDark, locale } from '../preferences.ts';
import type { CandleChart, CandleChartData } from './candle-chart.ts';

interface CandlesProps {
  readonly data: CandleChartData;
  readonly label: string;
}

/** The chart of a market, whose code is loaded when it is shown first. */
export function CandleView({ data, label }: CandlesProps) {
  const room = useRef<HTMLDivElement>(null);
  const chart = useRef<CandleChart | null>(null);
  const newest = useRef(data);
  newest.current = data;
  const look = `${isDark.value} ${JSON.stringify(locale.value)} ${data.quote} ${data.candles.market}`;
  useEffect(() => {
    let isGone = false;
    const draw = async (): Promise<void> => {
      const { CandleChart } = await import('./candle-chart.ts');
      if (isGone || room.current === null) return;
      chart.current = new CandleChart(room.current, locale.value, newest.current.quote);
      chart.current.show(newest.current);
      room.current.dataset['drawn'] = 'true';
    };
    void draw();
    return () => {
      isGone = true;
      chart.current?.remove();
      chart.current = null;
    };
  }, [look]);
  useEffect(() => {
    chart.current?.show(data);
  }, [data.candles, data.marks, data.plots]);
  return <div ref={room} class="chart candles" dir="ltr" role="img" aria-label={label} />;
}
