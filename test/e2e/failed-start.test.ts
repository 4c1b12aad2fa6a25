import { expect, test } from 'vitest';
import { readConfig } from '../../src/cli/read-config.ts';
import { isDataFolderInUse } from '../../src/daemon/process-locks.ts';
import { runBot } from '../../src/daemon/run-bot.ts';
import { readRun } from '../../src/daemon/run-record.ts';
import type { CreateSidecar } from '../../src/daemon/sidecar.ts';
import { ownStrategies } from '../../src/plugins/own-files.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();

test('a start that fails half-way closes what it has opened, and says what failed first', async () => {
  const seen: string[] = [];
  const sidecar: CreateSidecar = () => ({
    check() {
      const { pulse } = readRun(folder);
      seen.push(`checked, ${isDataFolderInUse(folder)}, ${pulse?.endedAtMs}`);
      throw new Error('the port is taken');
    },
    begin: () => seen.push('begun'),
    end() {
      seen.push(`ended, ${isDataFolderInUse(folder)}`);
      throw new Error('the thread is gone');
    },
  });
  const run = runBot({
    config: readConfig(null, [['data.folder', JSON.stringify(folder)]]),
    bundledStrategies: ownStrategies(),
    forMs: null,
    json: false,
    write: () => undefined,
    signal: new AbortController().signal,
    sidecars: [sidecar],
  });
  await expect(run).rejects.toThrow(/^the port is taken$/);
  expect(seen).toEqual(['checked, true, null', 'ended, true']);
  expect(isDataFolderInUse(folder)).toBe(false);
  expect(readRun(folder).pulse).toMatchObject({
    endedAtMs: expect.any(Number) as number,
    failure: 'the port is taken',
  });
});
