import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StudyResult } from '../../src/study/study-result.ts';
import { StudyStore } from '../../src/study/study-store.ts';
import { inWords, startSarraf, type SarrafProcess } from '../support/sarraf-process.ts';
import { writeAlerts, writeFollower, type Alert } from '../unit/study/follower.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { RedisServer } from './redis-server.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const LOOK_EVERY_MS = 20;
const SECRET = 'a secret that both of them know';

type Ended = StudyResult & { readonly ranNow: number };

const folder = folderOfEachTest();
let csv: string;
let redis: RedisServer;
let begun: SarrafProcess[];
beforeEach(async () => {
  csv = writeCandles(join(folder, 'hours.csv'), { count: 6_000 });
  redis = await RedisServer.start({ folder });
  begun = [];
});
afterEach(async () => {
  for (const { child } of begun) child.kill('SIGKILL');
  await Promise.all(begun.map(async ({ finished }) => finished));
  await redis.kill();
});

function start(args: readonly string[]): SarrafProcess {
  const started = startSarraf(args);
  begun.push(started);
  return started;
}

/** Runs a study; its trials are the same wherever it runs. */
function study(
  data: string,
  of: { readonly trials: number; readonly strategy?: string; readonly more?: string[] },
) {
  const { trials, strategy = 'ma-cross', more = [] } = of;
  const text = `--market BTCUSDT --cash 10000 --fee 0.1% --trials ${trials} --seed 3 --name remote --workers 1`;
  const where = ['--csv', csv, '--data', join(folder, data), '--json'];
  return start(['study', 'run', strategy, ...text.split(' '), ...where, ...more]);
}

const coordinator = (data: string, trials: number, more: string[] = []) =>
  study(data, { trials, more: ['--redis', redis.url, ...more] });

const worker = (name: string, more: string[] = []) =>
  start(['worker', '--redis', redis.url, '--threads', '1', '--data', join(folder, name), ...more]);

/** Reads from the file of a study; null if there is no file yet. */
function look<Value>(data: string, read: (store: StudyStore) => Value): Value | null {
  const path = join(folder, data, 'studies', 'remote.sqlite');
  if (!existsSync(path)) return null;
  let store: StudyStore | null = null;
  try {
    store = StudyStore.openToRead(path);
    return read(store);
  } catch {
    // Its tables are just being made.
    return null;
  } finally {
    store?.close();
  }
}

/** Numbers of the trials that a study has stored. */
const keptIn = (data: string): readonly number[] =>
  look(data, (store) => [...store.outcomes()].map(({ number }) => number)) ?? [];

async function untilKept(run: SarrafProcess, data: string, count: number): Promise<readonly number[]> {
  while (run.child.exitCode === null && keptIn(data).length < count) await pause(LOOK_EVERY_MS);
  return keptIn(data);
}

async function endedWell(run: SarrafProcess): Promise<Ended> {
  const { code, out, error } = await run.finished;
  expect({ code, error: code === 0 ? '' : error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as Ended;
}

test('a worker, the coordinator and Redis that are killed lose no trial, count none twice, and change no bit', async () => {
  const TRIALS = 96;
  const whole = await endedWell(study('whole', { trials: TRIALS }));
  expect(whole.counts.done).toBe(TRIALS);

  const workers = [worker('first'), worker('second')];
  const first = coordinator('killed', TRIALS);
  await untilKept(first, 'killed', 12);
  workers[0]?.child.kill('SIGKILL');
  const before = await untilKept(first, 'killed', 36);
  first.child.kill('SIGKILL');
  await first.finished;
  const kept = keptIn('killed');
  expect(kept).toEqual(expect.arrayContaining([...before]) as unknown);
  expect(kept.length).toBeLessThan(TRIALS);

  const last = coordinator('killed', TRIALS);
  await untilKept(last, 'killed', Math.min(kept.length + 24, TRIALS - 13));
  await redis.kill();
  expect(keptIn('killed').length).toBeLessThan(TRIALS);
  await pause(500);
  await redis.begin();
  const third = worker('third');
  const ended = await endedWell(last);
  expect(ended.hash).toBe(whole.hash);
  expect(ended.trials).toEqual(whole.trials);
  expect(ended.ranNow).toBe(TRIALS - kept.length);
  expect(ended.trialsOnData).toEqual({ trials: TRIALS, studies: 1, opened: 0, inHoldout: 0 });
  const { error } = await last.finished;
  const gone =
    /^expected Redis at redis:\/\/127\.0\.0\.1:\d+, found .*: nothing is lost, and it goes on .*$/gm;
  expect(error.match(gone)).toHaveLength(1);
  expect(error.match(/^Redis at redis:\/\/127\.0\.0\.1:\d+ is back$/gm)).toHaveLength(1);

  for (const { child } of [workers[1]!, third]) child.kill('SIGTERM');
  for (const left of [workers[1]!, third]) expect((await left.finished).code).toBe(0);
});

test('a walk-forward and runs under stress survive the end of a worker, the coordinator and Redis, with the same bytes', async () => {
  const file = join(folder, 'remote.yaml');
  writeFileSync(
    file,
    `strategy: ma-cross
markets: BTCUSDT
csv: ${csv}
balances: { usdt: 10000 }
fee: 0.1%
sampler: { seed: 3 }
validation: { walkForward: { train: 100d, test: 50d } }
`,
  );
  const run = (data: string, what: string, ...more: string[]): SarrafProcess => {
    const options = ['--data', join(folder, data), '--workers', '1', '--json'];
    return start(['study', ...what.split(' '), file, ...options, ...more]);
  };
  const commands = {
    trials: 'run --trials 12',
    walk: 'walk-forward --trials 32',
    stress: 'stress --draws 40',
  };
  const whole = [];
  for (const command of Object.values(commands)) whole.push(await outcomeOf(run('local', command)));

  worker('staying');
  const found = [await outcomeOf(run('killed', commands.trials, '--redis', redis.url))];
  const best = (found[0] as unknown as Ended).best?.number ?? -1;
  const kept = {
    walk: () => look('killed', ({ walkForward }) => walkForward.count()) ?? 0,
    stress: () => look('killed', ({ stress }) => stress.reports(best).size) ?? 0,
  };
  for (const what of ['walk', 'stress'] as const) {
    const leaving = worker('leaving');
    const first = run('killed', commands[what], '--redis', redis.url);
    while (first.child.exitCode === null && kept[what]() < 8) await pause(LOOK_EVERY_MS);
    for (const { child, finished } of [leaving, first]) {
      child.kill('SIGKILL');
      await finished;
    }
    await redis.kill();
    const before = kept[what]();
    await redis.begin();
    const again = await outcomeOf(run('killed', commands[what], '--redis', redis.url));
    expect(before).toBeGreaterThan(0);
    expect(again.ranNow).toBeGreaterThan(0);
    found.push({ ...again, ranNow: again.ranNow + before });
  }
  expect(found).toEqual(whole);
});

/** Parses what a command prints, without the path of its file. */
async function outcomeOf(run: SarrafProcess): Promise<Record<string, unknown> & { readonly ranNow: number }> {
  const { file: _place, ...rest } = (await endedWell(run)) as Ended & Record<string, unknown>;
  return rest;
}

test('a worker that is asked to end gives its jobs back, and the study ends with another', async () => {
  const TRIALS = 36;
  const whole = await endedWell(study('whole', { trials: TRIALS }));
  const leaving = worker('leaving');
  const run = coordinator('left', TRIALS);
  await untilKept(run, 'left', 6);
  leaving.child.kill('SIGTERM');
  const { code, out, error } = await leaving.finished;
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toMatch(/^computed \d+ runs? of ma-cross /m);
  const startMs = performance.now();
  worker('other');
  expect((await endedWell(run)).hash).toBe(whole.hash);
  // It did not have to wait until a lock expired.
  expect(performance.now() - startMs).toBeLessThan(60_000);
});

test('a trial that has ended is never run again: another study finds it without a worker', async () => {
  const TRIALS = 24;
  const only = worker('only');
  const first = await endedWell(coordinator('first', TRIALS));
  only.child.kill('SIGTERM');
  expect((await only.finished).out).toMatch(/^computed 24 runs of /m);
  const second = await endedWell(coordinator('second', TRIALS));
  expect([second.hash, second.ranNow]).toEqual([first.hash, TRIALS]);
});

test('a strategy that a worker does not have is refused, and is sent to one that knows the secret', async () => {
  const strategy = join(folder, 'mine', 'own-cross.ts');
  mkdirSync(join(folder, 'mine'));
  writeFileSync(strategy, readFileSync('strategies/ma-cross.ts', 'utf8').replaceAll('ma-cross', 'own-cross'));
  for (const [name, secret] of [
    ['secret', SECRET],
    ['other', 'a secret of somebody else'],
  ] as const)
    writeFileSync(join(folder, name), secret, { mode: 0o600 });
  const secretOf = (name: string): string[] => ['--secret-file', join(folder, name)];
  const TRIALS = 12;
  const whole = await endedWell(study('whole', { trials: TRIALS, strategy }));

  const refusing = [worker('without'), worker('wrong', secretOf('other'))];
  const more = ['--redis', redis.url, '--send-code', ...secretOf('secret')];
  const run = study('sent', { trials: TRIALS, strategy, more });
  expect(await refusing[0]!.line((line) => line.startsWith('expected'))).toMatch(
    /^expected strategy own-cross with SHA-256 \w{12}…, found none in .*, and no secret to take it with: give --secret-file$/,
  );
  expect(await refusing[1]!.line((line) => line.startsWith('expected'))).toMatch(
    /signed with the secret of this worker, found another signature$/,
  );
  worker('knowing', secretOf('secret'));
  expect((await endedWell(run)).hash).toBe(whole.hash);
  const { error } = await run.finished;
  expect(error.match(/^worker \S+ does not fit: expected strategy own-cross .*$/gm)).toHaveLength(2);
  expect(error).not.toContain(SECRET);
});

/** Signals that buy or sell, one every twenty hours. */
const alertsOf = (count: number): readonly Alert[] =>
  Array.from({ length: count }, (_, index): Alert => [
    Date.UTC(2024, 0, 20) + index * 20 * 3_600_000,
    index % 2 === 0 ? 'buy' : 'sell',
  ]);

test('signals go to a worker with the candles; a study with them is resumed, and refused with others', async () => {
  const strategy = writeFollower(folder);
  const alerts = writeAlerts(join(folder, 'alerts.jsonl'), alertsOf(290));
  writeFileSync(join(folder, 'secret'), SECRET, { mode: 0o600 });
  const secret = ['--secret-file', join(folder, 'secret')];
  const asked = ['--signals', alerts, '--holdout', '20%', '--sampler', 'grid', '--objective', 'totalReturn'];
  const whole = await endedWell(study('whole', { trials: 4, strategy, more: asked }));
  expect(whole).toMatchObject({ signals: { count: 290 }, counts: { complete: 4 } });
  expect(whole.best?.metrics?.['fills']).toBeGreaterThan(200);

  worker('knowing', secret);
  const remote = ['--redis', redis.url, '--send-code', ...secret];
  const first = await endedWell(study('sent', { trials: 2, strategy, more: [...asked, ...remote] }));
  expect(first.counts.done).toBe(2);
  const options = ['--data', join(folder, 'sent'), '--json', '--workers', '1'];
  const resume = ['study', 'resume', 'remote', '--trials', '4', ...options];
  expect(await endedWell(start([...resume, ...remote]))).toMatchObject({ hash: whole.hash, ranNow: 2 });

  writeAlerts(alerts, alertsOf(289));
  const { code, error } = await start(resume).finished;
  expect(code).toBe(2);
  expect(error).toMatch(
    /found another one \(signals: 290 with SHA-256 \w{12}…, now 289 with SHA-256 \w{12}…\)/,
  );
});

test('a study that no worker fits says so, and ends when it is asked to', async () => {
  const strategy = join(folder, 'own-cross.ts');
  writeFileSync(strategy, readFileSync('strategies/ma-cross.ts', 'utf8').replaceAll('ma-cross', 'own-cross'));
  worker('without');
  const run = study('stopped', { trials: 12, strategy, more: ['--redis', redis.url] });
  let said = '';
  run.child.stderr?.on('data', (text: string) => (said += text));
  while (!said.includes('no worker computes this study (1 does not fit')) await pause(LOOK_EVERY_MS);
  run.child.kill('SIGINT');
  const { code, error } = await run.finished;
  expect(code).toBe(1);
  expect(inWords(error)).toMatch(/copy it here, or run the study with --send-code$/m);
  expect(inWords(error)).toMatch(
    /^QUEUE_UNUSABLE: expected a worker for \d+ runs under way, found none .*run it again to go on$/m,
  );
});

test('a Redis that does not come back keeps no worker without a job from ending', async () => {
  const left = worker('left');
  await endedWell(coordinator('left', 4));
  await redis.kill();
  await left.line((line) => line.includes('nothing is lost'));
  left.child.kill('SIGTERM');
  expect((await left.finished).code).toBe(0);
});

test('a Redis that does not come back keeps neither a worker nor the coordinator from ending', async () => {
  const left = worker('left');
  const run = coordinator('left', 96);
  const kept = await untilKept(run, 'left', 4);
  await redis.kill();
  await left.line((line) => line.includes('nothing is lost'));
  for (const { child } of [left, run]) child.kill('SIGTERM');
  expect((await left.finished).code).toBe(0);
  const { code, error } = await run.finished;
  expect(code).toBe(1);
  expect(inWords(error)).toMatch(/^QUEUE_UNUSABLE: expected Redis for \d+ runs .*run it again to go on$/m);
  expect(keptIn('left')).toEqual(expect.arrayContaining([...kept]) as unknown);
});
