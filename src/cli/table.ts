import { harmless } from '../domain/money-text.ts';

/** A column of a table for people. Numbers are easier to compare when they end below one another. */
export interface TableColumn {
  readonly title: string;
  readonly align?: 'right';
}

/**
 * Aligned lines, the titles first; columns are two spaces apart, none is empty in every row, and no line ends
 * with spaces. What strategies and others wrote moves no cursor, and takes one line.
 */
export function tableLines(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): string[] {
  const shown = columns
    .map(({ title, align }, index) => ({
      align,
      cells: [title, ...rows.map((row) => cellText(row[index] ?? ''))],
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

const cellText = (text: string): string => harmless(text).replaceAll('\n', ' ');
