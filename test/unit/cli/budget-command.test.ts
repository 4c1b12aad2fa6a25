import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ledgerFolder, ledgerPath, subjectOf } from '../../../src/budget/ledger-file.ts';
import { monotonicMs } from '../../../src/budget/process-owner.ts';
import type { LedgerStore } from '../../../src/budget/store.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';
import type { Budget } from '../../../src/domain/rate-limit.ts';
import { openLedger } from '../../support/ledger-worlds.ts';

const folder = folderOfAllTests();
const path = join(folder, 'ledger.sqlite');

const MINUTE = { limit: 30, windowMs: 60_000 } as const;
const ORDERS = { ...MINUTE, name: 'orders/list', per: 'token', assumed: false, hasReserve: true } as const;

const open = (at: string, ...budgets: readonly Budget[]): LedgerStore =>
  openLedger(at, { budgets, subjects: { ip: 'ip', token: 'abc' }, whenMissing: 'empty' });

beforeAll(() => {
  const store = open(path, ORDERS, { ...MINUTE, name: 'v2/options', per: 'ip', assumed: true });
  store.admit({ budget: 'orders/list', requestClass: 'market' }, monotonicMs());
  const { permit: pass } = store.acquire({ budget: 'v2/options', credential: 'none' }, monotonicMs());
  store.report(pass!, { kind: 'limited', waitMs: 3_600_000, limit: null, isOwn: true }, monotonicMs());
  store.close();
});

describe('sarraf budget', () => {
  test('prints a table for people', async () => {
    const { code, out } = await sarrafHere(['budget', '--ledger', path]);
    expect(code).toBe(0);
    expect(out).toMatch(/^orders\/list\s+abc\s+1\s+30\s+60 s\s+3\s+yes\s+ok$/m);
    expect(out).toMatch(/^v2\/options\s+ip\s+0\s+30\s+60 s\s+0\s+assumed\s+LOCKED OUT for 60 min$/m);
  });

  test('prints JSON for programs', async () => {
    const { out } = await sarrafHere(['budget', '--json', '--ledger', path]);
    expect(JSON.parse(out)).toMatchObject({
      ledgers: [
        {
          ledger: path,
          budgets: [{ budget: 'orders/list', inUse: 1, reserve: 3, assumed: false }, { assumed: true }],
        },
      ],
    });
  });

  test('shows a limit that the exchange has lowered, and raises it by hand', async () => {
    const lowered = join(folder, 'lowered.sqlite');
    const store = open(lowered, { ...ORDERS, limit: 29, statedLimit: 30 });
    store.applyLimit('orders/list', { named: 10, isOwn: true }, monotonicMs());
    const { out } = await sarrafHere(['budget', '--ledger', lowered]);
    expect(out).toMatch(
      /^orders\/list\s+abc\s+0\s+9\s+60 s\s+0\s+yes\s+LOWERED by the exchange to 10, from 29 used, for 24 h$/m,
    );
    const raise = ['budget', 'raise', 'orders/list', '--ledger', lowered];
    const raised = await sarrafHere([...raise, '--json']);
    expect([raised.code, JSON.parse(raised.out)]).toEqual([
      0,
      { budget: 'orders/list', ledgers: [{ ledger: lowered, raised: [{ subject: 'abc', named: 10 }] }] },
    ]);
    expect(store.namedLimits(monotonicMs()).size).toBe(0);
    store.close();
    const again = await sarrafHere(raise);
    expect([again.code, again.error]).toEqual([1, expect.stringContaining('found none')]);
    const unknown = await sarrafHere(['budget', 'raise', 'orders/none', '--ledger', lowered]);
    expect([unknown.code, unknown.error]).toEqual([
      2,
      expect.stringMatching(/^expected one of .*, was "orders\/none"\n$/),
    ]);
    const missing = await sarrafHere([
      'budget',
      'raise',
      'orders/list',
      '--ledger',
      join(folder, 'no.sqlite'),
    ]);
    expect([missing.code, missing.error]).toEqual([1, expect.stringContaining('no.sqlite')]);
    expect(existsSync(join(folder, 'no.sqlite'))).toBe(false);
  });

  test('finds the ledger of a bot by its configuration', async () => {
    const config = join(folder, 'bot.yaml');
    const folderLine = `  ledgerFolder: ${join(folder, 'ledgers')}`;
    writeFileSync(
      config,
      ['mode: paper', 'paper:', '  baseUrl: http://127.0.0.1:9', 'exchange:', folderLine].join('\n'),
    );
    expect(await sarrafHere(['budget', '--config', config])).toEqual(
      failed(1, ledgerPath('http://127.0.0.1:9', join(folder, 'ledgers'))),
    );
  });

  test('finds that of a live bot whose keys are not at hand', async () => {
    const config = join(folder, 'live.yaml');
    const lines = ['mode: live', 'exchange:', '  baseUrl: https://far.example', `  ledgerFolder: ${folder}`];
    const strategy = 'strategies: [{ plugin: ma-cross, market: BTCIRT }]';
    writeFileSync(config, [...lines, '  credentials: { token: "${NO_SUCH_TOKEN}" }', strategy].join('\n'));
    expect(await sarrafHere(['budget', '--config', config])).toEqual(
      failed(1, ledgerPath('https://far.example', folder)),
    );
  });

  test('refuses two places, and a bot that has its exchange in itself', async () => {
    const both = await sarrafHere(['budget', '--config', 'bot.yaml', '--ledger', path]);
    expect([both.code, both.error]).toEqual([
      2,
      'expected the ledger as --ledger <place> or --config <file>, were both\n',
    ]);
    const config = join(folder, 'embedded.yaml');
    writeFileSync(config, 'mode: embedded\n');
    const embedded = await sarrafHere(['budget', '--config', config]);
    expect(embedded.code).toBe(2);
    expect(embedded.error).toMatch(/without a ledger/);
  });

  test('says in one line that there is no ledger, and makes none', async () => {
    const missing = join(folder, 'missing.sqlite');
    const { code, error } = await sarrafHere(['budget', '--ledger', missing]);
    expect(code).toBe(1);
    expect(error.trim().split('\n')).toHaveLength(1);
    expect(error).toContain(missing);
  });
});

test('the place of a ledger is one file a base address in the folder for state, without a secret in its name', () => {
  expect(ledgerFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/sarraf/ledgers');
  const main = ledgerPath('https://api.example.org/', '/state');
  expect(main).toMatch(/^\/state\/api\.example\.org-[0-9a-f]{16}\.sqlite$/);
  expect(ledgerPath('https://api.example.org', '/state')).toBe(main);
  expect(ledgerPath('https://api.example.org:8443', '/state')).not.toBe(main);
  expect(subjectOf('secret')).not.toContain('secret');
});
