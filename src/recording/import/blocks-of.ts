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

/** Assumed compression ratio of a packed file, and a factor of spare room for its rows. */
const USUAL_PACKING = 4;
const SPARE = 1.2;

/** Returns a fast reader of a file's bars; null if prices must be converted, or if it is not CSV. */
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

/** Returns the possible starts of bars; bars that are resampled start at multiples of their length. */
function startsOf({ grid, partMs }: BarPlan): BarStarts {
  if (partMs !== null) return { stepMs: partMs, isStart: (timeMs) => timeMs % partMs === 0 };
  return { stepMs: grid.isEven ? grid.lengthMs : Number.NaN, isStart: (timeMs) => grid.isStart(timeMs) };
}

/** Counts the rows. Throws `NotPlain` for prices that must be rounded. */
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

/** CSV file of candles whose columns are known. */
interface PlainCsv extends CsvLayout {
  readonly path: string;
  readonly hasHeader: boolean;
  readonly starts: BarStarts;
  /** Called with the number of bytes read. */
  readonly onRead: (readBytes: number) => void;
}

const READ_BYTES = 262_144;
const NEWLINE = 10;
const RETURN = 13;

/**
 * Yields the bars of a CSV file in the order of their lines, about twenty times as fast as row by row. The
 * columns of a block are reused for the next. Throws `NotPlain` at the first line that is not plain, and at
 * the end if times go back in a rising file. Both readers give the same result for a file that both can read.
 */
async function* plainBars(csv: PlainCsv): AsyncGenerator<CandleBlock> {
  const layout = plainLayout(csv);
  if (layout === null) throw new NotPlain('expected plain fields');
  const reader = new LineReader(csv, layout);
  for await (const part of partsOf(csv)) {
    // A part of a compressed file may be larger than the buffer.
    for (let from = 0; from < part.length; from += READ_BYTES)
      yield* reader.read(part.subarray(from, from + READ_BYTES));
  }
  yield* reader.end();
}

/** Yields the bytes of a text in parts, each valid until the next one. Throws `NotPlain` if unreadable. */
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
    // One buffer is reused: a stream creates new ones faster than they are collected.
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

/** Combines parts of a text into whole lines, and lines into blocks. */
class LineReader {
  private readonly csv: PlainCsv;
  private readonly layout: PlainLayout;
  private readonly buffer = Buffer.allocUnsafe(READ_BYTES + MOST_LINE_BYTES);
  /** Bytes in the buffer that are not scanned yet: less than a line. */
  private filled = 0;
  private scanner: PlainScanner | null = null;
  private isCrlf = false;

  constructor(csv: PlainCsv, layout: PlainLayout) {
    this.csv = csv;
    this.layout = layout;
  }

  /** Scans the next part, of at most `READ_BYTES`. */
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

  /** Scans the last line, which may lack a line end, and yields the rest. */
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
