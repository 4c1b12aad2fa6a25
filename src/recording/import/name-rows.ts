import { SarrafError } from '../../domain/errors.ts';
import type { AppendOutcome } from '../append-outcome.ts';
import type { ImportTableOptions } from './import-table-options.ts';
import { openTable } from './open-table.ts';
import { BadRows, type TableReader } from './table-reader.ts';

/** Reads the file once more for the rows that contradict others: which those are is known only when all rows are. */
export async function rejectConflicts(
  { count, conflicts }: Extract<AppendOutcome, { readonly kind: 'conflict' }>,
  { path }: ImportTableOptions,
  reader: TableReader,
): Promise<void> {
  const problems = new Map(
    conflicts.map(({ timeMs, isWithin, there }) => [
      timeMs,
      `expected the bar of ${new Date(timeMs).toISOString()} ${isWithin ? 'once, found others for it' : `as it is there, ${there}`}`,
    ]),
  );
  const file = await openTable(path);
  await reader.rejectAt(file.parts, problems);
  reader.rejects.addUntold(count - conflicts.length);
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
    const openTimeMs = error instanceof SarrafError && error.code === 'TOO_LARGE' ? error.details['openTimeMs'] : null;
    if (!(error instanceof SarrafError) || typeof openTimeMs !== 'number') throw error;
    const line = await reader.lineAt((await openTable(path)).parts, openTimeMs);
    const at = line === null ? path : `${path}:${line}`;
    throw new SarrafError('TOO_LARGE', `${at}: ${error.message}`, { cause: error });
  }
}

/** What came of an append; null where bad rows stopped it. */
export async function unlessBad(append: () => Promise<AppendOutcome>): Promise<AppendOutcome | null> {
  try {
    return await append();
  } catch (error) {
    if (error instanceof BadRows) return null;
    throw error;
  }
}
