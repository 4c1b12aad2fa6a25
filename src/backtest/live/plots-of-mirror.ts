import type { SessionRows } from '../../mirror/session-rows.ts';
import type { PlottedSeries } from '../plot-recorder.ts';

/** Returns what strategies plotted within a range, as their bot stored it: at most one value a minute. */
export function plotsOfMirror(
  { plots }: Pick<SessionRows, 'plots'>,
  range: { readonly fromMs: number; readonly toMs: number },
): readonly PlottedSeries[] {
  return plots.flatMap(({ plot, values }) => {
    const within = values.filter(({ atMs }) => atMs > range.fromMs && atMs <= range.toMs);
    if (within.length === 0) return [];
    return [
      {
        ...plot,
        length: within.length,
        atMs: Float64Array.from(within, ({ atMs }) => atMs),
        value: Float64Array.from(within, ({ value }) => (value === null ? Number.NaN : Number(value))),
        every: 1,
      },
    ];
  });
}
