import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { overrideOption } from '../../../../src/cli/option-readers.ts';
import { clientCredentials, oneTimePassword } from '../../../../src/venues/client-credentials.ts';
import { readSmallFile, Secret } from '../../../../src/configuration/secret-file.ts';
import { ExchangeClient } from '../../../../src/exchange/client.ts';
import { configOf, problemsOf, reading } from './bot-config-reading.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';

const HIDDEN = 'hidden-value-4711-of-nobody';

const withCredentials = (credentials: string): string => `
mode: live
exchange:
  baseUrl: https://exchange.example
  credentials:
    ${credentials}
strategies:
  - { plugin: ma-cross, market: BTCIRT }
`;

describe('a secret', () => {
  test('shows itself to whoever reveals it, and to nothing else', () => {
    const secret = new Secret(HIDDEN);
    expect(secret.reveal()).toBe(HIDDEN);
    const shown = [
      String(secret),
      secret.toString(),
      [secret, 'and more'].join(' '),
      JSON.stringify({ secret }),
      inspect(secret, { showHidden: true, depth: 9 }),
      inspect({ deep: [new Map([[1, secret]])] }, { depth: 9 }),
      Object.values(secret).join(''),
      JSON.stringify(structuredClone(secret)),
    ];
    expect(shown.join('\n')).not.toContain(HIDDEN);
    expect(shown[0]).toBe('[secret]');
  });

  test.each([
    ['the environment', 'token: ${TOKEN}', { environment: { TOKEN: HIDDEN } }],
    [
      'the environment, in a text',
      "token: 'hidden-${REST}'",
      { environment: { REST: HIDDEN.slice('hidden-'.length) } },
    ],
    ['a fallback', `token: \${TOKEN:-${HIDDEN}}`, {}],
    ['a file', 'token: file:token.txt', { files: { '/bots/token.txt': `${HIDDEN}\n` } }],
    [
      'a file that the environment names',
      'token: file:${FILE}',
      { environment: { FILE: '/run/t' }, files: { '/run/t': HIDDEN } },
    ],
    ['.env', 'token: ${TOKEN}', { files: { '/bots/.env': `# mine\nTOKEN="${HIDDEN}"\n` } }],
    [
      '.env, where the environment is empty',
      'token: ${TOKEN}',
      { environment: { TOKEN: '' }, files: { '/bots/.env': `TOKEN=${HIDDEN}` } },
    ],
    [
      'the environment, which goes before .env',
      'token: ${TOKEN}',
      { environment: { TOKEN: HIDDEN }, files: { '/bots/.env': 'TOKEN=another' } },
    ],
    ['the file itself', `token: ${HIDDEN}`, {}],
    ['the command line', 'token: x', { overrides: [['exchange.credentials.token', HIDDEN]] }],
  ] as const)('comes from %s and is not in what is printed', (_, line, around) => {
    const read = reading(withCredentials(line), around);
    if (!read.ok) throw new Error(read.problems.join('\n'));
    const { credentials } = read.config.exchange;
    expect(clientCredentials(credentials, () => 0)).toEqual({ kind: 'token', token: HIDDEN });
    expect(
      JSON.stringify(read.config, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    ).not.toContain(HIDDEN);
    expect(inspect(read, { depth: 20, showHidden: true })).not.toContain(HIDDEN);
  });

  test('of digits alone stays a text', () => {
    const config = configOf(withCredentials('token: ${TOKEN}'), {
      environment: { TOKEN: '00123456789012345678' },
    });
    expect(clientCredentials(config.exchange.credentials, () => 0)).toMatchObject({
      token: '00123456789012345678',
    });
  });

  test('written in plain is warned about, with its line', () => {
    expect(reading(withCredentials(`token: ${HIDDEN}`)).warnings).toEqual([
      'bot.yaml:6:12: exchange.credentials.token: the token is written in plain: better ${NAME} of the environment, or file: and a path',
    ]);
  });

  test('in a file that everyone may read is warned about', () => {
    const files = { '/bots/t': HIDDEN };
    expect(reading(withCredentials('token: file:t'), { files }).warnings).toEqual([]);
    expect(reading(withCredentials('token: file:t'), { files, openToAll: ['/bots/t'] }).warnings).toEqual([
      'bot.yaml:6:12: exchange.credentials.token: everyone on this machine can read /bots/t: run chmod 600 on it',
    ]);
  });

  test('in a .env that everyone may read is warned about, where a value is asked for', () => {
    const around = { files: { '/bots/.env': 'TOKEN=x' }, openToAll: ['/bots/.env'] };
    expect(reading(withCredentials('token: ${TOKEN}'), around).warnings).toEqual([
      'everyone on this machine can read /bots/.env: run chmod 600 /bots/.env',
    ]);
    expect(reading(withCredentials(`token: file:t`), around).warnings).toEqual([]);
  });
});

describe('a problem', () => {
  test.each([
    [
      'token: ${TOKEN}',
      'exchange.credentials.token: expected the environment variable TOKEN, which is not set: set it, or write it into a file .env beside the configuration',
    ],
    [
      'token: ${EMPTY}',
      'exchange.credentials.token: expected the environment variable EMPTY, which is empty: set it, or write it into a file .env beside the configuration',
    ],
    [
      'token: ${__proto__}',
      'exchange.credentials.token: expected the environment variable __proto__, which is not set: set it, or write it into a file .env beside the configuration',
    ],
    [
      'token: ${TO-KEN}',
      'exchange.credentials.token: expected ${NAME} or ${NAME:-value}, with a NAME of letters, digits and underscores',
    ],
    ['token: file:none', 'exchange.credentials.token: /bots/none: expected a file, found none'],
    ['token: file:blank', 'exchange.credentials.token: expected a secret in /bots/blank, was empty'],
    ['token: file:large', 'exchange.credentials.token: /bots/large: expected at most 8192 bytes'],
  ])('with a secret is reported with its line: %s', (line, message) => {
    const files = { '/bots/blank': ' \n', '/bots/large': 'x'.repeat(9_000) };
    const problems = problemsOf(withCredentials(line), { environment: { EMPTY: '' }, files });
    expect(problems).toEqual([`bot.yaml:6:12: ${message}`]);
  });

  test.each([
    [`privateKey: ${HIDDEN}`],
    [`token: { of: ${HIDDEN} }`],
    [`token:${HIDDEN}`],
    [`{ token:${HIDDEN} }`],
    [`key: ${HIDDEN}`],
    [`totpSecret: ${HIDDEN}`],
    ['privateKey: ${HIDDEN}'],
    [`token: "${HIDDEN}" "${HIDDEN}"`],
    [`token: [${HIDDEN}`],
    [`token: *${HIDDEN}`],
  ])('does not repeat a secret: %s', (line) => {
    const problems = problemsOf(withCredentials(line), { environment: { HIDDEN } });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('\n')).not.toContain(HIDDEN);
  });

  test('shows the name of a variable in place of a value that was put in the wrong place', () => {
    const environment = { TOKEN: HIDDEN, QUOTED: `with "quotes" of ${HIDDEN}` };
    const text = 'drain: { within: "${TOKEN}" }\nreconciliation: { every: "${QUOTED}" }\n';
    const problems = problemsOf(text, { environment });
    expect(problems).toEqual([
      'bot.yaml:1:18: drain.within: expected a length of time from 1s to 1h, such as 30s, 5m or 2h, was "${TOKEN}"',
      'bot.yaml:2:26: reconciliation.every: expected a length of time from 1s to 1d, such as 30s, 5m or 2h, was "${QUOTED}"',
    ]);
  });
});

test('references without quotes are read as YAML would read their values', () => {
  const environment = { PORT: '8080', PRETTY: 'false', NOTHING: '' };
  const config = configOf(
    'health:\n  port: ${PORT}\nlog:\n  pretty: ${PRETTY}\n  level: ${NOTHING:-debug}\ndata:\n  folder: "$${PORT}"\n',
    { environment },
  );
  expect(config).toMatchObject({
    health: { port: 8080 },
    log: { pretty: false, level: 'debug' },
    data: { folder: '/bots/${PORT}' },
  });
});

describe('credentials', () => {
  const key = 'A'.repeat(43);

  test.each([
    ['token: a', 'token'],
    [`key: ${key}\n    privateKey: ${key}=`, 'key'],
    ['username: a\n    password: b', 'login'],
    ['username: a\n    password: b\n    totpSecret: JBSWY3DPEHPK3PXP', 'login'],
  ])('are %s', (text, kind) => {
    expect(configOf(withCredentials(text)).exchange.credentials?.kind).toBe(kind);
  });

  test.each([
    ['{}'],
    [`key: ${key}`],
    ['username: a'],
    ['password: b'],
    [`token: a\n    key: ${key}`],
    ['token: a\n    password: b'],
  ])('are refused where they are no one way in: %s', (text) => {
    expect(problemsOf(withCredentials(text)).join('\n')).toContain(
      'expected token alone, or key and privateKey',
    );
  });

  test('are in no error that the client throws', async () => {
    const environment = { PRIVATE: `${HIDDEN}${'B'.repeat(43)}`.slice(0, 43) };
    const text = withCredentials(`key: ${key}\n    privateKey: \${PRIVATE}`);
    const { credentials } = configOf(text, { environment }).exchange;
    const secrets = [environment.PRIVATE, HIDDEN];
    const thrown: unknown[] = [];
    try {
      // The pair of keys is invalid; the client says so without showing the keys.
      thrown.push(
        new ExchangeClient({
          baseUrl: 'http://127.0.0.1:1',
          credentials: clientCredentials(credentials, () => 0),
        }),
      );
    } catch (error) {
      thrown.push(error);
    }
    const login = configOf(withCredentials(`username: a\n    password: ${HIDDEN}`)).exchange.credentials;
    for (const given of [login, configOf(withCredentials(`token: ${HIDDEN}`)).exchange.credentials]) {
      const client = new ExchangeClient({
        baseUrl: 'http://127.0.0.1:1',
        credentials: clientCredentials(given, () => 0),
      });
      await client.wallets().catch((error: unknown) => thrown.push(error));
      await client.close();
    }
    expect(thrown).toHaveLength(3);
    for (const error of thrown) {
      expect(error).toBeInstanceOf(Error);
      const shown = `${inspect(error, { depth: 20, showHidden: true })} ${String((error as Error).stack)}`;
      for (const secret of secrets) expect(shown).not.toContain(secret);
    }
  });
});

describe('a one-time password', () => {
  // Codes of RFC 6238, appendix B, with SHA-1: the last six of the eight digits there.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('is that of the standard at %i s', (seconds, expected) => {
    expect(oneTimePassword('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', seconds * 1_000)).toBe(expected);
  });
});

test('a small file is read with its rights, and a larger one is refused', () => {
  const folder = folderOfThisTest();
  const path = join(folder, 'token');
  writeFileSync(path, 'abcd');
  chmodSync(path, 0o600);
  expect(readSmallFile(path, 4)).toEqual({ text: 'abcd', isOpenToAll: false });
  chmodSync(path, 0o644);
  expect(readSmallFile(path, 4)).toEqual({ text: 'abcd', isOpenToAll: true });
  expect(() => readSmallFile(path, 3)).toThrow(RangeError);
  expect(() => readSmallFile(folder, 3)).toThrow();
});

describe('a secret in the wrong place on the command line', () => {
  const TOKEN = 'Zx9hiddenq8w7e6r5';

  test.each([
    [`exchange.credentials.${TOKEN}`, '3'],
    [`exchange.${TOKEN}`, '3'],
    [`exchange.credentials.token: ${TOKEN}`, '3'],
    [`exchange.credentials.token.${TOKEN}`, '3'],
    [`${TOKEN}.token`, '3'],
    ['exchange.credentials', TOKEN],
    ['exchange.credentials.tokn', TOKEN],
    ['exchange.credentials.token', `[${TOKEN}`],
    ['exchange.credentials.token', `{a: ${TOKEN}}`],
    ['exchange.credentials.privateKey', TOKEN],
    ['exchange.baseUrl', `https://user:${TOKEN}@host/`],
    ['mode', TOKEN],
  ])('%s is not repeated', (path, value) => {
    const problems = problemsOf(withCredentials('token: x'), { overrides: [[path, value]] });
    expect(problems.join('\n')).not.toContain(TOKEN);
    expect(problems.length).toBeGreaterThan(0);
  });

  test('is not repeated where its option has no "="', () => {
    expect(() => overrideOption(`exchange.credentials.token: ${TOKEN}`, [])).toThrow(
      /^expected path=value after --set/,
    );
  });
});
