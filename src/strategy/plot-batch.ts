import type { PlotSeries, PlotSink } from './plots.ts';

/** One value of a series; null for a gap. */
export interface PlotPoint {
  readonly series: PlotSeries;
  readonly atMs: number;
  readonly value: number | null;
}

/** Values of one call; what is more is left out. */
export const MOST_POINTS = 1_000;

/** Gathers what a strategy plots until somebody takes it. */
export class PlotBatch implements PlotSink {
  private points: PlotPoint[] = [];

  add(series: PlotSeries, atMs: number, value: number): void {
    if (this.points.length >= MOST_POINTS) return;
    this.points.push({ series, atMs, value: Number.isNaN(value) ? null : value });
  }

  /** Returns the points plotted since its last call. */
  take(): readonly PlotPoint[] {
    const { points } = this;
    if (points.length > 0) this.points = [];
    return points;
  }
}
