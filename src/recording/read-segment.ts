import { parsedJson } from '../domain/stored-json.ts';
import { z } from 'zod';
import { type Candle, TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { parseMarket } from '../exchange/market-names.ts';
import type { MarketStats } from '../domain/order-book.ts';
import type { RecordedBook, RecordedStats, RecordedTrade, TimeRange } from './records.ts';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { partitionName } from './table-shape.ts';
import { AppendFile, PackedFile, type After } from './durable-file.ts';

/** Kinds of market data that are recorded. */
export const SEGMENT_KINDS = ['books', 'trades', 'stats', 'candles'] as const;

export type SegmentKind = (typeof SEGMENT_KINDS)[number];

/** Closed bar, and when it was seen. */
export interface SeenBar {
  readonly seenMs: number;
  readonly timeframe: Timeframe;
  readonly candle: Candle;
  /** Start in ms of the range that came complete with this bar: where it has no bar, there was no trade. */
  readonly coveredFromMs: number;
}

/** Type of a row of each kind. */
export interface SegmentRows {
  readonly books: RecordedBook;
  readonly trades: RecordedTrade;
  readonly stats: RecordedStats;
  readonly candles: SeenBar;
}

/** Entry of a recorder for one kind, with the time at which it was seen. */
export type SegmentEntry<Kind extends SegmentKind = SegmentKind> =
  | { readonly what: 'row'; readonly row: SegmentRows[Kind] }
  /** The exchange was polled, and nothing was new. */
  | { readonly what: 'look'; readonly seenMs: number }
  /** Rows may have been missed in this range. */
  | { readonly what: 'gap'; readonly seenMs: number; readonly gap: TimeRange };

const decimal = z.string().transform((text) => text as DecimalText);
const time = z.int();
const levels = z.array(z.tuple([decimal, decimal]));
const maybe = decimal.nullable();

const book = z.tuple([time.nullable(), levels, levels]);
const trade = z.tuple([time.nullable(), decimal, decimal, z.enum(['buy', 'sell'])]);
const stats = z.strictObject({
  isClosed: z.boolean(),
  closedReason: z.string().nullable(),
  bestSell: maybe,
  bestBuy: maybe,
  baseVolume: maybe,
  quoteVolume: maybe,
  latest: maybe,
  mark: maybe,
  dayLow: maybe,
  dayHigh: maybe,
  dayOpen: maybe,
  dayClose: maybe,
  dayChange: maybe,
}) satisfies z.ZodType<Omit<MarketStats, 'market'>>;

const candle = z.tuple([z.enum(TIMEFRAMES), time, time, decimal, decimal, decimal, decimal, decimal]);

const line = z.union([
  z.tuple([z.literal('row'), time, z.unknown()]),
  z.tuple([z.literal('look'), time]),
  z.tuple([z.literal('gap'), time, time, time]),
]);

/** Returns the time an entry was seen, in ms since 1970. */
const seenMsOf = (entry: SegmentEntry): number => (entry.what === 'row' ? entry.row.seenMs : entry.seenMs);

/** Writes an entry as a line of JSON, with its line end. */
function writeEntry(entry: SegmentEntry): string {
  switch (entry.what) {
    case 'row':
      return `${JSON.stringify(['row', entry.row.seenMs, cellsOf(entry.row)])}\n`;
    case 'look':
      return `${JSON.stringify(['look', entry.seenMs])}\n`;
    case 'gap':
      return `${JSON.stringify(['gap', entry.seenMs, entry.gap.fromMs, entry.gap.toMs])}\n`;
  }
}

function cellsOf(row: SegmentRows[SegmentKind]): unknown {
  if ('bids' in row) return [row.venueTimeMs, row.bids, row.asks];
  if ('side' in row) return [row.timeMs, row.price, row.amount, row.side];
  if ('candle' in row) {
    const { openTimeMs, open, high, low, close, volume } = row.candle;
    return [row.timeframe, row.coveredFromMs, openTimeMs, open, high, low, close, volume];
  }
  const { market: _named, ...numbers } = row.stats;
  return numbers;
}

/** Reads the entry of a line; null if the line was cut short or is damaged. */
function readEntry<Kind extends SegmentKind>(
  text: string,
  of: { readonly kind: Kind; readonly market: MarketSymbol },
): SegmentEntry<Kind> | null {
  const read = line.safeParse(parsedJson(text));
  if (!read.success) return null;
  const [what, seenMs, ...rest] = read.data;
  if (what === 'look') return { what, seenMs };
  if (what === 'gap') {
    const [fromMs, toMs] = rest as [number, number];
    return { what, seenMs, gap: { fromMs, toMs } };
  }
  const row = readRow(rest[0], { ...of, seenMs });
  return row === null ? null : { what: 'row', row: row as SegmentRows[Kind] };
}

function readRow(
  cells: unknown,
  of: { readonly kind: SegmentKind; readonly market: MarketSymbol; readonly seenMs: number },
): SegmentRows[SegmentKind] | null {
  const { kind, market, seenMs } = of;
  if (kind === 'books') {
    const read = book.safeParse(cells);
    return read.success
      ? { venueTimeMs: read.data[0], seenMs, bids: read.data[1], asks: read.data[2] }
      : null;
  }
  if (kind === 'trades') {
    const read = trade.safeParse(cells);
    if (!read.success) return null;
    const [timeMs, price, amount, side] = read.data;
    return { timeMs, seenMs, price, amount, side, id: null };
  }
  if (kind === 'candles') {
    const read = candle.safeParse(cells);
    if (!read.success) return null;
    const [timeframe, coveredFromMs, openTimeMs, open, high, low, close, volume] = read.data;
    return { seenMs, timeframe, coveredFromMs, candle: { openTimeMs, open, high, low, close, volume } };
  }
  const read = stats.safeParse(cells);
  return read.success ? { seenMs, stats: { ...read.data, market: parseMarket(market) } } : null;
}

/** Number of rows that are passed on together: few, so that other work does not wait long. */
const PART_ROWS = 256;

export interface Segment<Kind extends SegmentKind = SegmentKind> {
  readonly path: string;
  readonly kind: Kind;
  readonly market: MarketSymbol;
}

/** Summary of a segment without its rows. */
interface SegmentSummary {
  /** Range from the first to the last entry; null if no line is readable. */
  readonly seen: TimeRange | null;
  readonly gaps: readonly TimeRange[];
  /** Number of unreadable lines: the last line of a killed process is cut short. */
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

/** Reads a segment to its end without keeping its rows. */
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
  return { seen: fromMs < toMs ? { fromMs, toMs } : null, gaps, badLines };
}

/** Yields the rows of a segment in parts, in the order in which they were seen. */
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

/** Interval of syncs to the disk, in ms: a power cut loses at most this much data. */
export const SYNC_EVERY_MS = 1_000;

/** Size in bytes at which a file ends before its day does, so that none takes long to read. */
const LARGEST_BYTES = 64_000_000;

interface DayFilesOptions {
  /** Creates a file. `number` is not given twice. Call `fail` when writing to it fails. */
  readonly open: (day: string, number: string, fail: (error: unknown) => void) => AppendFile | PackedFile;
  /** Called when a file is complete and on the disk. */
  readonly onFile?: (path: string) => void;
  /** Called when writing fails; the writer has then stopped. */
  readonly onError: (error: unknown) => void;
  readonly largestBytes?: number;
}

/**
 * Writes lines to one file per day (UTC), or more if they get large. The buffer of its file is its queue; it
 * is written at once when it is full.
 */
export class DayFiles {
  /** Number of lines written. */
  count = 0;
  private readonly options: DayFilesOptions;
  private current: { readonly file: AppendFile | PackedFile; readonly day: string } | null = null;
  private closing: Promise<void> = Promise.resolve();
  private files = 0;
  private isStopped = false;

  constructor(options: DayFilesOptions) {
    this.options = options;
  }

  /** Writes a line. Within a second it is on disk, or `onError` is called and later ones are ignored. */
  append(line: string, atMs: number): void {
    if (this.isStopped) return;
    const day = partitionName(atMs, 'day');
    const { open, largestBytes = LARGEST_BYTES } = this.options;
    if (this.current !== null && (this.current.day !== day || this.current.file.bytes >= largestBytes))
      this.rotate();
    try {
      if (this.current === null) {
        this.files += 1;
        const number = String(this.files).padStart(6, '0');
        this.current = { day, file: open(day, number, (error) => this.fail(error)) };
      }
      this.current.file.append(line);
      this.count += 1;
    } catch (error) {
      this.fail(error);
    }
  }

  /** Stops writing and passes on the last file. */
  async end(): Promise<void> {
    this.isStopped = true;
    this.rotate();
    await this.closing;
  }

  private rotate(): void {
    const { current } = this;
    this.current = null;
    // Closing waits for the disk. Without this flush, a kill meanwhile could lose the end of this file but
    // keep the start of the next, and nobody would see the gap.
    current?.file.flush();
    if (current !== null) this.closing = this.handOver(current.file, this.closing);
  }

  private async handOver(file: AppendFile | PackedFile, after: Promise<void>): Promise<void> {
    await after;
    try {
      await file.close();
    } catch (error) {
      this.fail(error);
    }
    this.options.onFile?.(file.path);
  }

  private fail(error: unknown): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.options.onError(error);
  }
}

export interface SegmentWriterOptions {
  readonly folder: string;
  readonly kind: SegmentKind;
  /** Distinguishes the segments of this process from all earlier ones, and sorts after them. */
  readonly life: string;
  readonly after: After;
  /** Called when a segment is complete and on the disk. */
  readonly onSegment: (path: string) => void;
  /** Called when writing fails; the writer has then stopped. */
  readonly onError: (error: unknown) => void;
  readonly largestBytes?: number;
  readonly syncEveryMs?: number;
}

/** Journals the entries of one kind of one market, one per line. */
export class SegmentWriter extends DayFiles {
  constructor({
    folder,
    kind,
    life,
    after,
    onSegment,
    syncEveryMs = SYNC_EVERY_MS,
    ...options
  }: SegmentWriterOptions) {
    super({
      ...options,
      onFile: onSegment,
      open: (day, number, onError) =>
        new AppendFile({
          path: join(folder, `${kind}-${day}-${life}-${number}.jsonl`),
          after,
          syncEveryMs,
          onError,
        }),
    });
  }

  write(entry: SegmentEntry): void {
    this.append(writeEntry(entry), seenMsOf(entry));
  }
}

/** Returns the kind of a segment from its file name; null for another file. */
export function segmentKind(name: string): SegmentKind | null {
  const [, kind] = /^(books|trades|stats|candles)-\d{4}-\d\d-\d\d-[\w-]+\.jsonl$/.exec(name) ?? [];
  return (kind as SegmentKind | undefined) ?? null;
}
