import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSarraf } from '../support/sarraf-process.ts';
import { OwnExchange } from './own-exchange.ts';
import { PASSWORD, TOKEN } from './served-exchange.ts';

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 6 });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Asks until the answer is as expected; throws when it takes too long. */
async function until<Value>(ask: () => Promise<Value>, isIt: (value: Value) => boolean): Promise<Value> {
  let last: Value | undefined;
  for (let look = 0; look < 200; look += 1) {
    last = await ask();
    if (isIt(last)) return last;
    await pause(200);
  }
  throw new Error(`still ${JSON.stringify(last)}`);
}

async function reasonsAt(address: string): Promise<readonly string[]> {
  const reply = await fetch(`${address}/readyz`);
  return ((await reply.json()) as { readonly reasons: readonly string[] }).reasons;
}

const REFUSED =
  /^the exchange has refused the token of exchange\.credentials\.token, from the configuration .* \(401\)/;

test('says at once that its token was revoked, everywhere, and what to do, and never shows it', async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'revoke', seed: 1 });
  const bot = own.start(home);
  const address = await bot.healthAddress();
  await until(
    async () => exchange.truth().orders.length,
    (count) => count > 2,
  );
  exchange.revoke(TOKEN);
  const line = await bot.line(({ level, msg }) => level === 'error' && msg.includes('(401)'));
  expect(line.msg).toContain('make a new token');
  expect(
    await until(
      () => reasonsAt(address),
      (reasons) => reasons.some((reason) => REFUSED.test(reason)),
    ),
  ).toBeDefined();
  expect(await (await fetch(`${address}/metrics`)).text()).toContain('\nsarraf_credential_refused 1\n');

  const status = await startSarraf(['status', '--data', home.dataFolder]).finished;
  expect(status.out).toMatch(/credential +REFUSED .* the token of exchange\.credentials\.token/);
  const json = await startSarraf(['status', '--data', home.dataFolder, '--json']).finished;
  expect(JSON.parse(json.out)).toMatchObject({
    credential: { refused: { name: expect.stringContaining('token') } },
  });
  await bot.line(({ msg }) => msg.includes('refused (closed): the exchange has refused the token of'));
  const { out, error } = await bot.kill();
  expect(out + error + status.out + json.out).not.toContain(TOKEN);
});

test('says so of a token that is wrong from the start', async () => {
  const home = own.home({ instance: 'wrong', seed: 2, credentials: { token: 'nobody-has-this-one' } });
  const bot = own.start(home);
  const line = await bot.line(({ level, msg }) => level === 'error' && msg.includes('(401)'));
  expect(line.msg).toContain('exchange.credentials.token');
  const address = await bot.healthAddress();
  await until(
    () => reasonsAt(address),
    (reasons) => reasons.some((reason) => REFUSED.test(reason)),
  );
  expect((await bot.kill()).out).not.toContain('nobody-has-this-one');
});

test('heals by a new log-in, and says so', async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'login', seed: 3, credentials: { username: 'bot', password: PASSWORD } });
  const bot = own.start(home);
  const address = await bot.healthAddress();
  await until(
    async () => exchange.truth().orders.length,
    (count) => count > 2,
  );
  exchange.revoke(null);
  await bot.line(({ level, msg }) => level === 'error' && msg.includes('(401)') && msg.includes('log-in'));
  await bot.line(({ level, msg }) => level === 'warn' && msg.includes('accepts the log-in of'));
  const before = exchange.truth().orders.length;
  await until(
    async () => exchange.truth().orders.length,
    (count) => count > before,
  );
  expect((await reasonsAt(address)).filter((reason) => reason.includes('401'))).toEqual([]);
  exchange.endTrading();
  const { code, out } = await bot.end();
  expect(code, out).toBe(0);
  expect(out).not.toContain(PASSWORD);
});
