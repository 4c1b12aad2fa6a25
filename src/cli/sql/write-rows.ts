import type { ResultColumn, ResultRow, ResultRows } from '../../query/result-rows.ts';
import { csvLine } from '../../domain/csv.ts';
import { tableLines } from '../table.ts';
import { once } from 'node:events';
import { isOutputGone } from '../../daemon/standard-output.ts';

/** A cell of a table is cut beyond it. */
const WIDEST_CELL = 80;
// Control characters, which could steer a terminal.
const UNPRINTABLE = /\p{C}/gu;

/** Writes all rows as CSV by RFC 4180, the titles first. NULL is nothing between two commas. */
export async function writeCsvRows({ columns, parts }: ResultRows): Promise<void> {
  const out = new OutputWriter();
  await out.write(csvLine(columns.map(({ name }) => name)));
  // The first rows are shown at once.
  await out.flush();
  for await (const rows of parts) {
    await out.write(csvLines(columns, rows));
    await out.flush();
    if (out.isGone) return;
  }
}

function csvLines(columns: readonly ResultColumn[], rows: Iterable<ResultRow>): string {
  const cell = (row: ResultRow, index: number): string | null => {
    const value = row[index] ?? null;
    return value === null ? null : (columns[index]?.text(value) ?? null);
  };
  let lines = '';
  for (const row of rows) lines += csvLine(columns.map((_, index) => cell(row, index)));
  return lines;
}

/** Writes all rows as one JSON array, a row a line. */
export async function writeJsonRows({ columns, parts }: ResultRows): Promise<void> {
  const out = new OutputWriter();
  const names = columns.map(({ name }) => JSON.stringify(name));
  let before = '[\n';
  for await (const rows of parts) {
    let text = '';
    for (const row of rows) {
      const entries = columns.map(({ json }, index) => `${names[index] ?? ''}:${json(row[index] ?? null)}`);
      text += `${before}{${entries.join(',')}}`;
      before = ',\n';
    }
    await out.write(text);
    await out.flush();
    if (out.isGone) return;
  }
  await out.write(before === '[\n' ? '[]\n' : '\n]\n');
  await out.flush();
}

/** Prints the first rows as a table, and says whether there are more. */
export async function printTable({ columns, parts }: ResultRows, most: number): Promise<void> {
  const shown: ResultRow[] = [];
  for await (const rows of parts) {
    for (const row of rows) {
      shown.push(row);
      if (shown.length > most) break;
    }
    if (shown.length > most) break;
  }
  const hasMore = shown.length > most;
  const rows = shown
    .slice(0, most)
    .map((row) =>
      columns.map(({ text }, index) => tableCell(row[index] === null ? 'null' : text(row[index] ?? null))),
    );
  const titles = columns.map(({ name, isNumber }: ResultColumn) => ({
    title: tableCell(name),
    ...(isNumber ? { align: 'right' as const } : {}),
  }));
  const count = `${rows.length} row${rows.length === 1 ? '' : 's'}`;
  const end = hasMore ? `the first ${count}: --rows shows more, --format csv all` : count;
  console.log([...tableLines(titles, rows), '', end].join('\n'));
}

function tableCell(text: string): string {
  const plain = text.replaceAll(UNPRINTABLE, ' ');
  return plain.length <= WIDEST_CELL ? plain : `${plain.slice(0, WIDEST_CELL - 1)}…`;
}

/** Bytes of text that go out at once. */
const PIECE_CHARACTERS = 65_536;

/** Writes a long text to the standard output, no faster than its reader takes it. */
class OutputWriter {
  #pending = '';
  #isGone = false;

  /** True if the output has lost its reader, as after `| head`: there is nobody to continue for. */
  get isGone(): boolean {
    return this.#isGone;
  }

  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= PIECE_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const piece = this.#pending;
    this.#pending = '';
    if (piece === '' || this.#isGone) return;
    process.stdout.write(piece);
    if (!process.stdout.writableNeedDrain) return;
    try {
      await once(process.stdout, 'drain');
    } catch (error) {
      if (!isOutputGone(error)) throw error;
      this.#isGone = true;
    }
  }
}
