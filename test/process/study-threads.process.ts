import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWrittenStudy } from '../../src/study/file/read-study.ts';
import { prepareStudy, type PreparedStudy } from '../../src/study/prepare-study.ts';
import { StudyFolder } from '../../src/study/store/study-place.ts';
import { StudyStore } from '../../src/study/store/study-store.ts';
import { TrialRegister } from '../../src/study/store/trial-register.ts';
import { runStress } from '../../src/study/stress/run-stress.ts';
import { runSession } from '../../src/study/study-session.ts';
import { runWalkForward } from '../../src/study/walk-forward/run-walk-forward.ts';
import { walkForwardResult } from '../../src/study/walk-forward/walk-forward-result.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { oneByOne } from '../unit/study/one-by-one.ts';

const NAME = 'crosses';

let folder: string;
let study: PreparedStudy;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-study-threads-'));
  study = await prepareStudy(
    readWrittenStudy({
      strategy: 'ma-cross',
      markets: 'BTCUSDT',
      csv: writeCandles(join(folder, 'hours.csv'), { count: 1_000 }),
      holdout: '10%',
      balances: { usdt: 10_000 },
      fee: '0.1%',
      rules: { spreadBps: 2 },
      params: { share: 0.5 },
      space: { fast: { kind: 'integer', min: 2, max: 5 }, slow: { kind: 'integer', min: 8, max: 16 } },
      objectives: 'totalReturn',
      budget: { trials: 5 },
      sampler: { kind: 'tpe', seed: 2, generation: 3 },
      validation: { walkForward: { train: '300h', test: '200h' } },
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Where a study is run: here without workers, else in so many threads. */
const runs = (data: string, workers: number) => ({
  folder: new StudyFolder(join(folder, data)),
  name: NAME,
  workers,
  ...(workers === 0 ? { openRunner: oneByOne } : {}),
  signal: new AbortController().signal,
});

function look<Value>(data: string, read: (store: StudyStore) => Value): Value {
  const store = StudyStore.openToRead(new StudyFolder(join(folder, data)).pathOf(NAME));
  try {
    return read(store);
  } finally {
    store.close();
  }
}

test('the best trial under stress is the same to the byte with two workers', async () => {
  const kept: string[] = [];
  for (const workers of [0, 2]) {
    const data = `stress-${workers}`;
    const of = runs(data, workers);
    await runSession(study, { ...of, onTrial: () => undefined });
    const { end, trial } = await runStress(study, { ...of, draws: 20, onRun: () => undefined });
    expect(end).toBe('complete');
    kept.push(look(data, ({ stress }) => JSON.stringify([stress.basis(trial), [...stress.reports(trial)]])));
  }
  expect(kept[0]?.length).toBeGreaterThan(10_000);
  expect(kept[1]).toBe(kept[0]);
});

test('a walk-forward is the same to the byte with two workers', async () => {
  const kept: string[] = [];
  for (const workers of [0, 2]) {
    const data = `walk-${workers}`;
    const of = { ...runs(data, workers), onWindow: () => undefined, onTrial: () => undefined };
    expect(await runWalkForward(study, of)).toBe('complete');
    const register = new TrialRegister(of.folder.registerPath);
    const onData: typeof register.onData = (months, holdout) => register.onData(months, holdout);
    const rows = look(data, (store) => {
      const { hash, trialsOnData } = walkForwardResult(study, { store, name: NAME, onData });
      expect(trialsOnData).toEqual({ trials: 15, studies: 1, opened: 0, inHoldout: 0 });
      return [store.walkForward.rows(), store.walkForward.head(), hash];
    });
    register.close();
    kept.push(JSON.stringify(rows));
  }
  expect(kept[0]?.length).toBeGreaterThan(1_000);
  expect(kept[1]).toBe(kept[0]);
});
