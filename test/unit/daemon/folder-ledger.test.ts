import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LedgerStore } from '../../../src/budget/store.ts';
import { ledgerLines, ledgerStatus } from '../../../src/cli/ledger-status.ts';
import { FolderLedger } from '../../../src/daemon/folder-ledger.ts';
import { writeLedgerNote } from '../../../src/daemon/ledger-note.ts';
import { budgetTable } from '../../../src/exchange/budget-table.ts';

const withoutTimes = (text: string | null): string => (text ?? '').replaceAll(/\d+ s/g, '… s');

test('why orders wait is the same to the terminal, chats and the page; on paper none waits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-folder-'));
  const ledger = join(folder, 'ledger.sqlite');
  const subjects = { ip: 'here', token: 'us' };
  new LedgerStore({ path: ledger, budgets: budgetTable().values(), subjects, whenMissing: 'full' }).close();
  const looked = new FolderLedger(folder);
  expect(looked.waitsFor()).toBeNull();
  writeLedgerNote(folder, { ledger, subjects: Object.values(subjects) });
  const [line = ''] = ledgerLines(await ledgerStatus(folder), null);
  expect(withoutTimes(looked.waitsFor())).toMatch(/^trading can begin … s after/);
  expect(withoutTimes(line)).toBe(`ledger  ${ledger}: ${withoutTimes(looked.waitsFor())}`);
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ mode: 'paper', instance: 'a', strategies: [] }));
  expect(looked.waitsFor()).toBeNull();
  expect((await ledgerStatus(folder))?.tradingBegins.waitMs).toBe(0);
  writeLedgerNote(folder, { ledger, subjects: ['others'] });
  rmSync(join(folder, 'run.json'));
  expect(looked.waitsFor()).toBeNull();
  rmSync(folder, { recursive: true });
});
