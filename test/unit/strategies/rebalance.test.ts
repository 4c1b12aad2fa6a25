import { describe, expect, test } from 'vitest';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { target } from '../../support/intents.ts';
import rebalance from '../../../strategies/rebalance.ts';
import { bookEvent, engineView, type Seen } from '../strategy/engine-view.ts';
import { runnerOn } from '../../support/runner-on.ts';

const MARKET = 'BTCUSDT';
const event = bookEvent(99, 101, MARKET);
const book = event.kind === 'book' ? event.book : null;

const start = (params: Readonly<Record<string, unknown>> = {}): StrategyRunner =>
  runnerOn(rebalance, MARKET, '1h', { params });

function look(seen: Seen): unknown {
  const runner = start({ share: 0.5, bandBps: 200 });
  const intents = runner.handle({ kind: 'timer', name: 'look', dueMs: 0 }, engineView({ book, ...seen }));
  expect(runner.failure).toBeNull();
  return intents;
}

describe('rebalance', () => {
  test.each([
    ['buys when the coin has fallen below its band', '4.79', [target(MARKET, { equityShare: '0.5' })]],
    ['does nothing at the lower end of its band', '4.8', []],
    ['does nothing at its share', '5', []],
    ['does nothing at the upper end of its band', '5.2', []],
    ['sells when the coin has risen above its band', '5.21', [target(MARKET, { equityShare: '0.5' })]],
  ])('%s', (_, position, intents) => {
    expect(look({ position, equity: '1000' })).toEqual(intents);
  });

  test('waits while there is no price or nothing to share out', () => {
    expect(look({ position: '0', equity: null })).toEqual([]);
    expect(look({ position: '0', equity: '0' })).toEqual([]);
    expect(look({ position: '0', equity: '1000', book: null })).toEqual([]);
  });

  test('looks when its cron says so, and takes shares only', () => {
    const cron = '*/15 * * * *';
    expect(start({ cron }).subscriptions).toMatchObject([
      { kind: 'timer', name: 'look', cron },
      { kind: 'book' },
    ]);
    expect(() => start({ share: 1.5 })).toThrow('share: expected at most 1, was 1.5');
    expect(() => start({ cron: 'hourly' })).toThrow('expected a cron pattern');
  });
});
