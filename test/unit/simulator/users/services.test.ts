import { expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { AccountsState } from '../../../../src/simulator/accounts.ts';
import { readStateJson, stateJson } from '../../../../src/simulator-server/exchange-state.ts';
import type { ServicesState } from '../../../../src/simulator/services.ts';
import { sessionHandlers, userHandlers } from '../../../../src/simulator-server/wire/handlers/user.ts';
import { ALI, ask, createExchange, deposit, START_MS } from './fixture.ts';

test('opens wallets with the configured balances, against the outside', () => {
  const { accounts } = createExchange({ users: [{ ...ALI, marginBalances: { usdt: '7' } }] });
  expect(accounts.find(7, 'usdt')?.total).toBe(parseUnits('500'));
  expect(accounts.find(7, 'usdt', 'margin')?.total).toBe(parseUnits('7'));
  for (const currency of ['rls', 'usdt', 'btc']) expect(accounts.imbalanceOf(currency)).toBe(0n);
});

test('gives every user a rial wallet', () => {
  const exchange = createExchange({ users: [{ username: 'empty' }] });
  const user = exchange.services.users.findByName('empty');
  expect(exchange.accounts.find(user?.id ?? 0, 'rls')?.total).toBe(0n);
});

test('refuses two users of one name and two users of one token', () => {
  expect(() => createExchange({ users: [ALI, { ...ALI, id: 8 }] })).toThrow(/name and id not yet used/);
  expect(() => createExchange({ users: [ALI, { username: 'other', tokens: ['ali-token'] }] })).toThrow(
    /token not yet used/,
  );
});

test('a user who is added while running has a token, a wallet and a balance', () => {
  const exchange = createExchange();
  const user = exchange.services.addUser(
    { username: 'sara', tokens: ['sara-token'], balances: { rls: '5' } },
    START_MS,
  );
  expect(exchange.services.credentials.callerOfToken('sara-token', START_MS)?.userId).toBe(user.id);
  expect(exchange.accounts.find(user.id, 'rls')?.total).toBe(parseUnits('5'));
});

test('comes back from a snapshot as it was, and welcomes users that are new in the settings', () => {
  const before = createExchange();
  const { services } = before;
  const { key } = ask(before, sessionHandlers.login, {
    input: { username: 'ali', password: 'secret', captcha: 'api' },
  }).body;
  ask(before, userHandlers.addFavoriteMarkets, { input: { market: 'BTCIRT' } });
  ask(before, userHandlers.generateAddress, { input: { currency: 'btc' } });
  deposit(before, 'btc', '0.1');
  deposit(before, 'rls', '1000');
  const made = services.withdrawals.create({
    user: services.users.get(7),
    bankAccountId: 11,
    units: parseUnits('1000000'),
    timeMs: START_MS + 3_600_000,
  });
  expect(made.ok).toBe(true);
  const stored = stateJson({ accounts: before.accounts.snapshot(), services: services.snapshot() });

  const state = readStateJson(stored) as { accounts: AccountsState; services: ServicesState };
  const after = createExchange({ users: [{ username: 'sara', balances: { rls: '9' } }, ALI] });
  after.accounts.restore(state.accounts);
  after.services.restore(state.services, START_MS);

  expect(after.services.credentials.callerOfToken(String(key), START_MS)?.userId).toBe(7);
  expect(after.services.credentials.callerOfToken('ali-token', START_MS)?.userId).toBe(7);
  expect(after.services.users.get(7).snapshot()).toEqual(services.users.get(7).snapshot());
  expect(after.services.deposits.snapshot()).toEqual(services.deposits.snapshot());
  expect(after.services.withdrawals.snapshot()).toEqual(services.withdrawals.snapshot());
  const sara = after.services.users.findByName('sara');
  expect(after.accounts.find(sara?.id ?? 0, 'rls')?.total).toBe(parseUnits('9'));
  for (const exchange of [before, after]) {
    exchange.services.advance(START_MS + 10 * 3_600_000);
    expect(exchange.accounts.find(7, 'btc')?.total).toBe(parseUnits('0.6'));
    expect(exchange.accounts.find(7, 'rls')?.total).toBe(parseUnits('9999001000'));
    for (const currency of ['rls', 'btc', 'usdt']) expect(exchange.accounts.imbalanceOf(currency)).toBe(0n);
  }
});
