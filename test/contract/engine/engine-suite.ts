import { describe, expect, it } from 'vitest';
import { formatUnits } from '../../../src/domain/money.ts';
import { buy, cancel } from '../../support/intents.ts';
import type { VenueProfile } from '../../../src/venues/port.ts';
import { DEFAULT_ENGINE_TIMES } from '../../../src/engine/engine-settings.ts';
import type { VenueOrderId } from '../../../src/domain/order.ts';
import { cursorOf } from '../../../src/engine/own-list.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { gridOf, UTC_BARS } from '../../../src/domain/candle.ts';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import { EngineWorld, FAST, FEEDS, feedOf, PAIR, WITH_COINS } from '../../unit/engine/engine-world.ts';
import { sentence } from '../../../src/language/sentence.ts';

const WISH = buy('BTCUSDT', { amount: '1', price: '98', tag: 'first' });
const STOP = buy('BTCUSDT', { amount: '1', price: '121', stopPrice: '120' });

/** How late an order may arrive at an exchange without a bound of its own, in ms: the engine's setting. */
const LATE_MS = DEFAULT_ENGINE_TIMES.lateArrivalMs;

/** Time from then on until its absence is proven, in ms: readings 10 s apart, and the trades after them. */
const PROOF_MS = 25_000;

/** Counts the requests for the list of all orders so far. */
const passes = (world: EngineWorld): number =>
  world.requestsOf('orders').filter(({ call }) => call.status === 'all').length;

/** Fills an order by `count` trades, 100 ms apart. */
function fillOften(world: EngineWorld, id: VenueOrderId | null, count: number): void {
  for (let trade = 0; trade < count; trade += 1) world.fill(id, '0.01').advance(100);
}

/** Tests what the engine must do on any exchange, as its profile describes it. */
export function engineSuite(name: string, profile: VenueProfile): void {
  const ready = (): EngineWorld => EngineWorld.ready({ settings: { venue: profile } });
  const lateMs = profile.absence.refusedAfterMs ?? LATE_MS;

  const open = (): EngineWorld => ready().open(WISH).world;

  /** Requests an order whose request gets no reply. */
  function lost(arrives: boolean): EngineWorld {
    const world = ready().want(WISH);
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
          const { world, id } = ready().open(WISH);
          world.answers.add('order');
          if (meaning === 'filled') world.venue.fill(id);
          world.venue.orderOf(id).status = word;
          world.advance(12_000);
          const state = meaning === 'filled' ? 'filled' : meaning === 'canceled' ? 'cancelled' : 'open';
          expect(world.order()).toMatchObject({ state });
        }
      },
    );

    it('believes a word that is none of its own when two readings say it and the open orders lack the order', () => {
      const world = open();
      const { venueId } = world.order();
      world.venue.orderOf(venueId).status = 'Suspended';
      world.answers.add('order');
      world.advance(12_000);
      expect(world.order()).toMatchObject({ state: 'cancelled', venueStatus: 'Suspended' });
      expect(world.requestsOf('order').filter(({ call }) => call.venueId === venueId)).toHaveLength(2);
    });

    it('turns every page of a list', () => {
      const world = ready();
      for (let count = 0; count < 12; count += 1) {
        world.venue.placeByHand('sell', '1', String(200 + count));
        world.advance(1);
      }
      world.want(WISH);
      const { id } = world.venue.place(world.pending('place').call.order);
      world.fail('place').advance(6_000);
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
      world.advance(lateMs - 1_000);
      expect(world.order().state).toBe('unknown');
      const early = passes(world);
      world.advance(PROOF_MS);
      expect(world.order()).toMatchObject({ state: 'rejected', reason: sentence('order-never-arrived') });
      expect(passes(world) - early).toBe(profile.absence.readings);
    });

    it('lets a trade that may be its own speak for an order only where its absence needs the trades', () => {
      const world = lost(false);
      const foreign = world.venue.placeByHand('buy', '1', '98');
      world.venue.hidden.add(foreign.id);
      world.venue.fill(foreign.id);
      world.answers.add('order');
      world.advance(lateMs + PROOF_MS);
      expect(world.order().state).toBe(profile.absence.needsTrades ? 'unknown' : 'rejected');
    });

    it('reads all orders from where the list can show one whose answer was lost', () => {
      const world = ready();
      const before = world.venue.placeByHand('sell', '1', '200');
      world.advance(12_000);
      world.want(WISH);
      const { id } = world.venue.place(world.pending('place').call.order);
      // A list that goes by time may show it a little before newer entries.
      const { orders } = profile.ownLists;
      if (orders.by === 'time')
        world.venue.orderOf(id).createdAtMs = (before.createdAtMs ?? 0) - orders.overlapMs + 1;
      // The list of open orders does not show it.
      world.venue.end(id);
      world.fail('place');
      world.answers.add('order');
      world.advance(lateMs + PROOF_MS);
      expect(world.order()).toMatchObject({ state: 'cancelled', venueId: id });
    });

    it.runIf(profile.ownLists.orders.by === 'time')(
      'gives no order up by a list of which more stands at one time than a page has',
      () => {
        const world = lost(false);
        for (let count = 0; count < 6; count += 1) world.venue.placeByHand('sell', '1', '200');
        world.answers.add('order');
        world.advance(lateMs + PROOF_MS);
        expect(world.order().state).toBe('unknown');
        expect(world.messages('warning').join()).toContain('is full but has no newer order');
      },
    );

    it('takes a trade that the list shows late, and each trade once', () => {
      const world = open();
      const { venueId } = world.order();
      world.answers.add('order');
      fillOften(world, venueId, 25);
      world.advance(20_000);
      const late = world.venue.fill(venueId, '0.01');
      world.venue.hidden.add(late.id);
      fillOften(world, venueId, 3);
      world.advance(12_000);
      expect(world.fills()).toHaveLength(28);
      world.venue.hidden.clear();
      world.advance(12_000);
      const ids = world.fills().map(({ tradeId }) => tradeId);
      expect(ids).toContain(late.id);
      expect([ids.length, new Set(ids).size]).toEqual([29, 29]);
      expect(world.order()).toMatchObject({ state: 'open', filled: 2_900_000_000n });
    });

    it('goes on after a restart from where it had read to', () => {
      const world = open();
      const { venueId } = world.order();
      world.answers.add('order');
      fillOften(world, venueId, 60);
      world.advance(12_000);
      const first = world.requestsOf('trades').length;
      world.restart();
      fillOften(world, venueId, 5);
      world.advance(12_000);
      expect(world.fills()).toHaveLength(65);
      expect(world.order()).toMatchObject({ state: 'open', filled: 6_500_000_000n });
      const [read] = world.requestsOf('trades').slice(first);
      const places = world.venue.trades.map((trade) => cursorOf(profile.ownLists.trades, trade) ?? 0);
      expect(read?.call).toMatchObject({ kind: 'trades' });
      expect(read?.call.from).toBeGreaterThan(Math.min(...places));
    });

    it('counts each line of a wallet once, also two of one time and over a restart', () => {
      const world = EngineWorld.ready({ settings: { venue: profile, reconciliation: FAST } }, 30_000);
      const amounts: string[] = [];
      const apply = world.mirror.apply.bind(world.mirror);
      world.mirror.apply = (changes, isDurable) => {
        for (const change of changes)
          if (change.kind === 'transaction') amounts.push(formatUnits(change.transaction.amount));
        apply(changes, isDurable);
      };
      world.deposit('usdt', '10').deposit('usdt', '5').advance(60_000);
      world.restart().deposit('usdt', '7').advance(60_000);
      expect(amounts).toEqual(['10', '5', '7']);
      expect(world.engine.reconciler.break).toBeNull();
    });

    it('takes over what it ordered after the copy that its mirror was put back from', () => {
      const world = ready();
      const copy = world.mirror.copy();
      const { id } = world.open(WISH);
      world.answers.add('order');
      world.fill(id, '0.4').advance(12_000);
      world.end(id).advance(12_000);
      world.mirror.putBack(copy, 'e002');
      world.restart().advance(60_000);
      expect(world.engine.orderManager.takeover.isInProgress).toBe(false);
      expect(world.orders()).toMatchObject([{ state: 'cancelled', venueId: id, filled: 4_000_000_000n }]);
      expect(world.fills()).toHaveLength(1);
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
      world.want(cancel(world.order().key)).advance(6_000);
      const { call } = world.pending('cancel');
      if (!profile.clientOrderId.canBeQueried) expect(call.venueId).toBe(world.order().venueId);
      world.endCanceled();
      expect(world.order().state).toBe('cancelled');
    });

    it('is notified of a fill', () => {
      const world = open();
      world.venue.fill(world.order().venueId);
      world.answers.add('order');
      world.advance(12_000);
      expect(world.order().state).toBe('filled');
      expect(world.eventsOf('fill')).toHaveLength(1);
    });

    it('reads the past of candles in pages as large as the exchange gives', () => {
      const past: number[] = [];
      const reader = defineStrategy({
        name: 'reader',
        data: ({ market }) => ({ bars: market.candles('1m', { history: 12 }) }),
        on: { start: ({ history }) => void past.push(history.bars.length) },
      });
      const feeds = [...FEEDS, feedOf('candles BTCUSDT 1m', 'candles', 60_000)];
      const world = new EngineWorld({ settings: { venue: profile }, strategies: [reader], feeds });
      const price = decimalText('100');
      for (let minute = 20; minute >= 0; minute -= 1) {
        const openTimeMs = gridOf('1m', UTC_BARS).startOf(world.nowMs) - minute * 60_000;
        const prices = { open: price, high: price, low: price, close: price };
        world.venue.candles.push({ openTimeMs, ...prices, volume: price });
      }
      world.advance(10_000);
      expect(past).toEqual([12]);
      for (const { call } of world.requestsOf('candles'))
        expect(call.count).toBeLessThanOrEqual(profile.pageSizes.candles);
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
      const world = EngineWorld.ready({ ...WITH_COINS, settings: { venue: profile } });
      world.want(wish);
      if (profile.orderKinds.has(kind)) expect(world.waitingKinds()).toEqual([call]);
      else {
        expect(world.waitingKinds()).toEqual([]);
        expect(world.eventsOf('reject')).toMatchObject([
          { code: 'kind', reason: expect.stringContaining(kind) },
        ]);
      }
    });
  });
}
