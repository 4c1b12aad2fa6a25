import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { StudyStore } from '../../src/study/study-store.ts';
import type { StressFindings } from '../../src/study/stress-findings.ts';
import { startSarraf } from '../support/sarraf-process.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const DRAWS = 40;
/** Number of runs: one repeated, one with doubled costs, and the draws of bars and of random entries. */
const RUNS = 2 + 2 * DRAWS;
const KILLS = 2;
const LOOK_EVERY_MS = 20;

const folder = folderOfEachTest();
let file: string;
beforeEach(() => {
  writeCandles(join(folder, 'hours.csv'), { count: 3_000 });
  file = join(folder, 'stressed.yaml');
  writeFileSync(
    file,
    `strategy: ma-cross
markets: BTCUSDT
csv: hours.csv
balances: { usdt: 10000 }
fee: 0.1%
space: { fast: { kind: integer, min: 2, max: 9 }, slow: { kind: integer, min: 10, max: 40 } }
budget: { trials: 2 }
`,
  );
});

const start = (command: string, data: string, workers: number) =>
  startSarraf(`study ${command} ${file} --json --workers ${workers} --data ${join(folder, data)}`.split(' '));

/** Names of the stored runs, each with its result. */
function keptIn(data: string): ReadonlyMap<string, string> {
  const path = join(folder, data, 'studies', 'stressed.sqlite');
  if (!existsSync(path)) return new Map();
  const store = StudyStore.openToRead(path);
  try {
    const reports = [0, 1].flatMap((trial) => [...store.stress.reports(trial)]);
    return new Map(reports.map(([run, report]) => [run, JSON.stringify(report)]));
  } finally {
    store.close();
  }
}

interface Printed {
  readonly ranNow: number;
  readonly stress: StressFindings;
}

async function run(command: string, data: string, workers: number): Promise<Printed> {
  const { code, out, error } = await start(command, data, workers).finished;
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as Printed;
}

test('stress that is killed loses no run that ended, runs none twice, and ends as one that was not', async () => {
  const stress = `stress --draws ${DRAWS}`;
  await run('run', 'whole', 1);
  const whole = await run(stress, 'whole', 1);
  expect([whole.ranNow, keptIn('whole').size]).toEqual([RUNS, RUNS]);

  await run('run', 'killed', 1);
  let kept = keptIn('killed');
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { child, finished } = start(stress, 'killed', 2);
    while (child.exitCode === null && keptIn('killed').size < kill * 20) await pause(LOOK_EVERY_MS);
    child.kill('SIGKILL');
    await finished;
    const after = keptIn('killed');
    for (const [name, report] of kept) expect(after.get(name)).toBe(report);
    kept = after;
  }
  expect(kept.size).toBeLessThan(RUNS);

  const ended = await run(stress, 'killed', 2);
  expect(ended.ranNow).toBe(RUNS - kept.size);
  expect(keptIn('killed')).toEqual(keptIn('whole'));
  expect(ended.stress).toEqual(whole.stress);
});
