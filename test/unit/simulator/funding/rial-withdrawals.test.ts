import { expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { WITHDRAWAL_STATUSES } from '../../../../src/simulator/rial-withdrawal.ts';
import { rialWithdrawalHandlers } from '../../../../src/simulator-server/wire/handlers/wallets.ts';
import { ALI, ask, createExchange, START_MS, type CallOptions } from '../users/fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
type Exchange = ReturnType<typeof createExchange>;

function create(exchange: Exchange, input: Record<string, unknown> = {}, options: CallOptions = {}) {
  const fields = { destinationBankAccountId: 11, amount: '1000000', ...input };
  return ask(exchange, rialWithdrawalHandlers.createWithdrawal, { ...options, input: fields });
}

function rial(exchange: Exchange): string {
  expect(exchange.accounts.imbalanceOf('rls')).toBe(0n);
  return String((exchange.accounts.find(7, 'rls')?.total ?? 0n) / parseUnits('1'));
}

function look(exchange: Exchange, id = 'CW430001') {
  return ask(exchange, rialWithdrawalHandlers.withdrawal, { path: { id } }).body['result'] as Record<
    string,
    unknown
  >;
}

test('debits the balance at once and answers with the record', () => {
  const exchange = createExchange();
  const { status, body } = create(exchange);
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'ok',
    result: {
      id: 'CW430001',
      createdAt: '2025-04-10T12:00:00.000+00:00',
      status: 'New',
      amount: '1000000',
      fee: '10000',
      fulfilledAmount: '0',
      bankAccountId: 11,
      bankAccountInfo: {
        id: 11,
        number: '0100',
        shaba: 'IR120000000000000000000001',
        bank: 'Mellat',
        owner: 'Ali Rezaei',
      },
      isCancelable: true,
      records: [
        {
          amount: '990000',
          bankReferenceNumber: null,
          status: 'Pending',
          estimatedSettleAt: null,
          providerUpdatedAt: '2025-04-10T12:00:00.000+00:00',
          transferType: 'paya',
        },
      ],
    },
  });
  expect(rial(exchange)).toBe('9999000000');
});

test('goes through New, Sent, Bank processing, Partially Done and Done as time passes', () => {
  const exchange = createExchange({ withdrawals: { largestPayment: '500000' } });
  create(exchange);
  const statuses: unknown[] = [];
  for (const minute of [0, 2.99, 3, 4, 5.99, 6, 8]) {
    exchange.services.advance(START_MS + minute * MINUTE_MS);
    statuses.push(look(exchange)['status']);
  }
  expect(statuses).toEqual([
    'New',
    'New',
    'Sent',
    'Bank processing',
    'Bank processing',
    'Partially Done',
    'Done',
  ]);
  expect(look(exchange)).toMatchObject({
    fulfilledAmount: '990000',
    isCancelable: false,
    records: [
      { amount: '500000', status: 'Transferred', bankReferenceNumber: '430001001' },
      { amount: '490000', status: 'Transferred', bankReferenceNumber: '430001002' },
    ],
  });
  expect(rial(exchange)).toBe('9999000000');
  expect(exchange.accounts.houseOf('rls').fees).toBe(parseUnits('10000'));
});

test('passes through all steps in one leap of the clock', () => {
  const exchange = createExchange({ withdrawals: { largestPayment: '100000' } });
  create(exchange);
  exchange.services.advance(START_MS + HOUR_MS);
  expect(look(exchange)['status']).toBe('Done');
});

test.each([
  ['FeatureUnavailable', 200, { users: [{ ...ALI, features: { rial_withdrawal: false } }] }, {}],
  ['ParseError', 400, {}, { amount: 'much' }],
  ['ParseError', 400, {}, { amount: '1000000.5' }],
  ['ParseError', 400, {}, { amount: '-1' }],
  ['ParseError', 400, {}, { destinationBankAccountId: 'x' }],
  ['ParseError', 400, {}, { destinationBankAccountId: null }],
  ['BankAccountNotFound', 200, {}, { destinationBankAccountId: 12 }],
  ['WithdrawUnavailable', 200, { withdrawals: { enabled: false } }, {}],
  ['AmountTooLow', 200, {}, { amount: '149999' }],
  ['AmountTooHigh', 200, {}, { amount: '5000000001' }],
  ['WithdrawAmountLimitation', 200, { users: [{ ...ALI, limits: { withdrawRialDaily: '999999' } }] }, {}],
  ['WithdrawAmountLimitation', 200, { users: [{ ...ALI, limits: { withdrawTotalMonthly: '999999' } }] }, {}],
  ['WithdrawLimitReached', 200, { withdrawals: { maximumPerDay: 0 } }, {}],
  ['InsufficientBalance', 200, { users: [{ ...ALI, balances: { rls: '999999' } }] }, {}],
])('refuses with %s (HTTP %i) and debits nothing: %o %o', (code, httpStatus, options, input) => {
  const exchange = createExchange(options);
  const before = rial(exchange);
  const { status, body } = create(exchange, input);
  expect(status).toBe(httpStatus);
  expect(body).toEqual({ status: 'failed', code, message: expect.any(String) as unknown });
  expect(rial(exchange)).toBe(before);
});

test('refuses an account that is not confirmed', () => {
  const exchange = createExchange({
    users: [{ ...ALI, bankAccounts: [{ ...ALI.bankAccounts![0]!, confirmed: false }] }],
  });
  expect(create(exchange).body['code']).toBe('BankAccountNotFound');
});

test('does not pay out what open orders hold', () => {
  const exchange = createExchange();
  exchange.accounts.find(7, 'rls')?.hold(parseUnits('9999500000'));
  expect(create(exchange).body['code']).toBe('InsufficientBalance');
});

test('is closed for an hour after a log-in from a new device', () => {
  const exchange = createExchange();
  exchange.services.users.get(7).withdrawalsRestrictedUntilMs = START_MS + HOUR_MS;
  expect(create(exchange).body['code']).toBe('WithdrawUnavailable');
  expect(create(exchange, {}, { timeMs: START_MS + HOUR_MS }).body['status']).toBe('ok');
});

test('counts against the daily limit for 24 hours, and not when it came back', () => {
  const exchange = createExchange({ users: [{ ...ALI, limits: { withdrawRialDaily: '1500000' } }] });
  create(exchange);
  expect(create(exchange).body['code']).toBe('WithdrawAmountLimitation');
  ask(exchange, rialWithdrawalHandlers.cancelWithdrawal, { path: { id: 'CW430001' } });
  expect(create(exchange).body['status']).toBe('ok');
  expect(create(exchange, {}, { timeMs: START_MS + 24 * HOUR_MS - 1 }).body['code']).toBe(
    'WithdrawAmountLimitation',
  );
  expect(create(exchange, {}, { timeMs: START_MS + 24 * HOUR_MS }).body['status']).toBe('ok');
});

test('cancels within three minutes and gives everything back', () => {
  const exchange = createExchange();
  create(exchange);
  const options = { path: { id: 'CW430001' }, timeMs: START_MS + 3 * MINUTE_MS };
  const { body } = ask(exchange, rialWithdrawalHandlers.cancelWithdrawal, options);
  expect(body).toMatchObject({
    status: 'ok',
    result: { status: 'Canceled', isCancelable: false, records: [{ status: 'Failed' }] },
  });
  expect(rial(exchange)).toBe('10000000000');
  expect(exchange.accounts.houseOf('rls').fees).toBe(0n);
});

test('refuses a cancel: unknown, somebody else’s, no longer new, or new but too late', () => {
  const exchange = createExchange({
    users: [ALI, { username: 'sara', id: 8 }],
    withdrawals: { newForMs: HOUR_MS },
  });
  create(exchange);
  const cancel = (options: CallOptions) =>
    ask(exchange, rialWithdrawalHandlers.cancelWithdrawal, options).body['code'];
  const path = { id: 'CW430001' };
  expect(cancel({ path: { id: 'CW1' } })).toBe('WithdrawRequestNotFound');
  expect(cancel({ path, userId: 8 })).toBe('WithdrawRequestNotFound');
  expect(cancel({ path, timeMs: START_MS + 3 * MINUTE_MS + 1 })).toBe('CancellationFailed');
  exchange.services.advance(START_MS + HOUR_MS);
  expect(cancel({ path, timeMs: START_MS + HOUR_MS })).toBe('NotCancellable');
  expect(rial(exchange)).toBe('9999000000');
});

test('answers 404 for a withdrawal that is not there, or not the caller’s', () => {
  const exchange = createExchange({ users: [ALI, { username: 'sara', id: 8 }] });
  create(exchange);
  for (const options of [{ path: { id: 'CW9' } }, { path: { id: 'CW430001' }, userId: 8 }]) {
    expect(ask(exchange, rialWithdrawalHandlers.withdrawal, options)).toMatchObject({
      status: 404,
      body: { error: 'NotFound' },
    });
  }
});

test.each(['Failed', 'Rejected'] as const)(
  'gives everything back when the administrator says %s',
  (status) => {
    const exchange = createExchange();
    create(exchange);
    exchange.services.withdrawals.force('CW430001', status, START_MS + 1);
    expect(look(exchange)['status']).toBe(status);
    expect(rial(exchange)).toBe('10000000000');
  },
);

test('gives back what no payment carried when it fails half way, and keeps the fee', () => {
  const exchange = createExchange({ withdrawals: { largestPayment: '500000' } });
  create(exchange);
  exchange.services.advance(START_MS + 6 * MINUTE_MS);
  exchange.services.withdrawals.force('CW430001', 'Failed', START_MS + 7 * MINUTE_MS);
  expect(look(exchange)).toMatchObject({
    fulfilledAmount: '500000',
    records: [{ status: 'Transferred' }, { status: 'Failed' }],
  });
  expect(rial(exchange)).toBe('9999490000');
  expect(exchange.accounts.houseOf('rls').fees).toBe(parseUnits('10000'));
});

test('is put in any status by the administrator, until it has ended', () => {
  for (const status of WITHDRAWAL_STATUSES) {
    const exchange = createExchange();
    create(exchange);
    const { withdrawals } = exchange.services;
    expect(withdrawals.force('CW430001', status, START_MS)?.status).toBe(status);
    exchange.services.advance(START_MS + 24 * HOUR_MS);
    expect(look(exchange)['status']).toBe(status);
    const isEnded = ['Done', 'Failed', 'Rejected', 'Canceled'].includes(status);
    expect(withdrawals.force('CW430001', 'Done', START_MS)?.status).toBe(isEnded ? undefined : 'Done');
    rial(exchange);
  }
});

test('charges one per cent up to the ceiling, rounded up to a whole rial', () => {
  const exchange = createExchange();
  const feeOf = (amount: string) =>
    (create(exchange, { amount }).body['result'] as Record<string, unknown>)['fee'];
  expect([feeOf('150001'), feeOf('200000'), feeOf('80000000')]).toEqual(['1501', '2000', '50000']);
});
