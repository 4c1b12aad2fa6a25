import type { BacktestRun } from '../backtest-run.ts';
import type { ReportVoice } from '../report-voice.ts';
import { MOST_VALUES, type PlottedSeries } from '../plot-recorder.ts';
import { distancesOf, numberColumn } from '../../page/number-column.ts';
import type { PlotColumns } from '../../page/run-data.ts';
import { stepAt, type TimeGrid } from './thinning.ts';

/**
 * Returns what strategies plotted, for a page. If the run has several strategies, the name of a series
 * includes its strategy.
 */
export function plotColumns(
  { plots, strategies }: Pick<BacktestRun, 'plots' | 'strategies'>,
  { grid, indexOf }: { readonly grid: TimeGrid; readonly indexOf: ReadonlyMap<string, number> },
): readonly PlotColumns[] {
  return plots.flatMap((series) => {
    const market = indexOf.get(series.market);
    if (market === undefined) return [];
    const { strategy, pane, style, color } = series;
    const name = strategies.length > 1 ? `${strategy}: ${series.name}` : series.name;
    const points = lastOfSteps(series, grid);
    const values = points.map(([, value]) => value);
    return {
      market,
      name,
      pane,
      style,
      color,
      at: distancesOf(points.map(([step]) => step)),
      values: numberColumn(values.map((value) => (Number.isNaN(value) ? 0 : value))),
      gaps: values.flatMap((value, index) => (Number.isNaN(value) ? [index] : [])),
    };
  });
}

function lastOfSteps(
  { length, atMs, value }: PlottedSeries,
  grid: TimeGrid,
): readonly (readonly [step: number, value: number])[] {
  const steps = new Map<number, number>();
  let isRising = true;
  let last = 0;
  for (let index = 0; index < length; index += 1) {
    // What is plotted as a bar closes belongs to the bar.
    const step = Math.max(0, stepAt(grid, (atMs[index] ?? 0) - 1));
    isRising &&= step >= last;
    last = step;
    steps.set(step, value[index] ?? 0);
  }
  const points = [...steps];
  return isRising ? points : points.toSorted(([left], [right]) => left - right);
}

/** Returns the note about series of which some values are left out. */
export function thinnedPlots(
  { plots }: Pick<BacktestRun, 'plots'>,
  { say, count, digits }: ReportVoice,
): string {
  const thinned = plots.filter(({ every }) => every > 1);
  if (thinned.length === 0) return '';
  const which = thinned
    .map(({ name, every }) => say('charts.oneOf', { name, every: digits(String(every)) }))
    .join(', ');
  return say('charts.thinnedPlots', { most: count(MOST_VALUES), which });
}
