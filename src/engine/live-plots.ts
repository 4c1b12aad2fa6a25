import { MINUTE_MS } from '../domain/time-text.ts';
import { plotFigure } from '../domain/figure-name.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { MOST_PLOTS, type PlotSeries, type PlotSink } from '../strategy/plots.ts';
import type { Outbox } from './outbox.ts';
import { restored, type PlotRecord, type StoredTexts } from './stored-records.ts';

/**
 * Maximum number of plotted values that one step writes. A plot of a long past can exceed it; then only the
 * newest value of each series is written.
 */
const MOST_A_STEP = 1_000;

/** Parts of a strategy that its plots need. */
interface Plotting {
  readonly name: string;
  readonly runner: { plots: PlotSink | null };
}

/** A series of one strategy, with its value in the current minute. */
interface LiveSeries {
  readonly name: string;
  /** End of that minute, which is the value's time, in ms since 1970. */
  atMs: number;
  value: number;
}

/**
 * Writes what strategies plot as figures: the last value of each minute, with the time of the minute's end.
 * So the value of a bar has the time of its close, and no value has a time before it was known.
 */
export class LivePlots {
  private readonly outbox: Outbox;
  /** Known series by strategy, then by market and name. If a strategy has too many, the oldest is dropped. */
  private readonly known = new Map<string, Map<string, { readonly plot: PlotRecord; live: LiveSeries }>>();
  /** Series by the strategy's plot object. A restarted strategy has new objects for the same series. */
  private readonly series = new WeakMap<PlotSeries, LiveSeries>();
  private readonly waiting = new Set<LiveSeries>();
  private isChanged = false;
  private count = 0;
  private isTooMuch = false;

  constructor(outbox: Outbox, instances: readonly Plotting[]) {
    this.outbox = outbox;
    for (const { name, runner } of instances) {
      this.known.set(name, new Map());
      runner.plots = this.sinkOf(name);
    }
  }

  /** Restores the known series, which a strategy may not have plotted yet in this process. */
  restore(stored: StoredTexts): void {
    for (const plot of restored(stored, 'plots') ?? [])
      this.known.get(plot.strategy)?.set(keyOf(plot), { plot, live: liveOf(plot) });
  }

  /** Writes the values of minutes that are over. */
  pump(nowMs: number): void {
    this.count = 0;
    for (const series of this.waiting) {
      if (series.atMs > nowMs) continue;
      this.waiting.delete(series);
      this.write(series);
    }
    if (!this.isChanged) return;
    this.isChanged = false;
    this.outbox.persist(
      'plots',
      [...this.known.values()].flatMap((plots) => [...plots.values()].map(({ plot }) => plot)),
    );
  }

  wakeAtMs(): number {
    let wakeAtMs = Number.POSITIVE_INFINITY;
    for (const { atMs } of this.waiting) wakeAtMs = Math.min(wakeAtMs, atMs);
    return wakeAtMs;
  }

  private sinkOf(strategy: string): PlotSink {
    return {
      add: (series, atMs, value) => {
        const live = this.series.get(series) ?? this.begin(strategy, series);
        this.series.set(series, live);
        // A series has one value for each minute, the last one. A bar's value has the time of its close.
        const endMs = Math.ceil(atMs / MINUTE_MS) * MINUTE_MS;
        if (this.waiting.has(live) && live.atMs !== endMs) this.write(live);
        live.atMs = endMs;
        live.value = value;
        this.waiting.add(live);
      },
    };
  }

  private begin(strategy: string, { market, name, pane, style, color }: PlotSeries): LiveSeries {
    const plot = { strategy, market, name, pane, style, color };
    const plots = this.known.get(strategy);
    const before = plots?.get(keyOf(plot));
    const live = before?.live ?? liveOf(plot);
    if (plots === undefined || JSON.stringify(before?.plot) === JSON.stringify(plot)) return live;
    this.isChanged = true;
    plots.delete(keyOf(plot));
    plots.set(keyOf(plot), { plot, live });
    retainNewest(plots, MOST_PLOTS);
    return live;
  }

  private write({ name, atMs, value }: LiveSeries): void {
    this.count += 1;
    if (this.count > MOST_A_STEP) {
      if (!this.isTooMuch)
        this.outbox.warn(
          `more than ${MOST_A_STEP} values were plotted at one moment: of the others only the newest of each series is kept; that is said once`,
        );
      this.isTooMuch = true;
      return;
    }
    const text = Number.isNaN(value) ? null : String(value);
    this.outbox.change({ kind: 'figure', figure: { name, atMs, value: text } });
  }
}

const keyOf = ({ market, name }: Pick<PlotRecord, 'market' | 'name'>): string => `${market} ${name}`;

const liveOf = ({ strategy, market, name }: PlotRecord): LiveSeries => ({
  name: plotFigure(strategy, market, name),
  atMs: 0,
  value: Number.NaN,
});
