import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import type { DrainPolicy } from '../../../src/engine/engine-event.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { checkDrain, type DrainBeginning } from '../../../src/fuzz/checkers/budget-checker.ts';
import { SAME_ID, type ExchangeTruth } from '../../../src/fuzz/checkers/exchange-truth.ts';
import { orderIdOf } from '../../../src/venues/read-records.ts';
import { orderIn } from '../../support/order-value.ts';

const ENTRY = orderIn('open', { key: 'bot-one-1', side: 'buy', venueId: orderIdOf(1) });
const EXIT = orderIn('open', { key: 'bot-one-2', side: 'sell', venueId: orderIdOf(2) });

const drain = (policy: DrainPolicy): DrainBeginning => ({
  policy,
  strategies: [{ name: 'one', held: parseUnits('1'), orders: [ENTRY, EXIT] }],
});

/** Makes the orders of the exchange after the drain: those in `open` are open. */
const truth = (open: readonly OrderRecord[]): ExchangeTruth => ({
  orders: [ENTRY, EXIT].map((order, index) => ({
    id: index + 1,
    clientOrderId: order.clientOrderId,
    pairId: null,
    isStop: false,
    market: order.market,
    side: order.side,
    price: parseUnits('100'),
    amount: order.amount,
    matched: 0n,
    status: open.includes(order) ? 'Active' : 'Canceled',
    isOpen: open.includes(order),
    openedAtMs: 0,
    closedAtMs: open.includes(order) ? null : 1,
  })),
  fills: [],
  balances: new Map(),
});

describe('the checker of drains', () => {
  test.each<[DrainPolicy, string, readonly OrderRecord[]]>([
    ['keep', 'all', [ENTRY, EXIT]],
    ['keep-exits', 'the way out', [EXIT]],
    ['cancel', 'none', []],
  ])('lets pass that %s leaves %s open', (policy, _, open) => {
    expect(checkDrain(truth(open), drain(policy), { hasLockCanceled: false, idBehind: SAME_ID })).toEqual({
      violations: [],
      judged: 2,
    });
  });

  test.each<[DrainPolicy, string, readonly OrderRecord[], string]>([
    ['keep', 'an entry that is gone', [EXIT], 'bot-one-1'],
    ['keep-exits', 'an entry that is open', [ENTRY, EXIT], 'bot-one-1'],
    ['keep-exits', 'a way out that is gone', [], 'bot-one-2'],
    ['cancel', 'a way out that is open', [EXIT], 'bot-one-2'],
  ])('finds after %s %s', (policy, _, open, key) => {
    const { violations } = checkDrain(truth(open), drain(policy), {
      hasLockCanceled: false,
      idBehind: SAME_ID,
    });
    expect(violations.map(({ message }) => message)).toEqual([expect.stringContaining(`expected ${key} `)]);
  });

  describe('once a lock that cancels entries has begun', () => {
    test('lets pass that an entry is gone which the drain keeps', () => {
      expect(checkDrain(truth([EXIT]), drain('keep'), { hasLockCanceled: true, idBehind: SAME_ID })).toEqual({
        violations: [],
        judged: 1,
      });
    });

    test.each<DrainPolicy>(['keep', 'keep-exits'])('finds after %s a way out that is gone', (policy) => {
      const { violations } = checkDrain(truth([]), drain(policy), {
        hasLockCanceled: true,
        idBehind: SAME_ID,
      });
      expect(violations).toMatchObject([{ message: expect.stringContaining('bot-one-2') }]);
    });
  });
});
