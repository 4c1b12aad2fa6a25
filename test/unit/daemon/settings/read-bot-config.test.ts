import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { configOf, problemsOf, reading } from './bot-config-reading.ts';

const LIVE = `
mode: live
exchange:
  baseUrl: https://exchange.example
  credentials:
    token: \${TOKEN}
strategies:
  - { plugin: ma-cross, market: BTCIRT }
`;
const TOKEN = { TOKEN: 'a-token-of-the-user-panel' };

describe('a bot without settings', () => {
  test('runs the bundled strategies on the embedded exchange', () => {
    for (const file of [null, '/bots/bot.yaml']) {
      const read = readBotConfig(file, {
        environment: {},
        workingFolder: '/work',
        readFile: () => ({ text: '# nothing yet\n', isOpenToAll: false }),
      });
      expect(read).toMatchObject({ ok: true, warnings: [] });
      if (!read.ok) continue;
      expect(read.config).toMatchObject({
        mode: 'embedded',
        instance: 'bot',
        data: { folder: '/work/data' },
      });
      expect(read.config.strategies.map(({ name, market }) => `${name} ${market}`)).toEqual([
        'ma-cross BTCIRT',
        'market-maker BTCIRT',
      ]);
    }
  });

  test('has times in milliseconds', () => {
    expect(configOf('drain: { within: 2m }')).toMatchObject({
      drain: { openOrders: 'keep-exits', withinMs: 120_000 },
      execution: {
        lateArrivalMs: 120_000,
        absencePassesApartMs: 10_000,
        resendUnknown: false,
        placeWithinMs: 3_000,
      },
      reconciliation: { everyMs: 60_000, lagMs: 30_000, alertAfterMs: 600_000 },
    });
  });
});

/** Returns a configuration without the places of its strategies in their file. */
function withoutPlaces(config: ReturnType<typeof configOf>): unknown {
  return { ...config, strategies: config.strategies.map(({ describe: _place, ...strategy }) => strategy) };
}

test('a section without a line of its own is as good as none', () => {
  const [empty, none] = ['health:\n  # port: 7080\nstrategies:\nrisk:\n', ''].map((text) =>
    withoutPlaces(configOf(text)),
  );
  expect(empty).toEqual(none);
  expect(problemsOf('mode: live\nexchange:\nstrategies:\n')).toHaveLength(3);
});

const offline = (text: string): ReturnType<typeof readBotConfig> =>
  readBotConfig('/bots/bot.yaml', {
    environment: {},
    workingFolder: '/work',
    readFile: () => ({ text, isOpenToAll: false }),
    isOffline: true,
  });

describe('the configuration of a live bot', () => {
  test('can be read without its credentials where no exchange will be asked', () => {
    expect(problemsOf(LIVE)[0]).toMatch(/environment variable TOKEN/);
    expect(offline(LIVE)).toMatchObject({
      ok: true,
      config: { mode: 'paper', exchange: { credentials: null }, strategies: [{ name: 'ma-cross' }] },
    });
  });

  test('then has the address at which it trades, whatever it would follow on paper', () => {
    const text = `${LIVE}paper: { baseUrl: "https://paper.example" }\n`;
    expect(offline(text)).toMatchObject({
      ok: true,
      config: { paper: { baseUrl: 'https://exchange.example' } },
    });
  });

  test('is held against the rest of the rules all the same', () => {
    expect(offline(`${LIVE}instance: not a name\n`)).toMatchObject({ ok: false });
    expect(offline('exchange: 7\n')).toMatchObject({ ok: false });
  });
});

test('the examples of higher limits, in config/live.yaml and the docs, are read once they are no comment', () => {
  const live = readFileSync('config/live.yaml', 'utf8').replaceAll(/^ {2}# (?=limits:| {2})/gm, '  ');
  const [, docs = ''] =
    /## Request limits[^#]*?```yaml\n(.*?)```/s.exec(readFileSync('docs/configuration.md', 'utf8')) ?? [];
  const wanted = {
    'v2/trades': { limit: 60, windowMs: 60_000 },
    'v2/depth': { limit: 300, windowMs: 60_000 },
    'v2/wallets': { limit: 15, windowMs: 60_000 },
    'users/wallets/withdraws/list': { limit: 60, windowMs: 120_000 },
  };
  const key = `${'A'.repeat(43)}=`;
  const environment = { EXCHANGE_URL: 'https://exchange.example', SARRAF_KEY: key };
  const readFile = (path: string) => ({ text: path.endsWith('.yaml') ? live : key, isOpenToAll: false });
  const read = readBotConfig('/bots/bot.yaml', { environment, workingFolder: '/work', readFile });
  expect(read).toMatchObject({ ok: true, config: { exchange: { limits: wanted } } });
  expect(configOf(docs)).toMatchObject({ exchange: { limits: wanted } });
});

test('no entries are canceled before the silence is reported', () => {
  expect(problemsOf('watchdog: { silentAfter: 2m, cancelEntriesAfter: 90s }\n')).toEqual([
    'bot.yaml:1:50: watchdog.cancelEntriesAfter: expected at least the time of watchdog.silentAfter, which is 2m, was 90s',
  ]);
});

describe('every problem', () => {
  test('is reported at once, with its line and what was probably meant', () => {
    const text = [
      'mode: live',
      'instance: BOT',
      'exchange:',
      '  baseUrl: http://exchange.example',
      '  credentials:',
      '    pasword: abc',
      '  limits: { orders/ad: { limit: 5, window: 1m } }',
      'strategies:',
      '  - { plugin: ma-cross, market: BTC, pause: 3x }',
      '  - { plugin: ma-cross, market: BTCIRT, risk: { maxOrderVlue: 3 } }',
      'embedded: { file: a.yaml, exchange: {} }',
      'health: { port: 80800 }',
      'colour: red',
    ].join('\n');
    expect(problemsOf(text)).toEqual([
      'bot.yaml:2:11: instance: expected one to six lower-case letters and digits',
      'bot.yaml:4:12: exchange.baseUrl: expected an https address, as credentials and orders can be read and changed on the way; set exchange.plainHttp to true for a network of your own',
      'bot.yaml:6:5: exchange.credentials.pasword: unknown key, did you mean password?',
      'bot.yaml:6:5: exchange.credentials: expected token alone, or key and privateKey, or apiKey and apiSecret, or username and password (and totpSecret), was nothing',
      'bot.yaml:7:13: exchange.limits.orders/ad: unknown key, did you mean orders/add?',
      'bot.yaml:9:33: strategies[0].market: expected a market such as "BTCIRT" or "btc-rls", was "BTC"',
      'bot.yaml:9:45: strategies[0].pause: expected a length of time from 1s to 366d, such as 30s, 5m or 2h, was "3x"',
      'bot.yaml:10:5: strategies[1].name: expected a name that no other strategy has, strategies[0] is ma-cross too',
      'bot.yaml:10:49: strategies[1].risk.maxOrderVlue: unknown key, did you mean maxOrderValue?',
      'bot.yaml:11:19: embedded.file: expected either a file or an exchange written here, were both',
      'bot.yaml:12:17: health.port: Too big: expected number to be <=65535',
      'bot.yaml:13:1: colour: unknown key, expected one of mode, instance, exchange, venues, embedded, paper, data, record, strategies, strategiesFolders, risk, locks, execution, reconciliation, isolation, drain, health, watchdog, dashboard, log, language, alerts',
    ]);
  });

  test.each([
    [
      'mode: live',
      [
        'exchange.baseUrl: expected the address',
        'exchange.credentials: expected a token',
        'strategies: expected the strategies',
      ],
    ],
    ['mode: paper', ['exchange.baseUrl: expected the address']],
    [
      'mode: paper\npaper: { baseUrl: http://exchange.example }',
      ['paper.baseUrl: expected an https address'],
    ],
  ])('of a mode is what it needs: %s', (text, starts) => {
    const problems = problemsOf(text).map((line) => line.replace(/^bot\.yaml:\d+:\d+: /, ''));
    expect(problems).toHaveLength(starts.length);
    starts.forEach((start, index) => expect(problems[index]).toContain(start));
  });

  test.each([
    ['mode: paper\nexchange: { baseUrl: http://127.0.0.1:7070 }'],
    ['mode: paper\nexchange: { baseUrl: http://exchange:7070, plainHttp: true }'],
    ['mode: paper\npaper: { baseUrl: https://exchange.example }'],
  ])('is absent in a whole mode: %s', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  test('of a text that is no YAML is its first mistake, with a hint at references between braces', () => {
    expect(problemsOf('exchange:\n  credentials: { token: ${TOKEN} }\n')).toEqual([
      'bot.yaml:2:26: Unexpected flow-map-start at node end; between braces or brackets a reference such as "${NAME}" stands in quotes',
    ]);
  });

  test.each([
    ['a\n'.repeat(3), /expected object|Implicit|multi/i],
    ['['.repeat(100_000), /brackets too deep|./],
    [`a: &a [x]\nb: [${'*a,'.repeat(150)}]`, /./],
    ['- 1', /expected object/],
  ])('is refused as nonsense (%#)', (text, expected) => {
    const problems = problemsOf(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toMatch(expected);
  });

  test('of a file that is not there names it', () => {
    const read = readBotConfig('none.yaml', { environment: {}, workingFolder: '/nowhere' });
    expect(read).toMatchObject({ ok: false, problems: ['none.yaml:1:1: expected a file, found none'] });
  });
});

describe('names', () => {
  test('of strategies fit into an order id together with the instance', () => {
    for (const [instance, longest] of [
      ['bot', 15],
      ['sixsix', 12],
    ] as const) {
      const problems = [longest, longest + 1].map((length) =>
        problemsOf(
          `instance: ${instance}\nstrategies: [{ plugin: x.ts, name: ${'a'.repeat(length)}, market: BTCIRT }]`,
        ),
      );
      expect(problems).toEqual([[], [expect.stringContaining(`at most ${longest} characters`)]]);
    }
  });

  test('come from the file where none is given, if they can', () => {
    expect(reading('strategies: [{ plugin: mine/dip-buyer.ts, market: btc-usdt }]')).toMatchObject({
      ok: true,
      config: {
        strategies: [
          { name: 'dip-buyer', market: 'BTCUSDT', plugin: { kind: 'file', path: '/bots/mine/dip-buyer.ts' } },
        ],
      },
    });
    expect(problemsOf('strategies: [{ plugin: Dip_Buyer.ts, market: BTCIRT }]')).toHaveLength(1);
  });
});

test('paths count from the folder of the file they are written in', () => {
  const config = configOf(
    'data: { folder: ../state }\nlog: { file: bot.log }\nexchange: { ledgerFolder: /ledgers }\nstrategiesFolders: [mine]',
  );
  expect(config.data.folder).toBe('/state');
  expect(config.log.file).toBe('/bots/bot.log');
  expect(config.exchange.ledgerFolder).toBe('/ledgers');
  expect(config.strategiesFolders).toEqual(['/bots/mine']);
});

describe('limits of risk', () => {
  test("are the strategy's over the bot's over the defaults, currency by currency", () => {
    const config = configOf(`
risk:
  maxOrderValue: { rls: 500, usdt: '10.5' }
  maxPosition: { btc: 2, eth: 3 }
  maxDailyLoss: { rls: 7 }
  maxBookAge: 10s
  lossCooldown: { losses: 3, pause: 1h }
strategies:
  - { plugin: ma-cross, market: BTCIRT }
  - plugin: market-maker
    market: BTCIRT
    risk: { maxOrderValue: { rls: 100 }, maxPosition: { eth: null, btc: 1 }, maxDailyLoss: null, maxBookAge: 1m, maxOpenOrdersPerStrategy: null }
`);
    const [cross, maker] = config.strategies.map(({ limits }) => limits);
    expect(cross).toMatchObject({
      maxOrderValue: { rls: parseUnits('500'), usdt: parseUnits('10.5') },
      maxPosition: { btc: parseUnits('2'), eth: parseUnits('3') },
      maxDailyLoss: { rls: parseUnits('7'), usdt: null },
      maxBookAgeMs: 10_000,
      maxOpenOrdersPerStrategy: 50,
      lossCooldown: { losses: 3, pauseMs: 3_600_000 },
    });
    expect(maker).toMatchObject({
      maxOrderValue: { rls: parseUnits('100'), usdt: parseUnits('10.5') },
      maxPosition: { btc: parseUnits('1') },
      maxDailyLoss: null,
      maxBookAgeMs: 60_000,
      maxOpenOrdersPerStrategy: null,
      collarBps: 1_000,
    });
    expect(maker?.maxPosition).not.toHaveProperty('eth');
  });

  test('of all strategies together stand with the bot alone', () => {
    expect(
      problemsOf('strategies: [{ plugin: a, market: BTCIRT, risk: { maxTotalExposure: { rls: 1 } } }]'),
    ).toHaveLength(1);
    expect(configOf('risk: { maxTotalExposure: { rls: 1 } }').strategies[0]?.limits.maxTotalExposure).toEqual(
      {
        rls: parseUnits('1'),
        usdt: null,
      },
    );
  });
});

describe('values set on the command line', () => {
  test('go over those of the file, also within the default strategies and where nothing was written', () => {
    const config = configOf('risk:\nlog: { level: warn }', {
      overrides: [
        ['strategies.0.params.fast', '10'],
        ['log.level', 'debug'],
        ['risk.collarBps', '200'],
        ['exchange.limits.orders/add', '{ limit: 5, window: 1m }'],
      ],
    });
    expect(config.strategies[0]?.params).toEqual({ fast: 10 });
    expect(config.strategies).toHaveLength(2);
    expect(config.log.level).toBe('debug');
    expect(config.strategies[0]?.limits.collarBps).toBe(200);
    expect(config.exchange.limits).toEqual({ 'orders/add': { limit: 5, windowMs: 60_000 } });
  });

  test.each([
    [['drain.wthin', '5s'], '--set drain.wthin: unknown key, did you mean within?'],
    [
      ['strategies.7.name', 'a'],
      '--set strategies.7.name: expected a number from 0 to 2 after strategies, which is a list, was "7"',
    ],
    [['mode.x', 'a'], '--set mode.x: expected an object or a list at mode, was a single value'],
    [
      ['drain.within', '[1'],
      '--set drain.within: expected a YAML value; texts with special characters stand in quotes',
    ],
    [
      ['drain', '{ within: 1 }'],
      '--set drain: drain.within: expected a length of time with its unit, such as 30s, 5m or 2h',
    ],
    [['', 'a'], '--set : expected a path such as strategies.0.params.fast'],
  ] as const)('are refused by their path: %j', (override, problem) => {
    expect(problemsOf('mode: embedded', { overrides: [override] })).toEqual([problem]);
  });
});

describe('the exchange in this process', () => {
  const files = {
    '/bots/exchange.yaml': 'markets:\n  - { symbol: ADAIRT, priceStep: 1, amountStep: 1, initialPrice: 5 }\n',
  };

  test('is written in a file or in place', () => {
    for (const [text, expected] of [
      ['file: exchange.yaml', ['ADAIRT']],
      [
        'exchange: { markets: [{ symbol: XRPIRT, priceStep: 1, amountStep: 1, initialPrice: 5 }] }',
        ['XRPIRT'],
      ],
      ['speed: max', undefined],
    ] as const) {
      const { exchange } = configOf(`embedded: { ${text} }`, { files }).embedded;
      expect(exchange?.markets.map(({ market }) => market.symbol)).toEqual(expected);
    }
  });

  test('has its problems reported with their own lines', () => {
    const wrong = { '/bots/exchange.yaml': 'lenience: true\nmarketz: []\n' };
    expect(problemsOf('embedded: { file: exchange.yaml }', { files: wrong })).toEqual([
      '/bots/exchange.yaml:2:1: marketz: unknown key, did you mean markets?',
    ]);
    expect(problemsOf('embedded: { file: none.yaml }')).toEqual([
      '/bots/none.yaml:1:1: expected a file, found none',
    ]);
  });
});

test('describes a value that is refused later by its line', () => {
  const read = reading(LIVE, { environment: TOKEN });
  expect(read.ok && read.describe(['strategies', 0, 'params', 'fast'], 'expected more')).toBe(
    'bot.yaml:8:5: strategies[0].params.fast: expected more',
  );
});

describe('the market of a strategy, or its universe', () => {
  const universe = 'universe: { quote: rls, rankBy: volume24h, take: 3 }';

  test('is one of both', () => {
    const { strategies } = configOf(
      `strategies:\n  - { plugin: breakout, ${universe} }\n  - { plugin: dca, market: btc-rls }`,
    );
    expect(strategies).toMatchObject([
      { market: null, universe: { quote: 'rls', take: 3, refreshMs: 600_000 } },
      { market: 'BTCIRT', universe: null },
    ]);
  });

  test.for([
    [
      `{ plugin: breakout, market: BTCIRT, ${universe} }`,
      'strategies[0].universe: expected market or universe, were both',
    ],
    ['{ plugin: breakout }', 'strategies[0].market: expected market: BTCIRT, or universe: {'],
    [
      '{ plugin: breakout, universe: { quote: rls, rankBy: size, take: 3 } }',
      'strategies[0].universe.rankBy: expected one of volume24h',
    ],
    [
      `{ plugin: breakout, ${universe} }\nmode: paper\npaper: { baseUrl: "https://exchange.example" }`,
      'strategies[0].universe: expected market in the mode paper',
    ],
  ])('is refused with its line: %s', ([strategy, message]) => {
    const [problem] = problemsOf(`strategies:\n  - ${strategy}`);
    expect(problem).toMatch(/^bot\.yaml:2:\d+: /);
    expect(problem).toContain(message);
  });
});
