import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSarraf } from '../support/sarraf-process.ts';
import { OwnExchange } from './own-exchange.ts';
import { PASSWORD, SECOND_TOKEN, TOKEN } from './served-exchange.ts';

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 8 });
  own.exchange.addUser({ username: 'other', tokens: ['token-of-another'], password: 'of-another' });
});

afterEach(async (context) => {
  await own.close(context);
});

const NAMED = { instance: 'whose', seed: 1, name: 'home' };

/** The home of the same bot with other credentials: only its configuration changes. */
const homeWith = (credentials: Readonly<Record<string, string>>) => own.home({ ...NAMED, credentials });

test.each<[string, Readonly<Record<string, string>>]>([
  ['another token', { token: 'token-of-another' }],
  ['a log-in under another name', { username: 'other', password: 'of-another' }],
])('refuses to start with %s, and with the data of the first account as it was', async (_, credentials) => {
  const first = own.start(homeWith({ token: TOKEN }));
  await first.healthAddress();
  await first.kill();
  const before = own.exchange.truth().orders.length;

  const { configPath } = homeWith(credentials);
  const { code, out, error } = await startSarraf(['run', '--config', configPath]).finished;
  expect(code, out + error).toBe(2);
  expect(error).toMatch(
    /expected the account that .*mirror\.sqlite belongs to, found another one.*begin a new data folder/,
  );
  const halt = await startSarraf(['halt', '--config', configPath]).finished;
  expect([halt.code, halt.error]).toEqual([2, expect.stringContaining('found another one')]);
  expect(own.exchange.truth().orders).toHaveLength(before);

  const again = own.start(homeWith({ token: TOKEN }));
  await again.healthAddress();
  const end = await again.end();
  expect(end.code, end.out).toBe(0);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['another token', { token: SECOND_TOKEN }],
  ['a log-in', { username: 'bot', password: PASSWORD }],
])('goes on with %s of the same account', async (_, credentials) => {
  const first = own.start(homeWith({ token: TOKEN }));
  await first.healthAddress();
  await first.end();
  const second = own.start(homeWith(credentials));
  await second.healthAddress();
  const { code, out } = await second.end();
  expect(code, out).toBe(0);
  expect(out).not.toContain('is not checked');
});
