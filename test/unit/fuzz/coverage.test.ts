import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { addCounts, Coverage, missingFrom, ExitCoverage } from '../../../src/fuzz/coverage.ts';
import { orderIn, plannedOrder } from '../../support/order-value.ts';
import { orderOf } from '../execution/algorithms/algorithm-table.ts';
import { intentRecord } from '../mirror/mirror-fixture.ts';

describe('the coverage of a run', () => {
  test('counts an order once, and how it ended where its fate was unknown', () => {
    const coverage = new Coverage();
    for (const state of ['planned', 'sending', 'unknown', 'open', 'settling', 'filled'] as const)
      coverage.order(orderIn(state, { key: 'one' }));
    for (const state of ['planned', 'sending', 'rejected'] as const)
      coverage.order(orderIn(state, { key: 'two' }));
    expect(coverage.counts()).toEqual({
      orders: 2,
      'ended filled': 1,
      'ended rejected': 1,
      'unknown, in the end filled': 1,
    });
  });

  test('counts pairs, second legs that trade and orders that are sent again', () => {
    const coverage = new Coverage();
    const filled = parseUnits('0.5');
    coverage.order(plannedOrder({ key: 'one', pairKey: 'one/2' }));
    coverage.order(plannedOrder({ key: 'one/2', pairKey: 'one' }));
    coverage.order(orderIn('open', { key: 'one/2', pairKey: 'one' }));
    coverage.order(orderIn('open', { key: 'one/2', pairKey: 'one', filled, attempts: 2 }));
    expect(coverage.counts()).toEqual({ orders: 2, ocos: 1, 'second legs executed': 1, 'sent again': 1 });
  });

  test('counts an order that turned up after a rejection, once and not as another', () => {
    const coverage = new Coverage();
    for (const state of ['sending', 'rejected', 'open', 'filled'] as const)
      coverage.order(orderIn(state, { key: 'one' }));
    expect(coverage.counts()).toMatchObject({ orders: 1, 'orders that turned up after a rejection': 1 });
  });

  test('counts the orders of shares, those that come after a sale, and what is refused for money', () => {
    const coverage = new Coverage();
    const intent = intentRecord({ id: 'i1', kind: 'targets', market: null, json: '{}' });
    coverage.intent({ ...intent, status: 'working', reason: null });
    coverage.order(plannedOrder({ key: 'one', side: 'sell' }));
    coverage.order(plannedOrder({ key: 'two', side: 'buy' }));
    coverage.intent({ ...intent, status: 'done', reason: 'reached' });
    coverage.order(plannedOrder({ key: 'three' }));
    const reason = 'expected at most 1 USDT to be spent, was 2: the account has 1';
    coverage.intent({ ...intent, id: 'i2', kind: 'place', status: 'refused', reason });
    expect(coverage.counts()).toEqual({
      'intent targets': 1,
      orders: 3,
      'orders for shares': 1,
      'shares sold for, then bought': 1,
      'refused for want of money': 1,
    });
  });

  test('counts a crash once for each state in which there are orders', () => {
    const coverage = new Coverage();
    coverage.order(orderIn('open', { key: 'one' }));
    coverage.order(orderIn('open', { key: 'two' }));
    coverage.order(orderIn('unknown', { key: 'three' }));
    coverage.order(orderIn('cancelled', { key: 'four' }));
    coverage.crash('at an answer');
    expect(coverage.counts()).toMatchObject({
      crashes: 1,
      'crash at an answer': 1,
      'crash with an order open': 1,
      'crash with an order unknown': 1,
    });
    expect(coverage.counts()).not.toHaveProperty('crash with an order cancelled');
  });

  test('counts limits and refused credentials as lockouts, other failures not', () => {
    const coverage = new Coverage();
    for (const code of ['RATE_LIMITED', 'UNAUTHORIZED', 'TIMED_OUT'] as const)
      coverage.answer({ outcome: 'failed', code, message: '', effect: 'none' });
    expect(coverage.counts()).toMatchObject({ 'answer failed': 3, lockouts: 2 });
  });

  test('adds up over seeds, and names what none has met', () => {
    const sum = addCounts([
      { orders: 2, lockouts: 0 },
      { orders: 1, fills: 4 },
    ]);
    expect(sum).toEqual({ fills: 4, lockouts: 0, orders: 3 });
    expect(missingFrom(sum, 24)).toContain('lockouts');
    expect(missingFrom(sum, 24)).not.toContain('orders');
  });
});

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
