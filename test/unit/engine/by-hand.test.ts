import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import type { PlaceCommand } from '../../../src/engine/engine-event.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { bracket, buy, quotes, sell, target } from '../../support/intents.ts';
import { BRACKET, EngineWorld, WISH } from './engine-world.ts';
import { inEnglish } from '../../../src/language/sentence.ts';

const CANCEL = { kind: 'cancel', key: 'c1', order: null, strategy: null, market: null } as const;
const CLOSE = { kind: 'close', key: 'k1', strategy: 'one', market: null } as const;
const PLACE: PlaceCommand = {
  kind: 'place',
  key: 'p1',
  strategy: 'one',
  market: 'BTCUSDT',
  side: 'buy',
  amount: '1',
  price: '98',
  stopPrice: null,
};
const HALT = { kind: 'halt', reason: 'a test', wholeAccount: false } as const;

/** Makes a world whose strategy holds 0.998 of the coin, bought at 98. */
const holding = (): EngineWorld => EngineWorld.answering().bought(WISH);

const endOf = ({ engine }: EngineWorld, key: string): unknown =>
  inEnglish(engine.byHand.stateOf(key)?.end ?? null);

/** Writes the orders requested from index `first` on, such as `sell 0.998 market`. */
const placedSince = (world: EngineWorld, first: number): readonly string[] =>
  world
    .requestsOf('place')
    .slice(first)
    .map(({ call: { order } }) => `${order.side} ${formatUnits(order.amount)} ${order.execution}`);

describe('a cancel by hand', () => {
  it('of all ends the algorithms, and says what trades on', () => {
    const world = EngineWorld.answering().want(
      WISH,
      quotes('BTCUSDT', [{ side: 'buy', price: '97', amount: '1' }]),
    );
    world.accept();
    world.accept();
    world.control(CANCEL);
    expect(world.engine.byHand.stateOf('c1')).toEqual({ left: 2, closed: 0, end: null });
    world.endCanceled().endCanceled().advance(30_000);
    expect(endOf(world, 'c1')).toEqual({
      ok: true,
      message: '2 orders are canceled; one trades on and may place others: "sarraf pause one" stops that',
    });
    expect(world.requestsOf('place')).toHaveLength(2);
  });

  it('of one order leaves its algorithm, and says what that does next', () => {
    const world = EngineWorld.answering().want(
      quotes('BTCUSDT', [{ side: 'buy', price: '97', amount: '1' }]),
    );
    const { id } = world.accept();
    world.control({ ...CANCEL, order: id });
    world.endCanceled();
    expect(endOf(world, 'c1')).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^1 order is canceled; its quotes place another while they want it/),
    });
    world.advance(20_000);
    expect(world.waitingKinds()).toEqual(['place']);
  });

  it('names positions that no stop covers any more', () => {
    const world = EngineWorld.answering();
    world.bought(bracket('BTCUSDT', { entry: BRACKET.entry, stopLoss: { price: '90' } })).accept();
    world.control({ ...CANCEL, market: 'BTCUSDT', strategy: 'one' });
    world.endCanceled().advance(10_000);
    expect(endOf(world, 'c1')).toMatchObject({
      message: expect.stringContaining('no stop covers any more: 0.998 btc of one'),
    });
  });

  it('of what is not there changes nothing', () => {
    const world = EngineWorld.answering();
    world.control({ ...CANCEL, order: 'bot-one-none-1' });
    world.control({ ...CANCEL, key: 'c2', strategy: 'two' });
    world.control({ ...CANCEL, key: 'c3' });
    expect(['c1', 'c2', 'c3'].map((key) => endOf(world, key))).toMatchObject([
      { ok: false, message: expect.stringContaining('was bot-one-none-1: "sarraf orders" lists them') },
      { ok: false, message: 'expected one of the strategies of this bot, one, was two' },
      { ok: true, message: expect.stringContaining('no order was open there') },
    ]);
    expect(world.waitingKinds()).toEqual([]);
  });
});

describe('a close by hand', () => {
  it('ends what rests, waits for its end, and sells what is held, once', () => {
    const world = holding();
    world.open(sell('BTCUSDT', { amount: '0.5', price: '120' }));
    world.control(CLOSE);
    world.control(CLOSE);
    world.control({ ...CLOSE, key: 'k2' });
    expect(endOf(world, 'k2')).toMatchObject({ ok: false });
    world.advance(5_000);
    expect(placedSince(world, 2)).toEqual([]);
    // The order trades while its cancel is on the way.
    world.venue.fill(world.order().venueId, '0.2');
    world.endCanceled().advance(11_000);
    expect(placedSince(world, 2)).toEqual(['sell 0.798 market']);
    world.fillNext().advance(11_000);
    expect(endOf(world, 'k1')).toMatchObject({
      ok: true,
      message: expect.stringMatching(
        /^sold 0\.798 BTC in BTCUSDT at \d.* on average, nothing of BTC is held/,
      ),
    });
    expect(world.requestsOf('place')).toHaveLength(3);
  });

  it('keeps its strategy from placing anything there meanwhile', () => {
    const world = holding();
    world.control(CLOSE);
    world.want(WISH, target('BTCUSDT', { position: '3' }));
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'closed', reason: 'a person is closing the position of one in btc' },
      { code: 'closed' },
    ]);
    world.control(PLACE);
    expect(endOf(world, 'p1')).toMatchObject({ ok: false });
    expect(placedSince(world, 1)).toEqual(['sell 0.998 market']);
  });

  it('goes on after kill -9, and never sells more than is left', () => {
    const world = holding();
    world.control(CLOSE);
    const half = world.venue.place(world.pending('place').call.order);
    world.venue.fill(half.id, '0.4');
    world.restart({ losing: true });
    world.control(CLOSE).advance(30_000);
    world.fill(half.id).advance(30_000);
    expect(endOf(world, 'k1')).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^sold 0\.998 BTC in BTCUSDT at /),
    });
    expect(placedSince(world, 1)).toEqual(['sell 0.998 market']);
    expect(world.engine.instances[0]?.held('btc')).toBe(0n);
  });

  it('is refused in a halt, and ends with one', () => {
    const world = holding();
    world.control(HALT);
    world.control(CLOSE);
    expect(endOf(world, 'k1')).toMatchObject({
      ok: false,
      message: expect.stringContaining('trading is halted: a test: nothing was done'),
    });
    world.control({ kind: 'resume' });
    world.control({ ...CLOSE, key: 'k2' });
    world.control(HALT);
    expect(placedSince(world, 1)).toEqual(['sell 0.998 market']);
    world.refuse('place', 'Halted').advance(5_000);
    expect(endOf(world, 'k2')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^0\.998 BTC is left: trading is halted: a test/),
    });
  });

  it('passes a pause, and says why something is left', () => {
    const world = holding();
    const lock = { kind: 'lock', name: 'pause', strategy: 'one', market: null, reason: 'x' } as const;
    world.control({ ...lock, untilMs: world.nowMs + 3_600_000, entries: 'cancel', pauses: true });
    world.control(CLOSE);
    for (let refused = 0; refused < 3; refused += 1) world.refuse('place', 'OverValueOrder').advance(11_000);
    expect(endOf(world, 'k1')).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /^0\.998 BTC is left: refused 3 times in a row: OverValueOrder; no stop covers 0\.998 BTC$/,
      ),
    });
  });

  it('of nothing is done at once', () => {
    const world = EngineWorld.answering();
    world.control(CLOSE);
    world.control({ ...CLOSE, key: 'k2', market: 'ETHIRT' }).advance(100);
    expect(endOf(world, 'k1')).toMatchObject({ ok: true });
    expect(endOf(world, 'k2')).toMatchObject({ ok: false });
  });
});

describe('an order by hand', () => {
  it('is placed in the book of its strategy, which is told of its fills', () => {
    const world = EngineWorld.answering();
    world.control(PLACE);
    expect(endOf(world, 'p1')).toBe(null);
    const { id } = world.accept();
    const name = world.order().key;
    expect(endOf(world, 'p1')).toEqual({
      ok: true,
      message: `${name}: it is at the exchange`,
      placed: [name],
    });
    world.fill(id).advance(11_000);
    expect(world.eventsOf('fill')).toMatchObject([{ clientOrderId: name, tag: 'by-hand' }]);
    expect(world.engine.instances[0]?.held('btc')).toBeGreaterThan(0n);
  });

  it.each(['before', 'after'] as const)(
    'is never placed twice, though kill -9 comes %s its answer',
    (when) => {
      const world = EngineWorld.answering();
      world.control(PLACE);
      const order = world.venue.place(world.pending('place').call.order);
      if (when === 'after') world.give('place', { ...order });
      world.restart({ losing: true });
      world.control(PLACE).advance(30_000);
      expect(world.requestsOf('place')).toHaveLength(1);
      expect(endOf(world, 'p1')).toMatchObject({ ok: true, placed: [order.clientOrderId] });
    },
  );

  it('that was on its way at kill -9 is waited for, and said to be rejected where it never arrived', () => {
    const world = EngineWorld.answering();
    world.control(PLACE);
    world.pending('place');
    world.restart({ losing: true }).advance(5_000);
    expect(endOf(world, 'p1')).toBeNull();
    world.advance(600_000);
    expect(endOf(world, 'p1')).toMatchObject({
      ok: false,
      message: expect.stringContaining('refused by the exchange: NeverArrived') as string,
    });
  });

  it('is not placed again by another command within the window of identical orders', () => {
    const world = EngineWorld.answering();
    world.control(PLACE);
    world.accept();
    world.control({ ...PLACE, key: 'p2' }).advance(12_000);
    world.control({ ...PLACE, key: 'p3' });
    expect(world.requestsOf('place')).toHaveLength(2);
    expect(endOf(world, 'p2')).toMatchObject({
      ok: false,
      message: expect.stringContaining('the same order was placed by hand 0 s ago as bot-one-e001-'),
    });
  });

  it('is refused by limits and locks with their numbers, and its strategy is not told', () => {
    const limits = createRiskLimits({ maxOpenOrdersPerStrategy: 1 });
    const world = EngineWorld.answering({ instances: [{ limits }] }).want(
      buy('BTCUSDT', { amount: '1', price: '97' }),
    );
    world.accept();
    world.control(PLACE);
    world.control({ ...PLACE, key: 'p2', market: 'ETHIRT' });
    world.control({ ...PLACE, key: 'p3', strategy: 'two' });
    expect(['p1', 'p2', 'p3'].map((key) => endOf(world, key))).toMatchObject([
      { ok: false, message: expect.stringMatching(/^refused \(risk open-orders\): .*1/) },
      { ok: false, message: expect.stringContaining('ETHIRT') },
      { ok: false, message: 'this bot has no strategy two' },
    ]);
    expect(world.eventsOf('reject')).toEqual([]);
  });

  const LOCK = { kind: 'lock', name: 'hand', strategy: 'one', market: null, reason: 'x' } as const;
  const LOSS = { maxDailyLoss: { usdt: parseUnits('1') } };
  /** What may stand against an order by hand. */
  const SITUATIONS: Readonly<Record<string, () => EngineWorld>> = {
    nothing: () => EngineWorld.answering(),
    'coins that are held': holding,
    'a limit on orders': () =>
      EngineWorld.answering({ instances: [{ limits: createRiskLimits({ maxOrdersPerMinute: 0 }) }] }),
    'a limit on value': () =>
      EngineWorld.answering({
        instances: [{ limits: createRiskLimits({ maxOrderValue: { usdt: parseUnits('150') } }) }],
      }),
    'a limit on losses': () => {
      const world = EngineWorld.answering({ instances: [{ limits: createRiskLimits(LOSS) }] }).bought(WISH);
      return world.quote('80', '81').advance(5_000);
    },
    'a lock': () => {
      const world = holding();
      return world.control({ ...LOCK, untilMs: world.nowMs + 3_600_000, entries: 'keep' });
    },
    'a halt': () => EngineWorld.answering().control(HALT),
    'a close': () => holding().control(CLOSE),
    'the same order': () => {
      const world = EngineWorld.answering().control(PLACE);
      world.accept();
      return world;
    },
    'a refusal of the like': () => EngineWorld.answering().control(PLACE).refuse('place', 'OverValueOrder'),
    'an approval': () =>
      EngineWorld.answering({
        instances: [{ approval: { above: {}, expiresAfterMs: 60_000, slippageBps: 50 } }],
      }),
  };

  it('is refused just as its dry run says, and that changes nothing', () => {
    const order = fc.record({
      situation: fc.constantFrom(...Object.keys(SITUATIONS)),
      strategy: fc.constantFrom('one', 'one', 'one', 'two'),
      market: fc.constantFrom('BTCUSDT', 'BTCUSDT', 'BTCUSDT', 'ETHIRT'),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      amount: fc.constantFrom('1', '0.5', '2', '0.0001', '100000'),
      price: fc.constantFrom(null, '98', '98', '99', '0.001', '5000'),
      stopPrice: fc.constantFrom(null, null, null, '120'),
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(order, ({ situation, ...terms }) => {
        const world = SITUATIONS[situation]?.() ?? EngineWorld.answering();
        // A check values the ledger anew, as any other does.
        const stored = (): unknown => ({ ...world.stored(), strategies: [] });
        const before = stored();
        const command = { ...PLACE, ...terms, key: 'dry', isDryRun: true };
        for (let time = 0; time < 4; time += 1) {
          const output = world.engine.step({ kind: 'control', atMs: world.nowMs, command });
          const changes = output.changes.filter(({ kind }) => kind !== 'strategy');
          expect({ ...output, changes }).toMatchObject({
            changes: [],
            isDurable: false,
            requests: [],
            notices: [],
          });
        }
        expect(stored()).toEqual(before);
        const asked = world.requestsOf('place').length;
        world.control({ ...PLACE, ...terms, key: 'real' });
        const isPlaced = world.requestsOf('place').length > asked;
        expect(endOf(world, 'dry')).toEqual(
          isPlaced ? { ok: true, message: 'every check allows it now' } : endOf(world, 'real'),
        );
        if (!isPlaced) seen.add(situation);
      }),
      { numRuns: 150 },
    );
    expect([...seen].toSorted()).toEqual(Object.keys(SITUATIONS).toSorted());
  });
});
