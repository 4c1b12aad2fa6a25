import { describe, expect, test } from 'vitest';
import { BudgetLedger } from '../../../../src/budget/ledger.ts';
import { MemoryLockouts } from '../../../../src/budget/lockouts.ts';
import { createLimitedClient } from '../../../../src/venues/limited-client.ts';
import type { RequestLimiter } from '../../../../src/budget/limiter.ts';
import { createVirtualLimiter } from '../../../../src/virtual/virtual-limiter.ts';
import { VirtualTime } from '../../../../src/virtual/virtual-time.ts';
import { inTurn, json } from '../../exchange/fake-transport.ts';

const DAY_MS = 86_400_000;

describe('a log-in that is over a limit', () => {
  test('locks its budget for as long as the exchange says', async () => {
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
});
