import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownerText, thisOwner } from '../../src/budget/process-owner.ts';
import { jobBody, type JobItem } from '../../src/lab/lab-schema.ts';
import { LabStore } from '../../src/lab/lab-store.ts';
import { StudyFolder } from '../../src/study/study-place.ts';
import { EXAMPLE_RUN, LabHere, strategySource } from '../support/lab-here.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { startSarraf } from '../support/sarraf-process.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

async function openLab(of: ConstructorParameters<typeof LabHere>[1] = {}, folder = folderOfThisTest()) {
  const lab = await new LabHere(folder, of).listen();
  onTestFinished(() => lab.close());
  return { lab, folder };
}

const RUN = { kind: 'backtest', strategy: 'ma-cross', typed: EXAMPLE_RUN };

/** Number of trials that the register of a data folder has. */
function trialsIn(folder: string): number {
  const database = new Database(new StudyFolder(folder).registerPath, { readonly: true });
  const count = database.prepare('SELECT coalesce(sum(trials), 0) FROM studies').pluck().get();
  database.close();
  return count as number;
}

/** Reads a field of `/proc/pid/stat` after the name, counted as "man 5 proc" does. */
const statField = (pid: number, field: number): number =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[field - 3],
  );

/** Process of a running job, as the store has it. */
function pidOf(folder: string, id: number): number {
  const database = new Database(join(folder, 'lab', 'jobs.sqlite'), { readonly: true });
  const owner = database.prepare('SELECT owner FROM jobs WHERE id = ?').pluck().get(id) as string | null;
  database.close();
  return Number(owner?.split(' ')[2] ?? 0);
}

const LOOP = 'while (true);';

describe('a backtest of the lab', () => {
  test('is reported, compared, and counted as a trial, the same one once', async () => {
    const { lab, folder } = await openLab();
    const first = await lab.until(await lab.add(RUN));
    expect(await lab.outputOf(first.id)).toContain('Report: ');
    expect(first).toMatchObject({ state: 'done', run: expect.any(String), report: expect.any(String) });
    const page = await lab.here.ask(`/api/v1/reports/${first.report}`, { headers: lab.here.bearer() });
    expect([page.status, page.headers['content-security-policy']]).toEqual([
      200,
      expect.stringContaining('sandbox'),
    ]);
    expect(trialsIn(folder)).toBe(1);
    await lab.until(await lab.add(RUN));
    expect(trialsIn(folder)).toBe(1);
    const other = await lab.until(await lab.add({ ...RUN, params: { fast: '3', slow: '9' } }));
    expect(trialsIn(folder)).toBe(2);
    const { json } = await lab.here.api(`/compare?runs=${first.run},${other.run}`);
    expect(json['runs'].map(({ run }: { run: string }) => run)).toEqual([first.run, other.run]);
    expect(json['grounds']).toContain('strategies');
    // The file of a job is one that the command line runs as well.
    const again = await startSarraf(['backtest', join(folder, 'lab', `${first.id}.yaml`), '--no-save'])
      .finished;
    expect(again.code).toBe(0);
  });

  test('counts on the same data as a study', async () => {
    const { lab } = await openLab();
    await lab.until(await lab.add(RUN));
    const study = await lab.until(
      await lab.add({
        ...RUN,
        kind: 'study',
        typed: { ...EXAMPLE_RUN, holdout: '20%', 'budget.trials': '3', 'sampler.kind': 'random' },
      }),
    );
    expect(study).toMatchObject({ state: 'done', report: expect.any(String) });
    const { json } = await lab.here.api('/studies');
    expect(json['studies']).toMatchObject([
      { name: `lab-${study.id}`, done: 3, hasHoldout: true, openedAtMs: null, trialsOnData: 4 },
    ]);
    const opening = { kind: 'holdout', study: `lab-${study.id}`, isConfirmed: true };
    expect(await lab.until(await lab.add(opening))).toMatchObject({ state: 'done' });
    expect((await lab.here.api('/studies')).json['studies'][0].openedAtMs).toEqual(expect.any(Number));
  });

  test('runs again when the file of its strategy is saved', async () => {
    const { lab } = await openLab();
    const strategy = lab.write('own.ts', '');
    const first = await lab.until(await lab.add({ ...RUN, strategy, again: true }));
    expect(first.state).toBe('done');
    writeFileSync(join(lab.strategies, strategy), strategySource('ctx.log("saved");'));
    const second = await lab.until(first.id + 1);
    expect(second).toMatchObject({ state: 'done', request: { again: true } });
    expect((await lab.job(first.id))?.request.again).toBe(false);
  });
});

test('data is downloaded from an exchange, imported from a file, and verified', async () => {
  const folder = folderOfThisTest();
  const exchange = startSarraf(['exchange', '--port', '0', '--json']);
  onTestFinished(async () => {
    exchange.child.kill('SIGTERM');
    await exchange.finished;
  });
  const listening = await exchange.line((line) => line.includes('"listening"'));
  const { address } = JSON.parse(listening) as { readonly address: string };
  const config = join(folder, 'bot.yaml');
  writeFileSync(
    config,
    `mode: paper\npaper: { baseUrl: '${address}' }\nexchange: { ledgerFolder: ledgers }\n`,
  );
  expect(await sarrafHere(['ledger', 'new', '--config', config, '--yes'])).toMatchObject({ code: 0 });
  const { lab } = await openLab({ exchange: ['--config', config] }, folder);
  const ended = async (kind: string, typed: object): Promise<readonly [string, string]> => {
    const { id, state } = await lab.until(await lab.add({ kind, typed }));
    return [state, await lab.outputOf(id)];
  };
  const [state, output] = await ended('download', { market: 'BTCIRT', timeframe: '1h', from: '2020-01-01' });
  expect(state, output).toBe('done');
  writeFileSync(
    join(folder, 'imports', 'eth.csv'),
    ['time,open,high,low,close,volume', '2024-01-01,1,3,1,2,5', '2024-01-02,2,4,2,3,5'].join('\n'),
  );
  const file = { market: 'ETHUSDT', file: 'eth.csv', kind: 'candles', timeframe: '1d' };
  const imported = await ended('import', file);
  expect(imported[0], imported[1]).toBe('done');
  const { json } = await lab.here.api('/data');
  expect(json['recordings']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ market: 'BTCIRT', folder: 'candles-1h' }),
      expect.objectContaining({ market: 'ETHUSDT', folder: 'candles-1d', rows: 2 }),
    ]),
  );
  const verified = await ended('verify', { market: 'ETHUSDT' });
  expect(verified[0], verified[1]).toBe('done');
  // What is damaged is found.
  const part = join(folder, 'catalogue', 'ETHUSDT', 'candles-1d');
  for (const name of readdirSync(part).filter((each) => each.endsWith('.parquet')))
    writeFileSync(join(part, name), 'damaged');
  expect((await ended('verify', { market: 'ETHUSDT' }))[0]).toBe('failed');
  writeFileSync(join(folder, 'imports', 'bad.csv'), 'no,candles\n1,2\n');
  const bad = await ended('import', { ...file, file: 'bad.csv' });
  expect(bad).toEqual(['failed', expect.stringContaining('bad.csv')]);
});

describe('a strategy that', () => {
  test.each(['outside.txt', 'mirror.sqlite', 'access.sqlite'])(
    'writes to %s is refused that',
    async (name) => {
      const { lab, folder } = await openLab();
      const path = join(name === 'outside.txt' ? folderOfThisTest() : folder, name);
      const strategy = lab.write('own.ts', '');
      writeFileSync(
        join(lab.strategies, strategy),
        `import { writeFileSync } from 'node:fs';\n${strategySource(`writeFileSync(${JSON.stringify(path)}, 'x');`)}`,
      );
      const job = await lab.until(await lab.add({ ...RUN, strategy }));
      expect([job.state, await lab.outputOf(job.id)]).toEqual([
        'failed',
        expect.stringContaining('restricted'),
      ]);
      expect(existsSync(path) && readFileSync(path, 'utf8') === 'x').toBe(false);
    },
  );

  test('begins a process is refused that', async () => {
    const { lab } = await openLab();
    const strategy = lab.write('own.ts', '');
    writeFileSync(
      join(lab.strategies, strategy),
      `import { execSync } from 'node:child_process';\n${strategySource(`execSync('true');`)}`,
    );
    const job = await lab.until(await lab.add({ ...RUN, strategy }));
    expect([job.state, await lab.outputOf(job.id)]).toEqual([
      'failed',
      expect.stringContaining('restricted'),
    ]);
  });

  test('eats memory is ended, and the next job runs', async () => {
    const { lab } = await openLab({ memoryMb: 900 });
    const strategy = lab.write(
      'own.ts',
      'for (let n = 0; n < 400; n += 1) (globalThis.eaten ??= []).push(Buffer.alloc(50_000_000, 1));',
    );
    const [greedy, next] = [await lab.add({ ...RUN, strategy }), await lab.add(RUN)];
    const ended = (await lab.until(greedy)).state;
    expect(ended, await lab.outputOf(greedy)).toBe('out-of-memory');
    expect((await lab.until(next)).state).toBe('done');
  });

  test('loops is ended after the longest time, and gets no priority meanwhile', async () => {
    const { lab, folder } = await openLab({ longestMs: 20_000, niceness: constants.priority.PRIORITY_LOW });
    const id = await lab.add({ ...RUN, strategy: lab.write('own.ts', LOOP) });
    await lab.until(id, ['running']);
    await expect.poll(() => pidOf(folder, id), { timeout: 300_000 }).toBeGreaterThan(0);
    const pid = pidOf(folder, id);
    await expect.poll(() => statField(pid, 19), { timeout: 300_000 }).toBe(constants.priority.PRIORITY_LOW);
    expect((await lab.until(id)).state).toBe('out-of-time');
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test('loops when it is read keeps nobody from the lab', async () => {
    const { lab } = await openLab();
    writeFileSync(join(lab.strategies, 'endless.ts'), LOOP);
    const params = lab.here.api('/params?strategy=endless.ts');
    expect((await lab.here.api('/desk')).status).toBe(200);
    expect((await params).json['problem']).toContain('an answer within 20 s, was none');
  });
});

describe('the queue', () => {
  test('runs one at a time, and lets each be cancelled', async () => {
    const { lab } = await openLab();
    const strategy = lab.write('own.ts', LOOP);
    const [first, second] = [await lab.add({ ...RUN, strategy }), await lab.add({ ...RUN, strategy })];
    await lab.until(first, ['running']);
    expect((await lab.job(second))?.state).toBe('waiting');
    await lab.here.api(`/jobs/${second}/cancel`, {});
    await lab.here.api(`/jobs/${first}/cancel`, {});
    expect((await lab.until(first)).state).toBe('cancelled');
    expect((await lab.until(second)).state).toBe('cancelled');
    expect((await lab.here.api('/jobs/99/cancel', {})).status).toBe(404);
  });

  test('shows how far a job is', async () => {
    const { lab } = await openLab();
    const strategy = lab.write('own.ts', 'const until = Date.now() + 4; while (Date.now() < until);');
    const id = await lab.add({ ...RUN, strategy });
    let progress: JobItem['progress'] = null;
    await expect
      .poll(
        async () => {
          progress = (await lab.job(id))?.progress ?? progress;
          return progress?.share ?? 0;
        },
        { timeout: 300_000 },
      )
      .toBeGreaterThan(0);
    expect(progress).toMatchObject({ phase: 'bars' });
    await lab.here.api(`/jobs/${id}/cancel`, {});
  });

  test('is there after a restart; what a killed lab left running is ended', async () => {
    const folder = folderOfThisTest();
    const left = spawn('sleep', ['1000']);
    const gone = new Promise((resolve) => left.once('exit', (_, signal) => resolve(signal)));
    const store = new LabStore(join(folder, 'lab'), () => Date.now());
    const request = jobBody.parse(RUN);
    const [running, waiting] = [store.add(request, 'ali').id, store.add(request, 'ali').id];
    store.begin(running);
    store.setOwner(running, ownerText(thisOwner(left.pid)));
    store.close();
    const { lab } = await openLab({}, folder);
    expect((await lab.job(running))?.state).toBe('abandoned');
    expect(await gone).toBe('SIGKILL');
    expect((await lab.until(waiting)).state).toBe('done');
  });
});

test('the command of docs/lab.md serves the page of the lab until it is ended', async () => {
  const [, command = ''] = /^npx sarraf (lab .*)$/m.exec(readFileSync('docs/lab.md', 'utf8')) ?? [];
  const args = command.split(' ').map((arg) => (arg === 'data' ? folderOfThisTest() : arg));
  const lab = startSarraf([...args, '--port', '0', '--json']);
  const { address, tokenFile } = JSON.parse(await lab.line(() => true)) as Record<string, string>;
  const headers = { authorization: `Bearer ${readFileSync(tokenFile ?? '', 'utf8').trim()}` };
  const data = await fetch(`${address}/api/v1/data`, { headers });
  expect(JSON.stringify(await data.json())).toContain('"market":"BTCUSDT"');
  lab.child.kill('SIGINT');
  expect(await lab.finished).toMatchObject({ code: 0, error: '' });
});
