import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inWords, startSarraf } from '../support/sarraf-process.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const ENDLESS = 'select a.range as one, b.range as other from range(10000000) a, range(10000000) b';

const STOPPED = { code: 1, error: 'stopped by a signal before the end of the query\n' };

const folder = folderOfEachTest();

describe('a query that a signal stops', () => {
  test('ends, and leaves no half of the file that it wrote', async () => {
    const watched = watch(folder);
    const { child, finished } = startSarraf(['sql', ENDLESS, '--out', join(folder, 'all.parquet')]);
    await once(watched, 'change');
    watched.close();
    child.kill('SIGINT');
    expect(await finished).toMatchObject(STOPPED);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('in the middle of its rows is not taken for one that is whole', async () => {
    const query = startSarraf(['sql', ENDLESS, '--json']);
    await query.line((text) => text.startsWith('{'));
    query.child.kill('SIGTERM');
    const { code, error, out } = await query.finished;
    expect({ code, error: inWords(error) }).toEqual(STOPPED);
    expect(out.endsWith(']\n')).toBe(false);
  });

  test('ends well when its reader is gone', async () => {
    const query = startSarraf(['sql', ENDLESS, '--format', 'csv']);
    await query.line((text) => text === 'one,other');
    query.child.stdout?.destroy();
    expect(await query.finished).toMatchObject({ code: 0, error: '' });
  });
});
