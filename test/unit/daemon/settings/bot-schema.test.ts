import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';
import fc from 'fast-check';
import { formatDuration, parseDuration } from '../../../../src/daemon/duration-text.ts';
import { configOf, problemsOf } from './bot-config-reading.ts';
import { banner } from '../../../../src/daemon/run/screen.ts';
import { ledgerOf } from '../../../../src/daemon/modes.ts';

const TOKEN = 'hidden-value-4711';
const LIVE = `
mode: live
exchange:
  baseUrl: https://exchange.example
  ledgerFolder: /ledgers
  credentials: { token: ${TOKEN} }
data: { folder: state }
strategies: [{ plugin: ma-cross, market: BTCIRT }]
`;

test('a live run says loudly where its orders go, by whom, and where its ledger is', () => {
  const config = configOf(LIVE);
  expect(banner(config)).toEqual([
    '*** LIVE *** REAL ORDERS WITH REAL MONEY',
    `Exchange https://exchange.example by a token. Ledger: ${ledgerOf(config)}.`,
    'Instance bot: ma-cross (BTCIRT). Mirror: /bots/state/mirror.sqlite.',
    'Ctrl-C or SIGTERM ends the run: it cancels its open orders, except those that only reduce a position, within 1m. A second one ends it at once.',
  ]);
  expect(ledgerOf(config)).toMatch(/^\/ledgers\/exchange\.example-[0-9a-f]{16}\.sqlite$/);
  expect(banner(config).join('\n')).not.toContain(TOKEN);
});

test('no other run has the word', () => {
  for (const text of [
    '',
    'embedded: { replay: a.csv }',
    'mode: paper\npaper: { baseUrl: https://exchange.example }',
  ]) {
    expect(banner(configOf(text)).join('\n')).not.toMatch(/live|real money/i);
  }
  expect(banner(configOf('mode: paper\npaper: { baseUrl: https://exchange.example }'))[1]).toContain(
    'https://exchange.example',
  );
  expect(ledgerOf(configOf(''))).toBeNull();
});

const HOUR_MS = 3_600_000;

test('the page about locks has rules that can be read', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/locks.md', 'utf8')) ?? [];
  const { locks, strategies } = configOf(yaml);
  expect(locks.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'cooldown cooldown',
    'stops stops',
    'low-profit low-profit',
    'night hours',
    'nowruz dates',
  ]);
  expect(locks[1]).toMatchObject({ stops: 3, withinMs: 6 * HOUR_MS, forMs: 12 * HOUR_MS, reach: 'all' });
  expect(locks[2]).toMatchObject({ belowMillionths: -5_000, trades: 4 });
  expect(strategies[0]?.locks).toMatchObject([{ name: 'drawdown', fallMillionths: 50_000, reach: 'all' }]);
});

const approvalOf = (text: string): unknown => configOf(text).strategies[0]?.approval;

const strategy = (approval: string): string =>
  `strategies: [{ plugin: ma-cross, market: BTCIRT${approval} }]`;

test('the page about approvals has settings that can be read, and a word stands for the usual ones', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/approvals.md', 'utf8')) ?? [];
  expect(approvalOf(yaml)).toEqual({
    above: { rls: '500000000' },
    expiresAfterMs: HOUR_MS / 4,
    slippageBps: 50,
  });
  const usual = { above: {}, expiresAfterMs: HOUR_MS / 6, slippageBps: 50 };
  expect(approvalOf(strategy(', approval: entries'))).toEqual(usual);
  expect(approvalOf(strategy(', approval: {}'))).toEqual(usual);
  expect(approvalOf(strategy(''))).toBeNull();
  expect(problemsOf(strategy(', approval: exits'))).toHaveLength(1);
});

test('rules of one kind have names of their own', () => {
  const { locks } = configOf('locks: [{ kind: cooldown, for: 1h }, { kind: cooldown, for: 2h }]');
  expect(locks.map(({ name, entries }) => `${name} ${entries}`)).toEqual([
    'cooldown cancel',
    'cooldown-2 cancel',
  ]);
});

describe('a rule that can not be', () => {
  test.each([
    ['{ kind: cooldown }', 'locks[0].for', 'expected a length of time'],
    ['{ kind: cooldown, for: 0s }', 'locks[0].for', 'expected a length of time from 1s to 366d'],
    ['{ kind: cooldown, for: 100y }', 'locks[0].for', 'was "100y"'],
    ['{ kind: stops, stops: 0, within: 1h, for: 1h }', 'locks[0].stops', '1'],
    ['{ kind: drawdown, percent: 101, within: 1h, for: 1h }', 'locks[0].percent', '100'],
    ['{ kind: drawdown, percent: 0.00001, within: 1h, for: 1h }', 'locks[0].percent', '0.0001'],
    ['{ kind: hours, open: ["09:00-25:00"] }', 'locks[0].open[0]', 'was "09:00-25:00"'],
    ['{ kind: hours, open: ["09:00-09:00"] }', 'locks[0].open[0]', 'expected trading hours'],
    ['{ kind: hours, open: ["09:00-10:00"], days: [friday] }', 'locks[0].days[0]', '"fri"'],
    ['{ kind: dates, closed: ["1404/12/30"] }', 'locks[0].closed[0]', 'a date that exists in the Jalali'],
    ['{ kind: dates, closed: ["1405/01/05..1405/01/01"] }', 'locks[0].closed[0]', 'the second date after'],
    ['{ kind: cooldown, for: 1h, name: hand }', 'locks[0].name', '"hand" is for locks by hand'],
    ['{ kind: cooldown, for: 1h, entries: sell }', 'locks[0].entries', '"cancel"'],
    ['{ kind: news, for: 1h }', 'locks[0].kind', 'cooldown'],
  ])('%s is refused at its place', (rule, path, part) => {
    const [problem = ''] = problemsOf(`locks:\n  - ${rule}\n`);
    expect(problem).toContain('bot.yaml:2:');
    expect(problem).toContain(path);
    expect(problem).toContain(part);
  });

  test('is one whose name another has', () => {
    const rules =
      'locks:\n  - { kind: cooldown, name: a, for: 1h }\n  - { kind: cooldown, name: a, for: 2h }\n';
    expect(problemsOf(rules)[0]).toContain('locks[0] is a too');
  });
});

test('leap days and Persian digits are read', () => {
  const { locks } = configOf('locks: [{ kind: dates, closed: ["۱۴۰۳/۱۲/۳۰"] }]');
  expect(locks[0]).toMatchObject({
    calendar: {
      closed: [{ fromMs: Date.parse('2025-03-19T20:30Z'), toMs: Date.parse('2025-03-20T20:30Z') }],
    },
  });
});

test('a length of time that is written is read back the same', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 999_999 }),
      fc.constantFrom(1, 1_000, 60_000, 3_600_000, 86_400_000),
      (count, unitMs) => {
        expect(parseDuration(formatDuration(count * unitMs))).toBe(count * unitMs);
      },
    ),
  );
});

test.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['0s', 0],
  ['30', null],
  ['30 s', null],
  ['-1s', null],
  ['1.5h', null],
  ['1h30m', null],
  ['1e3s', null],
  ['', null],
] as const)('"%s" is %s ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

const ENVIRONMENT = { EXCHANGE_URL: 'https://exchange.example', SARRAF_KEY: 'A'.repeat(43) };

const editor = z.fromJSONSchema(
  JSON.parse(readFileSync('config/bot.schema.json', 'utf8')) as z.core.JSONSchema.JSONSchema,
);

describe.each(['bot', 'paper', 'live'])('config/%s.yaml', (name) => {
  const path = `config/${name}.yaml`;
  const text = readFileSync(path, 'utf8');

  test('is a configuration without a mistake or a warning', () => {
    const read = readBotConfig(path, {
      environment: ENVIRONMENT,
      workingFolder: process.cwd(),
      readFile: (file) => ({
        text: file.startsWith('/run/secrets/') ? 'B'.repeat(43) : readFileSync(file, 'utf8'),
        isOpenToAll: false,
      }),
    });
    expect(read).toMatchObject({
      ok: true,
      warnings: [],
      config: { mode: name === 'bot' ? 'embedded' : name },
    });
  });

  test('is known to editors, references and all', () => {
    expect(text.startsWith('# yaml-language-server: $schema=./bot.schema.json\n')).toBe(true);
    expect(editor.safeParse(parse(text))).toMatchObject({ success: true });
  });
});

test.each([
  ['colour: red'],
  ['mode: dead'],
  ['health: { port: 80800 }'],
  ['drain: { within: 60 }'],
  ['drain: { within: 60 s }'],
  ['strategies: [{ market: BTCIRT }]'],
])('the schema for editors refuses %s', (text) => {
  expect(editor.safeParse(parse(text)).success).toBe(false);
});
