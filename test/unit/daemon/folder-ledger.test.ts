import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerLines, ledgerStatus } from '../../../src/cli/commands/status.ts';
import { FolderLedger } from '../../../src/daemon/folder-ledger.ts';
import { leaveRecord } from './left-record.ts';
import { english } from '../../../src/language/sentence.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';
import { openLedger } from '../../support/ledger-worlds.ts';

const withoutTimes = (text: string | null): string =>
  (text ?? '').replaceAll(/\d+ s/g, '… s').replace(/by 2.* in Tehran\)/, 'by …');

test('why orders wait is the same to the terminal, chats and the page; on paper none waits', async () => {
  const folder = folderOfThisTest();
  const ledger = join(folder, 'ledger.sqlite');
  const subjects = { ip: 'here', token: 'us' };
  openLedger(ledger, { subjects }).close();
  const looked = new FolderLedger(folder);
  expect(looked.waitsFor()).toBeNull();
  leaveRecord(folder, { ledger, subjects: Object.values(subjects) });
  const [line = ''] = ledgerLines(await ledgerStatus(folder), null, Date.now());
  expect(withoutTimes(english(looked.waitsFor()))).toMatch(
    /^trading can begin … s after .* The wait ends by …\. .* run "sarraf ledger new"$/,
  );
  expect(withoutTimes(line)).toBe(`ledger  ${ledger}: ${withoutTimes(english(looked.waitsFor()))}`);
  leaveRecord(folder, { mode: 'paper', ledger, subjects: Object.values(subjects) });
  expect(looked.waitsFor()).toBeNull();
  expect((await ledgerStatus(folder))?.tradingBegins.waitMs).toBe(0);
  leaveRecord(folder, { ledger, subjects: ['others'] });
  expect(looked.waitsFor()).toBeNull();
});
