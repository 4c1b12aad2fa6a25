import { describe, expect, it } from 'vitest';
import { buy } from '../../support/intents.ts';
import { DEFAULT_ENGINE_TIMES } from '../../../src/engine/engine-settings.ts';
import { EngineWorld, WISH } from './engine-world.ts';
import type { VenueOrderId } from '../../../src/domain/order.ts';

describe('an order that carries our name and is not in the mirror', () => {
  it('is taken over, and canceled before a strategy begins, which would place its like again', () => {
    const world = new EngineWorld();
    world.answers.add('order');
    const { id } = world.venue.placeByHand('buy', '1', '98', 'bot-one-e000-1');
    world.advance(2_000);
    expect(world.order('bot-one-e000-1')).toMatchObject({
      state: 'cancelling',
      venueId: id,
      strategy: 'one',
    });
    expect(world.messages('warning').join('\n')).toMatch(
      /bot-one-e000-1 is Active at the exchange and was not known to the bot.*bot-one-e000-1 is canceled, since one does not know it any more/s,
    );
    expect(world.pending('cancel').call).toMatchObject({ clientOrderId: 'bot-one-e000-1' });
    expect(world.engine.status().phase).toBe('syncing');
    world.end(id).advance(10_000);
    expect(world.engine.status().phase).toBe('trading');
  });

  it('is taken over only when a second reading says the same', () => {
    const world = new EngineWorld();
    const order = world.venue.placeByHand('buy', '1', '98', 'bot-one-e000-1');
    world.advance(2_000);
    expect(world.orders()).toEqual([]);
    world.give('order', { ...order, clientOrderId: 'by-hand' }).advance(100);
    expect(world.orders()).toEqual([]);
  });

  it.each(['orders', 'trades'] as const)(
    'keeps the fills that it had before, also where its list comes late: %s first',
    (first) => {
      const world = new EngineWorld();
      world.answers.add('order');
      const { id } = world.venue.placeByHand('buy', '1', '98', 'bot-one-e000-1');
      world.venue.fill(id, '0.4');
      if (first === 'trades') {
        world.failing = { kind: 'orders', code: 'TIMED_OUT' };
        world.advance(1_000);
        world.failing = null;
      }
      world.advance(10_000);
      expect(world.order('bot-one-e000-1')).toMatchObject({ state: 'cancelling', filled: 4_000_000_000n });
      world.end(id).advance(10_000);
      expect(world.order('bot-one-e000-1').state).toBe('cancelled');
    },
  );

  it('is nobody’s where it is at its end', () => {
    const world = new EngineWorld();
    const { id } = world.venue.placeByHand('buy', '1', '98', 'bot-one-e000-1');
    world.end(id).advance(10_000);
    expect(world.orders()).toEqual([]);
  });

  it.each([null, 'mine', 'bot2-one-e000-1', 'BOT-one-e000-1'])('is none where the name is %s', (name) => {
    const world = EngineWorld.ready();
    world.venue.placeByHand('buy', '1', '98', name);
    world.advance(10_000);
    expect(world.orders()).toEqual([]);
    world.control({ kind: 'halt', reason: 'a test', wholeAccount: false }).advance(10_000);
    expect(world.requestsOf('cancel')).toEqual([]);
  });
});

/** Makes a bot with an order at the exchange, sent when no request of an earlier run can arrive any more. */
function trading(): { readonly world: EngineWorld; readonly ownId: VenueOrderId | null } {
  const world = EngineWorld.answering();
  world.advance(DEFAULT_ENGINE_TIMES.lateArrivalMs + 1_000);
  const { id } = world.want(WISH).accept();
  world.advance(20_000);
  return { world, ownId: id };
}

describe('an order that carries our name and was placed while we trade', () => {
  it('is another bot’s: it is reported once, and never taken over or canceled', () => {
    const { world, ownId } = trading();
    const others = ['1', '2'].map((row) =>
      world.venue.placeByHand('sell', '1', '105', `bot-one-e000-${row}`),
    );
    world.advance(20_000);
    expect(world.orders().map(({ venueId }) => venueId)).toEqual([ownId]);
    expect(world.alarms()).toEqual([
      expect.stringMatching(
        /^expected orders named "bot-…" from this bot alone, found bot-one-e000-1 \(\d+\), .*another bot/,
      ),
    ]);
    world.fill(others[0]?.id, '0.4').advance(10_000);
    expect(world.orders()).toHaveLength(1);
    world.control({ kind: 'halt', reason: 'a test', wholeAccount: false }).advance(10_000);
    expect(world.requestsOf('cancel').map(({ call }) => call)).toEqual([
      expect.objectContaining({ venueId: world.order().venueId }),
    ]);
  });

  it('is taken over while an earlier life may have sent it', () => {
    const { world } = EngineWorld.answering().open(WISH);
    world.venue.placeByHand('sell', '1', '105', 'bot-one-e000-1');
    world.advance(20_000);
    expect(world.order('bot-one-e000-1')).toMatchObject({ state: 'cancelling' });
    expect(world.alarms()).toEqual([]);
  });

  it('is taken over where its id is below those of this life, whenever it is seen', () => {
    const world = EngineWorld.answering();
    const early = world.venue.placeByHand('sell', '1', '105', 'bot-one-e000-1');
    world.venue.hidden.add(early.id);
    world.advance(DEFAULT_ENGINE_TIMES.lateArrivalMs + 1_000);
    world.open(WISH);
    world.advance(20_000);
    world.venue.hidden.clear();
    world.advance(20_000);
    expect(world.order('bot-one-e000-1')).toMatchObject({ state: 'cancelling', venueId: early.id });
    expect(world.alarms()).toEqual([]);
  });
});

describe('a second order of one of ours', () => {
  it('is alarmed and canceled, and the first goes on', () => {
    const world = EngineWorld.answering().want(WISH);
    const first = world.accept();
    const twin = world.venue.placeByHand('buy', '1', '98', world.order().clientOrderId);
    world.advance(10_400);
    expect(world.alarms()).toEqual([expect.stringMatching(/is at the exchange twice, as \d+ and \d+/)]);
    expect(world.pending('cancel').call).toMatchObject({ venueId: twin.id });
    expect(world.order()).toMatchObject({ state: 'open', venueId: first.id });
  });

  it('that has ended is reported, and not canceled', () => {
    const world = EngineWorld.answering().want(WISH, buy('BTCUSDT', { amount: '2', price: '98' }));
    world.accept();
    const twin = world.venue.placeByHand('buy', '1', '98', world.orders()[0]?.clientOrderId ?? null);
    world.venue.end(twin.id);
    world.fail('place').advance(20_000);
    expect(world.alarms()).toEqual([expect.stringMatching(/was at the exchange twice, as \d+ and \d+/)]);
    expect(world.requestsOf('cancel')).toEqual([]);
  });
});
