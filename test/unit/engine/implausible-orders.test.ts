import { describe, expect, it } from 'vitest';
import { present } from '../../../src/domain/errors.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { buy, cancelAll } from '../../support/intents.ts';
import { EngineWorld, PAIR, WISH, WITH_COINS } from './engine-world.ts';
import { wrongOrder, wrongOrders } from './wrong-once.ts';
import { inEnglish } from '../../../src/language/sentence.ts';

const HUGE = 9_007_199_254_740_991;

const open = () => EngineWorld.answering().open();

/** Makes an order that the exchange has, and whose reply is still to come. */
function arrived(world = EngineWorld.answering()) {
  return { world, own: world.venue.place(world.want(WISH).pending('place').call.order) };
}

describe('a record of an order that can not be right', () => {
  it.each([
    ['a matched amount above the amount', { matchedAmount: '2' }],
    ['a matched amount below nothing', { matchedAmount: '-1' }],
    ['a matched amount that the unmatched one contradicts', { matchedAmount: '0.7' }],
    ['an amount of nothing', { amount: '0' }],
    ['an amount with more decimals than the books hold', { amount: '1.00000000001' }],
    ['a tiny amount', { amount: '0.000000000000001' }],
    ['another side', { side: 'sell' }],
    ['another price', { price: '980000' }],
    ['another amount', { amount: '0.5', unmatchedAmount: '0.5' }],
    ['no id', { id: null }],
    ['a huge id', { id: HUGE }],
    ['a word that nobody knows', { status: 'Suspended' }],
    ['an end', { status: 'Canceled' }],
    ['a whole end', { status: 'Done' }],
    ['a total beyond all money', { total: '18000000000000000' }],
    ['a fee below nothing', { fee: '-5' }],
    ['somebody else’s name', { clientOrderId: 'bot-one-e001-zzz' }],
  ])('changes nothing where one reply says it, and the order trades on: %s', (_, changed) => {
    const { world, key, id } = open();
    wrongOrders(world, 1, changed);
    world.advance(6_000);
    expect(world.order(key)).toMatchObject({
      state: 'open',
      venueId: id,
      filled: 0n,
      matched: 0n,
      amount: 10_000_000_000n,
    });
    world.fill(id).advance(12_000);
    expect(world.order(key)).toMatchObject({ state: 'filled', venueId: id, filled: 10_000_000_000n });
    expect(world.eventsOf('fill')).toHaveLength(1);
    expect(world.requestsOf('cancel')).toEqual([]);
    expect(world.alarms()).toEqual([]);
    expect(inEnglish(world.engine.doubts())).toEqual([]);
  });

  it('is reported with its field, what was expected and what was found, and when it is right again', () => {
    const { world, key } = open();
    wrongOrders(world, 1, { matchedAmount: '2' });
    world.advance(6_000);
    expect(world.messages('warning')).toEqual([
      `${key}: matchedAmount: expected from 0 to the amount 1, the exchange said 2. The bot does not use it, and reads again`,
    ]);
    expect(world.messages('info')).toContain(`${key}: matchedAmount is right again`);
  });

  it('keeps new orders back while reading after reading says so, goes on canceling, and heals', () => {
    const { world, key, id } = open();
    wrongOrders(world, 4, { side: 'sell' });
    wrongOrder(world, 4, { side: 'sell' });
    world.advance(11_000);
    expect(inEnglish(world.engine.doubts())).toEqual([
      expect.stringMatching(new RegExp(`^${key}: side: expected buy`)),
    ]);
    expect(world.alarms().join()).toMatch(/a second reading says the same: new orders wait/);
    world.want(buy('BTCUSDT', { amount: '2', price: '97' }), cancelAll());
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'closed', reason: expect.stringContaining(key) },
    ]);
    expect(world.pending('cancel').call).toMatchObject({ clientOrderId: key });
    world.fail('cancel').advance(30_000);
    expect(inEnglish(world.engine.doubts())).toEqual([]);
    expect(world.order(key)).toMatchObject({ venueId: id });
  });

  it('stays known over a restart until a reading is right', () => {
    const { world, key } = open();
    wrongOrders(world, 3, { side: 'sell' });
    wrongOrder(world, 3, { side: 'sell' });
    world.advance(11_000);
    world.restart();
    expect(inEnglish(world.engine.doubts())).toEqual([expect.stringContaining(key)]);
    world.advance(20_000);
    expect(inEnglish(world.engine.doubts())).toEqual([]);
  });
});

describe('an order’s end', () => {
  it('by a word that nobody knows needs two readings and its absence from the open orders', () => {
    const { world, key, id } = open();
    world.end(id, 'Rejected').advance(12_000);
    expect(world.order(key)).toMatchObject({ state: 'cancelled', venueStatus: 'Rejected' });
    const words = world.requestsOf('order').length;
    expect(words).toBeGreaterThanOrEqual(2);
  });

  it('is not believed of a word that nobody knows while the order is listed as open', () => {
    const { world, key, id } = open();
    wrongOrders(world, 5, { status: 'Suspended' });
    world.advance(24_000);
    expect(world.order(key).state).toBe('open');
    world.fill(id).advance(20_000);
    expect(world.order(key)).toMatchObject({ state: 'filled', filled: 10_000_000_000n });
  });
});

describe('a matched amount that was overstated once', () => {
  it('heals after the order has ended, where no other field contradicted it', () => {
    const { world, key, id } = open();
    wrongOrders(world, 1, { matchedAmount: '0.7', unmatchedAmount: null });
    world.advance(6_000);
    expect(world.order(key)).toMatchObject({ state: 'open', matched: 7_000_000_000n });
    world.end(id).advance(12_000);
    expect(world.order(key)).toMatchObject({ state: 'settling' });
    world.advance(60_000);
    expect(world.order(key)).toMatchObject({ state: 'cancelled', matched: 0n, filled: 0n });
    expect(world.messages('warning').join()).toMatch(
      /came in one reply, and two later ones say 0: the later ones count/,
    );
  });
});

it('a huge id that one reading tells becomes no floor under which an order of ours is not looked for', () => {
  const { world } = open();
  wrongOrders(world, 1, { id: HUGE, clientOrderId: null });
  world.advance(6_000);
  world.want(buy('BTCUSDT', { amount: '2', price: '97' }));
  const { key, orderFloor } = world.order();
  expect(orderFloor).toBeLessThan(1_000);
  const placed = world.venue.place(world.pending('place').call.order);
  world.fail('place');
  world.fill(placed.id).advance(30_000);
  expect(world.order(key)).toMatchObject({ state: 'filled', venueId: placed.id });
});

describe('the reply to a placement', () => {
  it('with an id that the exchange does not know is corrected though the order is in no list of open ones any more', () => {
    const { world, own } = arrived();
    world.give('place', { ...own, id: 1e12 });
    world.venue.end(own.id);
    const key = own.clientOrderId ?? '';
    expect(world.order(key)).toMatchObject({ state: 'open', venueId: 1e12 });
    world.want(cancelAll());
    for (let ms = 0; ms < 300_000; ms += 5_000) {
      if (world.waitingKinds().includes('cancel')) world.refuse('cancel', 'NotFound');
      world.advance(5_000);
    }
    expect(world.order(key)).toMatchObject({ state: 'cancelled', venueId: own.id, matched: 0n });
    expect(world.messages('warning').join()).toContain(
      'has no such order: the bot looks for it by its clientOrderId',
    );
  });

  it('with a huge id makes no floor of it over a restart', () => {
    const { world, own } = arrived(EngineWorld.ready());
    world.give('place', { ...own, id: 1e12 });
    world.restart().advance(1_000);
    world.want(buy('BTCUSDT', { amount: '2', price: '97' }));
    expect(world.order().orderFloor).toBeLessThan(1_000);
  });

  it('that is somebody else’s record binds nothing: the order is looked for, and its own found', () => {
    const { world, own } = arrived();
    world.give('place', world.venue.placeByHand('buy', '1', '98', 'bot-one-e000-9'));
    expect(world.order(own.clientOrderId ?? '').state).toBe('unknown');
    world.advance(1_000);
    expect(world.order(own.clientOrderId ?? '')).toMatchObject({ state: 'open', venueId: own.id });
    world.advance(20_000);
    // The other order is one of an earlier run, which no intent steers any more.
    expect(world.requestsOf('cancel').map(({ call }) => call)).toEqual([
      expect.objectContaining({ clientOrderId: 'bot-one-e000-9' }),
    ]);
  });

  it.each([
    ['another amount', { amount: parseUnits('7'), unmatchedAmount: parseUnits('7') }],
    ['another price', { price: parseUnits('50') }],
    ['another side', { side: 'sell' }],
    ['no name', { clientOrderId: null }],
    ['a matched amount above the amount', { matchedAmount: parseUnits('3') }],
  ])('that does not fit leaves the order unknown: %s', (_, changed) => {
    const { world, own } = arrived();
    world.give('place', { ...own, ...changed });
    expect(world.order().state).toBe('unknown');
    world.advance(1_000);
    expect(world.order()).toMatchObject({
      state: 'open',
      venueId: own.id,
      amount: 10_000_000_000n,
      price: 980_000_000_000n,
    });
  });

  it('gives each leg of a pair its own record, whichever comes first', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    const [first, second] = world.venue.placePair(world.pending('place-oco').call.order);
    world.give('place-oco', [second, first]);
    expect(world.orders()).toMatchObject([
      { state: 'open', venueId: first.id, price: 1_100_000_000_000n },
      { state: 'open', venueId: second.id, price: 890_000_000_000n },
    ]);
  });

  it('with another’s id is corrected by what the lists say, and cancels nobody else’s order meanwhile', () => {
    const world = EngineWorld.answering().want(WISH);
    const foreign = world.venue.placeByHand('buy', '3', '95');
    const own = world.venue.place(world.pending('place').call.order);
    world.give('place', { ...own, id: foreign.id });
    world.want(cancelAll());
    expect(world.pending('cancel').call).toMatchObject({ venueId: null, clientOrderId: own.clientOrderId });
    world.fail('cancel').advance(20_000);
    expect(world.order(own.clientOrderId ?? '').venueId).toBe(own.id);
    for (const { call } of world.requestsOf('cancel'))
      expect(call).not.toMatchObject({ venueId: foreign.id });
  });
});

describe('a refusal that was none', () => {
  it('of an order that filled at once: it is taken over with its fills when these are read', () => {
    const { world, own } = arrived();
    world.venue.fill(own.id);
    world.refuse('place', 'OverValueOrder');
    expect(world.order().state).toBe('rejected');
    world.advance(15_000);
    expect(world.order()).toMatchObject({ state: 'filled', venueId: own.id, filled: 10_000_000_000n });
    expect(world.eventsOf('fill')).toHaveLength(1);
    expect(world.fills()).toMatchObject([{ orderKey: own.clientOrderId, strategy: 'one' }]);
    expect(world.requestsOf('cancel')).toEqual([]);
  });

  it('of such an order stays none where one answer has another name for it', () => {
    const { world, own } = arrived(EngineWorld.ready());
    world.venue.fill(own.id);
    world.refuse('place', 'OverValueOrder').advance(6_000);
    const filled = present(world.venue.orders[0], 'the order that filled');
    world.answers.add('order');
    world.give('order', { ...filled, clientOrderId: 'another' }).advance(20_000);
    expect(world.order()).toMatchObject({ state: 'filled', venueId: own.id, filled: 10_000_000_000n });
    expect(world.fills()).toMatchObject([{ orderKey: own.clientOrderId, strategy: 'one' }]);
  });

  it('without a code of the interface leaves the order unknown', () => {
    const world = EngineWorld.ready().want(WISH);
    world.refuse('place', 'BadRequest', { effect: 'unknown' });
    expect(world.order().state).toBe('unknown');
  });
});
