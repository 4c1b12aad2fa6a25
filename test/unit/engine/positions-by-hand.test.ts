import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatUnits } from '../../../src/domain/money.ts';
import type { PositionCommand } from '../../../src/engine/engine-event.ts';
import { profitText } from '../../../src/portfolio/profit.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import { EngineWorld } from './engine-world.ts';
import { english } from '../../../src/language/sentence.ts';

/** Makes a strategy that buys one coin with a bracket at its first book, or does nothing. */
function strategy(name: string, buys: boolean): StrategyDefinition {
  return defineStrategy({
    name,
    state: z.strictObject({ hasBegun: z.boolean().default(false) }),
    data: ({ market }) => ({ book: market.book() }),
    on: {
      book(ctx) {
        if (!buys || ctx.state.hasBegun) return;
        ctx.setState({ hasBegun: true });
        ctx.bracket({
          entry: { amount: '1', price: '98' },
          takeProfit: { price: '110' },
          stopLoss: { price: '90' },
        });
      },
    },
  });
}

/** Makes a world with two strategies; `one` holds 0.998 BTC, and the account had 10 BTC before. */
function open(): EngineWorld {
  const world = new EngineWorld({
    strategies: [strategy('one', true), strategy('two', false)],
    instances: [{}, {}],
  });
  world.answers.add('order');
  world.advance(3_000);
  world.fillNext().advance(11_000);
  world.acceptPair();
  return world;
}

/** Makes a world as `open` does, after somebody else has canceled the exit of `one`. */
function canceled(): EngineWorld {
  const world = open();
  world.endAll().advance(20_000);
  return world;
}

function say(world: EngineWorld, act: PositionCommand['act'], of: Partial<PositionCommand> = {}): string {
  const key = of.key ?? `${act}-${world.nowMs}`;
  const command: PositionCommand = {
    kind: 'position',
    key,
    act,
    strategy: 'one',
    to: null,
    market: 'BTCUSDT',
    amount: null,
    price: null,
    ...of,
  };
  world.control({ ...command, key }).advance(5_000);
  const end = world.engine.byHand.stateOf(key)?.end;
  const said = english(end?.message ?? 'nothing');
  return end?.ok === true ? said : `not done: ${said}`;
}

const held = (world: EngineWorld, name: string): string => {
  const instance = world.engine.instances.find((one) => one.name === name);
  return instance === undefined ? '' : formatUnits(instance.held('btc'));
};

const profit = (world: EngineWorld, name: string) => {
  const instance = world.engine.instances.find((one) => one.name === name);
  return instance === undefined
    ? null
    : profitText(instance.ledger, (symbol) => world.engine.markets.priceOf(symbol));
};

const pairs = (world: EngineWorld): number => world.requestsOf('place-oco').length;

describe('what a person says of a position whose exit somebody else canceled', () => {
  it('that it is there places the exit again, once', () => {
    const world = canceled();
    expect(pairs(world)).toBe(1);
    const key = 'said-once';
    expect(say(world, 'adopt', { key })).toBe(
      'what one holds (0.998 BTC) is there: its exit is placed again',
    );
    expect(pairs(world)).toBe(2);
    world.acceptPair();
    world.endAll().advance(20_000);
    say(world, 'adopt', { key });
    expect(pairs(world)).toBe(2);
  });

  it('that it was sold ends the bracket and takes it out of the books, and no other coin is sold', () => {
    const world = canceled();
    expect(say(world, 'write-off', { price: '108' })).toBe(
      '0.998 BTC were taken out of the books of one at 108',
    );
    world.advance(3_600_000);
    expect([held(world, 'one'), pairs(world), world.waitingKinds()]).toEqual(['0', 1, []]);
    // The coin was bought for 98, with a fee of 0.002 BTC.
    expect(profit(world, 'one')).toMatchObject({ realised: '9.784', open: '0', profit: '9.784' });
  });

  it('that it is another strategy’s moves it at the price of now, and both have neither gained nor lost', () => {
    const world = canceled();
    const before = [profit(world, 'one')?.profit, profit(world, 'two')?.profit];
    expect(say(world, 'move', { to: 'two', amount: '0.5' })).toMatch(/^0.5 BTC went from one to two at \d/);
    expect([held(world, 'one'), held(world, 'two')]).toEqual(['0.498', '0.5']);
    expect([profit(world, 'one')?.profit, profit(world, 'two')?.profit]).toEqual(before);
    // The coins that are left get a new exit.
    expect(pairs(world)).toBe(2);
  });
});

describe('a note of a person', () => {
  it('is stored once under its key, also over a restart, and an empty one removes it', () => {
    const world = open();
    const note = (key: string, text: string, ...tags: string[]): string => {
      world.control({ kind: 'note', key, entry: 'k1', text, tags, by: 'ali' }).advance(1_000);
      return english(world.engine.byHand.stateOf(key)?.end?.message ?? '');
    };
    expect(note('one', 'late', 'a', 'b', 'a')).toBe('the note on k1 is stored');
    expect(world.mirror.notes).toMatchObject([{ entry: 'k1', text: 'late', tags: '["a","b"]', by: 'ali' }]);
    world.restart().advance(5_000);
    expect([note('one', 'late', 'a'), world.mirror.notes.length]).toEqual(['the note on k1 is stored', 1]);
    expect(note('tags', '', 'a')).toBe('the note on k1 is stored');
    expect([note('two', ''), world.mirror.notes.at(-1)]).toEqual(['the note on k1 is removed', 'k1']);
  });
});

describe('what a person says of coins', () => {
  it('can not be of coins that an order sells', () => {
    const world = open();
    expect(say(world, 'write-off')).toBe(
      'not done: one holds 0.998 BTC, of which 0 are in no order: cancel what sells the rest first, or say a smaller amount',
    );
    expect(held(world, 'one')).toBe('0.998');
  });

  it('gives a strategy coins that were there before, and no more than nobody holds', () => {
    const world = open();
    expect(say(world, 'adopt', { strategy: 'two', amount: '10.1' })).toBe(
      'not done: the account has 10 BTC that no strategy holds: two can adopt no more',
    );
    expect(say(world, 'adopt', { strategy: 'two', amount: '10', price: '50' })).toBe(
      'two has adopted 10 BTC at 50',
    );
    expect([held(world, 'one'), held(world, 'two')]).toEqual(['0.998', '10']);
    world.restart().advance(5_000);
    expect(held(world, 'two')).toBe('10');
  });

  it.each<[PositionCommand['act'], Partial<PositionCommand>, RegExp]>([
    ['adopt', { strategy: 'nobody' }, /no strategy nobody/],
    ['move', { to: 'one' }, /another strategy of this bot to move it to, was one/],
    ['adopt', { market: 'ETHUSDT', amount: '1' }, /one of the markets of one, BTCUSDT, was ETHUSDT/],
    ['write-off', { strategy: 'two', amount: '1' }, /two holds 0 BTC/],
    ['adopt', {}, /nothing was unclear: one holds 0.998 BTC/],
  ])('is refused, or changes nothing, where it makes no sense: %s %j', (act, of, message) => {
    const world = open();
    expect(say(world, act, of)).toMatch(message);
    expect([held(world, 'one'), held(world, 'two')]).toEqual(['0.998', '0']);
  });

  it('is in the books once, whenever the process dies', () => {
    const world = canceled();
    const key = 'amid-it';
    say(world, 'write-off', { key, amount: '0.3' });
    world.restart({ losing: true }).advance(5_000);
    expect(say(world, 'write-off', { key, amount: '0.3' })).toMatch(/^0.3 BTC were taken out/);
    expect(held(world, 'one')).toBe('0.698');
  });

  it('clears coins that are missing', () => {
    const world = canceled();
    world.deposit('btc', '-10.5').advance(200_000);
    expect(say(world, 'adopt')).toBe(
      'not done: the account has 0.5 BTC less than its strategies hold: write that off first, or bring it back',
    );
    expect(say(world, 'write-off', { amount: '0.5' })).toMatch(/^0.5 BTC were taken out/);
    world.advance(60_000);
    expect([held(world, 'one'), pairs(world)]).toEqual(['0.498', 2]);
  });
});
