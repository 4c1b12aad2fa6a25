import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CandleColumns, columnsOf } from '../../../../src/domain/candle-columns.ts';
import { createMarket, priceUnits, type Market } from '../../../../src/domain/market.ts';
import { parseUnits, type Price, type Units, formatUnits } from '../../../../src/domain/money.ts';
import type { Side } from '../../../../src/domain/order.ts';
import { type BarPath, createBarRules } from '../../../../src/venues/fill-rules.ts';
import { BarFillSimulator } from '../../../../src/venues/bar-fill-simulator.ts';
import { NO_FEES } from '../../../support/bare-exchange.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { runCandleTable } from '../../../scenario/candle-fills-table.ts';
import { takerCostsOf, takerPrice } from '../../../../src/venues/bars/fill-bar.ts';
import { RecentReceipts } from '../../../../src/venues/bars/bar-account.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import type { Wallet } from '../../../../src/simulator/accounts.ts';
import { barColumns } from '../../../support/bar-columns.ts';

const MARKET = createMarket({ market: parseMarket('BTCUSDT'), priceStep: '1', amountStep: '1' });

interface Case {
  readonly side: Side;
  readonly isOco: boolean;
  /** Distances from the close of 100: the limit leg one way, the stop the other, and its limit beyond. */
  readonly legs: readonly [number, number, number];
  readonly bar: { readonly open: number; readonly up: number; readonly down: number; readonly close: number };
}

const away = fc.integer({ min: 1, max: 8 });
const arbitrary: fc.Arbitrary<Case> = fc.record({
  side: fc.constantFrom<Side>('buy', 'sell'),
  isOco: fc.boolean(),
  legs: fc.tuple(away, away, fc.integer({ min: 0, max: 3 })),
  bar: fc.record({
    open: fc.integer({ min: 90, max: 110 }),
    up: fc.nat(12),
    down: fc.nat(12),
    close: fc.nat(100),
  }),
});

const bar = (openTimeMs: number, prices: readonly [number, number, number, number]): CandleColumns =>
  barColumns(MARKET.symbol, '1m', [[openTimeMs, ...prices, 1_000_000]]);

/** Returns the value at the close of one bar with one OCO or stop order, and whether that filled. */
function after(
  { side, isOco, legs, bar: shape }: Case,
  path: BarPath,
): { readonly equity: Units; filled: boolean } {
  const balances = { usdt: parseUnits('1000'), btc: parseUnits('1') };
  const venue = new BarFillSimulator({ markets: [MARKET], fees: NO_FEES, balances, rules: { path } });
  venue.onCandle(0, bar(0, [100, 100, 100, 100]), 0);
  const sign = side === 'buy' ? 1 : -1;
  const at = (distance: number) => priceUnits(MARKET, (100 + sign * distance) as Price);
  const common = {
    clientOrderId: 'a',
    base: 'btc',
    quote: 'usdt',
    side,
    amount: parseUnits('1'),
    stopPrice: at(legs[1]),
  };
  const [price, stopLimitPrice] = [at(-legs[0]), at(legs[1] + legs[2])];
  const answer = isOco
    ? venue.answer({ kind: 'place-oco', order: { ...common, price, stopLimitPrice } }, 60_000)
    : venue.answer(
        { kind: 'place', order: { ...common, execution: 'stop_limit', price: stopLimitPrice } },
        60_000,
      );
  expect(answer.outcome).toBe('value');
  const [high, low] = [shape.open + shape.up, shape.open - shape.down];
  const close = low + Math.round(((high - low) * shape.close) / 100);
  venue.onCandle(0, bar(60_000, [shape.open, high, low, close]), 0);
  return { equity: venue.equity('usdt'), filled: venue.drain().trades.length > 0 };
}

test('the path that is worst first never leaves an account with more than any other path through the bar', () => {
  let worse = 0;
  fc.assert(
    fc.property(arbitrary, (given) => {
      const worst = after(given, 'worst-first');
      for (const path of ['open-high-low-close', 'open-low-high-close', 'nearest-first'] as const) {
        const other = after(given, path);
        expect(worst.equity, path).toBeLessThanOrEqual(other.equity);
        if (worst.equity < other.equity) worse += 1;
      }
    }),
    { numRuns: 1_000 },
  );
  expect(worse).toBeGreaterThan(10);
});

const COSTLY = { spreadBps: 20 } as const;
const runCostly = (table: string): void => runCandleTable(table, COSTLY);

describe('what the volume leaves of a limit order that took', () => {
  test('goes on taking, and paying for it, while the opens that follow are beyond its price', () =>
    runCostly(`
      buy limit 5 @102 => Active
      bar 100 101 100 101 x20 => 1 2@100.1 taker open
      bar 101 101 101 101 x10 => 1 1@101.11 taker open   # half of 20 bps of 101 is 0.101
      bar 101 101 101 101 => 1 2@101.11 taker open
    `));

  test('does so where the first bars had no volume at all', () =>
    runCostly(`
      sell limit 1 @99 => Active
      bar 100 100 100 100 x0
      bar 100 100 100 100 => 1 1@99.9 taker open
    `));

  test('rests once an open is not beyond its price', () =>
    runCostly(`
      buy limit 5 @102 => Active
      bar 100 104 100 103 x20 => 1 2@100.1 taker open
      bar 103 104 103 103
      bar 100 100 100 100 => 1 3@100 maker open
    `));

  test('is the same for an order that took at the close', () =>
    runCandleTable(
      `
      bar 100 100 100 100 x20
      buy limit 5 @102 => Active then 1 2@100.1 taker
      bar 101 101 101 101 => 1 3@101.11 taker
    `,
      { ...COSTLY, arrival: 'this-close' },
    ));

  test('is the same for a stop-limit order that took as it woke', () =>
    runCostly(`
      sell stop_limit 3 @90 stop 95 => Inactive
      bar 100 101 94 96 x10 => 1 1@94.9 taker
      bar 94 94 94 94 => 1 2@93.9 taker open             # and not at 94 as maker
    `));
});

test('what the volume leaves of a market buy holds nothing more once a part cost all that was set aside', () =>
  runCandleTable(`
      buy market 10 => Active
      wallet usdt 1000000 held 1010
      bar 300 300 300 300 x50 => 1 5@300 taker open
      wallet usdt 998500 held 0
      bar 300 300 300 300 => 1 5@300 taker open
    `));

/** A market whose price step is the smallest unit of money. */
const FINEST = createMarket({ market: parseMarket('SHIBUSDT'), priceStep: '0.0000000001', amountStep: '1' });

test.each<readonly [Side, number]>([
  // Half the spread is 2.5 units, the slippage 2.5 more: together 5, and not 3 and 3.
  ['buy', 250_005],
  ['sell', 249_995],
])('the price of what takes of a %s is rounded once, by spread and slippage together', (side, price) => {
  const costs = takerCostsOf(
    createBarRules({ spreadBps: 0.2, slippage: { kind: 'range', millionths: 250_000 } }),
  );
  expect(takerPrice({ market: FINEST, side, at: 250_000n, range: 10n, costs })).toBe(price);
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BTC = createMarket({ market: parseMarket('BTCUSDT'), priceStep: '0.01', amountStep: '0.001' });
const ETH = createMarket({ market: parseMarket('ETHUSDT'), priceStep: '0.01', amountStep: '0.001' });

function receiptBar(
  market: Market,
  hour: number,
  [open, high, low, close]: readonly [string, string, string, string],
): CandleColumns {
  const candle = {
    openTimeMs: hour * HOUR_MS,
    open: decimalText(open),
    high: decimalText(high),
    low: decimalText(low),
    close: decimalText(close),
    volume: decimalText('1000'),
  };
  return columnsOf({ market: market.symbol, timeframe: '1h' }, [candle]);
}

test('money that one market brings inside a bar does not pay for what another bought as the same bar opened', () => {
  const balances = { usdt: parseUnits('1000'), btc: parseUnits('10') };
  const venue = new BarFillSimulator({ markets: [BTC, ETH], fees: NO_FEES, balances });
  venue.onCandle(0, receiptBar(BTC, 0, ['100', '100', '100', '100']), 0);
  venue.onCandle(1, receiptBar(ETH, 0, ['100', '100', '100', '100']), 0);
  const [amount, price, quote] = [parseUnits('10'), parseUnits('105'), 'usdt'];
  const place = (order: object) =>
    venue.answer(
      { kind: 'place', order: { quote, amount, stopPrice: null, price: null, ...order } as never },
      HOUR_MS,
    );
  expect(place({ clientOrderId: 'a', base: 'btc', side: 'sell', execution: 'limit', price }).outcome).toBe(
    'value',
  );
  expect(place({ clientOrderId: 'b', base: 'eth', side: 'buy', execution: 'market' }).outcome).toBe('value');
  venue.onCandle(0, receiptBar(BTC, 1, ['100', '110', '100', '110']), 0);
  venue.onCandle(1, receiptBar(ETH, 1, ['200', '200', '200', '200']), 0);
  expect(
    venue
      .drain()
      .trades.map((trade) => `${trade.side} ${formatUnits(trade.amount)} at ${formatUnits(trade.price)}`),
  ).toEqual(['sell 10 at 105', 'buy 5 at 200']);
  expect(formatUnits(venue.balance('usdt').total)).toBe('1050');
});

describe('recent receipts', () => {
  test('are not kept for one market alone', () => {
    const receipts = new RecentReceipts();
    const wallet = { id: 1 } as unknown as Wallet;
    receipts.add(wallet, HOUR_MS, 1n);
    expect(receipts.after(wallet, 0)).toBe(0n);
  });

  test('are those of a wallet after a time, and of old ones no more is known than can matter', () => {
    const receipts = new RecentReceipts();
    receipts.retainFor(HOUR_MS);
    receipts.retainFor(3 * DAY_MS);
    receipts.retainFor(DAY_MS);
    const [one, other] = [{ id: 1 }, { id: 2 }] as unknown as readonly [Wallet, Wallet];
    for (let hour = 0; hour < 1_000; hour += 1) {
      receipts.add(hour % 2 === 0 ? one : other, hour * HOUR_MS, 1n);
      const fromMs = Math.max(-1, hour * HOUR_MS - 3 * DAY_MS);
      expect(receipts.after(one, fromMs) + receipts.after(other, fromMs)).toBe(
        BigInt(Math.min(hour + 1, 72)),
      );
    }
    // Old receipts are dropped from time to time.
    expect(receipts.after(one, 0)).toBeLessThanOrEqual(72n);
    expect(receipts.after(other, 999 * HOUR_MS)).toBe(0n);
  });
});
