import { openPaperAccountFile } from '../../../src/daemon/paper-account-file.ts';
import { RunRecord, type RunBeginning } from '../../../src/daemon/run-record.ts';

/** Begins the paper account of a data folder at a time. */
export function beginPaperAccount(dataFolder: string, beganAtMs: number): void {
  const file = openPaperAccountFile(dataFolder);
  const origin = { baseUrl: 'http://exchange.test', balances: {}, beganAtMs };
  file.prepare("INSERT INTO facts VALUES ('origin', ?)").run(JSON.stringify(origin));
  file.close();
}

/** Writes the record of a run that has ended into a folder. `aheadMs`: by how much its clock was ahead. */
export function leaveRecord(
  folder: string,
  { aheadMs = null, ...parts }: Partial<RunBeginning> & { readonly aheadMs?: number | null } = {},
): void {
  using record = new RunRecord(folder, { mode: 'live', instance: 'bot', strategies: [], ...parts });
  record.setClockAhead(aheadMs);
}
