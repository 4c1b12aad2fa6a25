import { expect, test } from 'vitest';
import type { LockRule } from '../../../src/engine/lock.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { buy } from '../../support/intents.ts';
import { EngineWorld } from './engine-world.ts';

const DRAWDOWN: LockRule = {
  kind: 'drawdown',
  name: 'drawdown',
  strategy: null,
  entries: 'keep',
  fallMillionths: 1,
  withinMs: 3_600_000,
  forMs: 3_600_000,
  reach: 'all',
};

test('a lock that has just begun outlasts kill -9', () => {
  const world = EngineWorld.ready({ settings: { locks: [DRAWDOWN] } });
  world.want(buy('BTCUSDT', { amount: '1', price: '101' }));
  world.fillNext().advance(60_000);
  world.quote('49', '51');
  for (let waitedMs = 0; world.engine.locks.active().length === 0 && waitedMs < 120_000; waitedMs += 100)
    world.advance(100);
  expect(world.engine.locks.active()).toMatchObject([{ name: 'drawdown' }]);
  world.restart({ losing: true });
  expect(world.engine.locks.active()).toMatchObject([{ name: 'drawdown' }]);
});

test.each([
  ['capital of all strategies', { capital: { usdt: parseUnits('1000') } }, 1],
  ["account's money where a strategy has no capital", {}, 0],
])('a drawdown of the bot is one of the %s', (_, settings, locks) => {
  const world = EngineWorld.ready({
    settings: { locks: [{ ...DRAWDOWN, fallMillionths: 40_000 }] },
    instances: [settings],
  });
  world.want(buy('BTCUSDT', { amount: '1', price: '101' }));
  world.fillNext().advance(60_000);
  world.quote('49', '51').advance(120_000);
  expect(world.engine.locks.active()).toHaveLength(locks);
});
