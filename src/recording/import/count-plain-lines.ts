import { openText } from './open-text.ts';
import { plainLine, type LineLayout } from './plain-line.ts';

/** A longer line is not plain. */
const MOST_LINE_CHARACTERS = 10_000;

export interface PlainLines extends Omit<LineLayout, 'lineEnd'> {
  readonly path: string;
  readonly hasHeader: boolean;
}

/** How many rows a CSV file of candles has; null where one of its lines is not plain. Empty lines count as none. */
export async function countPlainLines(file: PlainLines): Promise<number | null> {
  const { stream } = openText(file.path);
  const counter = new LineCounter(file);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) if (!counter.take(chunk.toString('latin1'))) return null;
    return counter.end() ? counter.lines : null;
  } finally {
    stream.destroy();
  }
}

/** Counts lines of a text that comes in parts. */
class LineCounter {
  lines = 0;
  private readonly file: PlainLines;
  private isBegun = false;
  private lineEnd = '';
  private plain: RegExp | null = null;
  private rest = '';

  constructor(file: PlainLines) {
    this.file = file;
  }

  /** Takes the next part; false where a line is not plain. */
  take(part: string): boolean {
    this.rest += part;
    if (!this.isBegun && !this.begin()) return this.rest.length <= MOST_LINE_CHARACTERS;
    const { plain, rest, lineEnd } = this;
    if (plain === null) return false;
    let end = 0;
    for (;;) {
      plain.lastIndex = end;
      if (plain.test(rest)) this.lines += 1;
      else if (!rest.startsWith(lineEnd, end)) break;
      else plain.lastIndex = end + lineEnd.length;
      end = plain.lastIndex;
    }
    this.rest = rest.slice(end);
    return this.rest.length <= MOST_LINE_CHARACTERS && !this.rest.includes('\n');
  }

  /** Takes the last line, which need not end as the others do. */
  end(): boolean {
    return this.rest === '' || (this.take(this.lineEnd === '' ? '\n' : this.lineEnd) && this.rest === '');
  }

  /** Finds out what lines end with, and leaves the titles aside; false as long as there is no whole line. */
  private begin(): boolean {
    const first = this.rest.indexOf('\n');
    if (first === -1) return false;
    this.lineEnd = this.rest[first - 1] === '\r' ? '\r\n' : '\n';
    this.plain = plainLine({ ...this.file, lineEnd: this.lineEnd });
    if (this.file.hasHeader) this.rest = this.rest.slice(first + 1);
    this.isBegun = true;
    return true;
  }
}
