import { describe, expect, it } from 'vitest';
import { buy, cancelAll } from '../../support/intents.ts';
import { EngineWorld, type WorldOptions } from './engine-world.ts';
import { sentence } from '../../../src/language/sentence.ts';

const WISH = buy('BTCUSDT', { amount: '1', price: '98', tag: 'first' });
const RESENDING: WorldOptions = { settings: { resendUnknown: true } };

/**
 * Time that the proof of an order's absence takes, in ms: the last possible arrival after 120 s, two passes
 * 10 s apart, and the trades after them.
 */
const PROOF_MS = 145_000;

/** Makes an order whose request was not answered. `arrives`: the exchange has it. */
function lost(way: { readonly arrives: boolean; readonly options?: WorldOptions }): EngineWorld {
  const world = EngineWorld.ready(way.options).want(WISH);
  if (way.arrives) world.venue.place(world.pending('place').call.order);
  world.fail('place');
  expect(world.order()).toMatchObject({ state: 'unknown' });
  return world;
}

/** Makes such an order that the exchange does not find by its own id. */
const unfound = (way: Parameters<typeof lost>[0]) => lost(way).refuse('order', 'NotFound');

/** Makes an order that never arrived, was proven absent, and was sent once more. */
function resent(): EngineWorld {
  const world = unfound({ arrives: false, options: RESENDING }).advance(PROOF_MS);
  expect(world.order()).toMatchObject({ state: 'sending', attempts: 2 });
  return world;
}

describe('an order without an answer', () => {
  it('is looked up by its own id at once, and opens when that finds it', () => {
    const world = lost({ arrives: true });
    const { call } = world.pending('order');
    expect(call).toMatchObject({ venueId: null, clientOrderId: world.order().clientOrderId });
    world.give('order', world.venue.read(call));
    expect(world.order()).toMatchObject({ state: 'open' });
  });

  it('stays unknown when nobody knows its id, and is found by the list of open orders', () => {
    const world = unfound({ arrives: true });
    expect(world.order().state).toBe('unknown');
    world.advance(5_100);
    expect(world.order().state).toBe('open');
  });

  it('is found by a pass over all orders when it was there and has ended', () => {
    const world = lost({ arrives: true });
    world.venue.end(world.venue.orders[0]?.id);
    world.refuse('order', 'NotFound');
    world.answers.add('order');
    world.advance(1_200);
    expect(world.order()).toMatchObject({ state: 'cancelled', venueStatus: 'Canceled' });
  });

  it('is found by a pass that turns many pages', () => {
    const world = EngineWorld.ready().want(WISH);
    for (let count = 0; count < 12; count += 1) {
      const { id } = world.venue.placeByHand('sell', '1', String(200 + count));
      world.venue.end(id);
    }
    const order = world.venue.place(world.pending('place').call.order);
    world.venue.end(order.id);
    world.fail('place');
    world.refuse('order', 'NotFound');
    world.answers.add('order');
    world.advance(1_500);
    expect(world.order()).toMatchObject({ state: 'cancelled', venueId: order.id });
  });

  it('takes in a trade that came before its order was known, once', () => {
    const world = lost({ arrives: true });
    const id = world.venue.orders[0]?.id;
    world.venue.hidden.add(id);
    world.refuse('order', 'NotFound');
    world.fill(id, '0.4').advance(30_000);
    expect(world.order()).toMatchObject({ state: 'unknown', filled: 0n });
    world.venue.hidden.clear();
    world.advance(80_000);
    expect(world.order()).toMatchObject({ state: 'open', filled: 4_000_000_000n });
    expect(world.eventsOf('fill')).toHaveLength(1);
  });

  it('keeps its worst case reserved, and never counts as rejected before the proof', () => {
    const world = unfound({ arrives: false }).advance(125_000);
    expect(world.order().state).toBe('unknown');
    expect(world.engine.status()).toMatchObject({ liveOrders: 1, unsettled: 1 });
    expect(world.eventsOf('reject')).toEqual([]);
  });

  it('is rejected once it is proven that it never arrived, and the strategy is notified', () => {
    const world = unfound({ arrives: false }).advance(PROOF_MS);
    expect(world.order()).toMatchObject({ state: 'rejected', reason: sentence('order-never-arrived') });
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'NeverArrived', tag: 'first' }]);
    expect(world.requestsOf('place')).toHaveLength(1);
  });

  it('is proven absent by no list that fails', () => {
    const world = unfound({ arrives: false });
    world.failing = { kind: 'orders', code: 'TIMED_OUT' };
    world.advance(3 * PROOF_MS);
    expect(world.order().state).toBe('unknown');
    world.failing = null;
    world.advance(PROOF_MS);
    expect(world.order().state).toBe('rejected');
  });

  it('is proven absent only once the trades were read as well', () => {
    const world = unfound({ arrives: false });
    world.failing = { kind: 'trades', code: 'TIMED_OUT' };
    world.advance(2 * PROOF_MS);
    expect(world.order().state).toBe('unknown');
    world.failing = null;
    world.advance(6_000);
    expect(world.order().state).toBe('rejected');
  });

  it('stays unknown while a trade that is nobody’s may be its own', () => {
    const world = lost({ arrives: true });
    const id = world.venue.orders[0]?.id;
    world.refuse('order', 'NotFound');
    world.venue.fill(id, '0.4');
    world.venue.hidden.add(id);
    world.advance(2 * PROOF_MS);
    expect(world.order().state).toBe('unknown');
    expect(world.messages('warning').join('\n')).toMatch(/a trade without a known order may belong to it/);
  });

  it('is held to be there by no trade of an order that is older than it, over a restart too', () => {
    const world = EngineWorld.ready();
    const foreign = world.venue.placeByHand('buy', '2', '97');
    world.venue.placeByHand('buy', '2', '96');
    world.advance(10_000);
    world.want(WISH);
    world.fail('place');
    world.refuse('order', 'NotFound');
    world.answers.add('order');
    world.mirror.flush();
    world.restart();
    world.fill(foreign.id).advance(PROOF_MS);
    expect(world.order()).toMatchObject({ state: 'rejected' });
    expect(world.fills()).toMatchObject([{ orderKey: null, amount: 20_000_000_000n }]);
  });

  it('is alarmed and taken over with its fills when it turns up after all', () => {
    const world = unfound({ arrives: false }).advance(PROOF_MS);
    expect(world.order().state).toBe('rejected');
    world.answers.add('order');
    const { id } = world.venue.placeByHand('buy', '1', '98', world.order().clientOrderId);
    world.fill(id, '0.4').advance(10_100);
    expect(world.alarms()).toEqual([
      expect.stringMatching(/was given up \(NeverArrived\), and the exchange has it as/),
    ]);
    expect(world.order()).toMatchObject({ state: 'open', venueId: id, filled: 4_000_000_000n, reason: null });
    expect(world.eventsOf('fill')).toHaveLength(1);
    expect(world.requestsOf('cancel')).toEqual([]);
  });
});

describe('an order that never arrived, where it may be sent again', () => {
  it('is sent once more under its own id, and opens', () => {
    const world = resent();
    const [first, second] = world.requestsOf('place');
    expect(second?.call).toEqual(first?.call);
    world.accept();
    expect(world.order().state).toBe('open');
    expect(world.eventsOf('reject')).toEqual([]);
  });

  it('is not sent a third time', () => {
    const world = resent();
    world.fail('place');
    world.refuse('order', 'NotFound').advance(PROOF_MS);
    expect(world.order()).toMatchObject({ state: 'rejected', reason: sentence('order-never-arrived') });
    expect(world.requestsOf('place')).toHaveLength(2);
  });

  it('is looked for when its second request is called a duplicate: the first has arrived', () => {
    const world = resent();
    const order = world.venue.place(world.pending('place').call.order);
    world.refuse('place', 'DuplicateOrder');
    expect(world.order().state).toBe('unknown');
    world.advance(5_100);
    expect(world.order()).toMatchObject({ state: 'open', venueId: order.id });
  });

  it('stays open when the first is seen while the second waits and never leaves', () => {
    const world = resent();
    world.venue.place(world.pending('place').call.order);
    world.advance(5_100);
    expect(world.order().state).toBe('open');
    world.unsend('place');
    expect(world.order().state).toBe('open');
  });

  it.each([
    ['its end was asked for meanwhile', (world: EngineWorld) => world.want(cancelAll())],
    [
      'trading is halted',
      (world: EngineWorld) => world.control({ kind: 'halt', reason: 'a test', wholeAccount: false }),
    ],
  ])('is not sent again when %s', (_, act) => {
    const world = act(unfound({ arrives: false, options: RESENDING }));
    world.answers.add('order');
    for (let waited = 0; waited < 2 * PROOF_MS; waited += 1_000) {
      world.advance(1_000);
      if (world.waitingKinds().includes('cancel')) world.refuse('cancel', 'NotFound');
    }
    expect(world.order()).toMatchObject({ state: 'rejected' });
    expect(world.requestsOf('place')).toHaveLength(1);
  });
});
