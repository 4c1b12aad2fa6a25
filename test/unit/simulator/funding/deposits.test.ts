import { expect, test } from 'vitest';
import { formatUnits, parseUnits } from '../../../../src/domain/money.ts';
import { userHandlers } from '../../../../src/simulator-server/wire/handlers/user.ts';
import { walletHandlers } from '../../../../src/simulator-server/wire/handlers/wallets.ts';
import { ask, createExchange, deposit, START_MS } from '../users/fixture.ts';
import * as fc from 'fast-check';
import { transferFunds } from '../../../../src/simulator/accounts.ts';

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
      const exchange = createExchange({ withdrawals: { largestPayment: '700000000' } });
      const { services, accounts } = exchange;
      const user = services.users.get(7);
      let timeMs = START_MS;
      let deposited = 0n;
      for (const one of steps) {
        const ids = services.withdrawals.list(7).map(({ id }) => id);
        if (one.kind === 'deposit') {
          if (one.currency === 'rls') deposited += one.units;
          deposit(exchange, one.currency, formatUnits(one.units), timeMs);
        } else if (one.kind === 'withdraw') {
          services.withdrawals.create({ user, bankAccountId: 11, units: parseUnits(one.rial), timeMs });
        } else if (one.kind === 'cancel') {
          services.withdrawals.cancel(7, ids[one.which] ?? 'none', timeMs);
        } else if (one.kind === 'force') {
          services.withdrawals.force(ids[one.which] ?? 'none', one.status, timeMs);
        } else if (one.kind === 'transfer') {
          const { kind: _, ...moved } = one;
          transferFunds(accounts, {
            userId: 7,
            ...moved,
            dst: one.src === 'spot' ? 'margin' : 'spot',
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
      const ended = kept.filter(({ status }) => ['Done', 'Failed', 'Rejected'].includes(status));
      expect(accounts.houseOf('rls').fees).toBe(ended.reduce((sum, { fee }) => sum + fee, 0n));
      expect(accounts.imbalanceOf('rls')).toBe(0n);
    }),
    { numRuns: 150 },
  );
});

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Bitcoin with three confirmations, a minute apart. */
const BTC = { btc: { requiredConfirmations: 3, confirmationEveryMs: MINUTE_MS } };

test('credits a deposit when it has its confirmations and not before', () => {
  const exchange = createExchange({ currencies: BTC });
  const { services, accounts } = exchange;
  expect(deposit(exchange, 'btc', '0.1').transactionId).toBeNull();
  services.advance(START_MS + 3 * MINUTE_MS - 1);
  expect(accounts.find(7, 'btc')?.total).toBe(parseUnits('0.5'));
  services.advance(START_MS + 3 * MINUTE_MS);
  expect(accounts.find(7, 'btc')?.total).toBe(parseUnits('0.6'));
  services.advance(START_MS + DAY_MS);
  expect(accounts.find(7, 'btc')?.total).toBe(parseUnits('0.6'));
  expect(accounts.imbalanceOf('btc')).toBe(0n);
});

test('shows a deposit with growing confirmations, then confirmed with its transaction', () => {
  const exchange = createExchange({ currencies: BTC });
  deposit(exchange, 'btc', '0.1');
  const list = (timeMs: number) => ask(exchange, walletHandlers.deposits, { timeMs }).body['deposits'];
  const common = {
    txHash: 'simulated-btc-00000001',
    address: expect.stringMatching(/^simbtc1/) as unknown,
    currency: 'btc',
    blockchainUrl: expect.stringContaining('simulated-btc-00000001') as unknown,
    requiredConfirmations: 3,
    amount: '0.1',
  };
  expect(list(START_MS + 2 * MINUTE_MS + 5)).toEqual([
    { ...common, confirmed: false, confirmations: 2, transaction: null },
  ]);
  exchange.services.advance(START_MS + 5 * MINUTE_MS);
  expect(list(START_MS + 5 * MINUTE_MS)).toEqual([
    {
      ...common,
      confirmed: true,
      confirmations: 3,
      transaction: {
        id: expect.any(Number) as unknown,
        amount: '0.1',
        currency: 'btc',
        description: 'Deposit simulated-btc-00000001',
        created_at: '2025-04-10T12:03:00.000+00:00',
        calculatedFee: '0',
      },
    },
  ]);
});

test('credits a rial deposit at once', () => {
  const exchange = createExchange();
  deposit(exchange, 'rls', '1000');
  expect(exchange.accounts.find(7, 'rls')?.total).toBe(parseUnits('10000001000'));
});

test('shows three months of deposits at most', () => {
  const exchange = createExchange();
  deposit(exchange, 'rls', '1', START_MS - 100 * DAY_MS);
  deposit(exchange, 'rls', '2', START_MS - 80 * DAY_MS);
  expect(ask(exchange, walletHandlers.deposits).body['deposits']).toMatchObject([{ amount: '2' }]);
});

test('pages the deposits of one wallet by 10 for rial and 20 for coins, newest first', () => {
  const exchange = createExchange();
  const wallet = exchange.accounts.find(7, 'rls')?.id;
  for (let count = 1; count <= 25; count += 1) deposit(exchange, 'rls', String(count));
  const page = (input: Record<string, unknown>) => {
    const { body } = ask(exchange, walletHandlers.deposits, { input });
    return [(body['deposits'] as { amount: string }[]).map(({ amount }) => Number(amount)), body['hasNext']];
  };
  expect(page({ wallet })).toEqual([[25, 24, 23, 22, 21, 20, 19, 18, 17, 16], true]);
  expect(page({ wallet: String(wallet), page: '3' })).toEqual([[5, 4, 3, 2, 1], false]);
  expect(page({ wallet, pageSize: 2, page: 2 })).toEqual([[23, 22], true]);
  expect(page({})[0]).toHaveLength(25);
  for (let count = 1; count <= 25; count += 1) deposit(exchange, 'btc', String(count));
  expect(page({ wallet: exchange.accounts.find(7, 'btc')?.id })[0]).toHaveLength(20);
});

test('filters the deposits of one wallet by day, both ends included', () => {
  const exchange = createExchange();
  const wallet = exchange.accounts.find(7, 'rls')?.id;
  for (const day of [0, 1, 2, 3]) deposit(exchange, 'rls', String(day + 1), START_MS + day * DAY_MS);
  const input = { wallet, from: '2025-04-11', to: '2025-04-12' };
  const { body } = ask(exchange, walletHandlers.deposits, { input, timeMs: START_MS + 4 * DAY_MS });
  expect(body['deposits']).toMatchObject([{ amount: '3' }, { amount: '2' }]);
  const wrong = ask(exchange, walletHandlers.deposits, { input: { wallet, from: '11/04/2025' } });
  expect(wrong).toMatchObject({ status: 400, body: { code: 'ParseError' } });
});

test('gives the same address on every network of a currency again, with a tag where there is one', () => {
  const exchange = createExchange();
  const ask1 = ask(exchange, userHandlers.generateAddress, { input: { currency: 'xrp' } });
  expect(ask1.body['code']).toBe('InvalidCurrency');
  const tagged = createExchange({ currencies: { xrp: {} } });
  ask(tagged, userHandlers.generateAddress, { input: { currency: 'xrp' } });
  const { body } = ask(tagged, walletHandlers.walletsList);
  const wallet = (body['wallets'] as Record<string, unknown>[]).find(({ currency }) => currency === 'xrp');
  expect(wallet).toMatchObject({ depositTag: '10000007', depositInfo: { XRP: { tag: '10000007' } } });
  const other = createExchange({ currencies: { xrp: {} } });
  ask(other, userHandlers.generateAddress, { input: { currency: 'xrp' } });
  expect(ask(other, walletHandlers.walletsList).body).toEqual(body);
});
