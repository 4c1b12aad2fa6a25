import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import type { PlotSeries, PlotSink } from '../strategy/plots.ts';

/** A series that a strategy plotted in a run. */
export interface PlottedSeries extends PlotSeries {
  readonly strategy: string;
  readonly length: number;
  /** In ms since 1970, mostly rising; a bar's value has the time of its close. */
  readonly atMs: Float64Array;
  /** NaN for a gap. */
  readonly value: Float64Array;
  /** One of so many values was kept. */
  readonly every: number;
}

/** Values of a series that are kept; with more, every second one goes, and so on. */
export const MOST_VALUES = 65_536;
const FIRST_VALUES = 1_024;

/** Keeps what one strategy plots, in columns. Of several values of one moment the last one stays. */
export class PlotRecorder implements PlotSink {
  private readonly columns = new Map<PlotSeries, PlotColumn>();
  /** By market and name: after a restart a strategy begins its series anew, and they go on here. */
  private readonly named = new Map<string, { readonly series: PlotSeries; readonly column: PlotColumn }>();

  add(series: PlotSeries, atMs: number, value: number): void {
    const column = this.columns.get(series) ?? this.columnOf(series);
    column.add(atMs, value);
  }

  series(strategy: string): readonly PlottedSeries[] {
    return [...this.named.values()].map(({ series, column }) => ({ ...series, strategy, ...column.data() }));
  }

  private columnOf(series: PlotSeries): PlotColumn {
    const key = `${series.market} ${series.name}`;
    const { column } = this.named.get(key) ?? { column: new PlotColumn() };
    if (!this.named.has(key)) this.named.set(key, { series, column });
    this.columns.set(series, column);
    return column;
  }
}

/** The values of one series, thinned as they come. */
class PlotColumn {
  private atMs = new Float64Array(FIRST_VALUES);
  private value = new Float64Array(FIRST_VALUES);
  private length = 0;
  private every = 1;
  /** Values that came since the last one that was kept. */
  private skipped = 0;

  add(atMs: number, value: number): void {
    if (this.length > 0 && this.atMs[this.length - 1] === atMs) {
      this.value[this.length - 1] = value;
      return;
    }
    this.skipped += 1;
    if (this.skipped < this.every) return;
    this.skipped = 0;
    if (this.length === MOST_VALUES) {
      this.halve();
      return;
    }
    if (this.length === this.atMs.length) {
      this.atMs = grown(this.atMs);
      this.value = grown(this.value);
    }
    this.atMs[this.length] = atMs;
    this.value[this.length] = value;
    this.length += 1;
  }

  data(): Pick<PlottedSeries, 'length' | 'atMs' | 'value' | 'every'> {
    const { length, every } = this;
    return { length, every, atMs: this.atMs.subarray(0, length), value: this.value.subarray(0, length) };
  }

  /** Keeps every second value. The one that found no room counts as left out. */
  private halve(): void {
    this.skipped = this.every;
    this.every *= 2;
    this.length /= 2;
    for (let index = 0; index < this.length; index += 1) {
      this.atMs[index] = this.atMs[2 * index + 1] ?? 0;
      this.value[index] = this.value[2 * index + 1] ?? 0;
    }
  }
}

function grown(column: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** Keeps what strategies plot from now on. Answers what gives it in the end. */
export function recordPlots(
  instances: readonly Pick<StrategyInstanceSettings, 'runner'>[],
): () => readonly PlottedSeries[] {
  const recorders = instances.map(({ runner }) => {
    const recorder = new PlotRecorder();
    runner.plots = recorder;
    return { name: runner.name, recorder };
  });
  return () => recorders.flatMap(({ name, recorder }) => recorder.series(name));
}
