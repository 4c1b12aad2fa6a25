import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { readLedger } from '../../../../src/budget/ledger-report.ts';
import { ledgerPath } from '../../../../src/budget/ledger-file.ts';
import { monotonicMs } from '../../../../src/budget/process-owner.ts';
import { readOnlyTap, type SeenReply } from '../../../../src/cli/doctor/check-exchange.ts';
import type { Transport } from '../../../../src/exchange/transport.ts';
import { FaultPlan, type FaultRule } from '../../../../src/simulator-server/fault-plan.ts';
import type { ExchangeConfigInput } from '../../../../src/simulator-server/exchange-config.ts';
import { judgeAccount } from '../../../../src/venues/account-reader.ts';
import { serveAccount, type ServedAccount } from '../../../support/served-account.ts';
import { BY_KEY, examine, verdictsOf } from './doctor-world.ts';

let served: ServedAccount;
afterEach(async () => served.close());

async function serve(
  rules: readonly FaultRule[] = [],
  config: ExchangeConfigInput = {},
): Promise<ServedAccount> {
  served = await serveAccount(config);
  served.simulation.faulty.plan = new FaultPlan({ seed: 1, rules });
  return served;
}

const keptOf = (username: string) => {
  const { account } = judgeAccount(null, { username }) as { account: { salt: string; hashes: object } };
  return account;
};

const withUser = (user: object): ExchangeConfigInput => ({
  users: [{ username: 'trader', id: 1, tokens: ['panel-token-of-trader'], ...user }],
});

describe('an exchange that answers', () => {
  test('is asked eight things, each in a budget of its own, and everything is fine by a token', async () => {
    const { findings, seen } = await examine(await serve());
    expect(verdictsOf(findings)).toEqual({
      address: 'ok',
      clock: 'ok',
      credential: 'ok',
      'permission READ': 'ok',
      account: 'ok',
      markets: 'ok',
      'open markets': 'ok',
      'order book': 'ok',
      'right to trade': 'ok',
      money: 'ok',
    });
    expect(seen.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
      'GET /v2/options',
      'GET /market/stats',
      'GET /v2/orderbook/BTCIRT',
      'GET /users/profile',
      'GET /users/limitations',
      'GET /v2/wallets',
      'GET /market/orders/list',
      'GET /market/trades/list',
    ]);
    const used = readLedger(ledgerPath(served.baseUrl, served.ledgerFolder), monotonicMs()).filter(
      ({ inUse }) => inUse > 0,
    );
    expect(used.map(({ inUse }) => inUse)).toEqual(seen.map(() => 1));
  });

  test('leaves open whether a key may trade', async () => {
    const { findings } = await examine(await serve(), { credentials: BY_KEY });
    expect(findings.get('permission TRADE')).toMatchObject({ verdict: 'not checked' });
    expect(verdictsOf(findings)).toMatchObject({ credential: 'ok', 'permission READ': 'ok' });
  });

  test('tells a mirror of another account', async () => {
    const { findings } = await examine(await serve(), { kept: keptOf('somebody else') });
    expect(findings.get('account')).toMatchObject({ verdict: 'problem' });
    expect((await examine(served, { kept: keptOf('Trader') })).findings.get('account')?.verdict).toBe('ok');
  });

  test('names a market that it does not have', async () => {
    const { findings } = await examine(await serve(), { market: 'ETHIRT' });
    expect(findings.get('markets')).toMatchObject({
      verdict: 'problem',
      text: 'the exchange names no steps of price and amount for ETHIRT, but for 2 other markets',
    });
  });

  test('says that the account may not trade, and has nothing to trade with', async () => {
    const { findings } = await examine(await serve([], withUser({ features: { rial_trade: false } })));
    expect(findings.get('right to trade')).toMatchObject({
      verdict: 'problem',
      text: 'the exchange does not let this account trade (rial_trade is off)',
    });
    expect(findings.get('money')).toMatchObject({ verdict: 'warning' });
  });
});

describe('a credential', () => {
  test('that the exchange does not know is asked once, and its remedy names the place of it', async () => {
    const { findings, seen } = await examine(await serve(), { credentials: "{ token: 'wrong-token' }" });
    expect(verdictsOf(findings)).toMatchObject({
      address: 'ok',
      credential: 'problem',
      'permission READ': 'not checked',
      account: 'not checked',
      markets: 'ok',
      money: 'not checked',
    });
    expect(findings.get('credential')?.remedy).toMatch(/make a new token .* put it into the configuration/);
    expect(seen.filter(({ reply }) => reply?.status === 401)).toHaveLength(1);
    expect(seen).toHaveLength(4);
  });

  test('without the permission to read is told from one that is refused', async () => {
    const keys = [
      { publicKey: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=', permissions: ['TRADE' as const] },
    ];
    const { findings, seen } = await examine(await serve([], withUser({ keys })), { credentials: BY_KEY });
    expect(verdictsOf(findings)).toMatchObject({ credential: 'ok', 'permission READ': 'problem' });
    expect(findings.get('permission READ')?.text).toBe(
      'the exchange does not let it read wallets, orders, own trades (403)',
    );
    expect(seen).toHaveLength(8);
  });
});

describe('a limit', () => {
  test.each(['too-many-requests', 'forbidden'] as const)('reply (%s) ends all asking', async (kind) => {
    const { findings, seen } = await examine(await serve([{ kind, endpoints: ['profile'] }]));
    expect(seen.map(({ path }) => path.split('?')[0]).at(-1)).toBe('/users/profile');
    expect(verdictsOf(findings)).toMatchObject({
      address: 'ok',
      'permission READ': 'not checked',
      'right to trade': 'not checked',
    });
    expect(findings.get('money')?.text).toBe('the exchange said that a limit is exceeded');
  });

  test('that the ledger counts as used up is waited for no longer than was allowed', async () => {
    await serve();
    served = { ...served, ledgerFolder: `${served.ledgerFolder}-new` };
    const { findings, seen } = await examine(served);
    // One request is admitted; after it the window counts as full.
    expect(seen).toHaveLength(1);
    expect(findings.get('credential')).toMatchObject({ verdict: 'not checked' });
    expect(findings.get('credential')?.text).toMatch(/nothing was sent: .* and --wait allows 10 s/);
  });
});

test('a ledger that can not be opened is a problem, and nothing is sent', async () => {
  await serve();
  writeFileSync(ledgerPath(served.baseUrl, served.ledgerFolder), 'no database');
  const { findings, seen } = await examine(served);
  expect(verdictsOf(findings)).toEqual({ ledger: 'problem' });
  expect(seen).toEqual([]);
});

test('a clock that is 40 s ahead is named before the key that it makes look wrong', async () => {
  served = await serveAccount({ faults: { clockSkewMs: -40_000 } });
  const { findings } = await examine(served, { credentials: BY_KEY, nowMs: Date.now });
  expect(verdictsOf(findings)).toMatchObject({ clock: 'problem', credential: 'problem' });
  expect(findings.get('clock')?.text).toMatch(/^it is (?:39|40) s ahead of the exchange's/);
  expect([...findings.keys()].indexOf('clock')).toBeLessThan([...findings.keys()].indexOf('credential'));
});

test('the way to the exchange lets nothing pass that changes anything, such as an order or a log-in', async () => {
  await serve();
  const sent: string[] = [];
  const inner: Transport = {
    send: async ({ path }) => {
      sent.push(path);
      return Promise.resolve({ status: 200, headers: {}, body: '{}' });
    },
    close: async () => Promise.resolve(),
  };
  const seen: SeenReply[] = [];
  const way = readOnlyTap(seen)(inner, Date.now);
  const request = { headers: {}, body: null, timeoutMs: 1_000 };
  for (const path of ['/auth/login/', '/market/orders/add', '/market/orders/update-status?id=1']) {
    await expect(way.send({ ...request, method: 'POST', path })).rejects.toThrow(
      /expected doctor to read alone, was POST \/[a-z/-]+$/,
    );
  }
  await way.send({ ...request, method: 'GET', path: '/v2/options' });
  expect([sent, seen.length]).toEqual([['/v2/options'], 1]);
});

describe('an address', () => {
  test('where nothing listens is asked once', async () => {
    await serve();
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const { findings, seen } = await examine(served, { baseUrl: `http://127.0.0.1:${port}` });
    expect(seen.map(({ error }) => error)).toEqual(['CONNECTION_REFUSED']);
    expect(findings.get('address')).toMatchObject({ verdict: 'problem' });
    expect(findings.get('address')?.remedy).toMatch(/DNS, firewall, proxy/);
    expect(new Set(Object.values(verdictsOf(findings)))).toEqual(new Set(['problem', 'not checked']));
  });

  test('where a web page answers is no exchange', async () => {
    const { findings } = await examine(await serve([{ kind: 'bad-gateway', isHandled: false }]));
    expect(findings.get('address')).toMatchObject({ verdict: 'problem' });
    expect(findings.get('address')?.text).toMatch(/^(?:SERVER_ERROR|HTML_REPLY): /);
  });

  test('that answers slowly is a warning', async () => {
    let timeMs = 0;
    // Every reading of the clock is 2.5 s later than the one before.
    const { findings } = await examine(await serve(), { nowMs: () => (timeMs += 2_500) });
    expect(findings.get('address')).toMatchObject({ verdict: 'warning' });
    expect(findings.get('address')?.text).toMatch(/ answers, in 2\.5 s at most$/);
  });
});
