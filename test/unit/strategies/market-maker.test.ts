import { describe, expect, test } from 'vitest';
import type { Intent } from '../../../src/strategy/intents.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import marketMaker from '../../../strategies/market-maker.ts';
import { bookEvent, engineView, ownOrder, type Seen } from '../strategy/engine-view.ts';
import { runnerOn } from '../../support/runner-on.ts';

const MARKET = 'BTCUSDT';

const start = (): StrategyRunner =>
  runnerOn(marketMaker, MARKET, '1h', { params: { spreadBps: 10, share: 0.01, maxQuotes: 10, moveBps: 5 } });

const see = (runner: StrategyRunner, middle: number, seen: Seen = {}): readonly Intent[] =>
  runner.handle(
    bookEvent(middle - 1, middle + 1, MARKET),
    engineView({ equity: '10000', free: { btc: '1' }, ...seen }),
  );

const quotesOf = (intents: readonly Intent[]) => {
  const [intent] = intents;
  return intent?.kind === 'quotes'
    ? intent.quotes.map(({ side, price, amount }) => [side, Number(price), Number(amount)])
    : null;
};

describe('market-maker', () => {
  test('quotes both sides at its distance from the middle, for its share of the equity', () => {
    expect(quotesOf(see(start(), 10_000))).toEqual([
      ['buy', 9_990, 0.01],
      ['sell', 10_010, 0.01],
    ]);
  });

  test('leaves its quotes where they are while the middle has hardly moved', () => {
    const runner = start();
    see(runner, 10_000);
    const orders = [ownOrder('a'), ownOrder('b')];
    expect(see(runner, 10_004, { orders })).toEqual([]);
    expect(quotesOf(see(runner, 10_006, { orders }))).toHaveLength(2);
  });

  test('quotes anew when one was taken', () => {
    const runner = start();
    see(runner, 10_000);
    expect(quotesOf(see(runner, 10_000, { orders: [ownOrder('a')] }))).toHaveLength(2);
  });

  test('leans against what it has gathered', () => {
    const runner = start();
    see(runner, 10_000);
    expect(quotesOf(see(runner, 10_000, { position: '0.05' }))).toEqual([
      ['buy', 9_985, 0.01],
      ['sell', 10_005, 0.01],
    ]);
  });

  test('quotes only the side that reduces a full inventory', () => {
    const runner = start();
    see(runner, 10_000);
    expect(quotesOf(see(runner, 10_000, { position: '0.1' }))).toEqual([['sell', 10_000, 0.01]]);
    const short = start();
    see(short, 10_000);
    expect(quotesOf(see(short, 10_000, { position: '-0.1' }))).toEqual([['buy', 10_000, 0.01]]);
  });

  test('sells only what is there, its own orders included', () => {
    const runner = start();
    expect(quotesOf(see(runner, 10_000, { free: {} }))).toEqual([['buy', 9_990, 0.01]]);
    const orders = [ownOrder('a', { side: 'sell', amount: decimalText('0.006') })];
    const free = { btc: '0.004' };
    expect(quotesOf(see(start(), 10_000, { free, orders }))).toHaveLength(2);
    expect(quotesOf(see(start(), 10_000, { free: { btc: '0.0039' }, orders }))).toHaveLength(1);
  });

  test('waits while the book has one side only, or there is no money', () => {
    const runner = start();
    expect(runner.handle(bookEvent('10000', null, MARKET), engineView())).toEqual([]);
    expect(see(runner, 10_000, { equity: '0' })).toEqual([]);
    expect(runner.failure).toBeNull();
    expect(quotesOf(see(runner, 10_000))).toHaveLength(2);
  });
});
