import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ledgerPath } from '../../../../src/budget/ledger-file.ts';
import { LedgerStore } from '../../../../src/budget/store.ts';
import {
  askFirst,
  openRemoteExchange,
  readMarkets,
  createLimitedClient,
} from '../../../../src/venues/live-venue.ts';
import { budgetTable } from '../../../../src/exchange/client-options.ts';
import { ledgerSubjects } from '../../../../src/venues/client-credentials.ts';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';
import { BudgetLedger } from '../../../../src/budget/ledger.ts';
import { MemoryLockouts } from '../../../../src/budget/lockouts.ts';
import type { RequestLimiter } from '../../../../src/budget/limiter.ts';
import { createVirtualLimiter } from '../../../../src/virtual/virtual-executor.ts';
import { VirtualTime } from '../../../../src/virtual/virtual-time.ts';
import { inTurn, json } from '../../exchange/fake-transport.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';

test('a start that is ended amid a request which nobody answers waits for no time-out', async () => {
  const folder = folderOfThisTest();
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: folder,
    overrides: [['exchange.ledgerFolder', JSON.stringify(folder)]],
  });
  if (!reading.ok) throw new Error(reading.problems.join(', '));
  new LedgerStore({
    path: ledgerPath(baseUrl, folder),
    budgets: budgetTable().values(),
    subjects: ledgerSubjects({ credentials: null, publicAddress: null }),
    whenMissing: 'empty',
  }).close();
  const remote = await openRemoteExchange({ config: reading.config, baseUrl, credentials: null });
  const end = new AbortController();
  const asked = readMarkets(remote, { signal: end.signal, onWait: () => undefined });
  const answer = expect(asked).rejects.toMatchObject({ code: 'ABORTED' });
  const [socket] = (await once(silent, 'connection')) as [{ destroy(): void }];
  // The server keeps its side open: only the client's own end ends the request.
  end.abort();
  await answer;
  await remote.close();
  socket.destroy();
  silent.close();
  // Shorter than the time-out of the request.
}, 9_000);

test('an exchange that does not answer at the start is a warning', async () => {
  const folder = folderOfThisTest();
  const cutting = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(cutting, 'listening');
  const baseUrl = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`;
  const overrides: [string, string][] = [['exchange.ledgerFolder', JSON.stringify(folder)]];
  const reading = readBotConfig(null, { environment: {}, workingFolder: folder, overrides });
  if (!reading.ok) throw new Error(reading.problems.join(', '));
  new LedgerStore({
    path: ledgerPath(baseUrl, folder),
    budgets: budgetTable().values(),
    subjects: ledgerSubjects({ credentials: null, publicAddress: null }),
    whenMissing: 'empty',
  }).close();
  const remote = await openRemoteExchange({ config: reading.config, baseUrl, credentials: null });
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
