import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { closing } from '../../../src/domain/closing.ts';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findRun } from '../../../src/backtest/read-run-folder.ts';
import { finishRun } from '../../../src/backtest/finish-run.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { MirrorStore } from '../../../src/mirror/mirror-store.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { demoRun } from '../backtest/demo-run.ts';
import { mirrorRun } from '../backtest/live/mirror-of-run.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';
import { openMirror } from '../../support/open-mirror.ts';

const root = folderOfAllTests();
const data = join(root, 'data');
const path = join(data, 'mirror.sqlite');
const RUN = demoRun({ bars: 200, tradeChance: 0.1 });

let store: MirrorStore;

const open = (file: string): MirrorStore => openMirror(file, RUN.fromMs);

beforeAll(() => {
  store = open(path);
  mirrorRun(store, RUN, { opening: { usdt: parseUnits('10000') }, withCandles: true });
});
afterAll(() => {
  store.abandon();
});

const live = async (...args: string[]) => sarrafHere(['report', 'live', ...args]);

/** Writes the configuration of a bot; its data folder is that of the mirror unless another is given. */
function configOf(lines: readonly string[], folder = data): string {
  const file = join(root, `${lines.join('-').replaceAll(/[^a-z]+/g, '-')}.yaml`);
  const strategies =
    'strategies:\n  - { plugin: ma-cross, name: ma-cross, market: BTCUSDT, params: { fast: 3, slow: 7 } }';
  writeFileSync(file, [`data: { folder: ${folder} }`, strategies, ...lines, ''].join('\n'));
  return file;
}

describe('sarraf report live', () => {
  test('writes the page of a bot that runs, and all that a backtest keeps', async () => {
    const { code, out } = await live('--data', data);
    expect(code).toBe(0);
    expect(out).toMatch(/^ma-cross +running +/m);
    const page = out.trimEnd().split('\nReport: ')[1] ?? '';
    expect(page.startsWith(join(data, 'live-reports'))).toBe(true);
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('<section id="strategies"');
    expect(html).toContain('The bot was running when this was written.');
    expect(html).toContain('What the mirror does not know');
    const { result } = findRun('', join(page, '..'));
    expect(result.session?.isRunning).toBe(true);
    const compared = await sarrafHere(['report', 'compare', join(page, '..'), join(page, '..'), '--json']);
    expect(JSON.parse(compared.out).differentGrounds).toEqual([]);
  });

  test('writes the page in the language of the bot, or in another one', async () => {
    const config = configOf([
      'mode: live',
      'instance: demo',
      'exchange: { baseUrl: "https://exchange.example" }',
      'language: fa',
    ]);
    for (const [more, language] of [[[], 'fa'] as const, [['--language', 'en'], 'en'] as const]) {
      const { out } = await live('--config', config, ...more);
      const html = readFileSync(out.trimEnd().split('\nReport: ')[1] ?? '', 'utf8');
      expect(html).toContain(`<html lang="${language}"`);
      expect(html.includes('هنگام ساخت این گزارش، ربات در حال اجرا بود.')).toBe(language === 'fa');
    }
  });

  test('prints the figures as JSON, and keeps nothing where that is not wanted', async () => {
    // The image always sets this variable.
    vi.stubEnv('SARRAF_DATA', root);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, out } = await live('--mirror', path, '--no-save', '--json');
    expect(code).toBe(0);
    const { page, folder, summary, session, fidelity } = JSON.parse(out);
    const { trades, fees, fills, maxDrawdown } = finishRun(RUN, 0).head.summary;
    expect(summary).toMatchObject({ trades, fees, fills });
    expect(summary.maxDrawdown).toBeCloseTo(maxDrawdown, 2);
    expect({ page, folder, kind: fidelity.kind, path: session.mirror }).toEqual({
      page: null,
      folder: null,
      kind: 'live',
      path,
    });
  });

  test('shows the params of the configuration', async () => {
    const config = configOf([
      'mode: live',
      'instance: demo',
      'exchange: { baseUrl: "https://exchange.example" }',
    ]);
    const { code, out, error } = await live('--config', config, '--no-save', '--json');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(JSON.parse(out).strategies).toMatchObject([{ name: 'ma-cross', params: { fast: 3, slow: 7 } }]);
  });

  test('reads what a bot left that was killed', async () => {
    const file = join(root, 'killed', 'mirror.sqlite');
    const killed = open(file);
    mirrorRun(killed, RUN, { opening: { usdt: parseUnits('10000') }, withCandles: false });
    killed.abandon();
    const { code, out } = await live('--mirror', file, '--no-save', '--json');
    expect([code, JSON.parse(out).session.isRunning]).toEqual([0, false]);
  });
});

test('every command of docs/operate.md about it does what it says', async () => {
  const commands = readFileSync('docs/operate.md', 'utf8').match(/^sarraf report live .*$/gm) ?? [];
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    const [, ...args] = command.replace(/ *#.*/, '').replace('/data', data).split(' ');
    expect(await sarrafHere(args)).toMatchObject({ code: 0, error: '' });
  }
});

describe('sarraf report live refuses in one line', () => {
  test.each([
    [
      'a mirror that is not there',
      ['--data', join(root, 'nowhere')],
      1,
      /expected a mirror of sarraf at .*, found nothing/,
    ],
    ['two places', ['--data', data, '--mirror', path], 2, /expected --mirror or --data, were both/],
    [
      'a range that the mirror does not have',
      ['--data', data, '--from', '2030-01-01'],
      2,
      /expected a range within what/,
    ],
    ['a range that ends first', ['--data', data, '--from', '2024', '--to', '2023'], 2, /expected/],
  ])('%s', async (_, args, code, message) => {
    const finished = await live(...args, '--no-save');
    expect(finished.code).toBe(code);
    expect(finished.error.trimEnd().split('\n')).toEqual([expect.stringMatching(message)]);
  });

  test('the mirror of another bot, and one of another mode', async () => {
    const other = await live(
      '--config',
      configOf(['mode: live', 'instance: other', 'exchange: { baseUrl: "https://exchange.example" }']),
    );
    expect([other.code, other.error]).toEqual([
      2,
      expect.stringMatching(/^expected orders of the instance other in .*mirror of another bot.*\n$/),
    ]);
    const mode = await live('--config', configOf(['mode: embedded']));
    expect([mode.code, mode.error]).toEqual([
      2,
      expect.stringMatching(
        /^expected .*embedded\.sqlite, the mirror of a bot of the mode embedded, found .*\n$/,
      ),
    ]);
  });

  test('a mirror that no bot has lived in', async () => {
    const file = join(root, 'empty', 'mirror.sqlite');
    open(file).close();
    expect(await live('--mirror', file)).toEqual(
      failed(1, /^DATA_UNUSABLE: expected the life of a bot in .*, found none.*\n$/),
    );
  });

  test('a file that is damaged, and one that somebody holds', async () => {
    mkdirSync(join(root, 'bad'));
    const bad = join(root, 'bad', 'mirror.sqlite');
    const whole = readFileSync(path);
    writeFileSync(bad, whole.subarray(0, 20_000));
    const damaged = await live('--mirror', bad);
    expect([damaged.code, damaged.error]).toEqual([
      1,
      expect.stringMatching(/^DATA_UNUSABLE: expected a mirror of sarraf at .*\n$/),
    ]);
    const file = join(root, 'held', 'mirror.sqlite');
    open(file).close();
    using holder = closing(new Database(file));
    holder.pragma('locking_mode = EXCLUSIVE');
    holder.exec("BEGIN EXCLUSIVE; INSERT INTO meta VALUES ('x', 'y')");
    const held = await live('--mirror', file);
    expect([held.code, held.error]).toEqual([
      1,
      expect.stringMatching(/^DATA_UNUSABLE: expected .*locked.*\n$/),
    ]);
  });
});
