import { expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { buy } from '../../support/intents.ts';
import { issue } from '../../support/issue.ts';
import { EngineWorld, WISH } from './engine-world.ts';

/** Makes a strategy that places its list of intents with the next book, and records refusals. */
function wisher(name: string, chosen: Intent[], refusals: string[]): StrategyDefinition {
  return defineStrategy({
    name,
    data: ({ market }) => ({ book: market.book() }),
    on: {
      book: (ctx) => issue(ctx, chosen.splice(0)),
      reject: (_, { reason }) => void refusals.push(reason),
    },
  });
}

it('an order is held against what all strategies together have, not against its own alone', () => {
  const [first, second]: [Intent[], Intent[]] = [[], []];
  const refusals: string[] = [];
  const world = EngineWorld.ready({
    strategies: [wisher('one', first, refusals), wisher('two', second, refusals)],
    instances: [
      {},
      { limits: createRiskLimits({ maxMarketExposure: { rls: null, usdt: parseUnits('150') } }) },
    ],
  });
  world.answers.add('order');
  first.push(WISH);
  world.advance(2_000);
  world.fillNext().advance(15_000);
  expect(world.order()).toMatchObject({ strategy: 'one', state: 'filled' });
  second.push(buy('BTCUSDT', { amount: '0.6', price: '98' }));
  world.advance(2_000);
  expect(refusals.join()).toContain('exposure');
  expect(world.waitingKinds()).not.toContain('place');
  second.push(buy('BTCUSDT', { amount: '0.4', price: '98' }));
  world.advance(2_000);
  expect(world.pending('place').call.order.amount).toBe(parseUnits('0.4'));
});
