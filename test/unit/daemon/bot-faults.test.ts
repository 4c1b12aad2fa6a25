import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FaultRule } from '../../../src/simulator/faults/fault-rule.ts';
import type { StrategyDefinition } from '../../../src/strategy/definition.ts';
import { book, buy, cancel, quotes, sell } from '../../../src/strategy/sdk.ts';
import { runWithFaults } from './faulty-world.ts';

/** At each look at the book one of three orders: at the market, through the book, and one that rests. */
const churn: StrategyDefinition = {
  name: 'churn',
  params: z.strictObject({}),
  subscribe: ({ market }) => [book(market)],
  init: () => 0,
  onBook({ state, market, orders }, { bids }) {
    const looks = (state as number) + 1;
    const best = bids[0]?.[0] ?? '60000000000';
    const amount = `0.00${1_000 + (looks % 97)}`;
    const wish =
      looks % 3 === 0
        ? buy(market, { amount })
        : looks % 3 === 1
          ? sell(market, { amount, price: best })
          : buy(market, { amount, price: String((BigInt(best) * 995n) / 1_000n) });
    const oldest = looks % 4 === 0 ? orders.slice(0, 1).map(({ clientOrderId }) => cancel(clientOrderId)) : [];
    return { state: looks, intents: [wish, ...oldest] };
  },
};

/** Quotes both sides anew at each look. */
const quoter: StrategyDefinition = {
  name: 'quoter',
  params: z.strictObject({}),
  subscribe: ({ market }) => [book(market)],
  init: () => null,
  onBook({ market }, { bids, asks }) {
    const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]];
    if (bid === undefined || ask === undefined) return {};
    return {
      intents: [
        quotes(market, [
          { side: 'buy', price: bid, amount: '0.01' },
          { side: 'sell', price: ask, amount: '0.01' },
        ]),
      ],
    };
  },
};

const CASES: readonly (readonly [name: string, rules: readonly FaultRule[]])[] = [
  ['nothing goes wrong', []],
  ['replies come after the time-out', [{ kind: 'delay', probability: 0.15, delayMs: 30_000 }]],
  ['requests arrive long after their sender gave up', [{ kind: 'late', probability: 0.1, delayMs: 100_000 }]],
  ['requests are lost', [{ kind: 'lost', probability: 0.15 }]],
  ['replies are lost', [{ kind: 'reply-lost', probability: 0.15 }]],
  ['connections are reset', [{ kind: 'reset', probability: 0.15 }]],
  ['the server fails', [{ kind: 'server-error', probability: 0.15 }]],
  ['the server fails after it did what it was asked', [{ kind: 'server-error', probability: 0.15, isHandled: true }]],
  ['replies are cut off', [{ kind: 'truncated', probability: 0.15 }]],
  ['lists lag', [{ kind: 'lagging-lists', probability: 0.7, lagMs: 8_000 }]],
  ['trades come in another order than their ids', [{ kind: 'shuffled-trades' }]],
  ['fields are missing', [{ kind: 'missing-fields', probability: 0.5 }]],
  [
    'all of it goes wrong at once',
    [
      ...(['delay', 'late', 'lost', 'reply-lost', 'reset', 'truncated'] as const).map((kind) => ({
        kind,
        probability: 0.04,
        delayMs: 40_000,
      })),
      { kind: 'lagging-lists', probability: 0.5, lagMs: 5_000 },
      { kind: 'shuffled-trades', probability: 0.5 },
    ],
  ],
];

describe('the bot', () => {
  test.each(CASES)('knows each of its orders and fills once and leaves none open when %s', async (_, rules) => {
    const run = await runWithFaults({ rules, strategies: [quoter, churn], forMs: 6 * 60_000 });
    expect(run.exchangeOrders.length).toBeGreaterThan(10);
    expect(run.exchangeFills.length).toBeGreaterThan(10);
    expect(run.mirrorOrders).toEqual(run.exchangeOrders);
    expect(run.mirrorFills).toEqual(run.exchangeFills);
    expect({ unfinished: run.unfinished, open: run.open, limited: run.limited }).toEqual({
      unfinished: 0,
      open: 0,
      limited: 0,
    });
  });

  test('takes an order whose request was lost for one that never was only when it can no longer arrive', async () => {
    const rules: FaultRule[] = [{ kind: 'lost', endpoints: ['addOrder'], requests: [1] }];
    const run = await runWithFaults({ rules, strategies: [quoter], forMs: 60_000 });
    const early = await runWithFaults({ rules, strategies: [quoter], forMs: 200_000 });
    expect([run.unfinished, early.unfinished]).toEqual([0, 0]);
    expect(run.notices.some((notice) => notice.startsWith('waiting for the exchange'))).toBe(true);
  });
});
