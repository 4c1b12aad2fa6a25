import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { StudyStore } from '../../src/study/study-store.ts';
import type { StudyResult } from '../../src/study/study-result.ts';
import { inWords, startSarraf } from '../support/sarraf-process.ts';
import { SmallDisk } from './small-disk.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const TRIALS = 60;
const KILLS = 3;
const LOOK_EVERY_MS = 20;

const folder = folderOfEachTest();
let csv: string;
beforeEach(() => {
  csv = writeCandles(join(folder, 'hours.csv'), { count: 6_000 });
});

function start(data: string, workers: number) {
  return startSarraf([
    'study',
    'run',
    'ma-cross',
    '--csv',
    csv,
    '--market',
    'BTCUSDT',
    '--cash',
    '10000',
    '--fee',
    '0.1%',
    '--trials',
    String(TRIALS),
    '--seed',
    '3',
    '--name',
    'killed',
    '--workers',
    String(workers),
    '--data',
    join(folder, data),
    '--json',
  ]);
}

/** Numbers of the trials that a study has stored; none if there is no file yet. */
function keptIn(data: string): readonly number[] {
  const path = join(folder, data, 'studies', 'killed.sqlite');
  if (!existsSync(path)) return [];
  let store: StudyStore | null = null;
  try {
    store = StudyStore.openToRead(path);
    return [...store.outcomes()].map(({ number }) => number);
  } catch {
    // Its tables are just being made.
    return [];
  } finally {
    store?.close();
  }
}

test('a study that is killed loses no trial that ended, and runs none twice', async () => {
  const { code, out, error } = await start('whole', 1).finished;
  expect({ code, error }).toEqual({ code: 0, error: '' });
  const whole = JSON.parse(out) as StudyResult;
  expect(whole.counts.done).toBe(TRIALS);

  let kept: readonly number[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const run = start('killed', 2);
    while (run.child.exitCode === null && keptIn('killed').length < kill * 12) await pause(LOOK_EVERY_MS);
    const before = keptIn('killed');
    run.child.kill('SIGKILL');
    await run.finished;
    const after = keptIn('killed');
    expect(after).toEqual(expect.arrayContaining([...kept, ...before]) as unknown);
    expect(new Set(after).size).toBe(after.length);
    kept = after;
  }
  expect(kept.length).toBeLessThan(TRIALS);

  const last = await start('killed', 2).finished;
  expect({ code: last.code, error: last.error }).toEqual({ code: 0, error: '' });
  const ended = JSON.parse(last.out) as StudyResult & { readonly ranNow: number };
  expect(ended.ranNow).toBe(TRIALS - kept.length);
  expect(ended.hash).toBe(whole.hash);
  expect(ended.trials).toEqual(whole.trials);
  expect(ended.trialsOnData).toEqual({ trials: TRIALS, studies: 1, opened: 0, inHoldout: 0 });
});

test('a study whose disk is full ends with one line, and goes on when there is room', async (context) => {
  const disk = SmallDisk.mount(join(folder, 'small'), 4);
  if (typeof disk === 'string') {
    context.skip(disk);
    return;
  }
  try {
    const run = start('small', 2);
    while (run.child.exitCode === null && keptIn('small').length < 10) await pause(LOOK_EVERY_MS);
    disk.fill();
    const { code, out, error } = await run.finished;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(inWords(error)).toMatch(
      /^DATA_UNUSABLE: expected .* of sarraf at .*, found no room to write .*\n$/,
    );
    disk.free();
    const kept = keptIn('small');
    expect(kept.length).toBeGreaterThanOrEqual(10);
    const last = await start('small', 2).finished;
    expect({ code: last.code, error: last.error }).toEqual({ code: 0, error: '' });
    const ended = JSON.parse(last.out) as StudyResult & { readonly ranNow: number };
    expect([ended.counts.done, ended.ranNow]).toEqual([TRIALS, TRIALS - kept.length]);
  } finally {
    disk.unmount();
  }
});
