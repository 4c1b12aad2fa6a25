import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { createMarket, priceUnits } from '../../../../src/domain/market.ts';
import { parseUnits, type Price, type Units } from '../../../../src/domain/money.ts';
import type { Side } from '../../../../src/domain/order.ts';
import type { BarPath } from '../../../../src/venues/bar-rules.ts';
import { BarFillSimulator } from '../../../../src/venues/bar-fill-simulator.ts';
import { NO_FEES } from '../../../support/bare-exchange.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const MARKET = createMarket({ market: parseMarket('BTCUSDT'), priceStep: '1', amountStep: '1' });

interface Case {
  readonly side: Side;
  readonly isOco: boolean;
  /**
   * Away from the last close of 100: the limit leg one way, the stop the other, and its limit beyond that.
   */
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

function bar(openTimeMs: number, prices: readonly [number, number, number, number]): CandleColumns {
  const [open, high, low, close] = prices.map((price) => Float64Array.of(price)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const times = Float64Array.of(openTimeMs);
  const scale = { priceDecimals: 0, volumeDecimals: 0, volume: Float64Array.of(1_000_000) };
  return {
    market: MARKET.symbol,
    timeframe: '1m',
    length: 1,
    openTimeMs: times,
    open,
    high,
    low,
    close,
    ...scale,
  };
}

/** What the account is worth at the close of one bar with one OCO or stop order, and whether it filled. */
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
  return { equity: venue.equity('usdt'), filled: venue.take().trades.length > 0 };
}

describe('the path that is worst first', () => {
  test('never leaves an account with more than any other path through the bar', () => {
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
});
