import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CandleStore } from '../../../src/simulator/candle-series.ts';

test('a bar has the same value to the last step whether its trades come as numbers or as bigints, and however often it is read', () => {
  const trade = fc.record({
    second: fc.integer({ min: 0, max: 200 }),
    steps: fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 2 ** 50, max: 2 ** 52 - 1 })),
    isNumber: fc.boolean(),
    isLookedAt: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(trade, { minLength: 1, maxLength: 40 }), (trades) => {
      const series = new CandleStore();
      const ordered = trades.toSorted((left, right) => left.second - right.second);
      for (const { second, steps, isNumber, isLookedAt } of ordered) {
        series.onTrade({
          timeMs: second * 1_000,
          price: 7,
          amount: 1,
          steps: isNumber ? steps : BigInt(steps),
        });
        if (isLookedAt) series.bars('1m');
      }
      const sum = ordered.reduce((total, { steps }) => total + BigInt(steps), 0n);
      for (const timeframe of ['1m', '1h'] as const)
        expect(series.bars(timeframe).reduce((total, { value }) => total + value, 0n)).toBe(sum);
    }),
  );
});
