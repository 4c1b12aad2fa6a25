import { NotPlain, type CandleBlock, type CandleBlocks } from '../stage-blocks.ts';
import { widthOf, type ColumnPlaces } from '../column-places.ts';
import { type BarPlan, isSlipped } from './detect-timeframe.ts';
import type { ImportTableOptions } from '../import-report.ts';
import { isCsv } from './open-table.ts';
import type { FileRow } from '../../domain/csv.ts';
import { type RowFile, openText, fileKind } from '../open-text.ts';
import {
  type BarStarts,
  MOST_LINE_BYTES,
  PlainScanner,
  plainLayout,
  type CsvLayout,
  type PlainLayout,
} from './plain-scanner.ts';
import type { TableReader } from './table-reader.ts';
import { open } from 'node:fs/promises';

/** A guess of how many times shorter a packed file is, and how many more rows there may be than it seems. */
const USUAL_PACKING = 4;
const SPARE = 1.2;

/** The fast way to the bars of a file; null where their prices are to be others, or it is no CSV. */
export function blocksOf(
  options: ImportTableOptions,
  of: {
    readonly reader: TableReader;
    readonly first: {
      readonly file: RowFile;
      readonly places: ColumnPlaces;
      readonly rows: readonly FileRow[];
    };
    readonly plan: BarPlan;
  },
): CandleBlocks | null {
  const { path, priceFactor = 1, form = {}, onProgress } = options;
  const { reader, plan } = of;
  const { file, places, rows } = of.first;
  if (!isCsv(file) || priceFactor !== 1) return null;
  const { totalBytes } = file.progress();
  const csv: PlainCsv = {
    path,
    separator: file.separator,
    hasHeader: file.header !== null,
    firstRow: rows[0]?.fields ?? [],
    width: widthOf(file, rows),
    places,
    starts: startsOf(plan),
    onRead: (readBytes) => onProgress?.(reader.count, { readBytes, totalBytes }),
  };
  const bytesOfRow = csv.firstRow.join(csv.separator).length + 1;
  const unpackedBytes = path.endsWith('.gz') ? totalBytes * USUAL_PACKING : totalBytes;
  return {
    expectedRows: (unpackedBytes / bytesOfRow) * SPARE,
    read: () => counted(csv, { reader, mostDecimals: form.roundPrices ?? null }),
  };
}

/**
 * Returns the possible starts of bars; bars to be resampled are distinguished by multiples of their length.
 */
function startsOf({ grid, partMs }: BarPlan): BarStarts {
  if (partMs !== null) return { stepMs: partMs, isStart: (timeMs) => timeMs % partMs === 0 };
  return { stepMs: grid.isEven ? grid.lengthMs : Number.NaN, isStart: (timeMs) => grid.isStart(timeMs) };
}

/** Counts the rows. Prices that are to be rounded are not taken. */
async function* counted(
  csv: PlainCsv,
  { reader, mostDecimals }: { readonly reader: TableReader; readonly mostDecimals: number | null },
): AsyncGenerator<CandleBlock> {
  for await (const block of plainBars(csv)) {
    if (mostDecimals !== null && block.priceDecimals > mostDecimals)
      throw new NotPlain(`expected prices of at most ${mostDecimals} decimals`);
    reader.count += block.length;
    yield block;
  }
}

/** A CSV file of candles whose columns are known. */
interface PlainCsv extends CsvLayout {
  readonly path: string;
  readonly hasHeader: boolean;
  readonly starts: BarStarts;
  /** Called with how many bytes of the file were read. */
  readonly onRead: (readBytes: number) => void;
}

const READ_BYTES = 262_144;
const NEWLINE = 10;
const RETURN = 13;

/**
 * The bars of a CSV file in the order of their lines, about twenty times as fast as row by row. The columns
 * of a block are used again for the next one. Throws `NotPlain` as soon as a line is not plain, and at the
 * end where times go back amid a file that goes on. Files that both ways can read come out the same.
 */
async function* plainBars(csv: PlainCsv): AsyncGenerator<CandleBlock> {
  const layout = plainLayout(csv);
  if (layout === null) throw new NotPlain('expected plain fields');
  const reader = new LineReader(csv, layout);
  for await (const part of partsOf(csv)) {
    // A part of a packed file may be longer than the room.
    for (let from = 0; from < part.length; from += READ_BYTES) {
      yield* reader.read(part.subarray(from, from + READ_BYTES));
    }
  }
  yield* reader.end();
}

/**
 * The bytes of a text in parts, each good until the next one. Throws `NotPlain` where they can not be read.
 */
async function* partsOf({ path, onRead }: PlainCsv): AsyncGenerator<Uint8Array> {
  try {
    if (fileKind(path).isPacked) {
      const { stream, progress } = openText(path);
      for await (const part of stream as AsyncIterable<Buffer>) {
        onRead(progress().readBytes);
        yield part;
      }
      return;
    }
    await using file = await open(path);
    // One buffer for all: a stream makes new ones faster than they are collected.
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let readBytes = 0; ;) {
      const { bytesRead } = await file.read(buffer);
      if (bytesRead === 0) return;
      onRead((readBytes += bytesRead));
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw new NotPlain(`expected to be able to read ${path}`, { cause: error });
  }
}

/** Makes whole lines of parts of a text, and blocks of lines. */
class LineReader {
  private readonly csv: PlainCsv;
  private readonly layout: PlainLayout;
  private readonly buffer = Buffer.allocUnsafe(READ_BYTES + MOST_LINE_BYTES);
  /** Bytes of the buffer that are not yet read: less than a line. */
  private filled = 0;
  private scanner: PlainScanner | null = null;
  private isCrlf = false;

  constructor(csv: PlainCsv, layout: PlainLayout) {
    this.csv = csv;
    this.layout = layout;
  }

  /** Takes the next part, of at most `READ_BYTES`. */
  *read(part: Uint8Array): Generator<CandleBlock> {
    const { buffer, filled } = this;
    if (filled > MOST_LINE_BYTES) throw new NotPlain('expected shorter lines');
    buffer.set(part, filled);
    this.filled = filled + part.length;
    const end = buffer.lastIndexOf(NEWLINE, this.filled - 1) + 1;
    if (end === 0) return;
    yield* this.lines(end);
    buffer.copyWithin(0, end, this.filled);
    this.filled -= end;
  }

  /** Takes the last line, which need not end as the others do, and gives what is left. */
  *end(): Generator<CandleBlock> {
    if (this.filled > 0) yield* this.read(Buffer.from(this.isCrlf ? '\r\n' : '\n'));
    if (this.scanner === null) throw new NotPlain('expected lines');
    if (isSlipped(this.scanner)) throw new NotPlain('expected times in order');
    yield this.scanner.block();
  }

  private *lines(end: number): Generator<CandleBlock> {
    let from = 0;
    if (this.scanner === null) {
      const { starts, hasHeader } = this.csv;
      const first = this.buffer.indexOf(NEWLINE);
      this.isCrlf = this.buffer[first - 1] === RETURN;
      this.scanner = new PlainScanner({ layout: this.layout, starts, isCrlf: this.isCrlf });
      const ended = this.buffer.indexOf(RETURN);
      if (ended !== -1 && ended < first - 1) throw new NotPlain('expected lines that end with a line feed');
      if (hasHeader) from = first + 1;
    }
    const { scanner } = this;
    for (;;) {
      const stop = scanner.scan(this.buffer, from, end);
      if (stop === 'end') return;
      if (stop === 'odd-line') throw new NotPlain('expected plain lines');
      yield scanner.block();
      from = scanner.at;
    }
  }
}
