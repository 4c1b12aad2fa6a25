import { inEnglish } from '../language/sentence.ts';
import { harmless } from '../domain/money.ts';

/**
 * A column of a table for people: its title, after `>` for numbers, which are easier to compare when they are
 * aligned right. A foreign title stands in an object, whatever it begins with.
 */
export type TableColumn = string | { readonly title: string; readonly align?: 'right' };

/**
 * Returns aligned lines, the titles first. Columns are two spaces apart, none is empty in every row, and no
 * line ends with spaces. Texts of strategies and others move no cursor, and take one line.
 */
export function tableLines(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): string[] {
  const shown = columns
    .map((column, index) => ({
      align: typeof column === 'string' ? (column.startsWith('>') ? 'right' : undefined) : column.align,
      cells: [titleOf(column), ...rows.map((row) => cellText(row[index] ?? ''))],
    }))
    .filter(({ cells }) => rows.length === 0 || cells.slice(1).some((cell) => cell !== ''));
  const padded = shown.map(({ align, cells }) => {
    const width = Math.max(...cells.map((cell) => cell.length));
    return cells.map((cell) => (align === 'right' ? cell.padStart(width) : cell.padEnd(width)));
  });
  return [[], ...rows].map((_, line) =>
    padded
      .map((cells) => cells[line] ?? '')
      .join('  ')
      .trimEnd(),
  );
}

/** Returns a table of rows, by the title and the cell of each column. */
export const rowLines = <Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): string[] =>
  tableLines(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  );

const titleOf = (column: TableColumn): string =>
  typeof column === 'string' ? column.replace(/^>/, '') : column.title;

const cellText = (text: string): string => harmless(text).replaceAll('\n', ' ');

/** Ignores the error of a lost reader: there is nothing left to do. Throws any other error. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Prints one object as JSON with `--json`, else lines, unless null. A lost reader ends it quietly. */
export function print(
  { json }: { readonly json?: true | undefined },
  value: unknown,
  lines: () => string | readonly string[] | null,
): void {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', endQuietly);
  const text = json === true ? JSON.stringify(inEnglish(value)) : lines();
  if (text !== null) console.log(typeof text === 'string' ? text : text.join('\n'));
}
