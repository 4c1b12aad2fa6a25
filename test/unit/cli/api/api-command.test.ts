import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { apiCommand } from '../../../../src/cli/commands/api.ts';
import { ledgerPath, subjectOf } from '../../../../src/budget/ledger-file.ts';
import { readLedger } from '../../../../src/budget/ledger-report.ts';
import { monotonicMs } from '../../../../src/budget/process-owner.ts';
import { budgetTable } from '../../../../src/exchange/client-options.ts';
import { FaultPlan, type FaultRule } from '../../../../src/simulator-server/fault-plan.ts';
import { PANEL_TOKEN, serveAccount, type ServedAccount } from '../../../support/served-account.ts';
import { at, runCommand, type Ended, type Scripted } from './run-command.ts';
import { failed, printed } from '../../../support/sarraf-here.ts';
import { openLedger } from '../../../support/ledger-worlds.ts';

const ENVIRONMENT = { SARRAF_TOKEN: PANEL_TOKEN };
const TRANSFER = ['transfer', 'currency=usdt', 'amount=10', 'src=spot', 'dst=margin'];
const ORDER = ['add-order', 'type=buy', 'srcCurrency=btc', 'dstCurrency=rls', 'amount=0.001'];

let served: ServedAccount;
beforeAll(async () => {
  served = await serveAccount();
});
afterAll(() => served.close());
afterEach(() => fail([]));

function fail(rules: readonly FaultRule[]): void {
  served.simulation.faulty.plan = new FaultPlan({ seed: 1, rules });
}

const api = (args: readonly string[], scripted: Scripted = {}): Promise<Ended> =>
  runCommand(apiCommand, [...args, ...at(served)], { environment: ENVIRONMENT, ...scripted });

const named = (args: readonly string[], scripted: Scripted = {}): Promise<Ended> =>
  runCommand(apiCommand, args, scripted);

/** Makes a ledger for an exchange that has not been asked anything yet. */
function emptyLedger(baseUrl: string): void {
  openLedger(ledgerPath(baseUrl, served.ledgerFolder), { whenMissing: 'empty' }).close();
}

const requests = (): number => served.simulation.adapter.log.count;

describe('a call that moves money or orders', () => {
  test('is asked about at a terminal, with everything that it says, and sent after a yes', async () => {
    const { code, asked, out } = await api(TRANSFER, { answers: ['yes'] });
    expect([code, asked.length]).toEqual([0, 1]);
    expect(asked[0]).toMatch(/^Moves rial or tether .* At http:\S+, as the token of SARRAF_TOKEN:$/m);
    expect(asked[0]).toMatch(/^ {2}currency {2}usdt\n {2}amount {4}10\n/m);
    expect(out).toContain('49990');
  });

  test.each([['no'], [''], ['YES']])('is not sent after %j', async (answer) => {
    const before = requests();
    const { code, error, out } = await api(TRANSFER, { answers: [answer] });
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain('nothing was sent');
    expect(requests()).toBe(before);
  });

  test('is refused without a terminal, but with --yes', async () => {
    const before = requests();
    const refused = await api(TRANSFER);
    expect([refused.code, refused.error]).toEqual([2, expect.stringContaining('expected --yes')]);
    expect(requests()).toBe(before);
    expect(await api([...TRANSFER, '--yes'])).toMatchObject({ code: 0, asked: [] });
  });

  test('is shown and not sent by a dry run, without its secrets', async () => {
    const before = requests();
    const { code, out } = await api([...TRANSFER, '--dry-run']);
    expect(code).toBe(0);
    expect(out).toMatch(/^POST http:\S+\/wallets\/transfer\nAuthorization: Token \[secret\]\n/);
    expect(out).toContain('"amount": "10"');
    const login = ['login', 'username=u', 'password=env:P', '--dry-run', '--json'];
    const secret = await api(login, { environment: { P: 'hunter2' } });
    expect(JSON.parse(secret.out)).toMatchObject({
      method: 'POST',
      url: `${served.baseUrl}/auth/login/`,
      body: { username: 'u', password: '[secret]' },
      effect: 'changes',
    });
    expect(`${out}${secret.out}`).not.toMatch(/hunter2|panel-token/);
    expect(requests()).toBe(before);
  });

  test('is never real with a paper configuration', async () => {
    const config = join(served.folder, 'paper.yaml');
    const exchange = `exchange: { ledgerFolder: '${served.ledgerFolder}', credentials: { token: 'file:${config}' } }`;
    writeFileSync(config, `mode: paper\npaper: { baseUrl: '${served.baseUrl}' }\n${exchange}\n`, {
      mode: 0o600,
    });
    expect(await runCommand(apiCommand, [...TRANSFER, '--config', config, '--yes'])).toEqual(
      failed(2, 'paper configuration'),
    );
  });
});

describe('an outcome', () => {
  const placed = [...ORDER, 'price=49000000000', 'clientOrderId=my-own-name', '--yes'];

  test('that is not known is said to be that, with where to look', async () => {
    fail([{ kind: 'reset', endpoints: ['addOrder'], isHandled: true }]);
    const { code, error, out } = await api([...placed, '--json']);
    expect(code).toBe(1);
    expect(error).toContain('MAY HAVE TAKEN EFFECT');
    expect(error).toMatch(
      /sarraf order find my-own-name --sent \S+Z --url http:\S+ --ledger-folder \S+" before/,
    );
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'CONNECTION_LOST', outcome: 'unknown' } });
    const look = await api(['order-status', 'clientOrderId=my-own-name', '--json']);
    expect(JSON.parse(look.out)).toMatchObject({ status: 'Active' });
  });

  test('of a read that got no answer is no doubt', async () => {
    fail([{ kind: 'reset', endpoints: ['profile'] }]);
    const { code, error } = await api(['profile']);
    expect([code, error]).toEqual([1, expect.stringMatching(/^CONNECTION_LOST: /)]);
    expect(error).not.toMatch(/EFFECT|changed/);
  });

  test('that the exchange refused ends with 1, its own code, and nothing changed', async () => {
    const { code, error, out } = await api([...ORDER, 'price=1000', '--yes', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'BadPrice', outcome: 'none' } });
    expect(error).toMatch(/^add-order: refused with BadPrice: .*\nNothing was changed by it\.$/);
  });
});

test('a secret that the exchange repeats is in no message', async () => {
  const token = 'a-token-that-comes-back';
  const exchange = createServer((_request, reply) => {
    reply
      .writeHead(401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ detail: `bad token ${token}` }));
  });
  await once(exchange.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(exchange.address() as AddressInfo).port}`;
  emptyLedger(url);
  const args = ['profile', '--url', url, '--ledger-folder', served.ledgerFolder, '--json'];
  const { code, out, error } = await named(args, { environment: { SARRAF_TOKEN: token } });
  exchange.close();
  expect([code, error]).toEqual([1, expect.stringMatching(/^UNAUTHORIZED: .*bad token \[secret\]/)]);
  expect(`${out}${error}`).not.toContain(token);
});

describe('a limit', () => {
  test('is the one that a bot of this account counts in too', async () => {
    const subjects = { ip: 'this-address', token: subjectOf(PANEL_TOKEN) };
    const store = openLedger(ledgerPath(served.baseUrl, served.ledgerFolder), { subjects });
    for (let slot = 0; slot < 12; slot += 1)
      store.admit({ budget: 'v2/wallets', requestClass: 'account' }, monotonicMs());
    const before = requests();
    const { code, error } = await api(['wallets', '--wait', '50ms']);
    store.close();
    expect([code, requests()]).toEqual([1, before]);
    expect(error).toMatch(
      /nothing was sent: wallets may leave in up to 60 s and --wait allows 0\.1 s: the \d+ requests/,
    );
  });

  test('that a bot has set for itself stands, whatever a call by hand would have', async () => {
    const path = ledgerPath(served.baseUrl, served.ledgerFolder);
    const smaller = budgetTable({ 'liquidity-pools/list': { limit: 3, windowMs: 90_000 } });
    const subjects = { ip: 'this-address', token: subjectOf(PANEL_TOKEN) };
    openLedger(path, { budgets: smaller.values(), subjects }).close();
    const row = () =>
      readLedger(path, monotonicMs()).find(
        ({ subject, budget }) => subject === subjects.token && budget === 'liquidity-pools/list',
      );
    const before = row();
    expect(before).toMatchObject({ windowMs: 90_000 });
    await api(['wallet-balance', 'currency=btc']);
    expect(row()).toMatchObject({ limit: before?.limit, windowMs: 90_000 });
  });

  test('that is locked out refuses at once, and says for how long', async () => {
    fail([{ kind: 'too-many-requests', endpoints: ['limitations'], backOff: 3_600 }]);
    const first = await api(['limitations']);
    expect([first.code, first.error]).toEqual([1, expect.stringMatching(/^RATE_LIMITED: .*3600000 ms/)]);
    fail([]);
    const before = requests();
    const second = await api(['limitations']);
    expect(second.code).toBe(1);
    const json = await api(['limitations', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: 'NOT_SENT', outcome: 'none' } });
    expect(second.error).toMatch(
      /nothing was sent: limitations may leave in 60 min .* locked users\/limitations out/,
    );
    expect(requests()).toBe(before);
  });

  test('of which nothing is known lets one question pass, and then counts as used up', async () => {
    const folder = join(served.folder, 'fresh');
    mkdirSync(folder);
    const args = ['profile', '--url', served.baseUrl, '--ledger-folder', folder, '--wait', '1s'];
    expect(await runCommand(apiCommand, args, { environment: ENVIRONMENT })).toMatchObject({ code: 0 });
    expect(await runCommand(apiCommand, args, { environment: ENVIRONMENT })).toEqual(
      failed(1, /what was sent before is not known.*sarraf ledger/),
    );
  });
});

describe('who calls', () => {
  test('needs an address and a credential', async () => {
    expect(await named(['profile'])).toEqual(failed(2, '--url https://'));
    expect(await api(['profile'], { environment: {} })).toEqual(
      failed(2, /SARRAF_TOKEN or --token-file .*sarraf login/),
    );
    expect(await api(['profile', '--config', 'bot.yaml'])).toMatchObject({ code: 2 });
  });

  test('without a token reads public data, and what takes one or none', async () => {
    expect(await api(['order-book', 'symbol=BTCIRT'], { environment: {} })).toMatchObject({ code: 0 });
    expect(await api(['margin-markets'], { environment: {} })).toMatchObject({ code: 0 });
  });

  test('with an expired token fails with that message once, and is not sent again before a retry is allowed', async () => {
    const environment = { SARRAF_TOKEN: 'expired-token' };
    const first = await api(['profile'], { environment });
    expect([first.code, first.error]).toEqual([
      1,
      expect.stringMatching(/^UNAUTHORIZED: [^]*"sarraf login"/),
    ]);
    const before = requests();
    const second = await api(['wallet-balance', 'currency=btc'], { environment });
    expect([second.code, second.error]).toEqual([
      1,
      expect.stringMatching(/refused the token of SARRAF_TOKEN \(401\): it has expired/),
    ]);
    expect(requests()).toBe(before);
    expect(`${first.error}${second.error}`).not.toContain('expired-token');
  });

  test('takes the token of a file, and is warned of one that everybody can read', async () => {
    const file = join(served.folder, 'open.token');
    writeFileSync(file, `${PANEL_TOKEN}\n`, { mode: 0o644 });
    expect(
      await api(['wallet-balance', 'currency=btc', '--token-file', file], {
        environment: {},
      }),
    ).toMatchObject({ code: 0, error: expect.stringContaining('chmod 600') });
  });

  test('takes address, ledger and credentials of a live configuration, that of the folder too', async () => {
    const folder = join(served.folder, 'home');
    mkdirSync(folder);
    const lines = [
      'mode: live',
      `exchange: { baseUrl: '${served.baseUrl}', ledgerFolder: '${served.ledgerFolder}', credentials: { token: '\${TOKEN}' } }`,
      'strategies: [{ plugin: ma-cross, market: BTCIRT }]',
    ];
    writeFileSync(join(folder, 'bot.yaml'), lines.join('\n'));
    const home = { workingFolder: folder };
    const balance = ['wallet-balance', 'currency=btc'];
    expect(await named(balance, { ...home, environment: { TOKEN: PANEL_TOKEN } })).toMatchObject({
      code: 0,
      out: '2',
    });
    expect(await named(balance, home)).toEqual(failed(2, 'TOKEN'));
    // Public data needs no key, and a token on the command line replaces that of the configuration.
    expect(await named(['order-book', 'symbol=BTCIRT'], home)).toMatchObject({ code: 0, error: '' });
    const file = join(folder, 'own.token');
    writeFileSync(file, PANEL_TOKEN, { mode: 0o600 });
    expect(await named([...balance, '--token-file', file], home)).toMatchObject({ code: 0, out: '2' });
    expect(await named(balance, { ...home, environment: { SARRAF_CONFIG: 'none.yaml' } })).toEqual(
      failed(2, 'none.yaml'),
    );
    rmSync(folder, { recursive: true });
  });

  test('with a key reads and trades, and names the calls that take a token only', async () => {
    const key = {
      publicKey: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=',
      privateKey: `${'BwcH'.repeat(10)}Bwc=`,
    };
    const config = join(served.folder, 'key.yaml');
    const exchange = { baseUrl: served.baseUrl, ledgerFolder: served.ledgerFolder };
    const credentials = { key: key.publicKey, privateKey: key.privateKey };
    const strategies = [{ plugin: 'ma-cross', market: 'BTCIRT' }];
    writeFileSync(
      config,
      JSON.stringify({ mode: 'live', exchange: { ...exchange, credentials }, strategies }),
    );
    const withKey = ['--config', config];
    expect(await named(['wallet-balance', 'currency=btc', ...withKey])).toMatchObject({ code: 0, out: '2' });
    const order = [...ORDER, 'price=48500000000', ...withKey];
    const dry = await named([...order, '--dry-run']);
    expect(dry.out).toContain(`Service-Key: ${key.publicKey}\nService-Signature: [secret]\n`);
    expect(`${dry.out}${dry.error}`).not.toContain(key.privateKey);
    expect(await named([...order, '--yes'])).toMatchObject({ code: 0 });
    const before = requests();
    const address = await named(['generate-address', 'currency=btc', ...withKey]);
    expect([address.code, address.error]).toEqual([
      2,
      expect.stringMatching(/takes a token, not a key: "sarraf login"/),
    ]);
    expect(requests()).toBe(before);
  });

  test('sends no credentials where they can be read on the way', async () => {
    const url = ['--url', 'http://far.example', '--ledger-folder', served.ledgerFolder];
    for (const call of [['profile'], ['login', 'username=u', 'password=env:P', '--dry-run']]) {
      expect(await named([...call, ...url], { environment: { ...ENVIRONMENT, P: 'p' } })).toEqual(
        failed(2, 'expected an https address'),
      );
    }
  });

  test('reports in one line that nobody answers', async () => {
    const dead = await serveAccount();
    await dead.close();
    emptyLedger(dead.baseUrl);
    expect(await named(['options', '--url', dead.baseUrl, '--ledger-folder', served.ledgerFolder])).toEqual(
      failed(1, /^CONNECTION_REFUSED: .*\nThe exchange can not be reached/),
    );
  });
});

describe('lists', () => {
  test('are read whole with --all, under a bound that is said when it is met', async () => {
    for (let price = 49_000_000_000; price < 49_000_000_050; price += 10)
      await api([...ORDER, `price=${price}`, '--yes']);
    const { out } = await api(['orders-list', 'status=open', 'pageSize=2', '--all', '--json']);
    const ids = (JSON.parse(out) as readonly { readonly id: number }[]).map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((left, right) => left - right));
    expect(ids.length).toBeGreaterThanOrEqual(5);
    const bounded = await api(['orders-list', 'pageSize=2', '--all', '--max-pages', '1', '--json']);
    expect([bounded.code, JSON.parse(bounded.out)]).toEqual([1, expect.objectContaining({ length: 2 })]);
    expect(bounded.error).toContain('this is not all: after 2 records');
    const page = await api(['orders-list', 'page=2', '--all']);
    expect([page.code, page.error]).toEqual([2, expect.stringMatching(/^page: expected none with --all/)]);
  });

  test('say that there are more', async () => {
    const { out } = await api(['orders-list', 'status=all', 'details=2', 'pageSize=1']);
    expect(out).toMatch(/^ *id +side +execution/);
    expect(out).toMatch(/There are more: page=2 shows the next page, --all shows all\.$/);
  });
});

describe('a call that nobody knows', () => {
  test.each([
    [['walets-list'], 'walets-list: unknown call, did you mean wallets-list?'],
    [['nothing-like-it-at-all'], 'nothing-like-it-at-all: unknown call, "sarraf api" lists them'],
    [['--jsno'], '--jsno: unknown call, "sarraf api" lists them'],
  ])('%j ends with 2 and the nearest', async (args, message) => {
    expect(await runCommand(apiCommand, [...args, '--url', served.baseUrl])).toMatchObject({
      code: 2,
      error: message,
    });
  });

  test('may be one by the name of the library', async () => {
    expect(await api(['walletBalance', 'currency=btc'])).toMatchObject({ code: 0, out: '2' });
  });

  test('is none: all are listed, for programs too', async () => {
    const list = await runCommand(apiCommand, ['--json']);
    const { calls } = JSON.parse(list.out) as { readonly calls: readonly { readonly name: string }[] };
    expect(calls.length).toBeGreaterThan(39);
    expect(await runCommand(apiCommand, ['transfer', '--help'])).toEqual(
      printed('sarraf api transfer currency=usdt amount=10 src=spot dst=margin'),
    );
  });
});

test('leaves no secret in what it keeps', () => {
  for (const file of readdirSync(served.ledgerFolder)) expect(file).not.toContain('token');
});
