import { expect, it } from 'vitest';
import { readRecord } from '../../../src/engine/stored-records.ts';
import { whyNoOrders } from '../../../src/mirror/strategy-status.ts';
import { EngineWorld, WISH } from './engine-world.ts';
import { english } from '../../../src/language/sentence.ts';

const keptOf = (world: EngineWorld) => {
  world.mirror.flush();
  return Object.entries(world.mirror.load(0).stored).map(([name, json]) => ({ name, json: json ?? '' }));
};

it('is not well while this machine is too slow to send, until a request leaves', () => {
  const world = EngineWorld.ready();
  world.answers.clear();
  world.want(WISH);
  world.unsend('place', 'this machine is too slow');
  expect(english(world.order().reason)).toBe('NotSent: this machine is too slow');
  expect(english(world.engine.slowMachine.fault())).toContain(
    'nothing but cancels leaves: this machine takes too long',
  );
  expect(whyNoOrders(keptOf(world))).toBe(world.engine.slowMachine.fault());
  for (const kind of ['orders', 'trades', 'wallets', 'book'] as const) world.answers.add(kind);
  world.advance(10_000);
  expect(world.engine.slowMachine.fault()).toBeNull();
  expect(readRecord(keptOf(world), 'slow-machine')).toEqual({ sinceMs: null });
  expect(world.messages('warning').filter((text) => text.startsWith('requests leave again'))).toHaveLength(1);
});

it('does not say after a restart what was so before it', () => {
  const world = EngineWorld.ready();
  world.answers.clear();
  world.want(WISH);
  world.unsend('place', 'this machine is too slow');
  world.restart();
  expect(world.engine.slowMachine.fault()).toBeNull();
  world.advance(10);
  expect(whyNoOrders(keptOf(world))).toBeNull();
});
