import { RunRecord, type RunBeginning } from '../../../src/daemon/run-record.ts';

/** Leaves the record of a run that has ended in a data folder. `aheadMs`: its clock. */
export function leaveRecord(
  folder: string,
  { aheadMs = null, ...parts }: Partial<RunBeginning> & { readonly aheadMs?: number | null } = {},
): void {
  using record = new RunRecord(folder, { mode: 'live', instance: 'bot', strategies: [], ...parts });
  record.setClockAhead(aheadMs);
}
