import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '#sdk';
import { generateBars, runStrategy } from '#testing';

test('a run on bars tells its strategies that it is over, and what rests then stays', () => {
  const strategy = defineStrategy({
    name: 'teller',
    params: z.strictObject({}),
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars(ctx, { close }) {
        if (ctx.orders.length === 0) ctx.buy({ amount: 1, price: close * 0.97 });
      },
      stop: ({ log }, { reason }) => log(`over: ${reason}`),
    },
  });
  const run = runStrategy(strategy, { bars: generateBars({ count: 5, seed: 1 }) });
  expect(run.log).toEqual(['over: the run is ending']);
  expect(run.orders).toMatchObject([{ state: 'open' }]);
});

test('a log that is too long says how many of its lines are not kept', () => {
  const strategy = defineStrategy({
    name: 'talker',
    params: z.strictObject({}),
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars({ log }) {
        for (let line = 0; line < 20; line += 1) log(`line ${line}`);
      },
    },
  });
  const { log } = runStrategy(strategy, { bars: generateBars({ count: 60, seed: 1 }) });
  expect(log).toHaveLength(1_001);
  expect(log[0]).toBe('200 earlier lines are not kept: the log has the last 1,000');
});
