import { describe, expect, it } from 'vitest';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import type { ApprovalSettings } from '../../../src/engine/engine-settings.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { inEnglish } from '../../../src/language/sentence.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import {
  bracket,
  buy,
  cancelAll,
  quotes,
  replace,
  sell,
  target,
  targets,
  twap,
} from '../../support/intents.ts';
import { EngineWorld, WISH, type WorldOptions } from './engine-world.ts';

const MINUTE_MS = 60_000;
const ALL: ApprovalSettings = { above: {}, expiresAfterMs: 10 * MINUTE_MS, slippageBps: 50 };
const HALT = { kind: 'halt', reason: 'a test', wholeAccount: false } as const;

/** Makes a world whose strategy needs approvals, and has some coins to sell. */
const ready = (approval: Partial<ApprovalSettings> = {}, more: WorldOptions['instances'] = []): EngineWorld =>
  EngineWorld.answering({
    instances: [{ approval: { ...ALL, ...approval }, inventory: { btc: parseUnits('2') }, ...more[0] }],
  });

/** Returns the ids of the entries that wait. */
const waiting = ({ engine }: EngineWorld): readonly string[] => [...engine.approvals.waiting.keys()];

const decide = (world: EngineWorld, kind: 'approve' | 'decline', intent: string, key = intent): EngineWorld =>
  world.control({ kind, key: `${kind}-${key}`, intent, by: 'sara' });

const resultOf = ({ engine }: EngineWorld, key: string): unknown =>
  inEnglish(engine.byHand.stateOf(key)?.end ?? null);

/** Has the strategy request an entry; returns the id by which it waits. */
function held(world: EngineWorld, intent: Intent = WISH): string {
  world.want(intent);
  const [id] = waiting(world).slice(-1);
  if (id === undefined) throw new Error('expected an entry that waits');
  return id;
}

/** Writes the requested orders, such as `buy 1@98`. */
const placed = (world: EngineWorld): readonly string[] =>
  world.requestsOf('place').map(({ call: { order } }) => {
    const at = order.price === null || order.execution === 'market' ? '' : `@${formatUnits(order.price)}`;
    return `${order.side} ${formatUnits(order.amount)}${at}`;
  });

const rowOf = (world: EngineWorld, id: string): unknown => {
  world.mirror.flush();
  return inEnglish(storedOf(world, id));
};

function storedOf({ mirror }: EngineWorld, id: string): object {
  const { bound, best, value, ...row } = mirror.intents.get(id) ?? { bound: null, best: null, value: null };
  const text = (units: typeof bound): string | null => (units === null ? null : formatUnits(units));
  return { ...row, bound: text(bound), best: text(best), value: text(value) };
}

describe('an entry of a strategy that needs approvals', () => {
  it('waits with its price and its expiry, and nothing is reserved or sent', () => {
    const world = ready();
    const id = held(world);
    expect(placed(world)).toEqual([]);
    expect(world.orders()).toEqual([]);
    expect(rowOf(world, id)).toMatchObject({
      status: 'working',
      approval: 'waiting',
      bound: '98',
      best: '101',
      value: '98',
      expiresAtMs: expect.any(Number),
      decidedBy: null,
    });
    expect(world.messages('warning')).toEqual([
      expect.stringMatching(
        new RegExp(`^one: place in BTCUSDT of 98 usdt at 98 at most waits until .+ "sarraf approve ${id}"`),
      ),
    ]);
  });

  it('is sent once it is approved, once for however many taps', () => {
    const world = ready();
    const id = held(world);
    decide(world, 'approve', id);
    decide(world, 'approve', id);
    decide(world, 'approve', id, 'another tap');
    decide(world, 'decline', id);
    expect(placed(world)).toEqual(['buy 1@98']);
    expect(resultOf(world, `approve-${id}`)).toEqual({
      ok: true,
      message: `${id} is approved, and begins now`,
    });
    expect(resultOf(world, 'approve-another tap')).toMatchObject({
      ok: false,
      message: expect.stringContaining(`no entry ${id} waits for an approval`),
    });
    const { id: order } = world.accept();
    world.fill(order).advance(11_000);
    expect(rowOf(world, id)).toMatchObject({ status: 'done', approval: 'approved', decidedBy: 'sara' });
    expect(world.held).toBe('2.998');
  });

  it('is dropped once it is declined, and its strategy gets the reason', () => {
    const world = ready();
    const id = held(world);
    decide(world, 'decline', id);
    decide(world, 'approve', id);
    world.advance(1_000);
    expect(placed(world)).toEqual([]);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'approval', reason: 'a person declined it (sara)', market: 'BTCUSDT', side: 'buy' },
    ]);
    expect(rowOf(world, id)).toMatchObject({
      status: 'refused',
      approval: 'declined',
      decidedBy: 'sara',
      reason: 'a person declined it (sara)',
    });
  });

  it('expires where nobody answers, and says so once', () => {
    const world = ready({ expiresAfterMs: MINUTE_MS });
    const id = held(world);
    world.advance(MINUTE_MS - 1_000);
    expect(waiting(world)).toEqual([id]);
    world.advance(2_000);
    decide(world, 'approve', id);
    world.restart().advance(MINUTE_MS);
    expect(placed(world)).toEqual([]);
    expect(world.messages('info').filter((text) => text.includes('nobody approved'))).toEqual([
      `one: ${id} does not begin: nobody approved it in time`,
    ]);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'approval', reason: 'nobody approved it in time' },
    ]);
    expect(rowOf(world, id)).toMatchObject({ status: 'refused', approval: 'expired' });
  });

  it('lives no longer than the intent itself, whose time goes on meanwhile', () => {
    const world = ready();
    const long = held(world, buy('BTCUSDT', { amount: '1', price: '98', expireAfterMs: 20_000 }));
    world.advance(15_000);
    decide(world, 'approve', long);
    world.accept();
    world.advance(6_000);
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.endCanceled().advance(10_000);
    const short = held(world, buy('BTCUSDT', { amount: '1', price: '97', expireAfterMs: 20_000 }));
    world.advance(20_000);
    expect(rowOf(world, short)).toMatchObject({ approval: 'expired' });
  });

  it('is refused where its price has left, and goes where it is still there', () => {
    const world = ready();
    const late = held(world, buy('BTCUSDT', { amount: '1' }));
    expect(rowOf(world, late)).toMatchObject({ bound: '101.5', best: '101' });
    world.quote('101', '102').advance(2_000);
    decide(world, 'approve', late);
    expect(resultOf(world, `approve-${late}`)).toEqual({
      ok: false,
      message: `${late} was approved, and does not begin: the price has left: it is 102, and was approved up to 101.5`,
    });
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'approval' }]);
    const marketable = held(world, buy('BTCUSDT', { amount: '1', price: '102.5' }));
    world.quote('102', '103').advance(2_000);
    decide(world, 'approve', marketable);
    // A price below the market rests there, however far the market goes.
    const resting = held(world, buy('BTCUSDT', { amount: '1', price: '100' }));
    world.quote('103', '104').advance(2_000);
    decide(world, 'approve', resting);
    const inTime = held(world, buy('BTCUSDT', { amount: '0.5' }));
    world.quote('103', '104.5').advance(2_000);
    decide(world, 'approve', inTime);
    expect(placed(world)).toEqual(['buy 1@100', 'buy 0.5']);
  });

  it('passes every check of a new one when it is approved', () => {
    const world = ready({}, [{ limits: createRiskLimits({ maxOpenOrdersPerStrategy: 1 }) }]);
    world.open(sell('BTCUSDT', { amount: '1', price: '120' }));
    const id = held(world);
    decide(world, 'approve', id);
    expect(resultOf(world, `approve-${id}`)).toMatchObject({
      ok: false,
      message: expect.stringContaining('does not begin'),
    });
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'risk open-orders' }]);
    expect(rowOf(world, id)).toMatchObject({ status: 'refused', approval: 'approved' });
    expect(placed(world)).toEqual(['sell 1@120']);
  });

  it('waits as one of its market: later entries there are refused until it is decided', () => {
    const world = ready();
    const two = [buy('BTCUSDT', { amount: '1', price: '98' }), buy('BTCUSDT', { amount: '1', price: '97' })];
    world.want(...two);
    expect(waiting(world)).toHaveLength(2);
    world.want(WISH, WISH);
    expect(waiting(world)).toHaveLength(2);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'approval', reason: expect.stringContaining('waits for an approval there') },
      { code: 'approval' },
    ]);
    // A strategy decides the same again with each book: one line a minute is enough.
    expect(
      world.messages('info').filter((text) => text.includes('waits for an approval there')),
    ).toHaveLength(1);
  });

  it('needs none up to a value, by itself, and each does in another currency', () => {
    const world = ready({ above: { usdt: parseUnits('98') } });
    world.want(WISH);
    expect(placed(world)).toEqual(['buy 1@98']);
    const id = held(world, buy('BTCUSDT', { amount: '1.001', price: '98' }));
    expect(rowOf(world, id)).toMatchObject({ value: '98.098' });
    const other = ready({ above: { rls: parseUnits('1000000') } });
    held(other);
  });

  it('of an algorithm waits as a whole, and then goes as far as it likes', () => {
    const world = ready();
    const id = held(world, twap('BTCUSDT', 'buy', { amount: '1', overMs: MINUTE_MS, slices: 2 }));
    world.advance(30_000);
    decide(world, 'approve', id);
    world.fillNext().advance(31_000);
    world.fillNext().advance(11_000);
    expect(placed(world)).toEqual(['buy 0.5', 'buy 0.5']);
    expect(waiting(world)).toEqual([]);
  });

  it('of a bracket waits, and the exits of the bracket do not', () => {
    const world = ready();
    const entry = { amount: '1', price: '98' };
    const id = held(
      world,
      bracket('BTCUSDT', { entry, takeProfit: { price: '110' }, stopLoss: { price: '90' } }),
    );
    decide(world, 'approve', id);
    world.fillNext().advance(11_000);
    world.acceptPair();
    expect(world.resting()).toEqual(['sell 0.998@110', 'sell 0.998@89.1']);
  });

  it.each([
    ['sale', sell('BTCUSDT', { amount: '1' }), ['sell 1']],
    ['target below what is held', target('BTCUSDT', { position: '0.5' }), ['sell 1.5']],
    ['target of nothing', target('BTCUSDT', { equityShare: '0' }), ['sell 2']],
    ['sliced sale', twap('BTCUSDT', 'sell', { amount: '1', overMs: MINUTE_MS, slices: 2 }), ['sell 0.5']],
    ['set of shares that only sells', targets('BTCUSDT', { BTCUSDT: '0' }), ['sell 2']],
  ] as const)('is no exit: a %s never waits', (_, intent, orders) => {
    const world = ready().want(intent);
    expect(placed(world)).toEqual(orders);
    expect(waiting(world)).toEqual([]);
  });

  it('of quotes is left out, and their sales rest', () => {
    const world = ready().want(
      quotes('BTCUSDT', [
        { side: 'buy', price: '97', amount: '1' },
        { side: 'sell', price: '103', amount: '1' },
      ]),
    );
    expect(placed(world)).toEqual(['sell 1@103']);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'approval', reason: expect.stringContaining('quotes change too often') },
    ]);
  });

  it('that replaces another waits where it costs more', () => {
    const world = ready();
    const id = held(world);
    decide(world, 'approve', id);
    world.accept();
    const { key } = world.order();
    world.want(replace(key, { price: '97' }));
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.endCanceled().advance(2_000);
    world.accept();
    const dearer = held(world, replace(world.order().key, { price: '99' }));
    expect(rowOf(world, dearer)).toMatchObject({ bound: '99', value: '99' });
    expect(placed(world)).toEqual(['buy 1@98', 'buy 1@97']);
  });

  it('is refused where an algorithm that sells comes to buy', () => {
    const world = ready().want(target('BTCUSDT', { position: '1' }));
    const { id } = world.accept();
    // Somebody takes the coins of the strategy meanwhile: its target would buy them again.
    world.control({
      kind: 'position',
      key: 'moved',
      act: 'write-off',
      strategy: 'one',
      to: null,
      market: 'BTCUSDT',
      amount: '1',
      price: null,
    });
    world.fill(id).advance(60_000);
    expect(placed(world)).toEqual(['sell 1']);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'approval', reason: 'a person has to approve it, and nobody has' },
      {},
      {},
    ]);
  });
});

describe('what ends the wait of an entry', () => {
  it.each([
    ['a halt', (world: EngineWorld) => world.control(HALT), 'halted'],
    ['its strategy, which cancels all', (world: EngineWorld) => world.want(cancelAll()), 'canceled'],
    [
      'its strategy, which leaves',
      (world: EngineWorld) => world.want(target('BTCUSDT', { position: '0' })),
      'its strategy has decided to leave',
    ],
    [
      'a person who cancels what the strategy has',
      (world: EngineWorld) =>
        world.control({ kind: 'cancel', key: 'c', order: null, strategy: 'one', market: null }),
      'canceled',
    ],
    [
      'a person who closes its position',
      (world: EngineWorld) => world.control({ kind: 'close', key: 'k', strategy: 'one', market: null }),
      'closed by hand',
    ],
  ])('is %s', (_, act, reason) => {
    const world = ready();
    const id = held(world);
    act(world);
    world.advance(100);
    decide(world, 'approve', id);
    expect(rowOf(world, id)).toMatchObject({ status: 'refused', approval: 'withdrawn', reason });
    expect(placed(world).filter((order) => order.startsWith('buy'))).toEqual([]);
  });

  it('is no order by hand, which needs no approval', () => {
    const world = ready();
    const id = held(world);
    const order = { strategy: 'one', market: 'BTCUSDT', side: 'buy', amount: '1' } as const;
    world.control({ kind: 'place', key: 'p', ...order, price: '97', stopPrice: null });
    expect(placed(world)).toEqual(['buy 1@97']);
    expect(waiting(world)).toEqual([id]);
  });
});

describe('an entry over a restart', () => {
  it('waits on, and is approved then', () => {
    const world = ready();
    const id = held(world);
    world.restart({ losing: true }).advance(2_000);
    expect(waiting(world)).toEqual([id]);
    decide(world, 'approve', id);
    expect(placed(world)).toEqual(['buy 1@98']);
  });

  it('is sent once though kill -9 comes after its approval', () => {
    const world = ready();
    const id = held(world);
    decide(world, 'approve', id);
    const order = world.venue.place(world.pending('place').call.order);
    world.restart({ losing: true });
    decide(world, 'approve', id);
    decide(world, 'approve', id, 'another tap');
    world.advance(30_000);
    expect(placed(world)).toEqual(['buy 1@98']);
    expect(world.order().key).toBe(order.clientOrderId);
    expect(resultOf(world, `approve-${id}`)).toMatchObject({ ok: true });
    expect(resultOf(world, 'approve-another tap')).toMatchObject({
      ok: false,
      message: expect.stringContaining(`no entry ${id} waits for an approval`),
    });
  });

  it('of an approved algorithm goes on', () => {
    const world = ready();
    const id = held(world, twap('BTCUSDT', 'buy', { amount: '1', overMs: MINUTE_MS, slices: 2 }));
    decide(world, 'approve', id);
    world.fillNext().advance(11_000);
    world.restart({ losing: true }).advance(60_000);
    world.fillNext().advance(11_000);
    expect(placed(world)).toEqual(['buy 0.5', 'buy 0.5']);
  });

  it('expires at its time, and is dropped where it can not be known any more', () => {
    const gone = ready({ expiresAfterMs: MINUTE_MS });
    const id = held(gone);
    gone.nowMs += 2 * MINUTE_MS;
    gone.restart({ losing: true }).advance(2_000);
    expect(rowOf(gone, id)).toMatchObject({ status: 'refused', approval: 'expired' });
    const copied = ready();
    const old = held(copied);
    copied.restart({ options: { instances: [{ inventory: { btc: parseUnits('2') } }] } }).advance(2_000);
    expect(rowOf(copied, old)).toMatchObject({ status: 'refused', approval: 'withdrawn' });
  });
});
