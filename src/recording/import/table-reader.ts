import { SarrafError } from '../../domain/errors.ts';
import type { AppendOutcome } from '../append-outcome.ts';
import type { ColumnPlaces } from '../column-places.ts';
import { Rejects } from '../import-report.ts';
import type { ImportTableOptions } from './import-table-options.ts';
import { openTable } from './open-table.ts';
import type { FileRow, ReadProgress } from '../open-text.ts';
import { RowReader, type ReadRow } from './row-reader.ts';
import type { WrittenForm } from '../written-form.ts';
import { isoText } from '../../domain/time-text.ts';

/** Stops an append because of rows that can not be read. */
class BadRows extends Error {}

/**
 * Reads rows in parts, sets the bad ones aside, and ends with `BadRows` where they are not to be left out.
 */
export class TableReader {
  count = 0;
  /** Rows that can not be read, which come before those that contradict others among the rejects. */
  bad = 0;
  rounded = 0;
  roundedPrices = 0;
  readonly rejects = new Rejects();
  private readonly options: ImportTableOptions;
  private readonly from: {
    readonly places: ColumnPlaces;
    readonly form: WrittenForm;
    readonly width: number;
    readonly parts: AsyncIterable<readonly FileRow[]>;
    readonly progress: () => ReadProgress;
  };

  constructor(options: ImportTableOptions, from: TableReader['from']) {
    this.options = options;
    this.from = from;
  }

  private rowReader(): RowReader {
    const { path, roundsAmounts = false, form: wish = {}, priceFactor = 1 } = this.options;
    const { roundPrices: roundsPricesTo } = wish;
    const { places, width, form } = this.from;
    return new RowReader({ path, form, places, width, roundsAmounts, roundsPricesTo, priceFactor });
  }

  /** The times of some rows, as far as they can be read. Throws `INVALID_FILE` where none can be read. */
  timesOf(rows: readonly FileRow[], path: string): number[] {
    const reader = this.rowReader();
    const read = rows.map((row) => ({ line: row.line, time: reader.timeOf(row) }));
    const times = read.flatMap(({ time }) => ('row' in time ? [time.row] : []));
    const [first] = read.flatMap(({ line, time }) =>
      'problem' in time ? [{ line, problem: time.problem }] : [],
    );
    if (times.length > 0 || first === undefined) return times;
    throw new SarrafError(
      'INVALID_FILE',
      `${path}:${first.line}: ${first.problem}, and no other row has one either: say which column it is with --columns time=NAME, or write times that can be read`,
    );
  }

  /** Rejects the rows that have one of these times. */
  async rejectAt(
    parts: AsyncIterable<readonly FileRow[]>,
    problems: ReadonlyMap<number, string>,
  ): Promise<void> {
    const reader = this.rowReader();
    for await (const part of parts) {
      for (const row of part) {
        const time = reader.timeOf(row);
        const problem = 'row' in time ? problems.get(time.row) : undefined;
        if (problem !== undefined) this.rejects.add({ line: row.line, problem, text: row.fields.join(',') });
      }
    }
  }

  /** The line of the row with a time; null where none has it. */
  async lineAt(parts: AsyncIterable<readonly FileRow[]>, timeMs: number): Promise<number | null> {
    const reader = this.rowReader();
    for await (const part of parts) {
      for (const row of part) {
        const time = reader.timeOf(row);
        if ('row' in time && time.row === timeMs) return row.line;
      }
    }
    return null;
  }

  /** Yields the results of `read` for the rows; null for a row that is silently left out. */
  async *rows<Row>(
    read: (reader: RowReader, row: FileRow) => ReadRow<Row> | null,
  ): AsyncGenerator<readonly Row[]> {
    const { skipBadRows, onProgress } = this.options;
    const reader = this.rowReader();
    // Some may have been read as columns, before a line was not plain.
    this.count = 0;
    for await (const part of this.from.parts) {
      const good: Row[] = [];
      for (const row of part) {
        const result = read(reader, row);
        if (result === null) continue;
        if ('row' in result) good.push(result.row);
        else {
          this.bad += 1;
          this.rejects.add({ line: row.line, problem: result.problem, text: row.fields.join(',') });
        }
      }
      this.count += part.length;
      onProgress?.(this.count, this.from.progress());
      // After a bad row nothing comes in, and the others are read only for what is wrong with them.
      if (good.length > 0 && (skipBadRows || this.rejects.count === 0)) yield good;
    }
    this.rounded = reader.rounded;
    this.roundedPrices = reader.roundedPrices;
    if (this.rejects.count > 0 && !skipBadRows) throw new BadRows();
  }
}

/**
 * Reads the file once more for the rows that contradict others: which those are is known only when all rows
 * are.
 */
export async function rejectConflicts(
  { count, conflicts }: Extract<AppendOutcome, { readonly kind: 'conflict' }>,
  { path }: ImportTableOptions,
  reader: TableReader,
): Promise<void> {
  const problems = new Map(
    conflicts.map(({ timeMs, isWithin, there }) => [
      timeMs,
      `expected the bar of ${isoText(timeMs)} ${isWithin ? 'once, found others for it' : `as it is there, ${there}`}`,
    ]),
  );
  const file = await openTable(path);
  await reader.rejectAt(file.parts, problems);
  reader.rejects.addUnlisted(count - conflicts.length);
}

/** Names the row of a bar that does not fit those of the others, once more read for its time. */
export async function naming(
  { path }: ImportTableOptions,
  reader: TableReader,
  append: () => Promise<AppendOutcome>,
): Promise<AppendOutcome | null> {
  try {
    return await unlessBad(append);
  } catch (error) {
    const openTimeMs =
      error instanceof SarrafError && error.code === 'TOO_LARGE' ? error.details['openTimeMs'] : null;
    if (!(error instanceof SarrafError) || typeof openTimeMs !== 'number') throw error;
    const line = await reader.lineAt((await openTable(path)).parts, openTimeMs);
    const at = line === null ? path : `${path}:${line}`;
    throw new SarrafError('TOO_LARGE', `${at}: ${error.message}`, { cause: error });
  }
}

/** Returns the outcome of an append; null if bad rows stopped it. */
export async function unlessBad(append: () => Promise<AppendOutcome>): Promise<AppendOutcome | null> {
  try {
    return await append();
  } catch (error) {
    if (error instanceof BadRows) return null;
    throw error;
  }
}
