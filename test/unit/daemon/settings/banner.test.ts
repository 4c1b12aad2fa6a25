import { expect, test } from 'vitest';
import { banner } from '../../../../src/daemon/run/screen.ts';
import { ledgerOf } from '../../../../src/daemon/modes.ts';
import { configOf } from './bot-config-reading.ts';

const TOKEN = 'hidden-value-4711';
const LIVE = `
mode: live
exchange:
  baseUrl: https://exchange.example
  ledgerFolder: /ledgers
  credentials: { token: ${TOKEN} }
data: { folder: state }
strategies: [{ plugin: ma-cross, market: BTCIRT }]
`;

test('a live run says loudly where its orders go, by whom, and where its ledger is', () => {
  const config = configOf(LIVE);
  expect(banner(config)).toEqual([
    '*** LIVE *** REAL ORDERS WITH REAL MONEY',
    `Exchange https://exchange.example by a token. Ledger: ${ledgerOf(config)}.`,
    'Instance bot: ma-cross (BTCIRT). Mirror: /bots/state/mirror.sqlite.',
    'Ctrl-C or SIGTERM ends the run: it cancels its open orders, except those that only reduce a position, within 1m. A second one ends it at once.',
  ]);
  expect(ledgerOf(config)).toMatch(/^\/ledgers\/exchange\.example-[0-9a-f]{16}\.sqlite$/);
  expect(banner(config).join('\n')).not.toContain(TOKEN);
});

test('no other run has the word', () => {
  for (const text of [
    '',
    'embedded: { replay: a.csv }',
    'mode: paper\npaper: { baseUrl: https://exchange.example }',
  ]) {
    expect(banner(configOf(text)).join('\n')).not.toMatch(/live|real money/i);
  }
  expect(banner(configOf('mode: paper\npaper: { baseUrl: https://exchange.example }'))[1]).toContain(
    'https://exchange.example',
  );
  expect(ledgerOf(configOf(''))).toBeNull();
});
