import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { botFiles } from '../../../../src/cli/init/bot-files.ts';
import { USUAL_REQUEST, type BotRequest, START_NAMES } from '../../../../src/cli/init/bot-request.ts';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';

const shipped = {
  sarraf: '9.8.7',
  versions: {
    tools: { node: '1.0.0', typescript: '2.0.0', vitest: '3.0.0', zod: '4.0.0' },
    overrides: { 'a-native-part': '5.0.0' },
  },
  strategy: (file: string) => readFileSync(`strategies/${file}`, 'utf8'),
};

const wished = (chosen: Partial<BotRequest>): ReadonlyMap<string, string> =>
  botFiles({ ...USUAL_REQUEST, folder: '/home/me/My bot', baseUrl: null, name: 'mine', ...chosen }, shipped);

/** Returns the settings that a run would read from these files, or their problems. */
function settings(files: ReadonlyMap<string, string>): unknown {
  const text = files.get('bot.yaml') ?? '';
  const reading = readBotConfig('/bot/bot.yaml', {
    environment: { SARRAF_TOKEN: 'a-token-of-the-account' },
    workingFolder: '/bot',
    readFile: () => ({ text, isOpenToAll: false }),
  });
  return reading.ok ? { warnings: reading.warnings, ...reading.config } : reading.problems;
}

describe.each(['embedded', 'paper', 'live'] as const)('a bot of the mode %s', (mode) => {
  const baseUrl = mode === 'embedded' ? null : 'https://exchange.example';

  test.each(START_NAMES)('that begins with %s has settings without a mistake or a warning', (start) => {
    expect(settings(wished({ mode, baseUrl, start }))).toMatchObject({
      warnings: [],
      mode,
      exchange: { baseUrl },
      data: { folder: '/bot/data' },
      strategies: [
        { name: 'mine', market: 'BTCIRT', plugin: { kind: 'file', path: '/bot/strategies/mine.ts' } },
      ],
    });
  });
});

test('a new bot pins what it is made of, and shares one ledger with the others of the machine', () => {
  const files = wished({});
  expect(JSON.parse(files.get('package.json') ?? '')).toMatchObject({
    name: 'my-bot',
    dependencies: { sarraf: '9.8.7', zod: '4.0.0' },
    devDependencies: { node: '1.0.0', typescript: '2.0.0', vitest: '3.0.0' },
    overrides: { 'a-native-part': '5.0.0' },
  });
  expect(parse(files.get('compose.yaml') ?? '')).toMatchObject({
    name: 'my-bot',
    services: {
      bot: {
        volumes: expect.arrayContaining(['ledger:/state']),
        env_file: [{ path: '.env', required: false }],
      },
      watchdog: { volumes: expect.arrayContaining(['data:/data', 'ledger:/state']) },
    },
    volumes: { ledger: { name: 'sarraf-ledger' } },
  });
  expect(files.get('.gitignore')).toMatch(/^\.env$/m);
});

test('its strategy has its own name, and nothing else of it is changed', () => {
  const text = wished({ start: 'breakout' }).get('strategies/mine.ts') ?? '';
  const back = text.replace("name: 'mine'", "name: 'breakout'").replace("'sarraf/sdk'", "'#sdk'");
  expect(back).toBe(readFileSync('strategies/breakout.ts', 'utf8'));
});

const commands = (text = ''): readonly string[] => text.match(/^(?:npm|npx) .*$/gm) ?? [];

test('its README is in the language that was chosen, with the same commands', () => {
  const [english, persian] = (['en', 'fa'] as const).map((language) => wished({ language }).get('README.md'));
  expect(persian).toMatch(/^<div dir="rtl">\n[^]*ربات[^]*<\/div>\n$/);
  expect(commands(persian)).toEqual(commands(english));
  expect(commands(english).length).toBeGreaterThan(8);
  for (const text of [english, persian])
    expect(text).toContain('docker compose exec bot sarraf token link --data /data');
});

test('an image gets the package of sarraf that lies in the folder', () => {
  const packed = botFiles(
    { ...USUAL_REQUEST, folder: '/a', baseUrl: null, name: 'a' },
    { ...shipped, sarraf: 'file:vendor/sarraf-9.8.7.tgz' },
  );
  expect(packed.get('Dockerfile')).toContain('COPY vendor ./vendor\n');
  expect(wished({}).get('Dockerfile')).not.toContain('vendor');
});
