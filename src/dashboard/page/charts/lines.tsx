import { useEffect, useRef } from 'preact/hooks';
import { isDark, locale } from '../preferences.ts';
import type { LineChart, LineChartData } from './line-chart.ts';

/** A chart of lines, whose code is loaded when the first of them is shown. */
export function Lines(data: LineChartData) {
  const room = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const newest = useRef(data);
  newest.current = data;
  const look = `${isDark.value} ${JSON.stringify(locale.value)} ${data.names.join()} ${data.label}`;
  useEffect(() => {
    let isGone = false;
    const draw = async (): Promise<void> => {
      const { LineChart } = await import('./line-chart.ts');
      if (isGone || room.current === null) return;
      chart.current = new LineChart(room.current, newest.current, locale.value);
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
  }, [data.series]);
  return <div ref={room} class="chart lines" dir="ltr" role="img" aria-label={data.label} />;
}
