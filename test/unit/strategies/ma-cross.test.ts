import { describe, expect, test } from 'vitest';
import type { Intent } from '../../../src/strategy/intents.ts';
import maCross from '../../../strategies/ma-cross.ts';
import { closedCandle, engineView, ownOrder, type Seen } from '../strategy/engine-view.ts';
import { runnerOn } from '../../support/runner-on.ts';

const MARKET = 'BTCUSDT';

/** Makes a strategy that receives one close after another. */
function start(): (price: string, seen?: Seen) => readonly Intent[] {
  const runner = runnerOn(maCross, MARKET, '1h', { params: { fast: 2, slow: 3, share: 0.1 } });
  let openTimeMs = 0;
  return (price, seen = {}) => {
    openTimeMs += 3_600_000;
    const candle = closedCandle(price, { market: MARKET, openTimeMs });
    const intents = runner.handle(
      { kind: 'candle', candle },
      engineView({ free: { usdt: '10000' }, ...seen }),
    );
    expect(runner.failure).toBeNull();
    return intents;
  };
}

const begun = (): ReturnType<typeof start> => {
  const close = start();
  close('100');
  close('100');
  return close;
};

describe('ma-cross', () => {
  test('waits until both averages have a value', () => {
    const close = start();
    expect(close('100')).toEqual([]);
    expect(close('200')).toEqual([]);
  });

  test('buys for its share of the free money when the fast average is above the slow one', () => {
    const [intent] = begun()('125');
    expect(intent).toMatchObject({ kind: 'place', side: 'buy', market: MARKET });
    expect(intent).toMatchObject({ value: '1000' });
  });

  test('holds while the fast average stays above', () => {
    expect(begun()('125', { position: '7.99' })).toEqual([]);
  });

  test('sells all that it holds when the fast average is below', () => {
    expect(begun()('80', { position: '7.99' })).toMatchObject([
      { kind: 'place', side: 'sell', amount: '7.99' },
    ]);
  });

  test('buys again although the last sale left less than a step', () => {
    expect(begun()('125', { position: '0.0000009' })).toMatchObject([{ side: 'buy' }]);
    expect(begun()('80', { position: '0.0000009' })).toEqual([]);
  });

  test('takes what is worth less than an order for no holding', () => {
    expect(begun()('125', { position: '0.01' })).toMatchObject([{ side: 'buy' }]);
    expect(begun()('80', { position: '0.01' })).toEqual([]);
  });

  test('sends nothing while an order of it is open', () => {
    expect(begun()('125', { orders: [ownOrder('a')] })).toEqual([]);
  });

  test('wants nothing without the money for an order', () => {
    expect(begun()('125', { free: { usdt: '0' } })).toEqual([]);
    expect(begun()('125', { free: { usdt: '49' } })).toEqual([]);
  });
});
