import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { dataSetOf } from '../../../../src/study/data-set.ts';
import { identityOf } from '../../../../src/study/study-identity.ts';
import { claimStudy, StudyFolder, TrialRegister } from '../../../../src/study/study-place.ts';
import type { StoredTrial } from '../../../../src/study/study-rows.ts';
import { StudyStore } from '../../../../src/study/study-store.ts';
import { generatedCandles } from '../generated-candles.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const folder = folderOfEachTest();
let path: string;
beforeEach(() => {
  path = join(folder, 'studies', 'one.sqlite');
});

const ran: StoredTrial = {
  number: 0,
  point: { fast: 3, exit: 'trail', share: '0.30' },
  params: { fast: 3, exit: 'trail', share: 0.3 },
  outcome: { kind: 'complete', values: [1.25], violation: 0 },
  failure: null,
  metrics: { sharpe: 1.25, calmar: null },
  daily: { firstDay: 19_742, returns: Float64Array.of(0.01, -0.02, 1 / 3) },
};
const broken: StoredTrial = {
  ...ran,
  number: 1,
  outcome: { kind: 'failed', reason: 'it stopped' },
  failure: 'stopped',
  metrics: null,
  daily: null,
};
const timing = { endedAtMs: 1_700_000_000_000, tookMs: 12.5 };

describe('the file of a study', () => {
  test('has its trials again after it was closed, to the last bit', () => {
    const store = StudyStore.open(path);
    store.add(broken, timing);
    store.add(ran, timing);
    store.close();
    const again = StudyStore.openToRead(path);
    expect([...again.trials()]).toEqual([ran, broken]);
    expect([...again.outcomes()]).toEqual([{ ...ran, daily: null }, broken]);
    expect(again.trial(1)).toEqual(broken);
    expect([again.trial(2), again.count()]).toEqual([null, 2]);
    again.close();
    expect(readdirSync(join(folder, 'studies'))).toEqual(['one.sqlite']);
  });

  test('keeps a trial once: a second one of its number is refused', () => {
    const store = StudyStore.open(path);
    store.add(ran, timing);
    expect(() => store.add({ ...broken, number: 0 }, timing)).toThrow(/UNIQUE/);
    expect([...store.trials()]).toEqual([ran]);
    store.close();
  });

  test('knows what it is of, and when its hold-out was opened', () => {
    const identity = identityOf({
      question: { a: 1 },
      code: 'c',
      data: [dataSetOf(generatedCandles({ count: 9 }))],
    });
    const range = { fromMs: 1, splitMs: 2, toMs: 3 };
    const store = StudyStore.open(path);
    expect([store.head(), store.holdout()]).toEqual([null, null]);
    store.begin({ written: { strategy: 'x' }, identity, range });
    store.rewrite({ strategy: 'x', budget: { trials: 9 } });
    store.add(ran, timing);
    store.openHoldout({ atMs: 7, trial: 0, afterTrials: 1 });
    expect(store.holdout()).toEqual({ openedAtMs: 7, trial: 0, afterTrials: 1, report: null });
    expect(() => store.openHoldout({ atMs: 8, trial: 0, afterTrials: 1 })).toThrow(/UNIQUE/);
    store.storeHoldout({ kind: 'ran' });
    store.close();
    const again = StudyStore.openToRead(path);
    expect(again.head()).toEqual({ written: { strategy: 'x', budget: { trials: 9 } }, identity, range });
    expect(again.holdout()).toEqual({ openedAtMs: 7, trial: 0, afterTrials: 1, report: { kind: 'ran' } });
    again.close();
  });
});

describe('a file that is refused in one line, and left as it is,', () => {
  beforeEach(() => StudyStore.open(path).close());

  test('is text', () => {
    writeFileSync(path, 'strategy: ma-cross\n');
    expect(refusal(() => StudyStore.open(path))).toMatch(
      /expected a study of sarraf at .*, found another file/,
    );
    expect(readFileSync(path, 'utf8')).toBe('strategy: ma-cross\n');
  });

  test('is the database of another program', () => {
    const other = join(folder, 'other.sqlite');
    const database = new Database(other);
    database.exec('CREATE TABLE mine (a)');
    database.close();
    const before = readFileSync(other);
    expect(refusal(() => StudyStore.open(other))).toMatch(/found another file/);
    expect(readFileSync(other)).toEqual(before);
  });

  test('is of a later version', () => {
    const database = new Database(path);
    database.pragma('user_version = 9');
    database.close();
    expect(refusal(() => StudyStore.open(path))).toMatch(
      /found version 9, where this sarraf reads version 3/,
    );
  });

  test('is damaged', () => {
    const bytes = readFileSync(path);
    bytes.fill(0x55, 4_096, 12_288);
    writeFileSync(path, bytes);
    const message = refusal(() => StudyStore.open(path));
    expect(message).toMatch(/found a damaged file \(.*\): it was left as it is; restore a copy/);
    expect(message).not.toContain('\n');
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('has a trial that nobody could have written', () => {
    const database = new Database(path);
    database.exec(`INSERT INTO trials VALUES (0, '{}', '{}', '{"kind":"great"}', NULL, NULL, NULL, NULL)`);
    database.close();
    const store = StudyStore.open(path);
    expect(refusal(() => [...store.outcomes()])).toMatch(/expected a trial in row 0 of the study/);
    store.close();
  });

  test('is run by another process', () => {
    const lock = claimStudy(path);
    expect(refusal(() => claimStudy(path))).toMatch(/expected the study .* for this run alone; pid \d+/);
    lock[Symbol.dispose]();
    claimStudy(path)[Symbol.dispose]();
  });
});

const study = (id: string, months: readonly string[], toMs = 70) => ({
  id,
  name: id,
  months,
  seen: { fromMs: 0, toMs },
});
const HELD = { fromMs: 70, toMs: 100 };

test('the register of trials counts trials on any data with a month in common, each study once', () => {
  const register = new TrialRegister(join(folder, 'register.sqlite'));
  register.enter(study('a', ['jan', 'feb']));
  register.count('a', 60);
  register.enter(study('a', ['jan', 'feb']));
  register.count('a', 12);
  register.enter(study('b', ['feb', 'mar']));
  register.count('b', 40);
  register.enter(study('c', ['jul']));
  register.open('b', 5);
  expect(register.onData(['feb'], HELD)).toEqual({ trials: 100, studies: 2, opened: 1, inHoldout: 0 });
  expect(register.onData(['jan', 'jul'], HELD)).toEqual({
    trials: 60,
    studies: 2,
    opened: 0,
    inHoldout: 0,
  });
  expect(register.onData(['dec'], HELD)).toEqual({ trials: 0, studies: 0, opened: 0, inHoldout: 0 });
  register.close();
});

test('a hold-out is not new where trials of a study that cut elsewhere ran on its candles', () => {
  const register = new TrialRegister(join(folder, 'register.sqlite'));
  register.enter(study('a', ['jan']));
  register.count('a', 60);
  register.enter(study('whole', ['jan'], 100));
  register.count('whole', 7);
  register.enter(study('other market', ['jul'], 100));
  register.count('other market', 9);
  expect(register.onData(['jan'], HELD)).toMatchObject({ trials: 67, inHoldout: 7 });
  // A study without a hold-out has no data there that other studies could have seen.
  expect(register.onData(['jan'], { fromMs: 50, toMs: 50 }).inHoldout).toBe(0);
  register.close();
});

test('studies of a folder are found by their names, and by the files that they were declared in', () => {
  StudyStore.open(path).close();
  const studies = new StudyFolder(folder);
  expect(studies.names()).toEqual(['one']);
  expect([studies.find('one'), studies.find('some/where/one.yaml')]).toEqual(['one', 'one']);
  expect(() => studies.find('two')).toThrow(
    /expected a study called two in .*studies, found one: type "sarraf study show one"$/,
  );
  StudyStore.open(join(folder, 'studies', 'two-BTCUSDT-1h.sqlite')).close();
  expect(() => studies.find('two.ts')).toThrow(
    /found one, two-BTCUSDT-1h: type "sarraf study show two-BTCUSDT-1h"$/,
  );
  expect(() => studies.pathOf('../one')).toThrow(/expected a name of letters/);
});

function refusal(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    return String(error);
  }
  throw new Error('expected a refusal, was none');
}
