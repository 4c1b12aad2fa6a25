import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSarraf, type Finished, type SarrafProcess } from '../support/sarraf-process.ts';
import { OldFolders, oldFile } from '../upgrade/open-folder.ts';

/** Port of the exchange that 0.1.0 used: a paper account follows one exchange, known by its address. */
const PORT = '8911';

let old: OldFolders;
let exchange: SarrafProcess;
let baseUrl: string;

/** Restores the exchange as it was when the old bots ended, with their orders. */
beforeAll(async () => {
  old = new OldFolders();
  const state = join(old.path, 'exchange-state.json');
  exchange = startSarraf([
    'exchange',
    '--config',
    oldFile('exchange.yaml'),
    '--port',
    PORT,
    '--state',
    state,
  ]);
  const line = await exchange.line((text) => text.includes('http://'));
  baseUrl = /http:\/\/[\d.]+:\d+/.exec(line)?.[0] ?? '';
  process.env['XDG_STATE_HOME'] = join(old.path, 'state');
  process.env['EXCHANGE_URL'] = baseUrl;
  process.env['EXCHANGE_TOKEN'] = 'trader-token';
  const { code, error } = await run('ledger', 'new', '--yes', '--address', baseUrl);
  expect({ code, error }).toEqual({ code: 0, error: '' });
});
afterAll(async () => {
  for (const name of ['XDG_STATE_HOME', 'EXCHANGE_URL', 'EXCHANGE_TOKEN']) delete process.env[name];
  exchange.child.kill('SIGTERM');
  await exchange.finished;
  old[Symbol.dispose]();
});

const run = async (...args: readonly string[]): Promise<Finished> => startSarraf(args).finished;

describe('a data folder of version 0.1.0', () => {
  test.each([
    ['live', []],
    ['paper', ['--set', 'mode=paper', '--set', 'instance=paper']],
  ])('of a %s bot goes on where it was: no order is lost, and the books agree', async (folder, options) => {
    const data = join(old.path, folder);
    const config = ['--config', oldFile('bot.yaml'), '--data', data, '--set', 'dashboard.port=0'];
    const startedAtMs = Date.now();
    const bot = startSarraf(['run', ...config, ...options, '--json']);
    await bot.line((line) => line.includes('"event":"begin"') && line.includes('"markets"'));
    await expect
      .poll(async () => JSON.parse((await run('reconcile', '--data', data, '--json')).out) as unknown, {
        timeout: 300_000,
        interval: 2_000,
      })
      .toMatchObject({
        state: 'agreed',
        isRunning: true,
        comparedAtMs: expect.toSatisfy((ms) => ms > startedAtMs),
      });
    bot.child.kill('SIGTERM');
    const { code, out } = await bot.finished;
    expect(code).toBe(0);
    expect(out).not.toContain('INVARIANT');
  });

  test('has the file of a study, which runs to its end', async () => {
    const { code, out } = await run(
      'study',
      'run',
      oldFile('study.yaml'),
      '--data',
      join(old.path, 'new'),
      '--json',
    );
    expect(code).toBe(0);
    expect(out).toContain('"end":"complete","ranNow":6');
  });
});
