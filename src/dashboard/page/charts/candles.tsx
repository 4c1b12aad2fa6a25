import { locale } from '../preferences.ts';
import type { CandleChartData } from './candle-chart.ts';
import { ChartRoom } from './chart-room.tsx';

export function CandleView({ data, label }: { readonly data: CandleChartData; readonly label: string }) {
  return (
    <ChartRoom
      kind="candles"
      label={label}
      data={data}
      subject={`${data.quote} ${data.candles.market}`}
      parts={[data.candles, data.marks, data.plots]}
      load={async () => {
        const { CandleChart } = await import('./candle-chart.ts');
        return (room, newest) => {
          const chart = new CandleChart(room, locale.value, newest.quote);
          chart.show(newest);
          return chart;
        };
      }}
    />
  );
}
