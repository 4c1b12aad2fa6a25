import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { planOfConfigs } from '../../../src/cli/plan-of-config.ts';
import { BotLife, createEmbeddedWorld } from '../../support/embedded-bot.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';
import { withPlan } from '../../../src/cli/study/walk-forward-command.ts';
import { readWrittenStudy } from '../../../src/study/study-settings.ts';
import type { WalkQuestion } from '../../../src/study/walk-plan.ts';

const folder = folderOfAllTests();
const wantsLittle = join(folder, 'wants-little.ts');
const wantsTooMuch = join(folder, 'wants-too-much.ts');

const strategy = (name: string, data: string) => `
import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: '${name}',
  params: z.strictObject({}),
  data: ({ market, margin, timeframe }) => (${data}),
  on: {},
});`;

beforeAll(() => {
  writeFileSync(
    wantsLittle,
    strategy('little', `{ book: market.book({ everyMs: 4_000 }), bars: market.candles(timeframe) }`),
  );
  writeFileSync(
    wantsTooMuch,
    strategy('too-much', `{ tape: market.trades({ everyMs: 2_000, maxAgeMs: 3_000 }) }`),
  );
});

const planWith = (amount: string) =>
  sarrafHere([
    'plan',
    '--set',
    `strategies=[{"plugin":"${wantsLittle}","market":"BTCIRT","inventory":{"btc":"${amount}"}}]`,
    '--set',
    'embedded.balances={"rls":"1000000000","btc":"0.5"}',
  ]);

describe('sarraf plan', () => {
  test('says what the account lacks of the coins that strategies are given to sell', async () => {
    const short = await planWith('0.7');
    expect(short.code).toBe(2);
    expect(short.error).toContain(
      'expected at most 0.5 BTC for the inventory of wants-little, was 0.7: the account has 0.5, of which strategies own 0. Lower inventory.btc, or put 0.2 BTC into the spot wallet',
    );
    expect((await planWith('0.5')).error).toBe('');
  });

  test('prints the age of every datum, the use of every endpoint and what a restart takes', async () => {
    const { code, out, error } = await sarrafHere(['plan', '--strategies', wantsLittle, '--timeframe', '1h']);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^ {2}book BTCIRT +4 s +4 s +5\.5 s +30 s +little$/m);
    expect(out).toMatch(
      /^ {2}candles BTCIRT 1h +at close +60 min +close \+ 2\.5 s +close \+ 30 min +little$/m,
    );
    expect(out).toMatch(/^ {2}orders +3 s +3 s +15 s +3\.5 s +30 s +account$/m);
    expect(out).toMatch(/^ {2}v2\/orderbook +15 +58 +43$/m);
    expect(out).toMatch(/^ {2}orders\/list +20 +4 +29 +2 +9$/m);
    expect(out).toMatch(/^ {2}orders\/add +0 +29.4 +29.4 {2}placements$/m);
    expect(out).toMatch(
      /^With --record the log .* about \d+\.\d MB a day, of at most 1000 MB \(record\.eventsMb\)\.$/m,
    );
    expect(out).toMatch(
      /^After a restart the account is read with 8 requests in 4 s; in 125 s at the latest/m,
    );
  });

  test('prints JSON for programs, and plans for every market', async () => {
    const args = ['plan', '--json', '--strategies', wantsLittle, '--market', 'BTCIRT', 'eth-usdt'];
    const { out } = await sarrafHere(args);
    const plan = JSON.parse(out) as { feeds: { key: string }[] };
    expect(plan).toMatchObject({
      problems: [],
      strategyProblems: [],
      largestStretch: 1,
      restart: { requests: 10 },
    });
    expect(plan.feeds.map(({ key }) => key)).toEqual([
      'book BTCIRT',
      'book ETHUSDT',
      'candles BTCIRT 1m',
      'candles ETHUSDT 1m',
      'stats',
      'options',
      'orders',
      'fills',
      'wallets',
      'transactions',
    ]);
  });

  test('says what does not fit, and shows what there would be', async () => {
    const { code, out, error } = await sarrafHere(['plan', '--strategies', wantsTooMuch]);
    expect(code).toBe(2);
    expect(error).toBe(
      'It does not fit:\n  v2/trades: expected at most 13.3 requests a minute (95 % of 14 in 60 s), found 24 for trades BTCIRT at most 3 s old (too-much): ask for fewer markets, allow older data with maxAgeMs, or raise the limit if the exchange grants more\n',
    );
    expect(out).toMatch(/^ {2}trades BTCIRT +2 s +4\.6 s +5\.1 s +3 s +too-much$/m);
  });

  test.each([
    [false, 2, /params\.fasst: .*\nA live or paper bot does not start without wrong: .*optional: true/],
    [true, 0, /params\.fasst: /],
  ])(
    'fails where a strategy can not run, unless it is optional (%s), and plans for the others',
    async (optional, code, error) => {
      const config = join(folder, `lost-${optional}.yaml`);
      const strategies = [
        { plugin: 'ma-cross', market: 'BTCIRT' },
        { plugin: 'ma-cross', name: 'wrong', market: 'BTCIRT', params: { fasst: 3 }, optional },
      ];
      writeFileSync(config, JSON.stringify({ strategies }));
      const done = await sarrafHere(['plan', '--config', config]);
      expect(done.code).toBe(code);
      expect(done.error).toMatch(error);
      expect(done.out).toMatch(/^Plan for ma-cross \(BTCIRT\)$/m);
    },
  );

  test.each([
    ['no market', ['--market', 'FOO'], 'expected a market such as'],
    ['no strategy', ['--strategies', '/nowhere'], 'one file at /nowhere, was nothing'],
    ['no length of a candle', ['--timeframe', '7m'], 'Allowed choices are 1m'],
    ['no value for a path', ['--set', 'strategies'], 'expected path=value'],
    [
      'said twice',
      ['--config', 'config/bot.yaml', '--market', 'BTCIRT'],
      'expected --config, or --strategies',
    ],
    ['no file', ['--config', '/nowhere.yaml'], '/nowhere.yaml:1:1: expected a file'],
    [
      'no market of the embedded exchange',
      ['--config', 'config/bot.yaml', '--set', 'strategies.0.market=FOOIRT'],
      'expected one of the embedded markets',
    ],
  ])('refuses what is %s in one line', async (_, args, message) => {
    const { code, out, error } = await sarrafHere(['plan', ...args]);
    expect([code, out, error.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(error).toContain(message);
  });

  test('plans for the default strategies where none are given', async () => {
    const { out } = await sarrafHere(['plan']);
    expect(out).toMatch(/^Plan for ma-cross \(BTCIRT\), market-maker \(BTCIRT\)$/m);
  });

  test('plans a configuration with its names, params and limits, and asks no exchange outside', async () => {
    const config = join(folder, 'bot.yaml');
    writeFileSync(
      config,
      `
mode: live
exchange:
  baseUrl: https://exchange.example
  credentials: { token: secret-of-the-bot }
  limits: { v2/options: { limit: 5, window: 10s } }
strategies:
  - { plugin: wants-little.ts, name: first, market: FOOIRT, timeframe: 15m }
`,
    );
    const { code, out, error } = await sarrafHere([
      'plan',
      '--config',
      config,
      '--set',
      'strategies.0.timeframe=5m',
    ]);
    expect([code, error.includes('secret-of-the-bot')]).toEqual([0, false]);
    expect(out).toMatch(/^Plan for first \(FOOIRT\)$/m);
    expect(out).toMatch(/^ {2}candles FOOIRT 5m .* first$/m);
    expect(out).toMatch(/^ {2}v2\/options +0\.1 +24 +23\.9$/m);
  });

  test.each([
    ['paper', '', 'paper trading has no account at the exchange'],
    [
      'live',
      `credentials: { key: ${'k'.repeat(43)}, privateKey: ${'p'.repeat(43)} }`,
      'the exchange answers it to a token, and not to an API key',
    ],
  ])('says that pools can not be had in the mode %s', async (mode, credentials, why) => {
    writeFileSync(join(folder, 'wants-pools.ts'), strategy('pooler', '{ pools: margin.pools() }'));
    const config = join(folder, `${mode}.yaml`);
    writeFileSync(
      config,
      `
mode: ${mode}
exchange:
  baseUrl: https://exchange.example
  ${credentials}
strategies:
  - { plugin: wants-pools.ts, market: BTCIRT }
`,
    );
    expect(await sarrafHere(['plan', '--config', config])).toEqual(
      failed(2, `pools: it can not be asked for pooler: ${why}`),
    );
  });
});

test('names the line of the configuration that a strategy refuses, or the option that set it', async () => {
  const config = join(folder, 'params.yaml');
  const lines = [
    'strategies:',
    '  - plugin: ma-cross',
    '    market: BTCIRT',
    '    params:',
    '      fast: -3',
    '      fsat: 4',
  ];
  writeFileSync(config, lines.join('\n'));
  const { code, error } = await sarrafHere(['plan', '--config', config]);
  expect(code).toBe(2);
  expect(error).toContain(`${config}:5:13: strategies[0].params.fast: expected more than 0, was -3`);
  expect(error).toContain(`${config}:6:13: strategies[0].params.fsat: expected the name of a parameter`);
  const set = await sarrafHere(['plan', '--config', config, '--set', 'strategies.0.params.fast=x']);
  expect(set.error).toContain('--set strategies.0.params.fast: expected a number, was "x"');
});

test('the plan of a configuration is the one that a run of it goes by', async () => {
  const world = createEmbeddedWorld({ seed: 1 });
  const life = await BotLife.prepare(world, join(folder, 'mirror.sqlite'));
  const { plan } = await planOfConfigs([world.config], { askEmbedded: true });
  expect(plan).toEqual(life.bot.plan);
  await life.drop();
});

const DAY_MS = 86_400_000;
const ROLLING: WalkQuestion = {
  kind: 'rolling',
  choose: 'best',
  trainMs: 180 * DAY_MS,
  testMs: 30 * DAY_MS,
  stepMs: 30 * DAY_MS,
  purgeMs: 0,
  embargoMs: 0,
};

/** Returns the walk-forward settings of a study file whose plan is `own`, together with options. */
function planOf(of: {
  readonly own?: object;
  readonly flags?: Record<string, string>;
  readonly trials?: number;
  readonly begun?: WalkQuestion;
}) {
  const { own, flags = {}, trials, begun = null } = of;
  const validation = own === undefined ? {} : { walkForward: own };
  const study = { strategy: 'ma-cross', markets: 'BTCUSDT', balances: { usdt: 1 }, validation };
  const told = { source: 'study.yaml', advice: 'leave one of them out' };
  const read = withPlan(readWrittenStudy(study), { flags, trials, begun, ...told });
  // The plan as it is stored is read again as the same settings.
  expect(readWrittenStudy(read.written).settings).toEqual(read.settings);
  return read.settings.validation.walkForward;
}

const flags = { train: '180d', test: '30d' };

describe('the plan of a walk-forward', () => {
  test('is that of the options, of the study, or the one that it was begun with', () => {
    expect(planOf({ flags })).toEqual(ROLLING);
    expect(planOf({ own: flags })).toEqual(ROLLING);
    expect(planOf({ begun: ROLLING })).toEqual(ROLLING);
    expect(planOf({})).toBeUndefined();
    const all = { ...flags, step: '45d', purge: '1d', embargo: '12h', kind: 'anchored', choose: 'plateau' };
    expect(planOf({ flags: all })).toEqual({
      ...ROLLING,
      kind: 'anchored',
      choose: 'plateau',
      stepMs: 45 * DAY_MS,
      purgeMs: DAY_MS,
      embargoMs: DAY_MS / 2,
    });
  });

  test('may be said twice where both are the same', () => {
    expect(planOf({ own: { ...flags, trials: 7 }, flags: { ...flags, step: '30d' } })).toEqual({
      ...ROLLING,
      trials: 7,
    });
  });

  test('takes its trials from the options first', () => {
    for (const own of [undefined, { ...flags, trials: 7 }])
      expect(planOf({ ...(own === undefined ? { flags } : { own }), trials: 60 })).toEqual({
        ...ROLLING,
        trials: 60,
      });
  });

  test('is refused where the study says another one, and where half of it is missing', () => {
    expect(() => planOf({ own: { ...flags, purge: '1d' }, flags })).toThrow(
      /^expected the plan of study\.yaml \(kind rolling, train 180d, .*purge 1d.*\), found another one in the options \(.*purge 0s.*\): leave one of them out$/,
    );
    expect(() => planOf({ flags: { step: '30d', kind: 'anchored' } })).toThrow(
      /^expected --train and --test, such as --train 180d --test 30d, found --step, --kind alone$/,
    );
    expect(() => planOf({ flags: { ...flags, step: '3d' } })).toThrow(
      /step: expected a step of test or more/,
    );
  });
});
