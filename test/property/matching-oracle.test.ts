import { expect, test } from 'vitest';
import { compareTapes } from '../../bench/matching.ts';
import { createOrderFlow } from '../../bench/order-flow.ts';

test.each([1, 2, 3, 4, 5, 6])(
  'the matching book and the typed door print the same trades as an independent order book on flow %i',
  (seed) => {
    const flow = createOrderFlow({
      seed,
      steps: 4_000,
      levels: 60,
      ordersPerLevel: 3,
      reach: 30,
      middle: 1_260_000_000,
      crossing: 12,
    });
    expect(compareTapes(flow)).toBeGreaterThan(500);
  },
);
