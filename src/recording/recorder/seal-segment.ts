import { rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { appendRows, type TakeLock } from '../append-rows.ts';
import type { TableShape } from '../table-shape.ts';
import { BOOK_SHAPE, STATS_SHAPE, TRADE_SHAPE } from '../table-shapes.ts';
import { segmentRows, summarizeSegment, type Segment } from './read-segment.ts';
import type { SegmentKind, SegmentRows } from './segment-entry.ts';
import { noteTape } from './tape-tail.ts';

const SHAPES: { readonly [Kind in SegmentKind]: TableShape<SegmentRows[Kind]> } = {
  books: BOOK_SHAPE,
  trades: TRADE_SHAPE,
  stats: STATS_SHAPE,
};

/** Where segments go. */
export interface SealTarget {
  /** The catalogue's folder. */
  readonly root: string;
  readonly takeLock: TakeLock;
  /** Where the data is from, for the manifest. */
  readonly source: string;
}

/** What a segment held. */
export interface SealReport {
  readonly segment: string;
  readonly rows: number;
  /** Lines that could not be read. */
  readonly badLines: number;
}

/**
 * Moves a complete segment into the catalogue and removes it. The catalogue takes a segment up once, however often it is handed in, so that a crash at any
 * point leaves nothing out and nothing twice. Throws as appending does, and then the segment stays.
 */
export async function sealSegment<Kind extends SegmentKind>(
  segment: Segment<Kind>,
  target: SealTarget,
): Promise<SealReport> {
  const { market, kind, path } = segment;
  const { rows, looked, gaps, badLines } = await summarizeSegment(segment);
  const name = basename(path);
  if (isOfTrades(segment)) await noteTape(dirname(path), segment);
  if (looked !== null) {
    await appendRows<SegmentRows[Kind]>({
      ...target,
      key: { market, kind },
      shape: SHAPES[kind],
      rows: segmentRows(segment),
      segment: name,
      covered: looked,
      gaps,
    });
  }
  rmSync(path);
  return { segment: name, rows, badLines };
}

/** Whether its trades have to be noted down for the next page. */
export function isOfTrades(segment: Segment): segment is Segment<'trades'> {
  return segment.kind === 'trades';
}
