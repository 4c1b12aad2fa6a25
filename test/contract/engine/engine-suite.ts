import { describe, expect, it } from 'vitest';
import { buy, cancel, oco } from '../../../src/strategy/intents.ts';
import type { VenueProfile } from '../../../src/venues/port.ts';
import { EngineWorld } from '../../unit/engine/engine-world.ts';

const WISH = buy('BTCUSDT', { amount: '1', price: '98', tag: 'first' });
const STOP = buy('BTCUSDT', { amount: '1', price: '121', stopPrice: '120' });
const PAIR = oco('BTCUSDT', 'sell', { amount: '1', price: '110', stopPrice: '90', stopLimitPrice: '89' });

/**
 * What an order needs to be proven absent: the last arrival after 120 s, two passes 10 s apart and the trades
 * after them.
 */
const PROOF_MS = 145_000;

/** What the engine does on whatever exchange, as its profile says it. */
export function engineSuite(name: string, profile: VenueProfile): void {
  const ready = (): EngineWorld => EngineWorld.ready({ settings: { venue: profile } });

  function open(): EngineWorld {
    const world = ready();
    world.want(WISH);
    world.accept();
    return world;
  }

  /** Asked for and not answered. */
  function lost(arrives: boolean): EngineWorld {
    const world = ready();
    world.want(WISH);
    if (arrives) world.venue.place(world.pending('place').call.order);
    world.fail('place');
    expect(world.order().state).toBe('unknown');
    return world;
  }

  describe(`the engine on ${name}`, () => {
    it('names its orders as the exchange takes names', () => {
      const { clientOrderId } = open().order();
      expect(clientOrderId).toMatch(profile.clientOrderId.pattern);
      expect(clientOrderId?.length).toBeLessThanOrEqual(profile.clientOrderId.longest);
    });

    it.each(Object.keys(profile.statuses) as (keyof VenueProfile['statuses'])[])(
      'understands each word for an order that is %s',
      (meaning) => {
        for (const word of profile.statuses[meaning]) {
          const world = ready();
          world.want(WISH);
          const { id } = world.accept();
          world.answers.add('order');
          if (meaning === 'filled') world.venue.fill(id ?? 0);
          world.venue.orderOf(id ?? 0).status = word;
          world.advance(12_000);
          const state = meaning === 'filled' ? 'filled' : meaning === 'canceled' ? 'cancelled' : 'open';
          expect(world.order()).toMatchObject({ state });
        }
      },
    );

    it('believes a word that is none of its own when two readings say it and the open orders lack the order', () => {
      const world = open();
      const { venueId } = world.order();
      world.venue.orderOf(venueId ?? 0).status = 'Suspended';
      world.answers.add('order');
      world.advance(12_000);
      expect(world.order()).toMatchObject({ state: 'cancelled', venueStatus: 'Suspended' });
      expect(
        world.requestsOf('order').filter(({ call }) => 'venueId' in call && call.venueId === venueId),
      ).toHaveLength(2);
    });

    it('turns every page of a list', () => {
      const world = ready();
      for (let count = 0; count < 12; count += 1) world.venue.placeByHand('sell', '1', String(200 + count));
      world.want(WISH);
      const { id } = world.venue.place(world.pending('place').call.order);
      world.fail('place');
      world.advance(6_000);
      expect(world.order()).toMatchObject({ state: 'open', venueId: id });
    });

    it('finds an order whose answer was lost', () => {
      const world = lost(true);
      world.answers.add('order');
      world.advance(6_000);
      expect(world.order()).toMatchObject({ state: 'open', venueId: world.venue.orders[0]?.id });
    });

    it('proves that an order never arrived', () => {
      const world = lost(false);
      world.answers.add('order');
      world.advance(PROOF_MS);
      expect(world.order()).toMatchObject({ state: 'rejected', reason: 'NeverArrived' });
    });

    it('takes a name that is in use for a sign that its order arrived', () => {
      const world = ready();
      world.want(WISH);
      world.venue.place(world.pending('place').call.order);
      world.refuse('place', profile.refusals.clientOrderIdInUse);
      world.answers.add('order');
      world.advance(6_000);
      expect(world.order().state).toBe('open');
    });

    it('cancels an order', () => {
      const world = open();
      world.answers.add('order');
      world.want(cancel(world.order().key));
      world.advance(6_000);
      const { call } = world.pending('cancel');
      if (!profile.clientOrderId.canBeLookedUp) expect(call.venueId).toBe(world.order().venueId);
      world.endCanceled();
      expect(world.order().state).toBe('cancelled');
    });

    it('is told of a fill', () => {
      const world = open();
      world.venue.fill(world.order().venueId ?? 0);
      world.answers.add('order');
      world.advance(12_000);
      expect(world.order().state).toBe('filled');
      expect(world.toldOf('fill')).toHaveLength(1);
    });

    it('sends an identical order at once only where the exchange takes it', () => {
      const world = open();
      world.want(WISH);
      expect(world.waitingKinds().includes('place')).toBe(profile.identicalOrdersMs === 0);
      world.advance(profile.identicalOrdersMs + 500);
      expect(world.waitingKinds()).toContain('place');
    });

    it.each([
      ['stop_limit', STOP, 'place'],
      ['oco', PAIR, 'place-oco'],
    ] as const)('asks for %s orders only where the exchange has them', (kind, wish, call) => {
      const world = ready();
      world.want(wish);
      if (profile.orderKinds.has(kind)) expect(world.waitingKinds()).toEqual([call]);
      else {
        expect(world.waitingKinds()).toEqual([]);
        expect(world.toldOf('reject')).toMatchObject([
          { code: 'kind', reason: expect.stringContaining(kind) },
        ]);
      }
    });
  });
}
