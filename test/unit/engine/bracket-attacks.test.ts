import { describe, expect, it } from 'vitest';
import { formatUnits } from '../../../src/domain/money.ts';
import type { BracketWish } from '../../../src/strategy/intents.ts';
import { bracket, cancelAll } from '../../support/intents.ts';
import { EngineWorld } from './engine-world.ts';

const WISH: BracketWish = {
  entry: { amount: '1', price: '98' },
  takeProfit: { price: '110' },
  stopLoss: { price: '90' },
};

const openSales = (world: EngineWorld): readonly string[] =>
  world.venue
    .open()
    .filter(({ side }) => side === 'sell')
    .map(({ amount, price }) => `${formatUnits(amount)}@${formatUnits(price ?? 0n)}`)
    .toSorted();

/** Makes a world with brackets in one market whose entries have filled and whose exits rest. */
function held(...chosen: readonly BracketWish[]): EngineWorld {
  const world = EngineWorld.ready();
  world.answers.add('order');
  for (const wish of chosen) {
    world.want(bracket('BTCUSDT', wish));
    world.venue.fill(world.accept().id);
    world.advance(11_000);
    world.acceptPair();
  }
  return world;
}

describe('brackets that are used badly', () => {
  it('have an exit each where two are in one market, of no more than each has bought', () => {
    const world = held(WISH, { ...WISH, entry: { amount: '0.5', price: '97' } });
    expect(openSales(world)).toEqual(['0.499@110', '0.499@89.1', '0.998@110', '0.998@89.1']);
  });

  it('are refused beyond what may be at work, and by the risk checks before that, with numbers', () => {
    const world = EngineWorld.ready();
    for (let round = 0; round < 11; round += 1)
      world.want(
        ...Array.from({ length: 100 }, (_, index) =>
          bracket('BTCUSDT', {
            ...WISH,
            entry: { amount: '0.1', price: String(90 + index / 100) },
          }),
        ),
      );
    world.advance(1_000);
    const placed = world.requestsOf('place').length;
    const refused = world.eventsOf('reject').length;
    expect(placed + refused).toBe(1_100);
    expect(placed).toBeLessThanOrEqual(1_000);
  });

  it('are protected again when a person cancels one leg and the exchange leaves the other', () => {
    const world = held({ ...WISH, whenCanceled: 'replace' });
    const [first] = world.venue.open();
    world.venue.end(first?.id ?? null);
    world.advance(15_000);
    if (world.waitingKinds().includes('cancel')) world.endCanceled();
    world.advance(10_000);
    world.acceptPair();
    expect(openSales(world)).toEqual(['0.998@110', '0.998@89.1']);
  });

  it('wait for a person where somebody canceled one leg and the bot had to end the other', () => {
    const world = held(WISH);
    const [first] = world.venue.open();
    world.venue.end(first?.id ?? null);
    for (let waited = 0; waited < 12; waited += 1) {
      world.advance(5_000);
      if (world.waitingKinds().includes('cancel')) world.endCanceled();
    }
    expect(world.requestsOf('place-oco')).toHaveLength(1);
    expect(world.waitingKinds()).toEqual([]);
  });

  it('place nothing after all was canceled amid the move of an exit', () => {
    const world = EngineWorld.ready();
    world.answers.add('order');
    world.want(bracket('BTCUSDT', WISH));
    world.accept();
    world.venue.fill(world.order().venueId, '0.4');
    world.advance(11_000);
    world.acceptPair();
    world.venue.fill(world.orders()[0]?.venueId ?? null);
    world.advance(11_000);
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.want(cancelAll());
    world.endCanceled();
    world.advance(60_000);
    expect(world.requestsOf('place-oco')).toHaveLength(1);
    expect(openSales(world)).toEqual([]);
    expect(world.messages('warning')).toContain(
      'one: its bracket in BTCUSDT ended (canceled): 0.998 btc has no exit any more; ctx.protect places one',
    );
  });

  it('leave the position where that was asked for, and say so', () => {
    const world = held({ ...WISH, whenCanceled: 'leave' });
    for (const { id } of world.venue.open()) world.venue.end(id);
    world.advance(30_000);
    expect(world.requestsOf('place-oco')).toHaveLength(1);
    expect(world.messages('info')).toContain(
      'one: its bracket in BTCUSDT is over: its exit was canceled by somebody else, and 0.998 btc has none',
    );
  });

  it('have their exit as soon as orders are taken again, however often the process died before', () => {
    const world = held({ ...WISH, whenCanceled: 'replace' });
    for (const { id } of world.venue.open()) world.venue.end(id);
    world.advance(1_000);
    for (let life = 0; life < 5; life += 1) {
      world.failing = { kind: 'trades', code: 'TIMED_OUT' };
      world.restart();
      world.advance(12_000);
    }
    expect(world.requestsOf('place-oco')).toHaveLength(1);
    world.failing = null;
    world.advance(8_000);
    expect(world.eventsOf('reject')).toEqual([]);
    world.acceptPair();
    expect(openSales(world)).toEqual(['0.998@110', '0.998@89.1']);
  });

  it('wait with a move while trading is closed, since what rests protects', () => {
    const world = EngineWorld.ready();
    world.answers.add('order');
    world.want(bracket('BTCUSDT', WISH));
    world.accept();
    world.venue.fill(world.order().venueId, '0.4');
    world.advance(11_000);
    world.acceptPair();
    world.failing = { kind: 'trades', code: 'TIMED_OUT' };
    world.restart();
    world.venue.fill(world.orders()[0]?.venueId ?? null);
    world.advance(60_000);
    expect(world.waitingKinds()).toEqual([]);
    expect(openSales(world)).toEqual(['0.399@110', '0.399@89.1']);
    world.failing = null;
    world.advance(30_000);
    expect(world.waitingKinds()).toEqual(['cancel']);
  });
});
