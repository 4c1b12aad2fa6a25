import { RunRecord, type RunBeginning } from '../../../src/daemon/run-record.ts';

/** Writes the record of a run that has ended into a folder. `aheadMs`: by how much its clock was ahead. */
export function leaveRecord(
  folder: string,
  { aheadMs = null, ...parts }: Partial<RunBeginning> & { readonly aheadMs?: number | null } = {},
): void {
  using record = new RunRecord(folder, { mode: 'live', instance: 'bot', strategies: [], ...parts });
  record.setClockAhead(aheadMs);
}
