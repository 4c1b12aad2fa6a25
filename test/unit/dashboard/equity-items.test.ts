import { expect, test } from 'vitest';
import { equityItems, positionItems } from '../../../src/dashboard/readers/strategy-items.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import type { StrategyItem } from '../../../src/dashboard/schema/overview.ts';
import { figure, mirrorOfEachTest } from '../mirror/mirror-fixture.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { NO_UNITS, parseUnits } from '../../../src/domain/money.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { newLedger, instanceJson } from '../../support/new-ledger.ts';

const place = mirrorOfEachTest();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** First moment of 2 April 2026 in Tehran. */
const MIDNIGHT_MS = Date.parse('2026-04-01T20:30:00Z');
const NOON_MS = MIDNIGHT_MS + 12 * HOUR_MS;

/** Makes a profit value that rises by one each minute from midnight on. */
const profitAt = (atMs: number): MirrorChange =>
  figure('profit/rls', atMs, String((atMs - MIDNIGHT_MS) / MINUTE_MS));

const STRATEGY = {
  plugin: null,
  markets: [] as string[],
  status: 'running',
  reason: null,
  reasonFacts: null,
  realised: null,
  open: null,
  orders: 0,
  fills: 0,
  requests: 0,
  lastDecision: null,
} as const satisfies Partial<StrategyItem>;

test('the profit of the day is exact where the mirror has far more values than a drawdown is measured over', () => {
  const store = place.open();
  const hours = Array.from({ length: 7_200 }, (_, hour) => profitAt(MIDNIGHT_MS - (7_200 - hour) * HOUR_MS));
  const today = Array.from({ length: 145 }, (_, five) => profitAt(MIDNIGHT_MS + five * 5 * MINUTE_MS));
  const equity = figure('equity/rls', NOON_MS, '9000');
  store.apply([...hours, ...today, equity], { atMs: NOON_MS, isDurable: true });
  const reader = place.read();
  expect(equityItems(reader, [], null)).toMatchObject([
    { currency: 'rls', now: '9000', day: '720', drawdown: '0', asOfMs: NOON_MS },
  ]);
});

test('values of minutes ago are brought up to now by what the strategies have made since', () => {
  const store = place.open();
  const changes = [
    profitAt(MIDNIGHT_MS),
    figure('profit/maker/rls', NOON_MS, '20'),
    figure('profit/other/usdt', NOON_MS, '0'),
    figure('profit/rls', NOON_MS, '20'),
    figure('equity/rls', NOON_MS, '1000'),
  ];
  store.apply(changes, { atMs: NOON_MS, isDurable: true });
  const reader = place.read();
  const maker = { ...STRATEGY, name: 'maker', currency: 'rls', profit: '-80' };
  const later = NOON_MS + 4 * MINUTE_MS;
  expect(equityItems(reader, [maker], later)).toMatchObject([
    { now: '900', day: '-80', total: '-80', drawdown: '0.1', asOfMs: later },
  ]);
  // A strategy that was removed from the configuration keeps its row, and counts in no figure of the bot.
  const removed = { ...STRATEGY, name: 'removed', currency: 'rls', profit: '-500' };
  expect(equityItems(reader, [maker, removed], later)).toMatchObject([
    { now: '900', day: '-80', total: '-80', drawdown: '0.1' },
  ]);
  // The rate between the two currencies is not known here.
  const other = { ...STRATEGY, name: 'other', currency: 'usdt', profit: '5' };
  expect(equityItems(reader, [maker, other], later)[0]).toMatchObject({ now: '1000', asOfMs: NOON_MS });
});

test('the day and all days are of the whole bot, which has one column, where strategies count in two currencies', () => {
  const store = place.open();
  const maker = { ...STRATEGY, name: 'maker', currency: 'rls', profit: '-64' };
  const trend = { ...STRATEGY, name: 'trend', currency: 'usdt', profit: '5' };
  const reader = place.read();
  const before = equityItems(reader, [maker, trend], NOON_MS);
  expect(before).toMatchObject([
    { currency: 'rls', now: null, day: null, total: '-64' },
    { currency: 'usdt', now: null, day: null, total: '5' },
  ]);
  store.apply(
    [
      figure('profit/rls', MIDNIGHT_MS, '60'),
      figure('profit/maker/rls', NOON_MS, '-64'),
      figure('profit/trend/usdt', NOON_MS, '5'),
      figure('profit/rls', NOON_MS, '436'),
      figure('equity/rls', NOON_MS, '9000'),
    ],
    { atMs: NOON_MS, isDurable: true },
  );
  expect(equityItems(reader, [maker, trend], NOON_MS)).toMatchObject([
    { currency: 'rls', now: '9000', day: '376', total: '436' },
  ]);
  expect(equityItems(reader, [maker, trend], NOON_MS)).toHaveLength(1);
});

/** Makes the strategy row of one that bought this amount of BTC at a price of 1, without a fee. */
function bought(amount: string): MirrorChange {
  const ledger = newLedger();
  ledger.applyTrade({
    market: parseMarket('BTCUSDT'),
    side: 'buy',
    atMs: 5_000,
    amount: parseUnits(amount),
    price: parseUnits('1'),
    total: parseUnits(amount),
    fee: NO_UNITS,
    feeCurrency: null,
    feeValue: null,
    leastAmount: parseUnits('0.000001'),
  });
  const json = instanceJson(ledger, { fills: 1, orders: 1 });
  return { kind: 'strategy', strategy: { name: 'grid', status: 'running', reason: null, json, atMs: 6_000 } };
}

const market: MirrorChange = {
  kind: 'market',
  market: {
    symbol: 'BTCUSDT',
    version: 1,
    fromMs: 0,
    priceStep: decimalText('0.01'),
    amountStep: decimalText('0.000001'),
    minOrderValue: decimalText('5'),
  },
};

test.each([
  ['0.000001', false],
  ['0.0000009', true],
])('%s of a coin, which steps by 0.000001, needs no stop: %s', (amount, isProtected) => {
  place.open().apply([market, bought(amount)], { atMs: 6_000, isDurable: true });
  const reader = place.read();
  expect(positionItems(reader, [])).toMatchObject([{ asset: 'btc', amount, isProtected }]);
});
