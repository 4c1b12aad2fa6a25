import { closeSync, openSync, writeSync } from 'node:fs';
import { UNITS_PER_ONE } from '../../domain/money.ts';
import type { StatementLine } from '../../portfolio/statement/statement-line.ts';
import { copyParquet } from '../../query/copy-parquet.ts';
import { openDatabase, sqlText } from '../../recording/duckdb.ts';
import { SQL_TYPES } from '../../recording/table-shape.ts';
import { sqlName } from '../../query/view-columns.ts';
import { csvCell } from '../sql/write-rows.ts';
import type { StatementColumn } from './statement-columns.ts';

/** Characters that are written at once. */
const PIECE_CHARACTERS = 262_144;

/** Writes lines as CSV by RFC 4180, the titles first; what is not known is nothing between two commas. */
export class StatementCsv {
  private readonly file: number;
  private readonly cells: readonly ((line: StatementLine) => string | null)[];
  private piece = '';

  /** `money`: as decimals, or, for `csvToParquet`, as whole numbers of units. */
  constructor(path: string, columns: readonly StatementColumn[], money: 'decimals' | 'units') {
    this.file = openSync(path, 'wx', 0o600);
    this.cells = columns.map(({ value, units }) =>
      units === null || money === 'decimals' ? value : (line) => units(line)?.toString() ?? null,
    );
    this.piece = `${columns.map(({ name }) => name).join(',')}\n`;
  }

  readonly take = (line: StatementLine): void => {
    this.piece += `${this.cells.map((cell) => csvCell(cell(line) ?? '')).join(',')}\n`;
    if (this.piece.length >= PIECE_CHARACTERS) this.flush();
  };

  end(): void {
    this.flush();
    closeSync(this.file);
  }

  private flush(): void {
    const bytes = Buffer.from(this.piece);
    for (let at = 0; at < bytes.length; at += writeSync(this.file, bytes, at));
    this.piece = '';
  }
}

/** Writes a CSV file of these columns, its money in units, again as Parquet, whole or not at all. */
export async function csvToParquet(
  csv: string,
  path: string,
  columns: readonly StatementColumn[],
): Promise<void> {
  const database = await openDatabase({ threads: 1 });
  try {
    const stored = columns.map(
      ({ name, sqlType, units }) => `${sqlName(name)}: '${units === null ? sqlType : 'HUGEINT'}'`,
    );
    const shown = columns.map(({ name, units }) =>
      units === null ? sqlName(name) : moneySql(sqlName(name)),
    );
    const query = `SELECT ${shown.join(', ')} FROM read_csv([${sqlText(csv)}], header = true, auto_detect = false,
      delim = ',', quote = '"', escape = '"', nullstr = '', columns = {${stored.join(', ')}})`;
    await copyParquet(database, query, path);
  } finally {
    database.close();
  }
}

/** Units as money. DuckDB takes twenty times as long to read a decimal of 38 digits from a text. */
function moneySql(name: string): string {
  const [whole, rest] = [`${name} // ${UNITS_PER_ONE}`, `${name} % ${UNITS_PER_ONE}`];
  const { money } = SQL_TYPES;
  return `((${whole})::${money} + (${rest})::DECIMAL(11,0) * 0.0000000001)::${money} AS ${name}`;
}
