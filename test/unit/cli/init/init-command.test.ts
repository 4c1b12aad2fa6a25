import {
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  existsSync,
  statSync,
  symlinkSync,
  mkdtempSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askRequest, makeBot } from '../../../../src/cli/commands/init.ts';
import { packageOriginOf, folderProblem, writeBotFolder } from '../../../../src/cli/init/write-bot-folder.ts';
import {
  USUAL_REQUEST,
  type GivenRequest,
  checkFolder,
  checkMarket,
  checkName,
  type BotRequest,
  START_NAMES,
} from '../../../../src/cli/init/bot-request.ts';
import { VERSION } from '../../../../src/exchange/version.ts';
import own from '../../../../package.json' with { type: 'json' };
import { sarrafHere } from '../../../support/sarraf-here.ts';
import { packageNameOf, botFiles } from '../../../../src/cli/init/bot-files.ts';
import { parse } from 'yaml';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';

const texts = new Map([
  ['bot.yaml', 'mode: embedded\n'],
  ['test/a.test.ts', 'a'],
  ['.gitignore', 'data'],
]);
const content = { texts, copies: new Map<string, string>() };
/** Files of which a copy fails after the texts were written. */
const broken = { texts, copies: new Map([['vendor/a.tgz', '/no/such/file.tgz']]) };

describe('a new folder', () => {
  test('is written whole, in folders that are made for it, for a user of a container to read', () => {
    const folder = join(home, 'ربات ها', 'من');
    const before = process.umask(0o077);
    try {
      writeBotFolder(folder, content);
    } finally {
      process.umask(before);
    }
    expect(readdirSync(folder).toSorted()).toEqual(['.gitignore', 'bot.yaml', 'test']);
    expect(readFileSync(join(folder, 'test/a.test.ts'), 'utf8')).toBe('a');
    const modes = ['.', 'test', 'bot.yaml'].map((path) => statSync(join(folder, path)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o755, 0o644]);
    expect(readdirSync(join(home, 'ربات ها'))).toEqual(['من']);
  });

  test('leaves nothing where it can not be written', () => {
    expect(() => writeBotFolder(join(home, 'a/b/bot'), broken)).toThrow('ENOENT');
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('a folder that is there', () => {
  test('is filled when nothing is in it but what editors and git leave', () => {
    mkdirSync(join(home, '.git'));
    writeFileSync(join(home, 'LICENSE'), 'mine');
    writeBotFolder(home, content);
    expect(readdirSync(home).toSorted()).toEqual(['.git', '.gitignore', 'LICENSE', 'bot.yaml', 'test']);
    expect(readFileSync(join(home, 'LICENSE'), 'utf8')).toBe('mine');
  });

  test('stays as it was where it can not be written', () => {
    mkdirSync(join(home, '.git'));
    expect(() => writeBotFolder(home, broken)).toThrow('ENOENT');
    expect(readdirSync(home)).toEqual(['.git']);
  });

  test('is refused with all that is in it, and left as it was', () => {
    for (const name of ['notes.txt', 'bot.yaml', '.env']) writeFileSync(join(home, name), 'mine');
    expect(() => writeBotFolder(home, content)).toThrow(
      'found .env, bot.yaml, notes.txt in it: nothing was changed',
    );
    expect(readdirSync(home).toSorted()).toEqual(['.env', 'bot.yaml', 'notes.txt']);
    expect(readFileSync(join(home, 'bot.yaml'), 'utf8')).toBe('mine');
  });

  test('may be a link to one, and no file and no link to nothing', () => {
    mkdirSync(join(home, 'real'));
    writeFileSync(join(home, 'file'), '');
    symlinkSync('real', join(home, 'link'));
    symlinkSync('nothing', join(home, 'broken'));
    expect(folderProblem(join(home, 'link'))).toBeNull();
    expect(folderProblem(join(home, 'file'))).toContain('found something else');
    expect(folderProblem(join(home, 'broken'))).toContain('found something else');
    writeBotFolder(join(home, 'link'), content);
    expect(existsSync(join(home, 'real/bot.yaml'))).toBe(true);
  });
});

describe('the package of a folder', () => {
  test.each([
    ['/home/me/my-bot', 'my-bot'],
    ['/home/me/My Bot (2)', 'my-bot-2'],
    ['/home/me/Café', 'cafe'],
    ['/home/me/ربات من', 'trading-bot'],
    ['/home/me/ربات btc', 'btc'],
    ['/home/me/_.bot', 'bot'],
    ['/home/me/sarraf', 'sarraf-bot'],
    ['/home/me/Node', 'node-bot'],
  ])('%s is %s', (folder, name) => {
    expect(packageNameOf(folder, ['sarraf', 'node'])).toBe(name);
  });

  test('has no name that is too long for npm', () => {
    expect(packageNameOf(`/${'a'.repeat(300)}`, []).length).toBeLessThan(214);
  });
});

describe('a folder', () => {
  test.each(['/home/me/ربات من', '/home/me/می‌خرم', "/home/me/it's #1?%20"])('%s is taken', (path) => {
    expect(checkFolder(path)).toEqual({ value: path });
  });

  test.each([
    ['/', 'the root'],
    ['/a:b/bot', 'without ":"'],
    ['/a/bot\n', 'nobody sees'],
    ['/a/\u202Etob', 'nobody sees'],
    ['/a/node_modules', 'another folder'],
  ])('%j is refused', (path, why) => {
    expect(checkFolder(path)).toEqual({ problem: expect.stringContaining(why) });
  });
});

test('a strategy has a name that fits into the ids of its orders', () => {
  expect(checkName('my-cross')).toEqual({ value: 'my-cross' });
  for (const name of ['', 'My', 'a b', '-a', 'a--b', '../a', 'thirteen-long', 'میانگین'])
    expect(checkName(name)).toEqual({ problem: expect.stringContaining('at most twelve') });
});

test('a market is one of the embedded exchange only there', () => {
  expect(checkMarket('btc-usdt', 'embedded')).toEqual({ value: 'BTCUSDT' });
  expect(checkMarket('XRPIRT', 'paper')).toEqual({ value: 'XRPIRT' });
  expect(checkMarket('XRPIRT', 'embedded')).toEqual({ problem: expect.stringContaining('BTCIRT, BTCUSDT') });
  expect(checkMarket('?', 'live')).toEqual({ problem: expect.stringContaining('market') });
});

/** A folder with a short path, since a long one breaks the lines that are looked for. */
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sarraf-init-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('sarraf init without a terminal', () => {
  test.each([
    [[], 'expected a terminal to ask at'],
    [['--yes', '--exchange', 'paper'], 'expected --url with the address'],
    [['--yes', '--url', 'https://exchange.example'], 'expected --exchange paper or live beside --url'],
    [['--yes', '--exchange', 'embedded', '--url', 'https://exchange.example'], 'has no address'],
    [['--yes', '--exchange', 'live', '--url', 'https://me:secret@exchange.example'], 'scheme and host alone'],
    [['--yes', '--name', 'Mine'], '--name: expected a strategy name'],
    [['--json', '--market', 'XRPIRT'], '--market: expected a market of the embedded exchange'],
  ])('%j ends with 2 and writes nothing', async (options, message) => {
    const { code, out, error } = await sarrafHere(['init', join(home, 'bot'), ...options]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(message);
    expect(error).not.toContain('secret');
    expect(readdirSync(home)).toEqual([]);
  });

  test('tells of a folder with something in it before it takes any time', async () => {
    writeFileSync(join(home, 'bot.yaml'), 'mine');
    const { code, error } = await sarrafHere(['init', home, '--yes']);
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('found bot.yaml in it') });
  });
});

/** Answers questions by keys when they are shown; returns the chosen request and how many were asked. */
async function answered(
  given: GivenRequest,
  answers: readonly (readonly [question: string, ...keys: string[]])[],
) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  let asked = 0;
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const [question, ...keys] = answers[asked] ?? [];
    if (question === undefined || !shown.includes(question)) return;
    asked += 1;
    shown = shown.slice(shown.indexOf(question) + question.length);
    for (const key of keys) setImmediate(() => input.write(key));
  });
  const chosen = await askRequest(given, { workingFolder: home, folderProblem, terminal: { input, output } });
  return { wishes: chosen, asked };
}

const ENTER = '\r';
const DOWN = '\u001B[B';

describe('the questions', () => {
  test('with Enter at each lead to the usual bot', async () => {
    const { wishes: chosen } = await answered({}, [
      ['زبان', ENTER],
      ['In which folder', ENTER],
      ['On which exchange', ENTER],
      ['Which market', ENTER],
      ['Which strategy', ENTER],
      ['called', ENTER],
    ]);
    expect(chosen).toEqual({
      ...USUAL_REQUEST,
      folder: join(home, 'my-bot'),
      baseUrl: null,
      name: 'ma-cross',
    });
  });

  test('are in Persian for who wants that, and leave out what is given', async () => {
    const { wishes: chosen } = await answered({ start: 'grid', name: 'mine' }, [
      ['زبان', DOWN, ENTER],
      ['در کدام پوشه', `ربات من${ENTER}`],
      ['روی کدام صرافی', DOWN, ENTER],
      ['نشانی صرافی', `https://exchange.example${ENTER}`],
      ['کدام بازار', `ethirt${ENTER}`],
    ]);
    expect(chosen).toEqual({
      language: 'fa',
      folder: join(home, 'ربات من'),
      mode: 'paper',
      baseUrl: 'https://exchange.example',
      market: 'ETHIRT',
      start: 'grid',
      name: 'mine',
    });
  });

  test('say what is wrong with an answer, and end with Ctrl-C', async () => {
    mkdirSync(join(home, 'taken/notes'), { recursive: true });
    const { wishes: chosen, asked } = await answered({ language: 'en' }, [
      ['In which folder', `taken${ENTER}`],
      ['to be new or empty', '\u0003'],
    ]);
    expect({ wishes: chosen, asked }).toEqual({ wishes: null, asked: 2 });
  });
});

test('a new bot pins the sarraf that makes it, and gets a copy of a package that is a file', async () => {
  const packed = join(home, 'sarraf-0.1.0.tgz');
  writeFileSync(packed, 'packed');
  const chosen = { ...USUAL_REQUEST, folder: join(home, 'bot'), baseUrl: null, name: 'mine' };
  await makeBot(chosen, () => {}, { kind: 'file', path: packed });
  const text = readFileSync(join(home, 'bot/package.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    dependencies: { sarraf: 'file:vendor/sarraf-0.1.0.tgz' },
    // With other overrides than sarraf's own, `npm ci` refuses the lock file, and no image can be built.
    overrides: own.overrides,
  });
  expect(readFileSync(join(home, 'bot/vendor/sarraf-0.1.0.tgz'), 'utf8')).toBe('packed');
});

describe('where an installed sarraf came from', () => {
  test.each([
    ['https://registry.npmjs.org/sarraf/-/sarraf-0.1.0.tgz', { kind: 'named', name: VERSION }],
    [
      'git+https://git.example/sarraf.git#abc',
      { kind: 'named', name: 'git+https://git.example/sarraf.git#abc' },
    ],
    ['file:gone.tgz', { kind: 'named', name: VERSION }],
    [undefined, { kind: 'named', name: VERSION }],
  ])('%s', (resolved, origin) => {
    mkdirSync(join(home, 'node_modules/sarraf'), { recursive: true });
    const record = { packages: { 'node_modules/sarraf': { resolved } } };
    writeFileSync(join(home, 'node_modules/.package-lock.json'), JSON.stringify(record));
    expect(packageOriginOf(join(home, 'node_modules/sarraf'), false)).toEqual(origin);
  });

  test('is the file that npm was given', () => {
    mkdirSync(join(home, 'app/node_modules/sarraf'), { recursive: true });
    writeFileSync(join(home, 'a.tgz'), '');
    const record = { packages: { 'node_modules/sarraf': { resolved: 'file:../a.tgz' } } };
    writeFileSync(join(home, 'app/node_modules/.package-lock.json'), JSON.stringify(record));
    const origin = packageOriginOf(join(home, 'app/node_modules/sarraf'), false);
    expect(origin).toEqual({ kind: 'file', path: join(home, 'a.tgz') });
  });

  test('is not known where npm did not install it', () => {
    expect(packageOriginOf(join(home, 'node_modules/sarraf'), false)).toEqual({
      kind: 'named',
      name: VERSION,
    });
    expect(packageOriginOf(home, true)).toEqual({ kind: 'checkout', folder: home });
  });
});

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
