import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { StudyStore } from '../../src/study/study-store.ts';
import type { WalkForwardResult } from '../../src/study/walk-forward-result.ts';
import { startSarraf } from '../support/sarraf-process.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const TRIALS = 12;
const WINDOWS = 4;
const KILLS = 2;
const LOOK_EVERY_MS = 20;

const folder = folderOfEachTest();
let file: string;
beforeEach(() => {
  writeCandles(join(folder, 'hours.csv'), { count: 6_000 });
  file = join(folder, 'walk.yaml');
  writeFileSync(
    file,
    `strategy: ma-cross
markets: BTCUSDT
csv: hours.csv
balances: { usdt: 10000 }
fee: 0.1%
budget: { trials: ${TRIALS} }
validation: { walkForward: { train: 2000h, test: 1000h } }
`,
  );
});

const start = (data: string, workers: number) =>
  startSarraf(
    `study walk-forward ${file} --json --workers ${workers} --data ${join(folder, data)}`.split(' '),
  );

/** Stored trials, as their windows and numbers. */
function keptIn(data: string): readonly string[] {
  const path = join(folder, data, 'studies', 'walk.sqlite');
  if (!existsSync(path)) return [];
  let store: StudyStore | null = null;
  try {
    store = StudyStore.openToRead(path);
    return store.walkForward.rows().map(({ window, number }) => `${window} ${number}`);
  } catch {
    // Its tables are just being made.
    return [];
  } finally {
    store?.close();
  }
}

test('a walk-forward that is killed loses no trial that ended, runs none twice, and ends as one that was not', async () => {
  const { code, out, error } = await start('whole', 1).finished;
  expect({ code, error }).toEqual({ code: 0, error: '' });
  const whole = JSON.parse(out) as WalkForwardResult;
  expect(whole.windows).toHaveLength(WINDOWS);

  let kept: readonly string[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const run = start('killed', 2);
    while (run.child.exitCode === null && keptIn('killed').length < kill * (TRIALS + 2))
      await pause(LOOK_EVERY_MS);
    run.child.kill('SIGKILL');
    await run.finished;
    const after = keptIn('killed');
    expect(after).toEqual(expect.arrayContaining([...kept]) as unknown);
    kept = after;
  }
  expect(kept.length).toBeLessThan(TRIALS * WINDOWS);

  const last = await start('killed', 2).finished;
  expect({ code: last.code, error: last.error }).toEqual({ code: 0, error: '' });
  const ended = JSON.parse(last.out) as WalkForwardResult & { readonly ranNow: number };
  expect(ended.ranNow).toBe(TRIALS * WINDOWS - kept.length);
  expect(ended.hash).toBe(whole.hash);
  expect([ended.windows, ended.account]).toEqual([whole.windows, whole.account]);
  expect(ended.trialsOnData).toEqual({ trials: TRIALS * WINDOWS, studies: 1, opened: 0, inHoldout: 0 });
});
