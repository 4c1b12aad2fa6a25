import { describe, expect, it } from 'vitest';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { buy, cancel, sell } from '../../support/intents.ts';
import type { VenueProfile } from '../../../src/venues/port.ts';
import { DEFAULT_ENGINE_TIMES } from '../../../src/engine/engine-settings.ts';
import type { VenueOrderId } from '../../../src/domain/order.ts';
import { cursorOf } from '../../../src/engine/own-list.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { gridOf, UTC_BARS } from '../../../src/domain/candle.ts';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import {
  EngineWorld,
  FAST,
  FEEDS,
  feedOf,
  MARKET,
  PAIR,
  WITH_COINS,
  type WorldOptions,
} from '../../unit/engine/engine-world.ts';
import { createMarket } from '../../../src/domain/market.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
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

/** A second market, whose book is that of the first. */
const ETHUSDT = createMarket({
  market: parseMarket('ETHUSDT'),
  priceStep: '0.01',
  amountStep: '0.001',
  minOrderValue: '5',
});
const ETH_BOOK = { ...feedOf('book ETHUSDT', 'book', 1_000), market: 'ETHUSDT' };
const ETH_WISH = buy('ETHUSDT', { amount: '1', price: '98' });

/** Fills an order by `count` trades, 100 ms apart. */
function fillOften(world: EngineWorld, id: VenueOrderId | null, count: number): void {
  for (let trade = 0; trade < count; trade += 1) world.fill(id, '0.01').advance(100);
}

/** Returns the order and the amount of each own fill, by market. */
const filledIn = (world: EngineWorld): readonly string[] =>
  world
    .fills()
    .map(({ market, orderKey, amount }) => `${market} ${orderKey} ${formatUnits(amount)}`)
    .toSorted();

/** Feeds with the book of the fee coin too. */
const FEE_COIN_FEEDS = [...FEEDS, { ...feedOf('book BNBUSDT', 'book', 1_000), market: 'BNBUSDT' }];

/**
 * Tests what the engine must do on any exchange, as its profile describes it. `feeCoins`: amount of a third
 * coin from which it takes fees while there is any; if left out, they are in the currency received.
 */
export function engineSuite(name: string, profile: VenueProfile, feeCoins?: string): void {
  const settings = { venue: profile };
  const ready = (options: WorldOptions = {}): EngineWorld =>
    EngineWorld.ready({ settings, ...(feeCoins !== undefined && { feeCoins }), ...options });
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

    it.runIf(feeCoins !== undefined)(
      'books fees in the coin that pays them, and the rest as received',
      () => {
        // Enough for two fees: the books begin with the first, and the second moves them.
        const world = ready({ feeCoins: '0.0016', settings: { ...settings, reconciliation: FAST } });
        const { id } = world.open(WISH);
        world.answers.add('order');
        const expectBooks = (): void => {
          for (const currency of ['btc', 'usdt', 'bnb'])
            expect(formatUnits(world.engine.reconciler.books.expectedOf(currency) ?? 0n)).toBe(
              world.venue.totalOf(currency),
            );
        };
        world.fill(id, '0.5').advance(60_000);
        // Before the wallets' history can explain anything.
        for (const amount of ['0.3', '0.2']) {
          world.fill(id, amount).advance(12_000);
          expectBooks();
        }
        world.restart().advance(60_000);
        expect(world.fills().map(({ fee, feeCurrency }) => `${formatUnits(fee)} ${feeCurrency}`)).toEqual([
          '0.00098 bnb',
          '0.000588 bnb',
          '0.0004 null',
        ]);
        expect(world.order()).toMatchObject({ state: 'filled', fee: parseUnits('0.0004') });
        const [instance] = world.engine.instances;
        expect(instance?.held('btc')).toBe(parseUnits('0.9996'));
        expect(Object.fromEntries(instance?.fees ?? [])).toEqual({
          bnb: parseUnits('0.001568'),
          btc: parseUnits('0.0004'),
        });
        expectBooks();
        expect(world.engine.reconciler.break).toBeNull();
        world.want(sell('BTCUSDT', { amount: '0.999', price: '150' }));
        expect(world.waitingKinds()).toContain('place');
      },
    );

    it.runIf(feeCoins !== undefined)('values such a fee where it knows a price, and says where not', () => {
      const markets = ['BTCUSDT', 'BNBUSDT'].map((symbol) => ({ ...MARKET, ...parseMarket(symbol) }));
      const priced = ready({ settings: { ...settings, markets }, feeds: FEE_COIN_FEEDS });
      for (const world of [priced, ready()]) {
        const { id } = world.open(WISH);
        world.answers.add('order');
        world.fill(id).advance(20_000);
        const isKnown = world === priced;
        expect(world.fills()).toMatchObject([
          { feeCurrency: 'bnb', feeValue: isKnown ? parseUnits('0.196') : null },
        ]);
        const track = world.engine.instances[0]?.ledger.tracksAt(world.nowMs, 'usdt').get('usdt');
        expect(track?.unvalued).toEqual(isKnown ? [] : ['bnb']);
      }
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

    /** Makes a world with two markets; its strategy names the second one only by its orders. */
    const two = (forMs?: number): EngineWorld => {
      const settings = { venue: profile, markets: [MARKET, ETHUSDT], reconciliation: FAST };
      return EngineWorld.answering({ settings, feeds: [...FEEDS, ETH_BOOK] }, forMs);
    };

    it('takes no order and no trade of a market for one of another that has its number', () => {
      const world = two();
      const btc = world.open(WISH);
      const eth = world.open(ETH_WISH);
      world.fill(btc.id, '0.4').fill(eth.id, '0.3').advance(12_000);
      world.fill(eth.id, '0.7').advance(12_000);
      expect(filledIn(world)).toEqual([
        `BTCUSDT ${btc.key} 0.4`,
        `ETHUSDT ${eth.key} 0.3`,
        `ETHUSDT ${eth.key} 0.7`,
      ]);
      expect(world.order(eth.key).state).toBe('filled');
      world.want(cancel(btc.key)).advance(6_000);
      expect(world.pending('cancel').call.market).toBe('BTCUSDT');
      expect(world.endedByCancel().id).toBe(btc.id);
      expect(world.order(btc.key).state).toBe('cancelled');
      expect(world.advance(60_000).engine.reconciler.break).toBeNull();
    });

    it('goes on after a restart at the place of each market', () => {
      const world = two();
      const eth = world.open(ETH_WISH);
      const btc = world.open(WISH);
      fillOften(world, eth.id, 3);
      fillOften(world, btc.id, 60);
      world.advance(30_000);
      for (let life = 0; life < 2; life += 1) {
        const before = world.requestsOf('trades').length;
        world.restart();
        fillOften(world, eth.id, 2);
        fillOften(world, btc.id, 3);
        world.advance(30_000);
        const [read] = world.requestsOf('trades').slice(before);
        const places = world.venue.trades.map((trade) => cursorOf(profile.ownLists.trades, trade) ?? 0);
        expect(read?.call.from).toBeGreaterThan(Math.min(...places));
      }
      const of = (market: string): number => world.fills().filter((fill) => fill.market === market).length;
      expect([of('ETHUSDT'), of('BTCUSDT')]).toEqual([7, 66]);
      expect(world.order(eth.key).filled).toBe(700_000_000n);
      expect(world.order(btc.key).filled).toBe(6_600_000_000n);
      expect(world.alarms()).toEqual([]);
    });

    it('books no trade twice and forgets none of its own where it trades in a market for the first time', () => {
      const world = two();
      const old = world.venue.placeByHand('buy', '9', '98', null, 'eth').id;
      world.venue.hidden.add(old);
      fillOften(world, old, 30);
      world.end(old).advance(60_000);
      const eth = world.open(ETH_WISH);
      world.fill(eth.id, '0.6').advance(30_000);
      world.restart();
      world.fill(eth.id, '0.4').advance(90_000);
      expect(world.order(eth.key)).toMatchObject({ state: 'filled', filled: 10_000_000_000n });
      expect(world.fills()).toHaveLength(32);
      expect(world.eventsOf('fill')).toHaveLength(2);
      world.restart().advance(90_000);
      expect(world.fills()).toHaveLength(32);
      expect(world.engine.reconciler.break).toBeNull();
      expect(world.alarms()).toEqual([]);
    });

    it('reads the trades of a market that the open orders show', () => {
      const world = two(60_000);
      const foreign = world.venue.placeByHand('buy', '2', '98', null, 'eth').id;
      world.advance(12_000).fill(foreign, '1').advance(90_000);
      expect(filledIn(world)).toEqual(['ETHUSDT null 1']);
      expect(world.engine.reconciler.break).toBeNull();
    });

    it.runIf(profile.ownLists.trades.scope === 'market')(
      'reads no list that the exchange refuses, once nothing is open in its market',
      () => {
        const world = two(30_000);
        const foreign = world.venue.placeByHand('buy', '2', '98', null, 'eth').id;
        world.advance(12_000).end(foreign).advance(12_000);
        world.venue.refusesListsOf = 'ETHUSDT';
        world.advance(30_000);
        expect(world.messages('warning')).toEqual([expect.stringContaining('of ETHUSDT (-2013)')]);
        world.open(WISH);
        world.fill(world.order().venueId).advance(12_000);
        expect(world.order().state).toBe('filled');
      },
    );

    it('proves by the list of its own market that an order never arrived', () => {
      const world = two();
      // Old trades of the market are none of an order that was planned long after them.
      fillOften(world, world.venue.placeByHand('buy', '2', '98', null, 'eth').id, 3);
      world
        .endAll()
        .advance(700_000)
        .want(ETH_WISH)
        .fail('place')
        .advance(lateMs + PROOF_MS);
      expect(world.order()).toMatchObject({ state: 'rejected', reason: sentence('order-never-arrived') });
      const lists = world.requestsOf('orders').filter(({ call }) => call.status === 'all');
      const { scope } = profile.ownLists.orders;
      expect([...new Set(lists.map(({ call }) => call.market))]).toEqual([
        scope === 'venue' ? null : 'ETHUSDT',
      ]);
    });

    it('takes over the orders of every market after the copy that its mirror was put back from', () => {
      const world = two();
      const copy = world.mirror.copy();
      const btc = world.open(WISH);
      const eth = world.open(ETH_WISH);
      world.fill(btc.id, '0.4').fill(eth.id, '0.2').advance(12_000);
      world.end(btc.id);
      world.advance(12_000);
      world.mirror.putBack(copy, 'e002');
      world.restart().advance(60_000);
      expect(world.engine.orderManager.takeover.isInProgress).toBe(false);
      while (world.waitingKinds().includes('cancel')) world.endCanceled();
      world.advance(30_000);
      expect(world.orders().map(({ state, filled: units }) => `${state} ${formatUnits(units)}`)).toEqual([
        'cancelled 0.4',
        'cancelled 0.2',
      ]);
      expect(world.fills()).toHaveLength(2);
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
