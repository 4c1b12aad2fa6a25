import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import { buy } from '../../../src/strategy/intents.ts';
import { candles } from '../../../src/strategy/subscriptions.ts';
import { runBars, TETHER, walkOf } from './candle-run.ts';

test('a run has each order once, as it was in the end, in the order in which they were planned', () => {
  const strategy = defineStrategy({
    name: 'patient',
    params: z.strictObject({}),
    subscribe: ({ market }) => [candles(market, '1h')],
    init: () => ({ bars: 0 }),
    onCandle: ({ market, state }, { close }) => ({
      state: { bars: state.bars + 1 },
      intents:
        state.bars > 0
          ? []
          : [
              buy(market, { amount: '0.001', price: '45000', tag: 'deep' }),
              buy(market, { amount: '0.001', price: close, tag: 'near' }),
              buy(market, { amount: '0.001', tag: 'now' }),
              buy(market, { amount: '1000', price: close, tag: 'much' }),
            ],
    }),
  });
  const columns = walkOf(TETHER, { bars: 50, seed: 5, price: 60_000 });
  const { orders } = runBars({ market: TETHER, columns, strategy, cash: '10000' });
  expect(orders.map(({ tag, state }) => `${tag} ${state}`)).toEqual([
    'deep open',
    'near filled',
    'now filled',
    'much rejected',
  ]);
});
