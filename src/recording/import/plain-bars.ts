import { open } from 'node:fs/promises';
import { NotPlain, type CandleBlock } from '../candle-blocks.ts';
import { isSlipped } from './bar-checks.ts';
import { fileKind } from './file-kind.ts';
import { openText } from './open-text.ts';
import { plainLayout, type CsvLayout, type PlainLayout } from './plain-layout.ts';
import { MOST_LINE_BYTES, PlainScanner, type BarStarts } from './plain-scanner.ts';

/** A CSV file of candles whose columns are known. */
export interface PlainCsv extends CsvLayout {
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
export async function* plainBars(csv: PlainCsv): AsyncGenerator<CandleBlock> {
  const layout = plainLayout(csv);
  if (layout === null) throw new NotPlain('expected plain fields');
  const reader = new LineReader(csv, layout);
  for await (const part of partsOf(csv)) {
    // A part of a packed file may be longer than the room.
    for (let from = 0; from < part.length; from += READ_BYTES) {
      yield* reader.take(part.subarray(from, from + READ_BYTES));
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
  *take(part: Uint8Array): Generator<CandleBlock> {
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
    if (this.filled > 0) yield* this.take(Buffer.from(this.isCrlf ? '\r\n' : '\n'));
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
      const stop = scanner.take(this.buffer, from, end);
      if (stop === 'end') return;
      if (stop === 'odd-line') throw new NotPlain('expected plain lines');
      yield scanner.block();
      from = scanner.at;
    }
  }
}
