import { expect, test } from 'vitest';
import { roundTrips } from '../../../src/portfolio/round-trips.ts';
import { valuedFills } from '../../../src/backtest/valued-fills.ts';
import { createResult } from '../../../src/backtest/backtest.ts';
import { runSummary } from '../../../src/backtest/finish-run.ts';
import { runBacktest } from '../../../src/backtest/run-backtest.ts';
import {
  formatUnits,
  NO_UNITS,
  parseUnits,
  UNITS_PER_ONE,
  type Units,
  divideHalfEven,
} from '../../../src/domain/money.ts';
import { tradeIdOf } from '../../../src/venues/read-records.ts';
import { FROM_MS } from './candle-run.ts';
import {
  backtestOf,
  BALANCES,
  barsOf,
  COIN_IN_RIAL,
  COIN_IN_TETHER,
  HOUR_MS,
  instanceOf,
  TETHER_IN_RIAL,
} from './three-markets.ts';
import { EMPTY_FILL } from '../../../src/records/fill.ts';

/** Computes the wallets after all fills, from the fills alone. */
function walletsAfter(
  fills: ReturnType<typeof runBacktest>['fills'],
): Record<'rls' | 'usdt' | 'btc', bigint> {
  const wallets: Record<'rls' | 'usdt' | 'btc', bigint> = { ...BALANCES };
  for (const { market, side, amount, total, fee } of fills) {
    const coin = market === 'USDTIRT' ? 'usdt' : 'btc';
    const money = market === 'BTCUSDT' ? 'usdt' : 'rls';
    wallets[coin] += side === 'buy' ? amount - fee : 0n - amount;
    wallets[money] += side === 'buy' ? 0n - total : total - fee;
  }
  return wallets;
}

const at = (amount: bigint, price: bigint): bigint =>
  divideHalfEven(amount * price * UNITS_PER_ONE, UNITS_PER_ONE);

test('a triangle runs in one account, with its equity in rial, each asset valued once', () => {
  const run = runBacktest(backtestOf());
  expect(new Set(run.fills.map(({ market }) => market))).toEqual(new Set(['BTCIRT', 'BTCUSDT', 'USDTIRT']));
  expect(run.quote).toBe('rls');
  expect(formatUnits(run.initialEquity)).toBe('12000000');
  const { rls, usdt, btc } = walletsAfter(run.fills);
  expect(run.finalEquity).toBe(rls + at(usdt, 100n) + at(btc, 101_000n));
  expect(run.curve.equity[run.curve.length - 1]).toBeCloseTo(Number(run.finalEquity) / 1e10, 3);
});

test('a run has its results in tether where that is chosen', () => {
  const run = runBacktest(backtestOf({ currency: 'usdt' }));
  expect(run.quote).toBe('usdt');
  expect(formatUnits(run.initialEquity)).toBe('120000');
  const { rls, usdt, btc } = walletsAfter(run.fills);
  expect(run.finalEquity).toBe(divideHalfEven(rls, 100n) + usdt + at(btc, 1_010n));
  const { summary } = createResult(run);
  expect(summary.profit).toBe(formatUnits(run.finalEquity - run.initialEquity));
});

test('round trips go over markets, fees and turnover are in the currency of the run', () => {
  const run = runBacktest(backtestOf());
  const { summary, trades, warnings } = createResult(run);
  // Bought for 98,000 rial, sold for 1,000 tether, which are 100,000 rial: less two fees of 0.1 %.
  const coin = trades.market.findIndex(
    (market, index) => market === 'BTCIRT' && trades.isOpen[index] === false,
  );
  expect([trades.entryPrice[coin], trades.exitPrice[coin]]).toEqual(['98000', '100000']);
  const tradedInRial = run.fills.reduce(
    (sum, { market, total }) => sum + (market === 'BTCUSDT' ? total * 100n : total),
    0n,
  );
  expect(summary.tradedValue).toBe(formatUnits(tradedInRial));
  expect(Number(summary.fees)).toBeCloseTo(Number(tradedInRial) / 1e13, 0);
  expect(warnings.join()).not.toContain('USDTIRT that no buy');
});

test('tether that a sale brought is no trade while it is kept or when a purchase spends it', () => {
  const lines = [
    ['BTCUSDT', 'buy', '1', '1000', 'a'],
    ['BTCUSDT', 'sell', '1', '1000', 'b'],
    ['BTCUSDT', 'buy', '0.5', '1000', 'c'],
    ['BTCUSDT', 'sell', '0.5', '1000', 'd'],
    ['USDTIRT', 'sell', '300', '100', 'e'],
    ['USDTIRT', 'buy', '200', '100', 'f'],
  ] as const;
  const fills = lines.map(([market, side, amount, price, orderKey], index) => ({
    ...EMPTY_FILL,
    tradeId: tradeIdOf(index),
    cursor: index,
    orderKey,
    strategy: 'pair',
    market,
    side,
    atMs: FROM_MS + index * HOUR_MS,
    amount: parseUnits(amount),
    price: parseUnits(price),
    total: divideHalfEven(parseUnits(amount) * parseUnits(price), UNITS_PER_ONE) as Units,
    fee: NO_UNITS,
  }));
  const run = runBacktest(
    backtestOf({
      markets: [
        barsOf(COIN_IN_TETHER, [1_000, 1_000, 1_000, 1_000, 1_000, 1_000]),
        barsOf(TETHER_IN_RIAL, [100, 100, 110, 110, 110, 120]),
      ],
    }),
  );
  const { moved, markets } = valuedFills({ ...run, fills });
  const { trips, received } = roundTrips(moved, markets);
  // 500 of the 1,000 tether bought coins and 300 were sold; the open trip is the 200 bought last.
  expect(trips.map(({ entryOrder, exitOrder, isOpen }) => [entryOrder, exitOrder, isOpen])).toEqual([
    ['a', 'b', false],
    ['b', 'e', false],
    ['c', 'd', false],
    ['f', null, true],
  ]);
  expect(
    received.map(({ strategy, amount, cost, value }) => [
      strategy,
      ...[amount, cost, value].map(formatUnits),
    ]),
  ).toEqual([['pair', '700', '125000', '139000']]);
  const summary = runSummary({ ...run, fills });
  expect([summary.trades, summary.openTrades]).toEqual([3, 1]);
});

test('a market that begins later counts at its first open, and has no round in an hour without its bar', () => {
  const late = [
    barsOf(COIN_IN_RIAL, [98_000, 98_000, 98_000, 98_000]),
    barsOf(COIN_IN_TETHER, [1_000, 1_000, 1_000, 1_000]),
    barsOf(TETHER_IN_RIAL, [null, null, 100, 100]),
  ];
  const run = runBacktest(backtestOf({ markets: late }));
  expect(formatUnits(run.initialEquity)).toBe(formatUnits(parseUnits('11980000')));
  expect(Math.min(...run.curve.equity.subarray(0, run.curve.length))).toBeGreaterThan(11_900_000);
  expect(Math.min(...run.fills.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(FROM_MS + 3 * HOUR_MS);
});

test('a run whose markets do not tell what everything is worth is refused', () => {
  const [first, second] = backtestOf().markets;
  if (first === undefined || second === undefined) throw new Error('two markets');
  expect(() => runBacktest(backtestOf({ markets: [first, second] }))).toThrow(
    'expected markets that value everything in rls, were BTCIRT, BTCUSDT, which do not say what usdt is worth: add candles of USDTIRT',
  );
});

test('the limit on the loss of a day counts what the triangle made, not what one market lost', () => {
  // The coins it was given as inventory lose 20,000 in value with their price.
  const limits = { maxDailyLoss: { rls: parseUnits('21000'), usdt: null } };
  const run = runBacktest(backtestOf({ instances: [instanceOf(limits)] }));
  expect(run.orders.filter(({ state }) => state === 'rejected')).toEqual([]);
  expect(run.fills.length).toBe(runBacktest(backtestOf()).fills.length);
});
