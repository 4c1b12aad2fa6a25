import { once } from 'node:events';
import { resolve } from 'node:path';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect, test, describe, it } from 'vitest';
import { ledgerPath } from '../../../../src/budget/ledger-file.ts';
import { LedgerStore } from '../../../../src/budget/store.ts';
import { askFirst, openRemoteExchange, readMarkets } from '../../../../src/venues/live-venue.ts';
import { createLimitedClient } from '../../../../src/venues/service-venue.ts';
import { budgetTable } from '../../../../src/exchange/client-options.ts';
import {
  ledgerSubjects,
  accountIdentity,
  clientCredentials,
  secretsOf,
  type CredentialSettings,
} from '../../../../src/venues/client-credentials.ts';
import { configWith } from '../../../support/embedded-bot.ts';
import { BudgetLedger } from '../../../../src/budget/ledger.ts';
import { MemoryLockouts } from '../../../../src/budget/lockouts.ts';
import type { RequestLimiter } from '../../../../src/budget/limiter.ts';
import { createVirtualLimiter } from '../../../../src/virtual/virtual-executor.ts';
import { VirtualTime } from '../../../../src/virtual/virtual-time.ts';
import { inTurn, json } from '../../exchange/fake-transport.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';
import { Secret } from '../../../../src/configuration/secret-file.ts';
import { judgeAccount, type AccountFields, type AccountHash } from '../../../../src/venues/account-reader.ts';

/** Makes the client of a bot with a new ledger, for a server that stands for the exchange. */
async function remoteAt(server: Server, venue = 'service') {
  const folder = folderOfThisTest();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = configWith({ 'exchange.ledgerFolder': folder, 'exchange.venue': venue }, folder);
  new LedgerStore({
    path: ledgerPath(baseUrl, folder),
    budgets: budgetTable().values(),
    subjects: ledgerSubjects({ credentials: null, publicAddress: null }),
    whenMissing: 'empty',
  }).close();
  return openRemoteExchange({ config, baseUrl, credentials: null });
}

test('a start that is ended amid a request which nobody answers waits for no time-out', async () => {
  const silent = createServer();
  const remote = await remoteAt(silent);
  const end = new AbortController();
  const asked = readMarkets(remote, { signal: end.signal, onWait: () => undefined });
  const answer = expect(asked).rejects.toMatchObject({ code: 'ABORTED' });
  const [socket] = (await once(silent, 'connection')) as [{ destroy(): void }];
  // The server keeps the connection open, so only the abort can end the request.
  end.abort();
  await answer;
  await remote.close();
  socket.destroy();
  silent.close();
  // This is shorter than the time-out of the request.
}, 9_000);

test('a market in a currency without a name here is left out, and does not keep a bot from starting', async () => {
  const rules = [
    { market: 'BTCUSDT', tick: '0.01', lot: '0.000001', least: '5' },
    { market: 'ETHBTC', tick: '0.00001', lot: '0.0001', least: '0.0001' },
  ];
  const body = JSON.stringify(rules);
  const tiny = createServer((socket) => {
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
  });
  const remote = await remoteAt(tiny, resolve('config/venues/tiny.ts'));
  const markets = await readMarkets(remote, {
    signal: new AbortController().signal,
    onWait: () => undefined,
  });
  expect(markets.map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
  await remote.close();
  tiny.close();
});

test('an exchange that does not answer at the start is a warning', async () => {
  const cutting = createServer((socket) => socket.destroy());
  const remote = await remoteAt(cutting);
  const end = new AbortController();
  const said: unknown[] = [];
  const asked = askFirst(
    remote,
    { kind: 'options' },
    {
      signal: end.signal,
      onWait(message, level) {
        said.push([level, message]);
        end.abort();
      },
    },
  );
  await expect(asked).rejects.toMatchObject({ code: 'ABORTED' });
  expect(said).toEqual([
    ['warning', expect.stringMatching(/^the exchange did not answer, and is asked again in 3 s/)],
  ]);
  await remote.close();
  cutting.close();
});

const DAY_MS = 86_400_000;

test('a log-in that is over a limit locks its budget for as long as the exchange says', async () => {
  const time = new VirtualTime(0);
  const lockouts = new MemoryLockouts();
  let limiter: RequestLimiter | null = null;
  const client = createLimitedClient({
    transport: inTurn(json({ status: 'failed', code: 'TooManyRequests', backOff: DAY_MS / 1_000 }, 429)),
    credentials: { kind: 'login', login: { username: 'a@b.c', password: 'secret' } },
    nowMs: () => time.now(),
    limiterMs: () => time.now(),
    limiter: () => {
      if (limiter === null) throw new Error('the limiter is made below');
      return limiter;
    },
  });
  const budgets = [...client.budgets.values()];
  limiter = createVirtualLimiter({ time, budgets, ledger: new BudgetLedger(budgets), lockouts });
  const call = client.wallets().catch((error: unknown) => error);
  await time.run(1_000);
  expect(await call).toMatchObject({ code: 'RATE_LIMITED', details: { backOffMs: DAY_MS } });
  expect(
    lockouts.heldUntil({ budget: 'auth/login', credential: 'log-in' }, time.now()),
  ).toBeGreaterThanOrEqual(DAY_MS);
});

const TOKEN: CredentialSettings = { kind: 'token', token: new Secret('t') };
const KEY: CredentialSettings = { kind: 'key', publicKey: 'p', privateKey: new Secret('s') };
const LOGIN: CredentialSettings = {
  kind: 'login',
  username: 'u',
  password: new Secret('w'),
  totpSecret: null,
};
const TOTP: CredentialSettings = { ...LOGIN, totpSecret: new Secret('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ') };

test.each([
  [TOKEN, 't', ['t']],
  [KEY, 'p', ['s']],
  [LOGIN, 'u', ['w']],
  [TOTP, 'u', ['w', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ']],
])(
  'an account is named by what its bots have in common, and every secret of it is known: %o',
  (settings, identity, secrets) => {
    expect(accountIdentity(settings)).toBe(identity);
    expect(secretsOf(settings).map((secret) => secret.reveal())).toEqual(secrets);
  },
);

test('the client gets a one-time password of its moment', async () => {
  let nowMs = 59_000;
  const credentials = clientCredentials(TOTP, () => nowMs);
  if (credentials.kind !== 'login') throw new Error('expected a login');
  expect(await credentials.login.oneTimePassword?.()).toBe('287082');
  nowMs = 1_111_111_109_000;
  expect(await credentials.login.oneTimePassword?.()).toBe('081804');
  expect(clientCredentials(null, () => 0)).toEqual({ kind: 'none' });
  expect(secretsOf(null)).toEqual([]);
});

const ONE: AccountFields = { username: 'one', email: 'one@example.com', mobile: '09120000001' };

function kept(fields: AccountFields): AccountHash {
  const verdict = judgeAccount(null, fields, () => 'salt');
  if (verdict.kind === 'other') throw new Error('nothing was kept');
  return verdict.account;
}

describe('an account', () => {
  it('is kept as it is seen first, as salted hashes without a word of it', () => {
    const text = JSON.stringify(kept(ONE));
    for (const value of Object.values(ONE)) expect(text).not.toContain(value);
    expect(judgeAccount(null, ONE)).not.toEqual(judgeAccount(null, ONE));
  });

  it.each<[string, AccountFields, 'same' | 'other' | 'unknown']>([
    ['everything agrees', ONE, 'same'],
    ['it is written otherwise', { ...ONE, email: ' One@Example.com ' }, 'same'],
    ['the address is new', { ...ONE, email: 'new@example.com' }, 'same'],
    ['only one field is there', { mobile: '09120000001' }, 'same'],
    ['nothing agrees', { username: 'two', email: 'two@example.com', mobile: '09120000002' }, 'other'],
    ['the one field that is there does not agree', { username: 'two' }, 'other'],
    ['nothing is there', {}, 'unknown'],
    ['fields are empty', { username: ' ', email: '' }, 'unknown'],
    ['only the log-in is known', { login: 'two' }, 'unknown'],
  ])('when %s', (_, fields, kind) => {
    expect(judgeAccount(kept(ONE), fields).kind).toBe(kind);
  });

  it('is known by the name that logs in where that is all there is', () => {
    const before = kept({ login: 'one@example.com' });
    expect(judgeAccount(before, { login: 'One@example.com' }).kind).toBe('same');
    expect(judgeAccount(before, { login: 'two@example.com' }).kind).toBe('other');
  });

  it('is the same over another log-in name when the profile says so', () => {
    expect(judgeAccount(kept({ ...ONE, login: 'a' }), { ...ONE, login: 'b' }).kind).toBe('same');
  });

  it('keeps what it learns later beside what it knew', () => {
    const verdict = judgeAccount(kept({ login: 'one' }), { login: 'one', username: 'one' });
    expect(verdict).toMatchObject({
      kind: 'same',
      account: { hashes: { login: expect.any(String), username: expect.any(String) } },
    });
  });
});
