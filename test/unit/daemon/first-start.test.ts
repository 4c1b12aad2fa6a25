import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { openControlReadOnly } from '../../../src/daemon/control-file.ts';
import { paperAccountBeganAtMs } from '../../../src/daemon/paper-account-file.ts';
import { DATA_FILES } from '../../support/data-files.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folder = folderOfEachTest();

/** Leaves a database as a process does that is killed after the switch to WAL and before making tables. */
function leaveWithoutTables(path: string): void {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.close();
}

describe.each(DATA_FILES)('%s', (name, open) => {
  test('is made where a killed process left no bytes', () => {
    writeFileSync(join(folder, name), '');
    open(folder).close();
    expect(() => open(folder).close()).not.toThrow();
  });

  test.runIf(name !== 'mirror.sqlite')('is made where one left it without tables', () => {
    leaveWithoutTables(join(folder, name));
    open(folder).close();
    expect(() => open(folder).close()).not.toThrow();
  });

  test('is left as it is where it is of another program, even without tables', () => {
    const path = join(folder, name);
    const other = new Database(path);
    other.pragma('application_id = 42');
    other.close();
    const before = readFileSync(path);
    expect(() => open(folder)).toThrow(expect.objectContaining({ code: 'DATA_UNUSABLE' }));
    expect(readFileSync(path)).toEqual(before);
  });
});

test('whoever only looks finds no commands and no account in a file without tables', () => {
  leaveWithoutTables(join(folder, 'control.sqlite'));
  expect(openControlReadOnly(folder, 100)).toBeNull();
  leaveWithoutTables(join(folder, 'account.sqlite'));
  expect(paperAccountBeganAtMs(join(folder, 'account.sqlite'))).toBeNull();
});
