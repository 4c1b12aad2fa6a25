import { describe, expect, test } from 'vitest';
import type { MarketSymbol } from '../../../src/domain/market-symbol.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { ReplayFlow, type ReplayRow } from '../../../src/simulator/replay-flow.ts';
import { replayOn, START_MS, trade } from '../../support/replayed-market.ts';

const book = (second: number, bids: readonly string[][], asks: readonly string[][]): ReplayRow => ({
  kind: 'book',
  timeMs: START_MS + second * 1_000,
  bids: bids.map(([price, amount]) => [decimalText(price!), decimalText(amount!)] as const),
  asks: asks.map(([price, amount]) => [decimalText(price!), decimalText(amount!)] as const),
});

describe('a replay of trades', () => {
  test('repeats each trade at its time, price, amount and side, however small', () => {
    const { flow, tape, balance } = replayOn([
      trade(0, 'buy', '61686', '0.00016'),
      trade(1, 'sell', '61685.99', '0.00017'),
      trade(1, 'sell', '61685.99', '2.5'),
      trade(3, 'buy', '61700', '1'),
      trade(9, 'sell', '61200.5', '0.000001'),
    ]);
    flow.advance(START_MS + 5_000);
    expect(flow.isDone).toBe(false);
    flow.advance(START_MS + 9_000);
    expect(tape()).toEqual([
      '0 buy 61686 0.00016',
      '1000 sell 61685.99 0.00017',
      '1000 sell 61685.99 2.5',
      '3000 buy 61700 1',
      '9000 sell 61200.5 0.000001',
    ]);
    expect(balance()).toEqual([0n, 0n]);
  });

  test('fills an order at the traded price by no more than was traded', () => {
    const { flow, place } = replayOn([
      trade(0, 'buy', '100', '1'),
      trade(1, 'sell', '99.99', '0.4'),
      trade(2, 'sell', '99.98', '0.01'),
    ]);
    flow.advance(START_MS);
    const better = place({ side: 'buy', price: 9_999, amount: 300_000 }, START_MS);
    const later = place({ side: 'buy', price: 9_999, amount: 1_000_000 }, START_MS);
    flow.advance(START_MS + 1_000);
    expect(better.matched + later.matched).toBeLessThanOrEqual(400_000);
    flow.advance(START_MS + 2_000);
    expect([better.status, later.status]).toEqual(['Done', 'Done']);
  });

  test('takes earlier trades as the past of the market', () => {
    const { market, show } = replayOn(
      [trade(0, 'buy', '100', '1'), trade(30, 'sell', '99', '2'), trade(61, 'buy', '101', '3')],
      { past: 3 },
    );
    expect(market.candles.bars('1m').map(show)).toEqual([
      ['100', '100', '99', '99', '3'],
      ['101', '101', '101', '101', '3'],
    ]);
    expect(market.lastPrice).toBe(10_100);
  });
});

describe('a replay of books', () => {
  test('shows the recorded levels and no others', () => {
    const { flow, market, tape } = replayOn([
      book(0, [['100', '1'], ['99', '2']], [['101', '1']]), // prettier-ignore
      book(1, [['102', '1'], ['99', '2']], [['103', '1'], ['104', '0.5']]), // prettier-ignore
      trade(2, 'buy', '103', '0.4'),
      trade(3, 'sell', '98', '0.5'),
    ]);
    const levels = (): readonly unknown[] =>
      [market.book.buys, market.book.sells].map((side) =>
        side.top(9).map(({ price, amount }) => [price, amount]),
      );
    flow.advance(START_MS + 1_000);
    expect(tape()).toEqual([]);
    expect(levels()).toEqual([
      [[10_200, 1_000_000], [9_900, 2_000_000]], // prettier-ignore
      [[10_300, 1_000_000], [10_400, 500_000]], // prettier-ignore
    ]);
    flow.advance(START_MS + 2_000);
    expect(levels()[1]).toEqual([[10_300, 600_000], [10_400, 500_000]]); // prettier-ignore
    flow.advance(START_MS + 3_000);
    expect(tape()).toEqual(['2000 buy 103 0.4', '3000 sell 98 0.5']);
    expect(levels()[0]).toEqual([]);
  });

  test('fills the orders of others that a recorded book goes through', () => {
    const { flow, place, balance } = replayOn([
      book(0, [['100', '1']], [['101', '1']]),
      book(1, [['95', '1']], [['96', '1']]),
    ]);
    flow.advance(START_MS);
    const inTheWay = place({ side: 'buy', price: 9_700, amount: 7_000_000 }, START_MS);
    const below = place({ side: 'buy', price: 9_550, amount: 1_000_000 }, START_MS);
    flow.advance(START_MS + 1_000);
    expect([inTheWay.status, below.status]).toEqual(['Done', 'Active']);
    expect(balance()).toEqual([0n, 0n]);
  });
});

test('a replay on a market that the exchange lacks is refused', () => {
  const { exchange } = replayOn([]);
  const options = { exchange, market: 'ETHUSDT' as MarketSymbol, rows: [].values(), seed: 1 };
  expect(() => new ReplayFlow(options)).toThrow(/expected a market of the exchange \(BTCUSDT\)/);
});
