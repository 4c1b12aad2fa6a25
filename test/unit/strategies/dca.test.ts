import { describe, expect, test } from 'vitest';
import type { OrderBook } from '../../../src/domain/order-book.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { buy } from '../../support/intents.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import dca from '../../../strategies/dca.ts';
import { bookEvent, engineView } from '../strategy/engine-view.ts';
import { runnerOn } from '../../support/runner-on.ts';

const start = (market: string, params: Readonly<Record<string, unknown>> = {}): StrategyRunner =>
  runnerOn(dca, market, '1h', { params });

const bookAt = (ask: string): OrderBook | null => {
  const event = bookEvent('1', ask);
  return event.kind === 'book' ? event.book : null;
};

const due = (runner: StrategyRunner, book: OrderBook | null): readonly Intent[] =>
  runner.handle({ kind: 'timer', name: 'due', dueMs: 0 }, engineView({ book }));

describe('dca', () => {
  test('buys for its money at the best price whenever its time has come', () => {
    const runner = start('BTCUSDT', { spend: 50, cron: '0 12 * * 1' });
    expect(runner.subscriptions).toMatchObject([{ kind: 'timer', cron: '0 12 * * 1' }, { kind: 'book' }]);
    expect(due(runner, bookAt('400'))).toEqual([buy('BTCUSDT', { value: '50' })]);
    expect(due(runner, bookAt('800'))).toEqual([buy('BTCUSDT', { value: '50' })]);
    expect(runner.handle(bookEvent('1', '2', 'BTCUSDT'), engineView())).toEqual([]);
  });

  test('buys once, with the next book, when there was none at its time, also after a restart', () => {
    const before = start('BTCUSDT', { spend: 50 });
    expect(due(before, null)).toEqual([]);
    const runner = start('BTCUSDT', { spend: 50 });
    runner.restore(before.stateJson());
    expect(runner.handle(bookEvent('1', null, 'BTCUSDT'), engineView())).toEqual([]);
    expect(runner.handle(bookEvent('1', '400', 'BTCUSDT'), engineView())).toHaveLength(1);
    expect(runner.handle(bookEvent('1', '400', 'BTCUSDT'), engineView())).toEqual([]);
  });

  test('has a sum for every currency where nobody said how much', () => {
    expect(due(start('BTCUSDT'), bookAt('20000'))).toEqual([buy('BTCUSDT', { value: '20' })]);
    expect(due(start('BTCIRT'), bookAt('20000000000'))).toEqual([buy('BTCIRT', { value: '20000000' })]);
  });
});
