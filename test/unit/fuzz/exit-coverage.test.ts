import { expect, test } from 'vitest';
import { ExitCoverage } from '../../../src/fuzz/coverage.ts';
import { orderOf } from '../execution/algorithms/algorithm-table.ts';

const SALE = { side: 'sell', amount: 1n, price: null, stopPrice: null, stopLimitPrice: null } as never;

test('an exit is known by its order, not by the id of its intent, which a mirror that was put back gives again', () => {
  const coverage = new ExitCoverage();
  const before = orderOf(SALE, {
    key: 'bot-chaos-1-aaaa-1',
    intentId: 'i8w',
    exit: 'stop-loss',
    state: 'open',
  });
  const after = orderOf(SALE, { key: 'bot-chaos-1-bbbb-1', intentId: 'i8w', exit: null, state: 'open' });
  expect(coverage.order(before, true)).toEqual(['exits']);
  expect(coverage.order(after, true)).toEqual([]);
  expect([...coverage.names]).toEqual(['bot-chaos-1-aaaa-1']);
});
