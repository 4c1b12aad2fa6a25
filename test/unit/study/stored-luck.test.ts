import { createHash } from 'node:crypto';
import { closing } from '../../../src/domain/closing.ts';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { present } from '../../../src/domain/errors.ts';
import {
  storeLuck,
  type MadeLuck,
  readTrialLuck,
  STATISTICS_VERSION,
  validatedStudy,
  type ValidatedStudy,
} from '../../../src/study/validated-study.ts';
import { claimStudy, StudyFolder } from '../../../src/study/study-place.ts';
import { StudyStore } from '../../../src/study/study-store.ts';
import { studyResult } from '../../../src/study/study-result.ts';
import { trialLuck } from '../../../src/study/validation/luck-statistics.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { keepDemoStudy } from './report/demo-study.ts';
import { madeNoise, madeReturns } from './validation/made-study.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const TRIALS = 12;

const data = folderOfEachTest();
let folder: StudyFolder;
let path: string;
beforeEach(() => {
  mkdirSync(join(data, 'studies'));
  folder = new StudyFolder(data);
  path = folder.pathOf('demo');
  keepDemoStudy(path, { trials: TRIALS, days: 40 });
});

/** Returns the study as it is shown, and its statistics if they had to be computed. */
function look(ofData: number = TRIALS): { readonly study: ValidatedStudy; readonly made: MadeLuck | null } {
  let made: MadeLuck | null = null;
  using store = closing(StudyStore.openToRead(path));
  const onData = () => ({ trials: ofData, studies: 1, opened: 0, inHoldout: 0 });
  const study = validatedStudy(store, studyResult(store, { name: 'demo', onData }), (luck) => {
    made = luck;
  });
  return { study, made };
}

const keep = (made: MadeLuck | null): string | null =>
  storeLuck({ folder, name: 'demo' }, present(made, 'statistics'));

const change = (sql: string): void => {
  const database = new Database(path);
  database.exec(sql);
  database.close();
};

describe('the statistics of a study', () => {
  test('are made once, and are the same to the last bit when they are read', () => {
    const first = look();
    expect(keep(first.made)).toBeNull();
    const second = look();
    expect(second.made).toBeNull();
    expect(second.study).toEqual(first.study);
    expect(readdirSync(join(data, 'studies')).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
  });

  test('count trials of other studies anew each time, and are not made again for them', () => {
    keep(look().made);
    const { study, made } = look(90_000);
    expect(made).toBeNull();
    expect(study.validation?.statistics.deflatedSharpeOfData.result).toMatchObject({
      value: { trials: 90_000 },
    });
  });

  test('are made again after one more trial, another return, and for another version', () => {
    const { made } = look();
    const { basis, luck } = present(made, 'statistics');
    keep(made);
    const store = StudyStore.open(path);
    const trial = present(store.trial(look().study.best?.number ?? 0), 'a trial');
    store.add({ ...trial, number: TRIALS }, { endedAtMs: 0, tookMs: 1 });
    store.close();
    expect(look().made?.luck.statistics.deflatedSharpeOfStudy).not.toEqual(
      luck.statistics.deflatedSharpeOfStudy,
    );
    change(`DELETE FROM timings WHERE number = ${TRIALS}; DELETE FROM trials WHERE number = ${TRIALS}`);
    expect(look().made).toBeNull();
    change('UPDATE trials SET returns = (SELECT returns FROM trials WHERE number = 2) WHERE number = 3');
    expect(look().made).not.toBeNull();
    expect(keep({ basis: basis.replace(/^statistics \d+/, 'statistics 0'), luck })).toBeNull();
    expect(look().made).not.toBeNull();
  });

  test.each(['{"days":', '{"days":40,"sampled":12,"statistics":{}}', 'null'])(
    'are made again where %s is found in their place',
    (figures) => {
      const { study, made } = look();
      keep(made);
      change(`UPDATE statistics SET figures = '${figures}'`);
      const again = look();
      expect(again.study).toEqual(study);
      expect(keep(again.made)).toBeNull();
      expect(look().made).toBeNull();
    },
  );

  test('are not kept while the study is run, and it is said where they can not be', async () => {
    const { made } = look();
    const lock = claimStudy(path);
    expect(keep(made)).toBeNull();
    lock[Symbol.dispose]();
    expect(look().made).not.toBeNull();
    rmSync(`${path}.lock`);
    writeFileSync(`${path}.lock`, 'not a lock');
    const { code, out, error } = await sarrafHere(['study', 'show', 'demo', '--data', data]);
    expect([code, error]).toEqual([
      0,
      expect.stringMatching(/^the statistics are not kept, and take as long again: expected .*lock.*\n$/),
    ]);
    expect(out).toContain('probability of overfitting');
  });

  test('are kept by the first command that shows them, which counts at least the trials of the study', async () => {
    const { code, out, error } = await sarrafHere(['study', 'show', 'demo', '--data', data, '--json']);
    expect([code, error, look().made]).toEqual([0, '', null]);
    expect(JSON.parse(out)).toMatchObject({ trialsOnData: { trials: TRIALS, studies: 1 } });
  });

  test('have these figures in this version: where they become others, raise it', () => {
    const luck = trialLuck(madeReturns(madeNoise({ days: 90, count: 24 })));
    expect(readTrialLuck(JSON.parse(JSON.stringify(luck)))).toEqual(luck);
    // Nine digits, since the last ones may differ between machines.
    const text = JSON.stringify(luck, (_, value: unknown) =>
      typeof value === 'number' ? value.toPrecision(9) : value,
    );
    expect([STATISTICS_VERSION, createHash('sha256').update(text).digest('hex').slice(0, 16)]).toEqual([
      1,
      '262c050c2ef0c71a',
    ]);
  });
});
