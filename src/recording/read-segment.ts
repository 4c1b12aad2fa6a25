import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { TimeRange } from './records.ts';
import {
  readEntry,
  seenMsOf,
  type SegmentEntry,
  type SegmentKind,
  type SegmentRows,
} from './recorder/segment-entry.ts';

/** Rows that are passed on together: so few that nothing else has to wait long. */
const PART_ROWS = 256;

/** A segment on the disk. */
export interface Segment<Kind extends SegmentKind = SegmentKind> {
  readonly path: string;
  readonly kind: Kind;
  readonly market: MarketSymbol;
}

/** Content of a segment beside its rows. */
interface SegmentSummary {
  /** From the first look to the last; null where nothing can be read. */
  readonly looked: TimeRange | null;
  readonly gaps: readonly TimeRange[];
  /** Lines that can not be read: the last one of a process that was killed is cut short. */
  readonly badLines: number;
}

async function* entriesOf<Kind extends SegmentKind>(
  segment: Segment<Kind>,
): AsyncGenerator<SegmentEntry<Kind> | null> {
  const lines = createInterface({
    input: createReadStream(segment.path),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const text of lines) yield readEntry(text, segment);
}

/** Reads a segment through without keeping its rows. */
export async function summarizeSegment(segment: Segment): Promise<SegmentSummary> {
  let badLines = 0;
  let fromMs = Number.POSITIVE_INFINITY;
  let toMs = Number.NEGATIVE_INFINITY;
  const gaps: TimeRange[] = [];
  for await (const entry of entriesOf(segment)) {
    if (entry === null) {
      badLines += 1;
      continue;
    }
    if (entry.what === 'gap') gaps.push(entry.gap);
    const seenMs = seenMsOf(entry);
    fromMs = Math.min(fromMs, seenMs);
    toMs = Math.max(toMs, seenMs + 1);
  }
  return { looked: fromMs < toMs ? { fromMs, toMs } : null, gaps, badLines };
}

/** The rows of a segment in parts, in the order in which they were seen. */
export async function* segmentRows<Kind extends SegmentKind>(
  segment: Segment<Kind>,
): AsyncGenerator<readonly SegmentRows[Kind][]> {
  let part: SegmentRows[Kind][] = [];
  for await (const entry of entriesOf(segment)) {
    if (entry?.what !== 'row') continue;
    part.push(entry.row);
    if (part.length < PART_ROWS) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
