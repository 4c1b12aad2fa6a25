import { expect, test } from 'vitest';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import type { Book } from '../../../src/strategy/sdk.ts';
import { vandalize } from '../../support/vandal.ts';
import { EngineWorld } from './engine-world.ts';

const watching = (name: string, look: (seen: Book | null, context: object) => void): StrategyDefinition =>
  defineStrategy({
    name,
    data: ({ market }) => ({ book: market.book() }),
    on: { book: (ctx) => look(ctx.data.book, ctx) },
  });

const level = (price: number) => ({ price, amount: 5, exact: { price: String(price), amount: '5' } });

test('a book that one strategy tries to change is the same for the next one and for the risk checks', () => {
  const seen: (Book | null)[] = [];
  const world = EngineWorld.ready({
    strategies: [
      watching('vandal', (shown, context) => {
        vandalize(context);
        ((shown as Book).asks as unknown[]).push('vandal');
      }),
      watching('witness', (shown) => void seen.push(shown)),
    ],
    instances: [{}, {}],
  });
  world.advance(1_000);
  const [vandal, witness] = world.engine.instances;
  expect(vandal?.reason).toMatch(/^on.book: Cannot add property 1, object is not extensible/);
  expect(witness?.status).toBe('running');
  expect(seen.at(-1)).toMatchObject({ bids: [level(99)], asks: [level(101)] });
  const kept = world.engine.markets.get('BTCUSDT')?.book;
  expect(kept).toMatchObject({ bids: [['99', '5']], asks: [['101', '5']] });
  expect(kept).not.toBe(seen.at(-1));
});
