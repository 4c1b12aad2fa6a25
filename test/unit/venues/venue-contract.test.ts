import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import tiny, { wire } from '../../../config/venues/tiny.ts';
import { loadVenuePackage } from '../../../src/venues/load-venue.ts';
import { venueProblems } from '../../../src/venues/venue-contract.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const TINY = readFileSync('config/venues/tiny.ts', 'utf8');

/** Returns what the contract says of the tiny venue with one text in place of another. */
async function problemsWith(original: string, lie: string): Promise<string> {
  expect(TINY).toContain(original);
  const folder = folderOfThisTest();
  writeFileSync(join(folder, 'liar.ts'), TINY.replace(original, lie));
  const liar = await loadVenuePackage({ name: './liar.ts', folder });
  if (liar.wire === null) throw new Error('expected a wire');
  return (await venueProblems(liar.definition, liar.wire)).join('\n');
}

test('the tiny venue keeps its contract', async () => {
  expect(await venueProblems(tiny, wire)).toEqual([]);
});

// Each lie of an adapter that would double, lose or misread an order is named.
test.each([
  [
    'a server in trouble means refused',
    'if (status === 200 || status >= 500) return null;',
    `if (status === 200) return null;
    if (status >= 500) return { kind: 'refused', code: 'down', message: 'down', effect: 'none' };`,
    'place: expected of a web page with HTTP 502 that its effect is unknown',
  ],
  [
    'the words of a proxy are a refusal',
    "return { kind: 'unknown', message: 'the reply is not one of the exchange' };",
    "return { kind: 'refused', code: 'odd', message: 'odd', effect: 'none' };",
    'place: expected of a web page with HTTP 400 that its effect is unknown',
  ],
  [
    'the last trade of a page is lost',
    "each(rows, readTrade, unreadRow('trade'))",
    "each(rows, readTrade, unreadRow('trade')).slice(0, -1)",
    'trades: expected {',
  ],
  ['fees are none', 'fee: decimalOf(fee)', "fee: decimalOf('0')", 'trades: expected {'],
  [
    'all of an order is traded',
    'matchedAmount: decimalOf(done)',
    'matchedAmount: decimalOf(amount)',
    'order: expected {',
  ],
  [
    'a canceled order still works',
    "working: ['resting']",
    "working: ['resting', 'canceled']",
    'means canceled, it means working and canceled',
  ],
  ['orders have no name', 'clientOrderId: name', 'clientOrderId: null', 'orders: expected {'],
  [
    'amounts are cut',
    'amount: formatUnits(order.amount)',
    'amount: formatUnits(order.amount).slice(0, 6)',
    'place: expected the request of',
  ],
  [
    'an order is asked for by another number',
    'orders/${numberIn(order.venueId)}`',
    'orders/1${numberIn(order.venueId)}`',
    'cancel: expected the request of',
  ],
  [
    'held money is free',
    'held: decimalOf(held)',
    "held: decimalOf('0')",
    'wallets: expected [{"currency":"btc","held":"5000000000"',
  ],
  [
    'a sale is a purchase',
    'const { id, order, market, at, price, amount, value, fee, ...rest } = tradeRow.parse(row);',
    "const { id, order, market, at, price, amount, value, fee } = tradeRow.parse(row);\n  const rest = { side: 'buy' } as const;",
    'trades: expected {',
  ],
  [
    'a name in use is no such order',
    "clientOrderIdInUse: 'name-in-use'",
    "clientOrderIdInUse: 'no-such-order'",
    'profile.refusals.clientOrderIdInUse: expected the code of the refusal DuplicateClientOrderId',
  ],
  [
    'a limit is a refusal',
    'if (status === 429) {',
    "if (status === 429) return { kind: 'refused', code: error, message, effect: 'none' };\n    if (status === 428) {",
    'refusal: expected a limit with a wait of 9 s',
  ],
  [
    'there is never a next page',
    "each(rows, readOrder, unreadRow('order')), hasNext: more",
    "each(rows, readOrder, unreadRow('order')), hasNext: false",
    'orders: expected {"hasNext":true',
  ],
  [
    'trades share an id',
    'const idOf = (market: string, number: number): string => `${market}-${number}`;',
    'const idOf = (market: string, number: number): string => `${market}-${number % 2}`;',
    'ids: expected one of its own for each order and trade',
  ],
  ['a bar begins at its end', 'openTimeMs,\n', 'openTimeMs: openTimeMs + 60_000,\n', 'candles: expected [{'],
])('a venue that says that %s is found', async (_what, original, lie, problem) => {
  expect(await problemsWith(original, lie)).toContain(problem);
});
