import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();

describe('sarraf run', () => {
  test.each([
    ['a time of nothing', ['--for', '0s'], 'expected a length of time'],
    ['a speed of nothing', ['--speed', '0'], 'expected a number above 0'],
    [
      'a market for a recording',
      ['--market', 'BTCIRT', '--replay', 'candles.csv'],
      '--market or --replay, were both',
    ],
    ['a market that it does not have', ['--market', 'FOO'], 'expected a market such as'],
    ['a recording that is not there', ['--replay', 'nothing.csv'], 'nothing.csv, found none'],
  ])('refuses %s in one line', async (_, args, message) => {
    const { code, error } = await sarrafHere(['run', `--data=${join(folder, 'none')}`, ...args]);
    expect([code, error.trim().split('\n').length]).toEqual([2, 1]);
    expect(error).toContain(message);
  });

  test('leaves the data of another run alone', async () => {
    const lock = claimDataFolder(folder);
    try {
      const { code, error } = await sarrafHere(['run', '--for=1s', `--data=${folder}`]);
      expect(code).toBe(1);
      expect(error).toMatch(/^DATA_UNUSABLE: expected .* for this run alone; pid \d+ .* has it: .*--data\n$/);
    } finally {
      lock.release();
    }
  });
});
