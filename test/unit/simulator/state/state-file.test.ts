import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { ExchangeConfigInput } from '../../../../src/simulator-server/exchange-config.ts';
import type { Simulation } from '../../../../src/simulator-server/simulation.ts';
import {
  storeExchange,
  readStateFile,
  StateFileError,
  writeStateFile,
} from '../../../../src/simulator-server/exchange-state.ts';
import { ALI, ask, BUY, createVenue, place, START_MS } from '../wire/fixture.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const LATER_MS = START_MS + 60_000;
const folder = folderOfEachTest();
let file: string;
beforeEach(() => {
  file = join(folder, 'exchange.json');
});

/** Makes a venue with an order in each state, trades between users and with an unnamed trader, and an OCO. */
function busyVenue(): Simulation {
  const venue = createVenue();
  const { accounts } = venue.exchange;
  const stranger = accounts.ensure(900, 'btc');
  accounts.post(stranger, 'outside', { units: 10_000_000_000n, description: 'Opening', timeMs: START_MS });
  place(venue, { ...BUY, clientOrderId: 'rests' });
  place(venue, { ...BUY, type: 'sell', price: '50000000000', amount: '0.002' }, { token: 'sara-token' });
  place(venue, { ...BUY, price: '50000000000' });
  const order = { market: 'BTCIRT' as never, side: 'sell', execution: 'limit', mode: 'default' } as const;
  const sold = { ...order, amount: 3_000, price: 5_001_000_000, stopPrice: null, stopLimitPrice: null };
  venue.exchange.trading.place(900, { ...sold, clientOrderId: null, pro: true }, START_MS);
  place(venue, { ...BUY, price: '50010000000', amount: '0.003' });
  place(venue, { ...BUY, execution: 'stop_limit', price: '52000000000', stopPrice: '51000000000' });
  place(venue, {
    ...BUY,
    mode: 'oco',
    stopPrice: '51500000000',
    stopLimitPrice: '51600000000',
    clientOrderId: 'pair',
  });
  const { id } = place(venue, { ...BUY, price: '44000000000' });
  ask(venue, '/market/orders/update-status', { body: { order: id, status: 'canceled' } });
  return venue;
}

function restored(config: ExchangeConfigInput = {}): Simulation {
  const venue = createVenue(config);
  readStateFile(file, venue.exchange, LATER_MS);
  return venue;
}

const READS = [
  '/market/orders/list?status=all&details=2',
  '/market/trades/list',
  '/users/wallets/list',
  '/users/profile',
  '/market/udf/history?symbol=BTCIRT&resolution=1&to=2000000000',
] as const;

test('everything that a user sees is the same after a restart', () => {
  const before = busyVenue();
  writeStateFile(file, before.exchange, START_MS);
  const after = restored();
  for (const token of ['ali-token', 'sara-token']) {
    for (const path of READS) expect(ask(after, path, { token }).raw).toBe(ask(before, path, { token }).raw);
  }
  for (const currency of ['rls', 'btc', 'usdt'])
    expect(after.exchange.accounts.imbalanceOf(currency)).toBe(0n);
});

test('a second round trip stores the same again', () => {
  writeStateFile(file, busyVenue().exchange, START_MS);
  const once = storeExchange(restored().exchange);
  writeStateFile(file, restored().exchange, START_MS);
  expect(storeExchange(restored().exchange)).toEqual(once);
});

test('trading goes on: rests fill, stops wake, client ids are taken and ids go on', () => {
  const before = busyVenue();
  writeStateFile(file, before.exchange, START_MS);
  const { nextOrderId } = before.exchange.trading.counters;
  const after = restored();
  const code = ask(after, '/market/orders/add', {
    body: { ...BUY, clientOrderId: 'rests' },
    timeMs: LATER_MS,
  }).body['code'];
  expect(code).toBe('DuplicateClientOrderId');
  const sold = place(
    after,
    { ...BUY, type: 'sell', price: '45000000000', amount: '0.002' },
    { token: 'sara-token', timeMs: LATER_MS },
  );
  expect(sold).toMatchObject({ id: nextOrderId, status: 'Done' });
  const { orders } = ask(after, '/market/orders/list?status=all&details=2').body as {
    orders: { clientOrderId: string; status: string }[];
  };
  expect(orders.find(({ clientOrderId }) => clientOrderId === 'rests')?.status).toBe('Done');
  expect(orders.find(({ clientOrderId }) => clientOrderId === 'pair')?.status).toBe('Done');
  for (const currency of ['rls', 'btc']) expect(after.exchange.accounts.imbalanceOf(currency)).toBe(0n);
});

test('synthetic traders leave their money and no orders', () => {
  writeStateFile(file, busyVenue().exchange, START_MS);
  const after = restored();
  expect(after.exchange.trading.trader(900).open.values()).toEqual([]);
  expect(after.exchange.accounts.find(900, 'btc')).toMatchObject({ held: 0n, total: 9_980_000_000n });
});

test('a market whose steps are coarser now keeps the prices of its orders', () => {
  writeStateFile(file, busyVenue().exchange, START_MS);
  const markets = [
    { symbol: 'BTCIRT', priceStep: '1000', amountStep: '0.00001', initialPrice: '50000000000' },
    { symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', initialPrice: '60000' },
  ];
  const after = restored({ markets });
  expect(after.exchange.marketOf('btc', 'rls')?.priceFactor).toBe(100);
  expect(ask(after, '/market/orders/list?order=id').body['orders']).toMatchObject([
    { price: '45000000000' },
    {},
    {},
    {},
  ]);
  expect(place(after, { ...BUY, price: '45000000900' }, { timeMs: LATER_MS })).toMatchObject({
    price: '45000001000',
  });
});

test('users that are new in the configuration are welcomed, and users keep what they may do', () => {
  const before = busyVenue();
  before.exchange.trading.trader(ALI).lacksClientIdLookup = true;
  writeStateFile(file, before.exchange, START_MS);
  const after = restored({
    users: [
      { username: 'ali', id: ALI, tokens: ['ali-token'] },
      { username: 'new', balances: { rls: '3' }, tokens: ['n'] },
    ],
  });
  expect(after.exchange.trading.trader(ALI).lacksClientIdLookup).toBe(true);
  expect(ask(after, '/v2/wallets', { token: 'n' }).body).toMatchObject({
    wallets: { RLS: { balance: '3' } },
  });
});

test('no file is a fresh exchange', () => {
  expect(readStateFile(file, createVenue().exchange, START_MS)).toBeNull();
});

test.each([
  ['is cut off', (text: string) => text.slice(0, 100), /no JSON/],
  ['is of another program', () => '{"hello": 1}', /format/],
  [
    'is of a newer program',
    (text: string) => text.replace('"version":1', '"version":2'),
    /version 1 or older, found 2/,
  ],
  ['has a hole', (text: string) => text.replace('"orders":', '"ordres":'), /does not fit/],
  ['has numbers that are none', (text: string) => text.replace(/"held":"\d+"/, '"held":"x"'), /does not fit/],
  [
    'holds more than is owned',
    (text: string) => text.replace(/"held":"\d+"/, '"held":"9999999999999999999999"'),
    /does not fit/,
  ],
] as const)('a file that %s is reported in one line and left unchanged', (_, spoil, message) => {
  writeStateFile(file, busyVenue().exchange, START_MS);
  const spoilt = spoil(readFileSync(file, 'utf8'));
  writeFileSync(file, spoilt);
  const read = () => readStateFile(file, createVenue().exchange, LATER_MS);
  expect(read).toThrow(StateFileError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/\n/);
  expect(readFileSync(file, 'utf8')).toBe(spoilt);
});

test('orders in a market that is not configured any more do not fit', () => {
  writeStateFile(file, busyVenue().exchange, START_MS);
  const markets = [{ symbol: 'ETHIRT', priceStep: '10', amountStep: '0.001', initialPrice: '100' }];
  expect(() => restored({ markets })).toThrow(/expected the market BTCIRT/);
});

test('a folder that can not be written to is reported, and nothing is left behind', () => {
  const venue = createVenue();
  expect(() => writeStateFile(join(folder, 'none', 'x.json'), venue.exchange, START_MS)).toThrow(
    /can not be written/,
  );
  writeStateFile(file, venue.exchange, START_MS);
  expect(readdirSync(folder)).toEqual(['exchange.json']);
});

test.each([
  ['a balance that does not add up', /"total":"(\d+)"/, '"total":"1$1"', 'add up to 0'],
  ['a hold without its order', /"held":"0"/, '"held":"5"', 'units for open orders'],
  ['a price that is no number', /"lastPrice":\d+/, '"lastPrice":"x"', 'in whole steps'],
  ['a price that is null', /"lastPrice":\d+/, '"lastPrice":null', 'in whole steps'],
  ['an open order with nothing left', /"remaining":\d+/, '"remaining":0', 'something left'],
  ['a time after all dates', /"savedAtMs":\d+/, '"savedAtMs":1e300', 'expected a file of the format'],
])('a state with %s is refused with its reason, and stays as it is', (_what, found, replacement, reason) => {
  const venue = createVenue();
  place(venue, BUY);
  writeStateFile(file, venue.exchange, START_MS);
  const damaged = readFileSync(file, 'utf8').replace(found, replacement);
  writeFileSync(file, damaged);
  const read = (): unknown => readStateFile(file, createVenue().exchange, START_MS);
  expect(read).toThrow(StateFileError);
  expect(read).toThrow(reason);
  expect(readFileSync(file, 'utf8')).toBe(damaged);
});
