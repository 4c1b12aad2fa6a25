import { expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import {
  rialWithdrawalHandlers,
  walletHandlers,
} from '../../../../src/simulator-server/wire/handlers/wallets.ts';
import { userHandlers } from '../../../../src/simulator-server/wire/handlers/user.ts';
import { ALI, ask, createExchange, deposit, START_MS } from '../users/fixture.ts';

const walletId = (exchange: ReturnType<typeof createExchange>, currency: string): number =>
  exchange.accounts.find(7, currency)?.id ?? 0;

test('lists wallets with balances as text, rial worth as numbers and addresses by network', () => {
  const exchange = createExchange();
  exchange.accounts.find(7, 'btc')?.hold(parseUnits('0.2'));
  const before = ask(exchange, walletHandlers.walletsList);
  expect(before.body).toMatchObject({ status: 'ok' });
  expect((before.body['wallets'] as unknown[])[2]).toEqual({
    id: walletId(exchange, 'btc'),
    currency: 'btc',
    balance: '0.5',
    blockedBalance: '0.2',
    activeBalance: '0.3',
    rialBalance: 25_000_000_000,
    rialBalanceSell: 25_000_000_000,
    depositAddress: null,
    depositTag: null,
    depositInfo: { BTC: { address: null, tag: null } },
  });
  const { address } = ask(exchange, userHandlers.generateAddress, { input: { currency: 'btc' } }).body;
  const after = ask(exchange, walletHandlers.walletsList).body['wallets'] as unknown[];
  expect(after[2]).toMatchObject({ depositAddress: address, depositInfo: { BTC: { address, tag: null } } });
});

test('lists margin wallets apart, and refuses other types', () => {
  const exchange = createExchange({ users: [{ ...ALI, marginBalances: { rls: '3' } }] });
  const list = (type: string) => ask(exchange, walletHandlers.walletsList, { input: { type } });
  expect(list('margin').body['wallets']).toMatchObject([{ currency: 'rls', balance: '3' }]);
  expect(list('spot').body['wallets']).toHaveLength(3);
  expect(list('future')).toMatchObject({ status: 400, body: { code: 'ParseError' } });
});

test('answers the selective list keyed by upper-case symbol', () => {
  const exchange = createExchange();
  const { body } = ask(exchange, walletHandlers.wallets, { input: { currencies: 'BTC,rls,eth' } });
  expect(body).toEqual({
    status: 'ok',
    wallets: {
      RLS: { id: walletId(exchange, 'rls'), balance: '10000000000', blocked: '0' },
      BTC: { id: walletId(exchange, 'btc'), balance: '0.5', blocked: '0' },
    },
  });
  const all = ask(exchange, walletHandlers.wallets).body['wallets'] as object;
  expect(Object.keys(all)).toEqual(['RLS', 'USDT', 'BTC']);
});

test('answers one balance, zero where there is no wallet yet, and refuses what is no currency', () => {
  const exchange = createExchange({ currencies: { eth: {} } });
  const balance = (currency?: string) => ask(exchange, walletHandlers.walletBalance, { input: { currency } });
  expect(balance('USDT').body).toEqual({ status: 'ok', balance: '500' });
  expect(balance('eth').body).toEqual({ status: 'ok', balance: '0' });
  expect(balance('nope').body['code']).toBe('InvalidCurrency');
  expect(balance().status).toBe(400);
});

test('writes decimals in the form asked for', () => {
  const exchange = createExchange();
  const raw = (decimals: 'canonical' | 'padded' | 'number') =>
    ask(exchange, walletHandlers.walletBalance, { input: { currency: 'btc' }, forms: { decimals } }).raw;
  expect(raw('canonical')).toBe('{"status":"ok","balance":"0.5"}');
  expect(raw('padded')).toBe('{"status":"ok","balance":"0.5000000000"}');
  expect(raw('number')).toBe('{"status":"ok","balance":0.5}');
});

test('lists the transactions of a wallet, newest first, by 50 a page', () => {
  const exchange = createExchange();
  for (let count = 1; count <= 60; count += 1) deposit(exchange, 'rls', String(count), START_MS + count);
  const wallet = walletId(exchange, 'rls');
  const first = ask(exchange, walletHandlers.walletTransactions, { input: { wallet } }).body;
  expect(first['hasNext']).toBe(true);
  const transactions = first['transactions'] as unknown[];
  expect(transactions).toHaveLength(50);
  expect(transactions[0]).toEqual({
    id: expect.any(Number) as unknown,
    currency: 'rls',
    created_at: '2025-04-10T12:00:00.060+00:00',
    calculatedFee: '0',
    amount: '60',
    description: 'Deposit simulated-rls-00000060',
  });
  const second = ask(exchange, walletHandlers.walletTransactions, { input: { wallet, page: 2 } }).body;
  expect(second).toMatchObject({ hasNext: false });
  expect(second['transactions']).toHaveLength(11);
});

test('answers 404 for a wallet of somebody else and 400 for what is no wallet', () => {
  const exchange = createExchange({ users: [ALI, { username: 'sara' }] });
  const sara = exchange.services.users.findByName('sara');
  const hers = exchange.accounts.find(sara?.id ?? 0, 'rls')?.id;
  for (const name of ['walletTransactions', 'deposits', 'withdrawals'] as const) {
    expect(ask(exchange, walletHandlers[name], { input: { wallet: hers } })).toMatchObject({
      status: 404,
      body: { error: 'NotFound', message: expect.any(String) as unknown },
    });
    expect(ask(exchange, walletHandlers[name], { input: { wallet: 'x' } }).body['code']).toBe('ParseError');
    const input = { wallet: walletId(exchange, 'rls'), page: 0 };
    expect(ask(exchange, walletHandlers[name], { input }).body['code']).toBe('ParseError');
  }
  expect(ask(exchange, walletHandlers.walletTransactions).body['code']).toBe('ParseError');
});

test('lists withdrawals with paging and day filters, and leaves hasNext out by form', () => {
  const exchange = createExchange();
  const make = (day: number) =>
    ask(exchange, rialWithdrawalHandlers.createWithdrawal, {
      input: { destinationBankAccountId: '11', amount: 1_000_000 },
      timeMs: START_MS + day * 86_400_000,
    });
  for (const day of [0, 1, 2]) make(day);
  const list = (input: Record<string, unknown>, omitOptionalFields = false) =>
    ask(exchange, walletHandlers.withdrawals, { input, forms: { omitOptionalFields } }).body;
  expect(list({ pageSize: 2 })).toMatchObject({
    status: 'ok',
    withdraws: [
      { id: 'CW430003', currency: 'rls', wallet_id: walletId(exchange, 'rls'), amount: '1000000' },
      { id: 'CW430002' },
    ],
    hasNext: true,
  });
  expect(list({ from: '2025-04-11', to: '2025-04-11' })['withdraws']).toMatchObject([{ id: 'CW430002' }]);
  expect(list({ wallet: walletId(exchange, 'btc') })['withdraws']).toEqual([]);
  expect(list({}, true)).not.toHaveProperty('hasNext');
});
