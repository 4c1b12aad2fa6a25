import { locale } from '../preferences.ts';
import { ChartRoom } from './chart-room.tsx';
import type { LineChartData } from './line-chart.ts';

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
