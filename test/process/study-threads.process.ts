import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readWrittenStudy } from '../../src/study/study-settings.ts';
import { prepareStudy, type PreparedStudy } from '../../src/study/prepare-study.ts';
import { StudyFolder, TrialRegister } from '../../src/study/study-place.ts';
import { StudyStore } from '../../src/study/study-store.ts';
import { runStress } from '../../src/study/run-stress.ts';
import { studyHash } from '../../src/study/study-result.ts';
import { runSession } from '../../src/study/study-session.ts';
import { runWalkForward } from '../../src/study/run-walk-forward.ts';
import { walkForwardResult } from '../../src/study/walk-forward-result.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { oneByOne } from '../unit/study/one-by-one.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const NAME = 'crosses';

const folder = folderOfAllTests();
let study: PreparedStudy;
beforeAll(async () => {
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

/** Runs a study: in this thread without workers, else in `workers` threads. */
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

test('a study with detail has the same hash with two workers', async () => {
  const detailed = await prepareStudy(
    readWrittenStudy({
      strategy: 'mean-reversion',
      markets: 'BTCUSDT',
      timeframe: '5m',
      detail: '1m',
      catalogue: 'data/example',
      balances: { usdt: 10_000 },
      space: { length: { kind: 'integer', min: 10, max: 14 } },
      objectives: 'totalReturn',
      budget: { trials: 4 },
    }),
  );
  const hashes: string[] = [];
  for (const workers of [0, 2]) {
    const data = `detail-${workers}`;
    await runSession(detailed, { ...runs(data, workers), onTrial: () => undefined });
    hashes.push(look(data, (store) => studyHash(detailed.identity, store.rows())));
  }
  expect(hashes[1]).toBe(hashes[0]);
});

/** Source of a strategy that buys at each third candle that its code counted; `memory` keeps the count. */
const counting = (memory: string, count: string): string => `
import { z } from 'zod';
import { defineStrategy } from '#sdk';
${memory}
export default defineStrategy({
  name: 'counting',
  params: z.strictObject({ every: z.number().int().default(3) }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: {
    bars({ params, position, buy, sell }) {
      ${count} += 1;
      if (${count} % (params.every * 7) === 0) buy({ amount: 0.01 });
      else if (${count} % (params.every * 11) === 0 && position > 0) sell({ amount: position });
    },
  },
});
`;

async function countingStudy(file: string, text: string): Promise<PreparedStudy> {
  writeFileSync(join(folder, file), text);
  return prepareStudy(
    readWrittenStudy({
      strategy: join(folder, file),
      markets: 'BTCUSDT',
      csv: join(folder, 'hours.csv'),
      balances: { usdt: 10_000 },
      fee: '0.1%',
      space: { every: { kind: 'integer', min: 1, max: 9 } },
      objectives: 'totalReturn',
      budget: { trials: 6 },
      sampler: { kind: 'random', seed: 2 },
    }),
  );
}

test('a variable of a module begins anew in each trial, so that the number of workers changes nothing', async () => {
  const memory = await countingStudy('in-a-module.ts', counting('let seen = 0;', 'seen'));
  const kept: string[] = [];
  for (const workers of [1, 2]) {
    const data = `module-${workers}`;
    await runSession(memory, { ...runs(data, workers), onTrial: () => undefined });
    kept.push(look(data, (store) => JSON.stringify([...store.outcomes()])));
  }
  expect(kept[1]).toBe(kept[0]);
});

test('a study of a strategy that remembers earlier trials is refused', async () => {
  const memory = await countingStudy(
    'in-the-thread.ts',
    counting('globalThis.seen ??= 0;', 'globalThis.seen').replaceAll('globalThis.', '(globalThis as any).'),
  );
  await expect(runSession(memory, { ...runs('global', 1), onTrial: () => undefined })).rejects.toMatchObject({
    code: 'INVALID_STRATEGY',
    message: expect.stringContaining('when it runs alone'),
  });
});
