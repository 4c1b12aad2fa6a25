import { type SarrafError, invalidFile } from './errors.ts';

export type CsvValue = string | number | boolean | null;

/** Writes a cell of a CSV file by RFC 4180; null becomes an empty cell. */
export function csvCell(value: CsvValue): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes a row of a CSV file, including its line end. */
export const csvLine = (cells: readonly CsvValue[]): string => `${cells.map(csvCell).join(',')}\n`;

/** One row of a file, with its fields as they are written there. */
export interface FileRow {
  /** Line number from 1; in a Parquet file the row number. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** Maximum number of characters in a row; a longer one does not come from a table. */
const MOST_ROW_CHARACTERS = 100_000;

const BLANKS = new Set([' ', '\t', '\u00A0']);

/**
 * Reads the rows of a CSV text that arrives in pieces. Lines end with `\n`, `\r\n` or `\r`; empty lines are
 * skipped. Blanks around a field are ignored. Quotes enclose whole fields and are doubled inside. Throws
 * `INVALID_FILE` for a quote elsewhere or without a partner, and for a row that is too long.
 */
export class CsvScanner {
  private readonly path: string;
  private readonly separator: string;
  /** Text of a row that may continue in the next piece. */
  private rest = '';
  private line = 0;
  private isBegun = false;

  constructor(path: string, separator: string) {
    this.path = path;
    this.separator = separator;
  }

  /** Returns the rows that are complete once a piece is added. */
  rowsOf(piece: string): FileRow[] {
    const text = this.isBegun ? this.rest + piece : piece.replace(/^\uFEFF/, '');
    this.isBegun = true;
    return this.scan(text, false);
  }

  /** Returns the last row, which may have no line end. */
  end(): FileRow[] {
    return this.scan(this.rest, true);
  }

  private scan(text: string, isLast: boolean): FileRow[] {
    const rows: FileRow[] = [];
    const quotes = new Places(text, '"');
    const [newlines, returns] = [new Places(text, '\n'), new Places(text, '\r')];
    let from = 0;
    while (from < text.length) {
      const end = Math.min(newlines.from(from), returns.from(from));
      const row =
        quotes.from(from) < end ? this.quotedRow(text, from, isLast) : this.plainRow(text, from, end);
      // The second half of `\r\n` may be in the next piece.
      const isOpen = row === null || text.length - row.end < (text[row.end] === '\r' ? 2 : 1);
      if (isOpen && !isLast) break;
      if (row === null) throw this.wrongQuote();
      if (row.end - from > MOST_ROW_CHARACTERS) throw this.tooLong();
      this.line += 1 + row.innerLines;
      if (row.fields.length > 1 || text.slice(from, row.end).trim() !== '')
        rows.push({ line: this.line, fields: row.fields });
      from = row.end + (text.startsWith('\r\n', row.end) ? 2 : 1);
    }
    this.rest = text.slice(from);
    if (this.rest.length > MOST_ROW_CHARACTERS) throw this.tooLong();
    return rows;
  }

  private plainRow(text: string, from: number, end: number): ScannedRow {
    const stop = Math.min(end, text.length);
    const fields = text.slice(from, stop).split(this.separator);
    return { fields: fields.map((field) => field.trim()), end: stop, innerLines: 0 };
  }

  /** Reads a row with quotes; null if the text ends before the row does. */
  private quotedRow(text: string, from: number, isLast: boolean): ScannedRow | null {
    const fields: string[] = [];
    const isEnd = (at: number): boolean =>
      at >= text.length || text[at] === '\n' || text[at] === '\r' || text[at] === this.separator;
    let innerLines = 0;
    for (let at = from; ; at += 1) {
      at = this.afterBlanks(text, at);
      if (text[at] === '"') {
        const field = quotedField(text, at + 1, isLast);
        if (field === null) return null;
        innerLines += field.text.split(/\r\n?|\n/).length - 1;
        fields.push(field.text);
        at = this.afterBlanks(text, field.end);
      } else {
        const first = at;
        while (!isEnd(at) && text[at] !== '"') at += 1;
        fields.push(text.slice(first, at).trim());
      }
      if (!isEnd(at)) throw this.wrongQuote();
      if (text[at] !== this.separator) return { fields, end: at, innerLines };
    }
  }

  private afterBlanks(text: string, from: number): number {
    let at = from;
    while (text[at] !== this.separator && BLANKS.has(text[at] ?? '')) at += 1;
    return at;
  }

  private wrongQuote(): SarrafError {
    return this.damaged(
      `found a quote near line ${this.line + 1} that has no partner, or is amid a field: write quotes around whole fields only`,
    );
  }

  private tooLong(): SarrafError {
    return this.damaged(
      `found a row that is too long near line ${this.line + 1}: write a row a line, and quotes in pairs`,
    );
  }

  private damaged(found: string): SarrafError {
    return invalidFile(`expected a file that is whole at ${this.path}, ${found}`);
  }
}

interface ScannedRow {
  readonly fields: readonly string[];
  /** Index behind the row, where its line ends. */
  readonly end: number;
  /** Number of line ends inside its fields. */
  readonly innerLines: number;
}

/** Reads the field behind an opening quote; null if its closing quote is not in the text. */
function quotedField(
  text: string,
  from: number,
  isLast: boolean,
): { readonly text: string; readonly end: number } | null {
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at);
    if (at === -1 || (at === text.length - 1 && !isLast)) return null;
    if (text[at + 1] !== '"') return { text: text.slice(from, at).replaceAll('""', '"'), end: at + 1 };
  }
}

/** Finds the next index of a character, for start indexes that only grow; the text's length if none. */
class Places {
  private readonly text: string;
  private readonly character: string;
  private next = -1;

  constructor(text: string, character: string) {
    this.text = text;
    this.character = character;
  }

  from(at: number): number {
    if (this.next < at) {
      const found = this.text.indexOf(this.character, at);
      this.next = found === -1 ? this.text.length : found;
    }
    return this.next;
  }
}
