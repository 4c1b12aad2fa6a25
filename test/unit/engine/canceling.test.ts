import { describe, expect, it } from 'vitest';
import { cancel, cancelAll } from '../../support/intents.ts';
import { EngineWorld, PAIR, WISH, WITH_COINS } from './engine-world.ts';

const open = () => EngineWorld.ready().open();

/** Makes an order whose end was asked for. */
function canceling(): ReturnType<typeof open> {
  const opened = open();
  opened.world.want(cancel(opened.key));
  return opened;
}

describe('canceling an order', () => {
  it('asks for its end by its own name while one reply alone shows its id, and ends with the reply', () => {
    const { world, key } = canceling();
    expect(world.order().state).toBe('cancelling');
    expect(world.pending('cancel')).toMatchObject({
      call: { venueId: null, clientOrderId: key },
      requestClass: 'cancel',
    });
    world.endCanceled();
    expect(world.order()).toMatchObject({ state: 'cancelled', venueStatus: 'Canceled' });
    expect(world.eventsOf('order').at(-1)).toMatchObject({ status: 'cancelled' });
  });

  it('asks for its end by the exchange’s id once two readings have shown that', () => {
    const { world, key, id } = open();
    world.advance(5_100);
    world.want(cancel(key));
    expect(world.pending('cancel').call).toEqual({
      kind: 'cancel',
      market: 'BTCUSDT',
      venueId: id,
      clientOrderId: null,
    });
  });

  it('asks once, however often it is wanted', () => {
    const { world, key } = open();
    world.want(cancel(key), cancel(key), cancelAll());
    world.want(cancelAll());
    expect(world.waitingKinds()).toEqual(['cancel']);
  });

  it('reads what became of the order where the reply does not say', () => {
    const { world, id } = canceling();
    world.venue.end(id);
    world.give('cancel', { status: 'Canceled', order: null });
    expect(world.order().state).toBe('open');
    world.give('order', world.venue.read(world.pending('order').call));
    expect(world.order().state).toBe('cancelled');
    world.advance(10_000);
    expect(world.requestsOf('cancel')).toHaveLength(1);
  });

  it('waits for the fills of an order that was done before', () => {
    const { world, id } = canceling();
    world.venue.hidden.add(world.venue.fill(id).id);
    world.refuse('cancel', 'NotApplied', { order: { ...world.venue.orderOf(id) } });
    expect(world.order()).toMatchObject({ state: 'settling', venueStatus: 'Done' });
    world.venue.hidden.clear();
    world.advance(5_100);
    expect(world.order().state).toBe('filled');
    expect(world.requestsOf('cancel')).toHaveLength(1);
  });

  it('gives the list of open orders a turn among its look-ups, as it may end by that alone', () => {
    const { world } = canceling();
    world.advance(6_000);
    expect(world.requestsOf('orders').at(-1)?.requestClass).toBe('resolve');
    world.endCanceled();
    world.advance(30_000);
    expect(world.requestsOf('orders').at(-1)?.requestClass).toBe('account');
  });

  it('looks it up after a lost reply, and asks again where it is still open', () => {
    const { world } = canceling();
    world.fail('cancel');
    expect(world.order().state).toBe('open');
    world.give('order', world.venue.read(world.pending('order').call));
    expect(world.waitingKinds()).toEqual([]);
    world.advance(1_900);
    expect(world.waitingKinds()).toEqual([]);
    world.advance(200);
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.endCanceled();
    expect(world.order().state).toBe('cancelled');
  });

  it('asks again after a request that never left, without a look-up', () => {
    const { world } = canceling();
    world.unsend('cancel');
    expect(world.waitingKinds()).toEqual([]);
    world.advance(2_100);
    expect(world.waitingKinds()).toEqual(['cancel']);
  });

  it('of one whose answer is awaited waits for that', () => {
    const world = EngineWorld.ready().want(WISH);
    world.want(cancel(world.order().key));
    expect(world.waitingKinds()).toEqual(['place']);
    world.accept();
    world.advance(2_100);
    expect(world.waitingKinds()).toEqual(['cancel']);
  });

  it('of one without an answer asks by its own id, every fifteen seconds', () => {
    const world = EngineWorld.ready().want(WISH);
    world.fail('place');
    world.refuse('order', 'NotFound');
    const { key } = world.order();
    world.want(cancel(key));
    expect(world.pending('cancel').call).toEqual({
      kind: 'cancel',
      market: 'BTCUSDT',
      venueId: null,
      clientOrderId: key,
    });
    world.refuse('cancel', 'NotFound');
    expect(world.order().state).toBe('unknown');
    world.advance(14_000);
    expect(world.waitingKinds()).toEqual([]);
    world.advance(1_200);
    expect(world.waitingKinds()).toEqual(['cancel']);
  });

  it('ends one without an answer with the record that the cancel brings', () => {
    const world = EngineWorld.ready().want(WISH);
    world.venue.place(world.pending('place').call.order);
    world.fail('place');
    world.refuse('order', 'NotFound');
    world.want(cancelAll());
    world.endCanceled();
    expect(world.order().state).toBe('cancelled');
  });

  it('does not forget what is wanted when the process ends', () => {
    const { world, key } = canceling();
    world.restart({ losing: true });
    expect(world.order(key).state).toBe('open');
    world.advance(100);
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.endCanceled();
    expect(world.order(key).state).toBe('cancelled');
    world.restart().advance(20_000);
    expect(world.requestsOf('cancel')).toHaveLength(2);
  });

  it('of an order that is none of its own is refused', () => {
    const { world } = open();
    world.answers.add('order');
    world.venue.placeByHand('buy', '1', '90', 'bot2-two-e001-1');
    world.advance(5_100);
    world.want(cancel('bot2-two-e001-1'), cancel('nobody'));
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'unknown' }, { code: 'unknown' }]);
    expect(world.waitingKinds()).toEqual([]);
  });

  it('of all touches none of another market', () => {
    const { world } = open();
    world.want(cancelAll('ETHUSDT'));
    expect(world.waitingKinds()).toEqual([]);
    world.want(cancelAll('BTCUSDT'));
    expect(world.waitingKinds()).toEqual(['cancel']);
  });

  it.each(['', '/2'])('of a pair that still waits drops both of its legs: %s', (leg) => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    world.acceptPair();
    const first = new Set(world.orders().map(({ key }) => key));
    world.want(PAIR);
    const second = world.orders().filter(({ key }) => !first.has(key));
    expect(second.map(({ state }) => state)).toEqual(['planned', 'planned']);
    world.want(cancel(`${second[0]?.clientOrderId ?? ''}${leg}`)).advance(20_000);
    expect(second.map(({ key }) => world.order(key).state)).toEqual(['rejected', 'rejected']);
    expect(world.requestsOf('place-oco')).toHaveLength(1);
  });
});
