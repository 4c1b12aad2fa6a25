import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { buy, cancelAll } from '../../support/intents.ts';
import { EngineWorld, PAIR, WISH, WITH_COINS } from './engine-world.ts';

/** Returns the stored replies about an order, oldest first. */
function repliesOf(world: EngineWorld, key = world.order().key) {
  world.mirror.flush();
  return [...world.mirror.replies.values()]
    .filter(({ orderKey }) => orderKey === key)
    .map(({ step, body, problem }) => ({ step, body, problem }));
}

describe('replies of the exchange about an order', () => {
  it('are kept of its placement and of its cancel, in the step that takes them in', () => {
    const world = EngineWorld.ready().want(WISH);
    const { id } = world.pending('place');
    world.accept();
    expect(repliesOf(world)).toEqual([{ step: 'place', body: `value to request ${id}`, problem: null }]);
    world.want(cancelAll());
    const cancel = world.pending('cancel').id;
    world.endCanceled();
    expect(repliesOf(world)[1]).toEqual({
      step: 'cancel',
      body: `value to request ${cancel}`,
      problem: null,
    });
  });

  it('are kept of a refusal, and of what was no answer with why', () => {
    const world = EngineWorld.ready().want(WISH);
    world.refuse('place', 'OverValueOrder');
    expect(repliesOf(world)).toMatchObject([
      { step: 'place', body: expect.stringMatching(/^refused to request/), problem: null },
    ]);
    world.want(buy('BTCUSDT', { amount: '1', price: '97' }));
    world.fail('place', 'UNEXPECTED_REPLY');
    expect(repliesOf(world)).toMatchObject([
      { step: 'place', problem: 'UNEXPECTED_REPLY: UNEXPECTED_REPLY' },
    ]);
  });

  it('that could not be used stay beside the later one that could', () => {
    const { world } = EngineWorld.ready().open(WISH);
    world.want(cancelAll());
    world.fail('cancel', 'UNEXPECTED_REPLY');
    world.answers.add('order');
    world.advance(3_000);
    world.endCanceled();
    expect(repliesOf(world).filter(({ step }) => step === 'cancel')).toMatchObject([
      { problem: 'UNEXPECTED_REPLY: UNEXPECTED_REPLY' },
      { problem: null },
    ]);
  });

  it('to questions are kept where they changed the order or refused, and not where nothing was new', () => {
    const world = EngineWorld.ready().want(WISH);
    const placed = world.venue.place(world.pending('place').call.order);
    world.fail('place');
    const asked = world.pending('order');
    world.give('order', world.venue.read(asked.call));
    expect(world.order().state).toBe('open');
    const found = { step: 'look-up', body: `value to request ${asked.id}`, problem: null };
    expect(repliesOf(world).at(-1)).toEqual(found);
    const { inquiries } = world.engine.orderManager.reports;
    inquiries.ask(world.order().venueId, 'BTCUSDT');
    world.advance(2_000);
    world.give('order', { ...placed });
    expect(repliesOf(world).at(-1)).toEqual(found);
    inquiries.ask(world.order().venueId, 'BTCUSDT');
    world.advance(2_000);
    world.give('order', { ...placed, amount: parseUnits('2') });
    expect(repliesOf(world).at(-1)).toMatchObject({
      step: 'look-up',
      problem: 'it contradicts what is known, and was not used',
    });
  });

  it('that are not about the order that was placed are kept as such', () => {
    const world = EngineWorld.ready().want(WISH);
    const placed = world.venue.place(world.pending('place').call.order);
    world.give('place', { ...placed, clientOrderId: 'somebody-else' });
    expect(repliesOf(world)).toMatchObject([
      { step: 'place', problem: 'the reply to its placement is not about it' },
    ]);
  });

  it('to a pair are kept once, with its first leg', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    const [first, second] = world.acceptPair();
    const keyOf = (id: unknown) => world.orders().find(({ venueId }) => venueId === id)?.key;
    expect(repliesOf(world, keyOf(first.id))).toHaveLength(1);
    expect(repliesOf(world, keyOf(second.id))).toEqual([]);
  });
});
