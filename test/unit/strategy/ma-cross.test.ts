import { describe, expect, test } from 'vitest';
import { decimalText, ZERO, type DecimalText } from '../../../src/domain/decimal-text.ts';
import type { OwnOrder } from '../../../src/strategy/definition.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { StrategyRunner, type StrategyView } from '../../../src/strategy/runner.ts';
import maCross from '../../../strategies/ma-cross.ts';

const MARKET = 'BTCUSDT';
const text = (number: string): DecimalText => decimalText(number);

interface Seen {
  readonly position?: string;
  readonly usdt?: string;
  readonly orders?: readonly OwnOrder[];
}

const viewOf = ({ position = '0', usdt = '10000', orders = [] }: Seen): StrategyView => ({
  nowMs: 0,
  position: text(position),
  free: { usdt: text(usdt) },
  orders,
  book: null,
});

const order = (id: string): OwnOrder => ({
  clientOrderId: id,
  market: MARKET,
  side: 'buy',
  price: text('100'),
  amount: text('1'),
  matchedAmount: ZERO,
});

const start = (): StrategyRunner =>
  new StrategyRunner(maCross, {
    market: MARKET,
    span: '1h',
    params: { fast: 2, slow: 3, share: '0.1' },
  });
const close = (runner: StrategyRunner, price: string, seen: Seen = {}): readonly Intent[] => {
  const at = text(price);
  const candle = { span: '1h', openTimeMs: 0, open: at, high: at, low: at, close: at, volume: ZERO } as const;
  return runner.handle({ kind: 'candle', candle }, viewOf(seen));
};
const rising = (): StrategyRunner => {
  const runner = start();
  close(runner, '100');
  close(runner, '100');
  return runner;
};

describe('ma-cross', () => {
  test('waits until both averages have a value', () => {
    const runner = start();
    expect(close(runner, '100')).toEqual([]);
    expect(close(runner, '200')).toEqual([]);
  });

  test('buys for its share of the free money when the fast average is above the slow one', () => {
    const [intent] = close(rising(), '125');
    expect(intent).toMatchObject({ kind: 'place', side: 'buy', market: MARKET });
    expect(String(intent?.kind === 'place' ? intent.amount : '')).toBe('8');
  });

  test('holds while the fast average stays above', () => {
    expect(close(rising(), '125', { position: '7.99' })).toEqual([]);
  });

  test('sells all that it holds when the fast average is below', () => {
    expect(close(rising(), '80', { position: '7.99' })).toMatchObject([
      { kind: 'place', side: 'sell', amount: '7.99' },
    ]);
  });

  test('buys again although the last sale left less than a step', () => {
    expect(close(rising(), '125', { position: '0.0000009' })).toMatchObject([{ side: 'buy' }]);
    expect(close(rising(), '80', { position: '0.0000009' })).toEqual([]);
  });

  test('sends nothing while an order of it is open', () => {
    expect(close(rising(), '125', { orders: [order('a')] })).toEqual([]);
  });

  test('wants nothing without money', () => {
    expect(close(rising(), '125', { usdt: '0' })).toEqual([]);
  });
});
