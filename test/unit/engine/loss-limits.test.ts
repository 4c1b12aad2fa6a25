import { expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { createRiskLimits, type RiskLimits } from '../../../src/engine/risk-limits.ts';
import { buy } from '../../support/intents.ts';
import { EngineWorld, WISH } from './engine-world.ts';
import { english } from '../../../src/language/sentence.ts';

const DAY_MS = 86_400_000;

const worldWith = (limits: Partial<RiskLimits>): EngineWorld =>
  EngineWorld.answering({ instances: [{ limits: createRiskLimits(limits) }] });

/** Buys a coin at 98, after which the price falls to 60. */
const lose = (world: EngineWorld): void => {
  world.bought(WISH).advance(4_000);
  world.quote('59', '61').advance(5_000);
};

const heldBy = (world: EngineWorld) => world.record('loss-limits');

const said = (world: EngineWorld, text: string): number =>
  [...world.messages('warning'), ...world.messages('info')].filter((message) => message.includes(text))
    .length;

it('says once that a limit on losses lets no new risk pass, and once that it is over', () => {
  const world = worldWith({ maxDailyLoss: { rls: null, usdt: parseUnits('20') } });
  lose(world);
  expect(heldBy(world)).toBeNull();
  for (const price of ['58', '57', '56']) world.want(buy('BTCUSDT', { amount: '1', price }));
  expect(heldBy(world)).toMatchObject([{ strategy: 'one', check: 'daily-loss' }]);
  expect(english(heldBy(world)?.[0]?.reason ?? null)).toContain('above the limit of 20 USDT');
  expect(said(world, 'one: no new risk from now on: the loss of the day')).toBe(1);
  world.quote('97', '99').advance(15_000);
  expect(heldBy(world)).toEqual([]);
  expect(said(world, 'one: new risk passes again')).toBe(1);
});

it('ends with the day, though the strategy wants nothing', () => {
  const world = worldWith({ maxDailyLoss: { rls: null, usdt: parseUnits('20') } });
  lose(world);
  world.want(buy('BTCUSDT', { amount: '1', price: '58' })).advance(DAY_MS - (world.nowMs % DAY_MS) + 10_000);
  expect(heldBy(world)).toEqual([]);
});

it('is known after a restart, and over where the limit was raised by then', () => {
  const world = worldWith({ maxDrawdown: { rls: null, usdt: parseUnits('20') } });
  lose(world);
  world.want(buy('BTCUSDT', { amount: '1', price: '58' }));
  const before = heldBy(world);
  expect(before).toMatchObject([{ check: 'drawdown' }]);
  world.restart().advance(15_000);
  expect(heldBy(world)).toEqual(before);
  expect(said(world, 'no new risk from now on')).toBe(1);
  world.restart({ options: { instances: [{ limits: createRiskLimits() }] } }).advance(15_000);
  expect(heldBy(world)).toEqual([]);
});
