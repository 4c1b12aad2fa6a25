import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { StudyStore } from '../../../../src/study/study-store.ts';
import { sarrafHere } from '../../../support/sarraf-here.ts';
import { keepDemoStudy } from './demo-study.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const data = folderOfAllTests();
beforeAll(() => {
  mkdirSync(join(data, 'studies'));
  keepDemoStudy(join(data, 'studies', 'demo.sqlite'), { trials: 30, days: 10 });
});

describe('sarraf study report', () => {
  test('writes a page and its trials into a folder beside the study, or where it is told to', async () => {
    const usual = join(data, 'studies', 'demo');
    for (const [folder, args] of [
      [usual, []],
      [join(data, 'a', 'b'), ['--out', join(data, 'a', 'b')]],
    ] as const) {
      const { code, out, error } = await sarrafHere([
        'study',
        'report',
        'demo',
        '--data',
        data,
        ...args,
        '--json',
      ]);
      expect({ code, error }).toEqual({ code: 0, error: '' });
      const [page, parquet] = [join(folder, 'report.html'), join(folder, 'trials.parquet')];
      expect(JSON.parse(out)).toEqual({ study: 'demo', page, parquet, trials: 30 });
      expect(readdirSync(folder).toSorted()).toEqual(['report.html', 'trials.parquet']);
      expect(readFileSync(page, 'utf8')).toContain('<title>Study demo</title>');
    }
    const again = await sarrafHere(['study', 'report', 'demo', '--data', data]);
    expect(again.out).toBe(
      `demo: 30 trials\n${join(usual, 'report.html')}\n${join(usual, 'trials.parquet')}\n`,
    );
  });

  test('shows all but the walk-forward where its candles are gone, and says so', async () => {
    const path = join(data, 'studies', 'walked.sqlite');
    keepDemoStudy(path, { trials: 30, days: 10 });
    const store = StudyStore.open(path);
    store.walkForward.begin({});
    store.walkForward.persistAccount({});
    store.close();
    const { code } = await sarrafHere(['study', 'report', 'walked', '--data', data]);
    expect(code).toBe(0);
    const html = readFileSync(join(data, 'studies', 'walked', 'report.html'), 'utf8');
    expect(html).toMatch(/<h2>Walk-forward<\/h2><p>One was run, and can not be shown here: .*expected/);
    expect(html).toContain('id="slices"');
  });

  test('takes what is no study, or no folder, for a mistake of the user', async () => {
    const none = await sarrafHere(['study', 'report', 'nothing', '--data', data]);
    expect(none.code).toBe(2);
    expect(none.error).toMatch(/expected a study called nothing in .*, found demo/);
    writeFileSync(join(data, 'file'), '');
    const file = await sarrafHere(['study', 'report', 'demo', '--data', data, '--out', join(data, 'file')]);
    expect(file.code).not.toBe(0);
    expect(file.error).toMatch(/expected a folder at .*file, found a file: name another with --out/);
    expect(file.error.trim().split('\n')).toHaveLength(1);
  });
});
