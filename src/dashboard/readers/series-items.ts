import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import type { SeriesItem } from '../schema/series.ts';

/** Points of one series: as many as a screen has. */
const MOST_POINTS = 2_000;
/** Series of one reply: the rest is left out by its name. */
const MOST_SERIES = 64;

export interface SeriesStretch {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Series whose names begin so. Values are numbers from here on: they are drawn, and never counted with. */
export function allSeriesOf(
  reader: MirrorReader,
  prefix: string,
  stretch: SeriesStretch,
): readonly SeriesItem[] {
  return reader
    .figureNames(prefix)
    .slice(0, MOST_SERIES)
    .map((name) => oneSeriesOf(reader, name, stretch));
}

export function oneSeriesOf(reader: MirrorReader, name: string, { from, to }: SeriesStretch): SeriesItem {
  const range = { fromMs: from ?? 0, toMs: to ?? Number.MAX_SAFE_INTEGER, most: MOST_POINTS };
  const points = reader.figures(name, range).flatMap(({ atMs, value }): SeriesItem['points'] => {
    // A budget is `used/limit`.
    const drawn = value === null ? Number.NaN : Number(value.split('/', 1)[0]);
    return Number.isFinite(drawn) ? [[Math.floor(atMs), drawn]] : [];
  });
  return { name, points };
}
