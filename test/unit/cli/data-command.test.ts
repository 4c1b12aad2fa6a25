import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { progressText } from '../../../src/cli/data/progress-line.ts';
import { sarrafHere, printed } from '../../support/sarraf-here.ts';
import type { Finished } from '../../support/sarraf-process.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';
import { scenarios } from '../../support/scenarios.ts';

const START = Date.UTC(2024, 7, 8);
const HOUR = 3_600_000;

const folder = folderOfEachTest();

const data = (...args: readonly string[]): Promise<Finished> =>
  sarrafHere(['data', ...args, '--catalogue', join(folder, 'catalogue')]);

function csv(name: string, rows: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${['time_ms,open,high,low,close,volume', ...rows].join('\n')}\n`);
  return path;
}

const bars = (hours: readonly number[]): string[] =>
  hours.map(
    (hour) => `${START + hour * HOUR},12600000000,12600000500,12599999500,12600000010,0.${hour + 1}1`,
  );
const HOURS = [0, 1, 2, 3, 6, 7, 8, 9, 10, 11];

describe('sarraf data', () => {
  test('imports, lists, verifies, resamples and exports', async () => {
    const path = csv('btc.csv', bars(HOURS));
    const imported = await data('import', path, '--market', 'BTCIRT', '--json');
    expect(imported).toMatchObject({ code: 0, error: '' });
    expect(JSON.parse(imported.out)).toMatchObject({
      result: 'imported',
      rows: 10,
      rejected: 0,
      parts: [{ kind: 'candles', timeframe: '1h', outcome: { kind: 'added', added: 10 } }],
    });
    const listed = await data('list', '--json');
    expect(JSON.parse(listed.out)).toMatchObject({
      recordings: [{ market: 'BTCIRT', folder: 'candles-1h', rows: 10, fromMs: START, sources: ['btc.csv'] }],
    });
    expect((await data('list')).out).toContain('2024-08-08T00:00:00Z');
    const verified = await data('verify');
    expect(verified.code).toBe(1);
    expect(verified.out).toContain(
      'gap: 2 bars are missing from 2024-08-08T04:00:00Z to 2024-08-08T06:00:00Z',
    );
    expect(verified.error.trim().split('\n')).toEqual([expect.stringContaining('1 finding')]);
    const resampled = await data('resample', '--market', 'BTCIRT', '--timeframe', '4h');
    expect(resampled).toEqual(printed('BTCIRT candles-4h of 1h: 3 added'));
    const out = join(folder, 'out.csv');
    await data('export', out, '--market', 'BTCIRT', '--timeframe', '1h');
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(path, 'utf8'));
  });

  test('keeps a file with a bad row out, names file and line, and writes the row to a file of rejects', async () => {
    const path = csv('bad.csv', [...bars(HOURS), `${START + 12 * HOUR},1,2,3,4,5`]);
    const { code, error } = await data('import', path, '--market', 'BTCIRT');
    expect(code).toBe(2);
    expect(error.trim().split('\n')).toEqual([
      expect.stringContaining(`${path}:12: expected low <= open, close <= high`),
    ]);
    const imports = join(folder, 'catalogue', 'imports');
    const rejects = readdirSync(imports).find((name) => name.endsWith('bad.csv.rejects.csv')) ?? '';
    expect(readFileSync(join(imports, rejects), 'utf8')).toContain(`12,"expected low <= open`);
    expect((await data('list')).out).not.toContain('bad.csv');
    expect(await data('import', path, '--market', 'BTCIRT', '--skip-bad')).toMatchObject({ code: 0 });
  });

  test('says in one line where a file is in place of its folder', async () => {
    const path = csv('btc.csv', bars(HOURS));
    for (const args of [['list'], ['import', path, '--market', 'BTCIRT']]) {
      const { code, error } = await sarrafHere(['data', ...args, '--catalogue', path]);
      expect({ code, lines: error.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
      expect(error).toMatch(
        /^expected to be able to use .*btc\.csv.*: name a folder where this names a file$/m,
      );
    }
  });

  test('lists and verifies what is beside a folder whose manifest is damaged', async () => {
    const path = csv('btc.csv', bars([0, 1, 2]));
    for (const market of ['BTCIRT', 'ETHIRT']) await data('import', path, '--market', market);
    writeFileSync(join(folder, 'catalogue', 'BTCIRT', 'candles-1h', 'manifest.json'), '{');
    const [listed, verified] = [await data('list'), await data('verify')];
    expect([listed.code, verified.code]).toEqual([1, 1]);
    expect(listed.out).toMatch(/^ETHIRT +candles-1h +3 /m);
    expect(listed.error).toContain('expected a manifest of the catalogue');
    expect(verified.out).toMatch(/file: expected a manifest of the catalogue at .*BTCIRT/);
    expect(verified.out).toContain('ETHIRT candles-1h: 3 rows, nothing found');
  });

  test('verifies a stretch only where something is there', async () => {
    await data('import', csv('btc.csv', bars(HOURS)), '--market', 'BTCIRT');
    const later = await data('verify', '--from', '2030-01-01');
    expect(later).toMatchObject({ code: 2, out: '' });
    expect(later.error).toContain('those there reach from 2024-08-08T00:00:00Z');
    expect((await data('verify', '--from', '2030-01-01', '--to', '2029-01-01')).error).toContain(
      'begins before it ends',
    );
  });

  scenarios<readonly string[]>(async (message, args) => {
    const { code, out, error } = await data(...args);
    expect({ code, out, lines: error.trim().split('\n').length }).toEqual({ code: 2, out: '', lines: 1 });
    expect(error).toContain(message);
  }, 'refuses %s in one line')`
    a file that is not there ${['import', '/no/such.csv', '--market', 'BTCIRT']}
      expected a file at /no/such.csv, found none
    a market that is none ${['import', 'x.csv', '--market', 'BTC']}: expected a market such as
    a market without data ${['export', 'x.csv', '--market', 'ETHIRT', '--timeframe', '1h']}
      expected data of ETHIRT candles-1h
    an empty stretch
      ${['export', 'x.csv', '--market', 'ETHIRT', '--timeframe', '1h', '--from', '2024-02-01', '--to', '2024-01-01']}
      begins before it ends
    no timeframe ${['export', 'x.csv', '--market', 'ETHIRT']}: expected --timeframe for candles
    a timeframe that is none ${['resample', '--market', 'ETHIRT', '--timeframe', '7']}
      expected one of 1m, 5m, 15m
    a time that is none ${['export', 'x.csv', '--market', 'ETHIRT', '--from', 'noon']}: found "noon"
    an exchange without address
      ${['download', '--market', 'BTCIRT', '--timeframe', '1m', '--from', '2024-01-01']}
      name it with --address
    nothing to verify ${['verify']}: expected recordings to verify
    an empty stretch to resample
      ${['resample', '--market', 'ETHIRT', '--timeframe', '1h', '--from', '2024-02-01', '--to', '2024-01-01']}
      begins before it ends, was 2024-02-01T00:00:00Z to 2024-01-01T00:00:00Z
    a day that its month does not have
      ${['export', 'x.csv', '--market', 'ETHIRT', '--timeframe', '1h', '--from', '2024-02-30']}
      expected a date of the calendar
    columns that are none ${['import', 'x.csv', '--market', 'BTCIRT', '--columns', 'when']}
      expected pairs such as time=when
  `;

  test('makes candles of finer ones that changed only when the old ones are gone', async () => {
    await data('import', csv('btc.csv', bars(HOURS)), '--market', 'BTCIRT');
    await data('resample', '--market', 'BTCIRT', '--timeframe', '4h');
    await data('import', csv('more.csv', bars([4, 5])), '--market', 'BTCIRT', '--timeframe', '1h');
    const { code, error } = await data('resample', '--market', 'BTCIRT', '--timeframe', '4h');
    expect(code).toBe(2);
    const path = join(folder, 'catalogue', 'BTCIRT', 'candles-4h');
    expect(error).toContain(`nothing was changed. Move ${path} away to make them again`);
    rmSync(path, { recursive: true });
    expect((await data('resample', '--market', 'BTCIRT', '--timeframe', '4h')).code).toBe(0);
  });

  test('keeps a report of a file with the longest of names', async () => {
    const path = csv(`${'ب'.repeat(120)}.csv`, bars(HOURS));
    expect(await data('import', path, '--market', 'BTCIRT')).toMatchObject({ code: 0, error: '' });
  });

  test('keeps recordings below the data folder of the environment, where every command finds them', async () => {
    vi.stubEnv('SARRAF_DATA', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const path = csv('btc.csv', bars(HOURS));
    expect(await sarrafHere(['data', 'import', path, '--market', 'BTCIRT'])).toMatchObject({ code: 0 });
    expect((await sarrafHere(['data', 'list'])).out).toContain('candles-1h');
    expect(readdirSync(join(folder, 'catalogue', 'BTCIRT'))).toEqual(['candles-1h']);
    const account = ['--cash', '1000000000', '--fee', '0.1%', '--no-save'];
    expect(await sarrafHere(['backtest', 'ma-cross', '--market', 'BTCIRT', ...account])).toMatchObject({
      code: 0,
    });
    const sql = await sarrafHere(['sql', 'SELECT count(*) AS bars FROM candles', '--json']);
    expect(JSON.parse(sql.out)).toEqual([{ bars: 10 }]);
  });

  test('has help with examples for every command', async () => {
    expect((await sarrafHere(['data', '--help'])).out).toContain('Examples:\n  sarraf data import');
    for (const name of ['import', 'download', 'list', 'verify', 'export', 'resample'])
      expect(await sarrafHere(['data', name, '--help'])).toEqual(printed(`Examples:\n  sarraf data ${name}`));
  });
});

test.each([
  [
    { what: 'x.csv', done: 10_000, share: 0.25, elapsedMs: 2_000 },
    '[#####...............] x.csv: 10,000, 5,000/s, 25 %, 6 s left',
  ],
  [
    { what: 'x.csv', done: 1, share: 1, elapsedMs: 2_000 },
    '[####################] x.csv: 1, 0.5/s, 100 %, 0 s left',
  ],
  [{ what: 'x.csv', done: 10_000, share: null, elapsedMs: 2_000 }, 'x.csv: 10,000, 5,000/s'],
])('progress says how fast it is and how long it takes yet', (progress, text) => {
  expect(progressText(progress)).toBe(text);
});
