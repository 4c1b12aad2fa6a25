import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiCommand } from '../../../../src/cli/commands/api.ts';
import { depositAddressCommand } from '../../../../src/cli/commands/deposit-address.ts';
import { gatewayCommand } from '../../../../src/cli/commands/gateway.ts';
import { loginCommand } from '../../../../src/cli/commands/login.ts';
import { orderCommand } from '../../../../src/cli/commands/order.ts';
import { withdrawCommand } from '../../../../src/cli/commands/withdraw.ts';
import { readOrderName } from '../../../../src/engine/order-names.ts';
import { openAsTrader } from '../../../support/open-as-trader.ts';
import { PANEL_TOKEN, serveAccount, type ServedAccount } from '../../../support/served-account.ts';
import { at, runCommand, type Ended, type Scripted } from './run-command.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';
import { failed, printed } from '../../../support/sarraf-here.ts';

const ENVIRONMENT = { SARRAF_TOKEN: PANEL_TOKEN };

let served: ServedAccount;
beforeAll(async () => {
  served = await serveAccount({
    gateway: {
      merchants: [
        {
          api: 'shop-key',
          apiSecret: 'between-us',
          callbackOrigin: 'https://shop.example',
          username: 'trader',
        },
      ],
    },
  });
});
afterAll(() => served.close());

type Create = Parameters<typeof runCommand>[0];

const run = (create: Create, args: readonly string[], scripted: Scripted = {}): Promise<Ended> =>
  runCommand(create, [...args, ...at(served)], { environment: ENVIRONMENT, ...scripted });

async function json(
  create: Create,
  args: readonly string[],
  scripted: Scripted = {},
): Promise<Record<string, unknown>> {
  const { code, out, error } = await run(create, [...args, '--json'], scripted);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as Record<string, unknown>;
}

describe('sarraf order', () => {
  test('places a limit order under a name for orders by hand, shows it, and cancels it', async () => {
    const placed = await run(orderCommand, ['place', 'buy', 'BTCIRT', '0.001', '--price', '49000000000'], {
      answers: ['yes'],
    });
    expect(placed.asked[0]).toContain('It is worth 49,000,000 rls at 49000000000.');
    const [, id = '', name = ''] =
      /^placed (\d+) (manual-\w+): Active, filled 0 of 0.001$/.exec(placed.out) ?? [];
    expect(readOrderName(name)).toBeNull();
    expect(await json(orderCommand, ['status', name])).toMatchObject({ id: Number(id), placed: 'by hand' });
    const canceled = await run(orderCommand, ['cancel', id, '--yes']);
    expect([canceled.code, canceled.out]).toEqual([0, `${id} is Canceled, filled 0 of 0.001`]);
    const again = await run(orderCommand, ['cancel', id, '--yes']);
    expect([again.code, again.error]).toEqual([1, expect.stringMatching(/refused with NotApplied/)]);
  });

  test.each([
    [['--market'], { execution: 'market' }],
    [['--market', '--price', '50000000000'], { execution: 'market', price: '50000000000' }],
    [['--stop', '45000000000'], { execution: 'stop_market', stopPrice: '45000000000' }],
    [
      ['--price', '44900000000', '--stop', '45000000000'],
      { execution: 'stop_limit', price: '44900000000', stopPrice: '45000000000' },
    ],
    [
      ['--price', '55000000000', '--stop', '45000000000', '--stop-limit', '44900000000'],
      { mode: 'oco', execution: 'limit', stopLimitPrice: '44900000000' },
    ],
  ])('sends with %j what these prices mean', async (prices, fields) => {
    const args = ['place', 'sell', 'btc-rls', '0.001', ...prices];
    const { body } = await json(orderCommand, [...args, '--dry-run']);
    expect(body).toMatchObject({
      type: 'sell',
      srcCurrency: 'btc',
      dstCurrency: 'rls',
      amount: '0.001',
      ...fields,
    });
  });

  test('places both orders of an OCO', async () => {
    const prices = ['--price', '55000000000', '--stop', '45000000000', '--stop-limit', '44900000000'];
    expect(await run(orderCommand, ['place', 'sell', 'BTCIRT', '0.001', ...prices, '--yes'])).toEqual(
      printed(/^placed \d+ manual-\w+: Active, .*\nand \d+, which wakes at 45000000000: Inactive$/),
    );
  });

  test.each([
    [['buy', 'BTCIRT', '0.001'], /--price <price> for a limit order, or --market/],
    [['buy', 'BTCIRT', '0.001', '--market', '--stop', '1'], /--market: expected none beside --stop/],
    [
      ['buy', 'BTCIRT', '0.001', '--price', '1', '--stop-limit', '1'],
      /--stop-limit: expected --price and --stop/,
    ],
    [['bye', 'BTCIRT', '0.001', '--price', '1'], /expected buy or sell/],
    [['buy', 'BTCEUR', '0.001', '--price', '1'], /expected a market such as "BTCIRT"/],
    [['buy', 'BTCIRT', '-0.001', '--price', '1'], /unknown option|positive decimal/],
    [['buy', 'BTCIRT', '1e400', '--price', '1'], /amount: expected a positive decimal/],
    [
      ['buy', 'BTCIRT', '0.001', '--price', '1', '--client-order-id', 'bot-ma-cross-k3x9-1c'],
      /no bot uses for its own orders/,
    ],
  ])('refuses %j and sends nothing', async (args, message) => {
    const before = served.simulation.adapter.log.count;
    expect(await run(orderCommand, ['place', ...args, '--yes'])).toEqual(failed(2, message));
    expect(served.simulation.adapter.log.count).toBe(before);
  });
});

const filesWith = (ending: string): readonly string[] =>
  readdirSync(served.ledgerFolder).filter((file) => file.endsWith(ending));

describe('sarraf login', () => {
  const state = folderOfAllTests();
  test('asks without echo, keeps token and device for this user alone, and shows neither', async () => {
    const answers = ['trader', 'pass-word-7', ''];
    const { code, out, error, asked } = await run(loginCommand, [], { environment: {}, answers });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(asked).toEqual(['user name: ', 'password: ', expect.stringContaining('one-time password')]);
    const [token = ''] = filesWith('.token');
    const [device = ''] = filesWith('.device');
    for (const file of [token, device]) {
      const path = join(served.ledgerFolder, file);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(out).not.toContain(readFileSync(path, 'utf8').trim());
    }
    expect(out).toContain(`token: 'file:${join(served.ledgerFolder, token)}'`);
    expect(out).toContain('closes withdrawals for an hour');
    expect(served.simulation.exchange.services.users.get(1).devices).toHaveLength(1);
  });

  test('is a known device the next time, and its token is the one that calls take', async () => {
    const answers = ['trader', 'pass-word-7', ''];
    const again = await json(loginCommand, [], { environment: {}, answers });
    expect(again).toMatchObject({ isNewDevice: false, validForHours: 720 });
    expect(served.simulation.exchange.services.users.get(1).devices).toHaveLength(1);
    expect(await run(apiCommand, ['wallet-balance', 'currency=usdt'], { environment: {} })).toMatchObject({
      code: 0,
    });
  });

  test('spares a bot of the same user a log-in', async () => {
    const attempts = () => [...served.simulation.exchange.services.users.get(1).attempts.values()].length;
    const before = attempts();
    const bot = await openAsTrader(served);
    expect(await bot.ask()).toBe('read');
    await bot.close();
    expect([attempts(), bot.problems]).toEqual([before, []]);
  });

  test('takes its secrets from the environment or a file for scripts, and writes to the given file', async () => {
    const password = join(state, 'password');
    writeFileSync(password, 'pass-word-7\n', { mode: 0o600 });
    const token = join(state, 'deep', 'own.token');
    const args = ['--username', 'trader', '--password-file', password, '--token-file', token, '--short'];
    expect(await json(loginCommand, args, { environment: {} })).toEqual({
      tokenFile: token,
      isNewDevice: false,
      validForHours: 4,
    });
    expect(statSync(token).mode & 0o777).toBe(0o600);
    const own = await run(apiCommand, ['wallet-balance', 'currency=btc', '--token-file', token], {
      environment: {},
    });
    expect(own).toMatchObject({ code: 0, error: '' });
  });

  test('says what is missing, what was refused, and keeps no token then', async () => {
    const tokens = filesWith('.token');
    expect(await run(loginCommand, [], { environment: {} })).toEqual(failed(2, '--username'));
    expect(await run(loginCommand, ['--username', 'x'], { environment: {} })).toEqual(
      failed(2, 'SARRAF_PASSWORD'),
    );
    const wrong = await run(loginCommand, ['--username', 'trader'], {
      environment: { SARRAF_PASSWORD: 'hunter2' },
    });
    expect([wrong.code, wrong.error]).toEqual([1, expect.stringMatching(/refused with InvalidCredentials/)]);
    expect(`${wrong.out}${wrong.error}`).not.toContain('hunter2');
    expect(filesWith('.token')).toEqual(tokens);
  });

  test('makes no token that it could not keep', async () => {
    const before = served.simulation.adapter.log.count;
    writeFileSync(join(state, 'a-file'), '');
    const args = ['--username', 'trader', '--token-file', join(state, 'a-file', 'x.token')];
    expect(
      await run(loginCommand, args, {
        environment: { SARRAF_PASSWORD: 'pass-word-7' },
      }),
    ).toEqual(failed(1, 'nothing was sent'));
    expect(served.simulation.adapter.log.count).toBe(before);
  });
});

describe('sarraf withdraw', () => {
  test('creates a withdrawal after a yes, and says how to cancel it', async () => {
    served.simulation.exchange.services.users.get(1).withdrawalsRestrictedUntilMs = 0;
    const { code, out, asked } = await run(withdrawCommand, ['5000000', '--to', '1'], { answers: ['yes'] });
    expect(code).toBe(0);
    expect(asked[0]).toContain('The amount is in rial, with the fee in it.');
    expect(out).toMatch(/^CW\d+: New, 5000000 rls.*\n.*api cancel-withdrawal id=CW\d+/);
  });

  test('needs a bank account, and says where they are', async () => {
    const { code, error } = await run(withdrawCommand, ['5000000', '--yes']);
    expect([code, error]).toEqual([2, expect.stringMatching(/--to <id>.*api profile/)]);
    const nobody = await run(withdrawCommand, ['5000000', '--to', '77', '--yes']);
    expect([nobody.code, nobody.error]).toEqual([1, expect.stringContaining('BankAccountNotFound')]);
  });
});

test('sarraf deposit-address shows the addresses that exist, and creates one on request', async () => {
  const none = await run(depositAddressCommand, ['btc']);
  expect([none.code, none.error]).toEqual([1, 'there is no deposit address for btc yet: --new makes one']);
  const made = await run(depositAddressCommand, ['BTC', '--new']);
  expect(made.code).toBe(0);
  const shown = await run(depositAddressCommand, ['btc']);
  const [address = ''] = /[0-9a-zA-Z]{20,}/.exec(made.out) ?? [];
  expect(address).not.toBe('');
  expect(shown).toEqual(printed(address));
});

describe('sarraf gateway', () => {
  const merchant = { SARRAF_MERCHANT_API: 'shop-key', SARRAF_MERCHANT_SECRET: 'between-us' };
  const send = [
    'send',
    '500000',
    '--callback',
    'https://shop.example/back',
    '--site-url',
    'https://site.example',
  ];

  async function paid(): Promise<string> {
    const { token, payPage } = await json(gatewayCommand, [...send, '--yes'], { environment: merchant });
    expect(payPage).toBe(`https://site.example/app/paygate/${String(token)}`);
    await fetch(`${served.baseUrl}/app/paygate/${String(token)}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'action=pay&currency=btc',
    });
    return String(token);
  }

  test('makes an invoice with its page, and verifies the payment by the secret', async () => {
    const token = await paid();
    expect(await json(gatewayCommand, ['verify', token, '--yes'], { environment: merchant })).toMatchObject({
      amount: '500000',
    });
    const again = await run(gatewayCommand, ['verify', token, '--yes'], { environment: merchant });
    expect([again.code, again.error]).toEqual([
      1,
      expect.stringMatching(/-32.*\nIt has taken effect before/),
    ]);
  });

  test('does not believe an answer with the hash of another secret', async () => {
    const token = await paid();
    const environment = { ...merchant, SARRAF_MERCHANT_SECRET: 'guessed' };
    const { code, out, error } = await run(gatewayCommand, ['verify', token, '--yes'], { environment });
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(/^HashMismatch: .*Do not hand out/);
  });

  test('asks for keys only once everything else is right, and never shows them', async () => {
    const slip = await run(gatewayCommand, ['send', '500', '--callback', 'nowhere'], { answers: [] });
    expect([slip.code, slip.asked]).toEqual([2, []]);
    const asked = await run(gatewayCommand, send, { environment: {}, answers: ['shop-key', 'no'] });
    expect([asked.code, asked.asked[0]]).toEqual([2, 'merchant key: ']);
    expect(`${asked.asked.join()}${asked.error}`).not.toContain('shop-key');
    const dry = await run(gatewayCommand, [...send, '--dry-run'], { environment: merchant });
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('"api": "[secret]"')]);
    const unattended = await run(gatewayCommand, [...send, '--yes'], { environment: {} });
    expect([unattended.code, unattended.error]).toEqual([2, expect.stringContaining('SARRAF_MERCHANT_API')]);
  });
});
