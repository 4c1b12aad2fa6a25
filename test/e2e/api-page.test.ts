import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiCommand } from '../../src/cli/commands/api.ts';
import { depositAddressCommand } from '../../src/cli/commands/deposit-address.ts';
import { gatewayCommand } from '../../src/cli/commands/gateway.ts';
import { loginCommand } from '../../src/cli/commands/login.ts';
import { orderCommand } from '../../src/cli/commands/order.ts';
import { withdrawCommand } from '../../src/cli/commands/withdraw.ts';
import { PANEL_TOKEN, serveAccount, type ServedAccount } from '../support/served-account.ts';
import { runCommand } from '../unit/cli/api/run-command.ts';

const COMMANDS = {
  api: apiCommand,
  order: orderCommand,
  login: loginCommand,
  withdraw: withdrawCommand,
  'deposit-address': depositAddressCommand,
  gateway: gatewayCommand,
} as const;

const page = readFileSync('docs/api.md', 'utf8');

/** Commands of the page that call the exchange, without comments after them. */
const lines = page
  .split('```')
  .filter((_, index) => index % 2 === 1)
  .filter((block) => block.startsWith('sh\n'))
  .flatMap((block) => block.split('\n').slice(1))
  .map((line) => line.replace(/\s+#.*$/, '').replace(/^SARRAF_TOKEN=\S+ /, ''))
  .filter((line) =>
    Object.keys(COMMANDS).some((name) => line.startsWith(`sarraf ${name} `) || line === `sarraf ${name}`),
  );

let served: ServedAccount;
beforeAll(async () => {
  served = await serveAccount({
    gateway: {
      merchants: [
        { api: 'shop-key', apiSecret: 's', callbackOrigin: 'https://shop.example', username: 'trader' },
      ],
    },
  });
  const exchange = {
    baseUrl: served.baseUrl,
    ledgerFolder: served.ledgerFolder,
    credentials: { token: '${SARRAF_TOKEN}' },
  };
  const strategies = [{ plugin: 'ma-cross', market: 'BTCIRT' }];
  // The least value: an absence is proven by two readings this far apart.
  const execution = { absencePassesApart: '1s' };
  writeFileSync(
    join(served.folder, 'bot.yaml'),
    JSON.stringify({ mode: 'live', exchange, execution, strategies }),
  );
});
afterAll(() => served.close());

test('the page shows every command for calls by hand', () => {
  expect(lines.length).toBeGreaterThan(15);
  for (const name of Object.keys(COMMANDS))
    expect(lines.some((line) => line.startsWith(`sarraf ${name}`))).toBe(true);
});

/** Matches values that only a real account has; such commands run with `--dry-run`. */
const OF_A_LIFE = /2187|TOKEN_OF_THE_PAYMENT/;

test.each(lines)('%s', async (line) => {
  const [, name = '', ...words] = line
    .replaceAll(/https:\/\/exchange\.example(?= |$)|http:\/\/127\.0\.0\.1:8900/g, served.baseUrl)
    .replaceAll('/run/secrets/token', join(served.folder, 'own.token'))
    .replaceAll('trader@mail.example', 'trader')
    .split(' ');
  const args = [
    ...words,
    ...(words.includes('--url') ? ['--ledger-folder', served.ledgerFolder] : []),
    ...(OF_A_LIFE.test(line) ? ['--dry-run'] : []),
  ];
  // The log-in of an earlier line came from a new device, which restricts withdrawals.
  served.simulation.exchange.services.users.get(1).withdrawalsRestrictedUntilMs = 0;
  if (name === 'deposit-address') await runCommand(depositAddressCommand, ['btc', '--new'], at(served));
  const create = COMMANDS[name as keyof typeof COMMANDS];
  const environment = {
    SARRAF_TOKEN: PANEL_TOKEN,
    SARRAF_PASSWORD: 'pass-word-7',
    SARRAF_MERCHANT_API: 'shop-key',
    SARRAF_MERCHANT_SECRET: 's',
  };
  // A log-in asks for the user name; all other questions are answered with yes.
  const answers = name === 'login' && !line.includes('--username') ? ['trader', ''] : ['yes'];
  const ended = await runCommand(create, args, {
    environment,
    workingFolder: served.folder,
    answers,
  });
  // The order that the page looks up does not exist here.
  const isAbsent = line.startsWith('sarraf order find');
  expect(ended).toMatchObject(
    isAbsent ? { code: 3, error: expect.stringContaining('absent: ') } : { code: 0, error: '' },
  );
});

/** Options of a caller that uses the configuration of the folder. */
function at({ folder }: ServedAccount) {
  return { environment: { SARRAF_TOKEN: PANEL_TOKEN }, workingFolder: folder };
}
