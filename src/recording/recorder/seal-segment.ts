import { existsSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { appendRows, type TakeLock } from '../append-rows.ts';
import type { TimeRange } from '../records.ts';
import type { TableShape } from '../table-shape.ts';
import { BOOK_SHAPE, STATS_SHAPE, TRADE_SHAPE } from '../table-shapes.ts';
import { segmentRows, summarizeSegment, type Segment } from './read-segment.ts';
import { sealBars } from './seal-bars.ts';
import type { SegmentKind, SegmentRows } from './segment-entry.ts';
import { noteTape } from './tape-tail.ts';

/** Destination of segments. */
export interface SealTarget {
  /** The catalogue's folder. */
  readonly root: string;
  readonly takeLock: TakeLock;
  /** Origin of the data, for the manifest. */
  readonly source: string;
}

/** Kinds whose rows go to one folder as they are. */
type PlainKind = Exclude<SegmentKind, 'candles'>;

const SHAPES: { readonly [Kind in PlainKind]: TableShape<SegmentRows[Kind]> } = {
  books: BOOK_SHAPE,
  trades: TRADE_SHAPE,
  stats: STATS_SHAPE,
};

/** Outcome of a segment: it is in the catalogue and gone from its old place, or it stays. */
export type SealReport =
  | {
      readonly kind: 'sealed';
      readonly segment: Segment;
      /** Lines that could not be read. */
      readonly badLines: number;
    }
  | { readonly kind: 'failed'; readonly segment: Segment; readonly reason: string };

/** Seals segments and tells of each. Never throws for what the disk or another process does. */
export type SealSegments = (
  segments: readonly Segment[],
  target: SealTarget,
) => Promise<readonly SealReport[]>;

/** Seals segments one after another, in this process. */
export const sealSegments: SealSegments = async (segments, target) => {
  const reports: SealReport[] = [];
  for (const segment of segments) {
    try {
      reports.push({ kind: 'sealed', segment, badLines: await sealSegment(segment, target) });
    } catch (error) {
      reports.push({
        kind: 'failed',
        segment,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return reports;
};

/**
 * Moves a complete segment into the catalogue, removes it, and answers how many of its lines could not be
 * read. The catalogue takes a segment up once, however often it is given, so that a crash at any point
 * leaves nothing out and nothing twice. Throws as appending does, and then the segment stays.
 */
async function sealSegment(segment: Segment, target: SealTarget): Promise<number> {
  const { path } = segment;
  // Whoever sealed it could not say so any more.
  if (!existsSync(path)) return 0;
  const { looked, gaps, badLines } = await summarizeSegment(segment);
  if (isOfTrades(segment)) await noteTape(dirname(path), segment);
  if (isOfBars(segment)) await sealBars(segment, target);
  else if (looked !== null) await sealRows(segment as Segment<PlainKind>, { target, covered: looked, gaps });
  rmSync(path);
  return badLines;
}

async function sealRows<Kind extends PlainKind>(
  segment: Segment<Kind>,
  of: { readonly target: SealTarget; readonly covered: TimeRange; readonly gaps: readonly TimeRange[] },
): Promise<void> {
  const { market, kind, path } = segment;
  const { target, covered, gaps } = of;
  await appendRows<SegmentRows[Kind]>({
    ...target,
    key: { market, kind },
    shape: SHAPES[kind],
    rows: segmentRows(segment),
    segment: basename(path),
    covered,
    gaps,
  });
}

function isOfBars(segment: Segment): segment is Segment<'candles'> {
  return segment.kind === 'candles';
}

/** True for a segment of trades, which have to be noted for the next page. */
export function isOfTrades(segment: Segment): segment is Segment<'trades'> {
  return segment.kind === 'trades';
}
