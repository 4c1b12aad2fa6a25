import * as fc from 'fast-check';
import { test, expect } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { transferFunds } from '../../../../src/simulator/accounts.ts';
import { createExchange, START_MS } from '../users/fixture.ts';

const step = fc.oneof(
  fc.record({
    kind: fc.constant('deposit' as const),
    currency: fc.constantFrom('rls', 'usdt', 'btc'),
    units: fc.bigInt({ min: 1n, max: 10n ** 20n }),
  }),
  fc.record({
    kind: fc.constant('withdraw' as const),
    rial: fc.integer({ min: 100_000, max: 4_000_000_000 }),
  }),
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(5) }),
  fc.record({
    kind: fc.constant('force' as const),
    which: fc.nat(5),
    status: fc.constantFrom('Done' as const, 'Failed' as const, 'Rejected' as const, 'Sent' as const),
  }),
  fc.record({
    kind: fc.constant('transfer' as const),
    currency: fc.constantFrom('rls', 'usdt', 'btc'),
    units: fc.bigInt({ min: -1n, max: 10n ** 20n }),
    src: fc.constantFrom('spot', 'margin'),
  }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 600_000 }) }),
);

test('conserves every currency through any sequence of deposits, transfers, withdrawals, cancels and waits', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { services, accounts } = createExchange({ withdrawals: { largestPayment: '700000000' } });
      const user = services.users.get(7);
      let timeMs = START_MS;
      let deposited = 0n;
      for (const one of steps) {
        const ids = services.withdrawals.list(7).map(({ id }) => id);
        if (one.kind === 'deposit') {
          if (one.currency === 'rls') deposited += one.units;
          services.deposits.create({
            userId: 7,
            currency: services.currency(one.currency),
            units: one.units,
            timeMs,
          });
        } else if (one.kind === 'withdraw') {
          services.withdrawals.create({ user, bankAccountId: 11, units: parseUnits(one.rial), timeMs });
        } else if (one.kind === 'cancel') {
          services.withdrawals.cancel(7, ids[one.which] ?? 'none', timeMs);
        } else if (one.kind === 'force') {
          services.withdrawals.force(ids[one.which] ?? 'none', one.status, timeMs);
        } else if (one.kind === 'transfer') {
          const dst = one.src === 'spot' ? 'margin' : 'spot';
          transferFunds(accounts, {
            userId: 7,
            currency: one.currency,
            units: one.units,
            src: one.src,
            dst,
            timeMs,
          });
        } else {
          timeMs += one.ms;
        }
        services.advance(timeMs);
        for (const currency of ['rls', 'usdt', 'btc']) expect(accounts.imbalanceOf(currency)).toBe(0n);
        for (const wallet of accounts.allWallets()) expect(wallet.total).toBeGreaterThanOrEqual(wallet.held);
      }
      services.advance(timeMs + 86_400_000);
      const withdrawals = services.withdrawals.list(7);
      const gone = withdrawals.reduce((sum, { units, refunded }) => sum + units - refunded, 0n);
      const owned = [...accounts.allWallets()].reduce(
        (sum, wallet) => sum + (wallet.currency === 'rls' ? wallet.total : 0n),
        0n,
      );
      expect(owned).toBe(parseUnits('10000000000') + deposited - gone);
      const kept = withdrawals.filter(
        ({ status, payments }) =>
          status === 'Done' || payments.some((payment) => payment.status === 'Transferred'),
      );
      const ended = kept.filter(
        ({ status }) => status === 'Done' || status === 'Failed' || status === 'Rejected',
      );
      expect(accounts.houseOf('rls').fees).toBe(ended.reduce((sum, { fee }) => sum + fee, 0n));
      expect(accounts.imbalanceOf('rls')).toBe(0n);
    }),
    { numRuns: 150 },
  );
});
