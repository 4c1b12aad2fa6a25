import { describe, expect, it } from 'vitest';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import type { BracketWish } from '../../../src/strategy/intents.ts';
import { bracket, buy, cancelAll, protect, sell } from '../../support/intents.ts';
import { BRACKET, EngineWorld, WISH } from './engine-world.ts';
import { english } from '../../../src/language/sentence.ts';

/** Makes a world where 0.4 of the entry of a bracket has filled, and its exit is not answered yet. */
const partly = (): EngineWorld =>
  EngineWorld.answering().want(bracket('BTCUSDT', BRACKET)).fillNext('0.4').advance(11_000);

/** Makes a world whose bracket has filled, and whose exit rests. */
const held = (wish: BracketWish = BRACKET): EngineWorld => EngineWorld.answering().holding(wish);

/** Writes every OCO that was requested as `sell 0.4@110 stop 90/89.1`. */
const pairs = (world: EngineWorld): readonly string[] =>
  world.requestsOf('place-oco').map(({ call }) => {
    const { side, amount, price, stopPrice, stopLimitPrice } = call.order;
    const [at, stop, limit] = [price, stopPrice, stopLimitPrice].map((one) => formatUnits(one));
    return `${side} ${formatUnits(amount)}@${at} stop ${stop}/${limit}`;
  });

describe('a bracket', () => {
  it('rests its exit for each part of the entry, and never two of them', () => {
    const world = partly();
    expect(pairs(world)).toEqual(['sell 0.399@110 stop 90/89.1']);
    world.acceptPair();
    const entry = world.orders()[0];
    world.fill(entry?.venueId ?? null).advance(11_000);
    expect(pairs(world)).toHaveLength(1);
    world.endCanceled().advance(6_000);
    expect(pairs(world)).toEqual(['sell 0.399@110 stop 90/89.1', 'sell 0.998@110 stop 90/89.1']);
    world.acceptPair();
    expect(world.resting()).toEqual(['sell 0.998@110', 'sell 0.998@89.1']);
    world.advance(60_000);
    expect(world.waitingKinds()).toEqual([]);
  });

  it('is taken over by the next life with the exit that rests', () => {
    const world = held({ ...BRACKET, whenCanceled: 'replace' });
    world.restart().advance(60_000);
    expect(pairs(world)).toHaveLength(1);
    expect(world.resting()).toEqual(['sell 0.998@110', 'sell 0.998@89.1']);
    world.end(world.orders()[1]?.venueId ?? null).advance(11_000);
    expect(pairs(world)).toHaveLength(2);
  });

  it.each(['place-oco', 'cancel'] as const)(
    'has one exit after a crash while a %s of it is under way',
    (kind) => {
      const world = partly();
      if (kind === 'cancel') {
        world.acceptPair();
        world.fill(world.orders()[0]?.venueId ?? null).advance(11_000);
      } else world.venue.placePair(world.pending('place-oco').call.order);
      expect(world.waitingKinds()).toEqual([kind]);
      world.restart();
      for (let waited = 0; waited < 20; waited += 1) {
        world.advance(5_000);
        if (world.waitingKinds().includes('cancel')) world.endCanceled();
        if (world.waitingKinds().includes('place-oco')) world.acceptPair();
      }
      const amount = kind === 'cancel' ? '0.998' : '0.399';
      expect(world.resting().filter((order) => order.startsWith('sell'))).toEqual([
        `sell ${amount}@110`,
        `sell ${amount}@89.1`,
      ]);
    },
  );

  it('keeps its exit through a drain that keeps exits', () => {
    const world = held();
    world.control({ kind: 'drain', openOrders: 'keep-exits' }).advance(5_000);
    expect(world.engine.isDrained()).toBe(true);
    expect(world.resting()).toEqual(['sell 0.998@110', 'sell 0.998@89.1']);
  });

  it.each([
    ['ask', 1],
    ['replace', 2],
  ] as const)(
    'whose exit a person has canceled at the exchange does as whenCanceled: %s says',
    (whenCanceled, count) => {
      const world = held({ ...BRACKET, whenCanceled });
      world.endAll().advance(20_000);
      expect(pairs(world)).toHaveLength(count);
    },
  );

  it('places no exit after somebody else canceled it, over a restart too, and says what a person can say', () => {
    const world = held();
    world.endAll().advance(20_000);
    world.restart().advance(3_600_000);
    expect(pairs(world)).toHaveLength(1);
    expect(world.alarms().filter((text) => text.includes('somebody else canceled'))).toEqual([
      expect.stringMatching(
        /^one: somebody else canceled its exit, so 0.998 btc .* "sarraf position adopt one BTCUSDT" .* write-off .* move/,
      ),
    ]);
    expect(world.orders().filter(({ reason }) => english(reason) === 'CanceledByOthers')).toHaveLength(2);
  });

  it('sells at the market what a stop did not that the price has reached', () => {
    const stop = bracket('BTCUSDT', { entry: BRACKET.entry, stopLoss: { price: '90' } });
    const world = EngineWorld.answering().bought(stop);
    world.accept();
    world
      .quote('89', '89.5')
      .end(world.venue.open()[0]?.id ?? null)
      .advance(20_000);
    expect(world.pending('place').call.order).toMatchObject({ side: 'sell', execution: 'market' });
  });

  it('places no exit while the account has less of its coin than it holds', () => {
    const world = held({ ...BRACKET, whenCanceled: 'replace' });
    world.deposit('btc', '-10.5').advance(200_000);
    world.endAll().advance(60_000);
    expect(pairs(world)).toHaveLength(1);
    world.deposit('btc', '1').advance(200_000);
    expect(pairs(world)).toHaveLength(2);
  });

  it('goes before other orders, and says which exit it is and what it is called', () => {
    const world = held({ ...BRACKET, tag: 'swing' });
    expect(world.requestsOf('place').map(({ requestClass }) => requestClass)).toEqual(['place']);
    expect(world.requestsOf('place-oco').map(({ requestClass }) => requestClass)).toEqual(['exit']);
    const stop = world.venue.open().find(({ price }) => price === 891_000_000_000n);
    world.fill(stop?.id ?? null).advance(20_000);
    expect(world.eventsOf('fill')).toMatchObject([
      { side: 'buy', tag: 'swing', exit: null },
      { side: 'sell', tag: 'swing', exit: 'stop-loss' },
    ]);
    expect(world.orders().map(({ exit }) => exit)).toEqual([null, 'take-profit', 'stop-loss']);
  });

  it('waits ever longer with an exit that is refused again and again', () => {
    const world = EngineWorld.answering().bought(bracket('BTCUSDT', BRACKET));
    const asked: number[] = [];
    for (let waitedMs = 0; waitedMs < 400_000; waitedMs += 500) {
      if (world.waitingKinds().includes('place-oco')) {
        asked.push(waitedMs);
        world.refuse('place-oco', 'InsufficientBalance');
      }
      // In place of the pair the stop is sent alone, and is refused as well.
      if (world.waitingKinds().includes('place')) world.refuse('place', 'InsufficientBalance');
      world.advance(500);
    }
    expect(asked).toEqual([0, 10_500, 31_500, 73_500, 157_500, 325_500]);
    expect(world.messages('error').at(-1)).toBe(
      'one: the exit of its bracket in BTCUSDT was refused 6 times in a row (InsufficientBalance): the position has no exit, and the bot tries again in 336 s',
    );
  });

  it('says that its stop goes alone while the exchange refuses the pair', () => {
    const world = EngineWorld.answering().bought(bracket('BTCUSDT', BRACKET));
    world.refuse('place-oco', 'PriceConditionFailed');
    world.accept();
    expect(world.orders().at(-1)).toMatchObject({
      execution: 'stop_market',
      exit: 'stop-loss',
      state: 'open',
    });
    expect(world.messages('warning').at(-1)).toBe(
      'one: the exit of its bracket in BTCUSDT was refused once (PriceConditionFailed): its stop goes alone, and the bot tries again in 11 s',
    );
    world.quote('99.5', '101').advance(10_500);
    world.endCanceled();
    world.acceptPair();
    expect(world.resting()).toEqual(['sell 0.998@110', 'sell 0.998@89.1']);
    expect(world.messages('error')).toEqual([]);
  });

  it.each<readonly [end: string, act: (world: EngineWorld) => void]>([
    ['halted', (world) => world.control({ kind: 'halt', reason: 'by hand', wholeAccount: false })],
    ['canceled', (world) => world.want(cancelAll())],
  ])('says what has no exit any more when it is %s, and places none after that', (end, act) => {
    const world = held();
    act(world);
    expect(world.messages('warning')).toContain(
      `one: its bracket in BTCUSDT ended (${end}): 0.998 btc has no exit any more; ctx.protect places one`,
    );
    world.endCanceled().advance(20_000);
    world.control({ kind: 'resume' }).advance(60_000);
    expect(world.resting()).toEqual([]);
    expect(pairs(world)).toHaveLength(1);
  });

  it('is over when its exit has filled', () => {
    const world = held();
    const stop = world.venue.open().find(({ price }) => price === 891_000_000_000n);
    world.fill(stop?.id ?? null).advance(20_000);
    expect(world.waitingKinds()).toEqual([]);
    expect(world.engine.unfinishedOrders()).toEqual([]);
    expect(world.messages('info')).toContain('one: its bracket in BTCUSDT is over: the stop was reached');
    world.restart().advance(20_000);
    expect(pairs(world)).toHaveLength(1);
  });
});

describe('brackets that are used badly', () => {
  it('have an exit each where two are in one market, of no more than each has bought', () => {
    const world = EngineWorld.answering().holding(BRACKET, {
      ...BRACKET,
      entry: { amount: '0.5', price: '97' },
    });
    expect(world.resting()).toEqual([
      'sell 0.499@110',
      'sell 0.499@89.1',
      'sell 0.998@110',
      'sell 0.998@89.1',
    ]);
  });

  it('are refused beyond what may be at work, and by the risk checks before that, with numbers', () => {
    const world = EngineWorld.ready();
    for (let round = 0; round < 11; round += 1)
      world.want(
        ...Array.from({ length: 100 }, (_, index) =>
          bracket('BTCUSDT', {
            ...BRACKET,
            entry: { amount: '0.1', price: String(90 + index / 100) },
          }),
        ),
      );
    world.advance(1_000);
    const placed = world.requestsOf('place').length;
    const refused = world.eventsOf('reject').length;
    expect(placed + refused).toBe(1_100);
    expect(placed).toBeLessThanOrEqual(1_000);
  });

  it('are protected again when a person cancels one leg and the exchange leaves the other', () => {
    const world = held({ ...BRACKET, whenCanceled: 'replace' });
    const [first] = world.venue.open();
    world.end(first?.id ?? null).advance(15_000);
    if (world.waitingKinds().includes('cancel')) world.endCanceled();
    world.advance(10_000);
    world.acceptPair();
    expect(world.resting()).toEqual(['sell 0.998@110', 'sell 0.998@89.1']);
  });

  it('wait for a person where somebody canceled one leg and the bot had to end the other', () => {
    const world = held();
    const [first] = world.venue.open();
    world.venue.end(first?.id ?? null);
    for (let waited = 0; waited < 12; waited += 1) {
      world.advance(5_000);
      if (world.waitingKinds().includes('cancel')) world.endCanceled();
    }
    expect(world.requestsOf('place-oco')).toHaveLength(1);
    expect(world.waitingKinds()).toEqual([]);
  });

  it('place nothing after all was canceled amid the move of an exit', () => {
    const world = partly();
    world.acceptPair();
    world.fill(world.orders()[0]?.venueId ?? null).advance(11_000);
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.want(cancelAll());
    world.endCanceled().advance(60_000);
    expect(world.requestsOf('place-oco')).toHaveLength(1);
    expect(world.resting()).toEqual([]);
    expect(world.messages('warning')).toContain(
      'one: its bracket in BTCUSDT ended (canceled): 0.998 btc has no exit any more; ctx.protect places one',
    );
  });

  it('leave the position where that was asked for, and say so', () => {
    const world = held({ ...BRACKET, whenCanceled: 'leave' });
    world.endAll().advance(30_000);
    expect(world.requestsOf('place-oco')).toHaveLength(1);
    expect(world.messages('info')).toContain(
      'one: its bracket in BTCUSDT is over: its exit was canceled by somebody else, and 0.998 btc has none',
    );
  });

  it('have their exit as soon as orders are taken again, however often the process died before', () => {
    const world = held({ ...BRACKET, whenCanceled: 'replace' });
    world.endAll().advance(1_000);
    for (let life = 0; life < 5; life += 1) {
      world.failing = { kind: 'trades', code: 'TIMED_OUT' };
      world.restart().advance(12_000);
    }
    expect(world.requestsOf('place-oco')).toHaveLength(1);
    world.failing = null;
    world.advance(8_000);
    expect(world.eventsOf('reject')).toEqual([]);
    world.acceptPair();
    expect(world.resting()).toEqual(['sell 0.998@110', 'sell 0.998@89.1']);
  });

  it('wait with a move while trading is closed, since what rests protects', () => {
    const world = partly();
    world.acceptPair();
    world.failing = { kind: 'trades', code: 'TIMED_OUT' };
    world.restart();
    world.fill(world.orders()[0]?.venueId ?? null).advance(60_000);
    expect(world.waitingKinds()).toEqual([]);
    expect(world.resting()).toEqual(['sell 0.399@110', 'sell 0.399@89.1']);
    world.failing = null;
    world.advance(30_000);
    expect(world.waitingKinds()).toEqual(['cancel']);
  });
});

describe('what is too little for an order', () => {
  /** Terms that buy 0.6986 after the fee, which is no whole number of steps of 0.001. */
  const ODD: BracketWish = { ...BRACKET, entry: { amount: '0.7', price: '98' } };

  it('goes with the exit of the next bracket, so that it does not grow', () => {
    const world = held(ODD);
    const target = world.orders().find(({ side, stopPrice }) => side === 'sell' && stopPrice === null);
    world.fill(target?.venueId ?? null).advance(11_000);
    world.bought(bracket('BTCUSDT', ODD));
    expect(pairs(world)).toEqual(['sell 0.698@110 stop 90/89.1', 'sell 0.699@110 stop 90/89.1']);
  });

  it('stays where it is while it is worth an order, or another bracket has it', () => {
    const world = held(ODD).bought(bracket('BTCUSDT', ODD));
    expect(pairs(world)).toEqual(['sell 0.698@110 stop 90/89.1', 'sell 0.698@110 stop 90/89.1']);
    const plain = EngineWorld.answering();
    plain.bought(buy('BTCUSDT', { amount: '0.5', price: '98' }), bracket('BTCUSDT', ODD));
    expect(pairs(plain)).toEqual(['sell 0.698@110 stop 90/89.1']);
  });
});

describe('a protection', () => {
  it('rests for what no bracket holds, and is refused beyond it', () => {
    const world = held();
    world.want(protect('BTCUSDT', { amount: '0.5', stopLoss: { price: '90' } }));
    expect(world.eventsOf('reject')).toMatchObject([
      {
        code: 'fit',
        reason: 'expected a position of at least 0.5 btc that no exit and no sale has, to protect it; was 0',
      },
    ]);
    world.bought(buy('BTCUSDT', { amount: '0.6', price: '97' }));
    world.want(protect('BTCUSDT', { amount: '0.5', stopLoss: { price: '90' } })).advance(1_000);
    expect(world.pending('place').call.order).toMatchObject({ side: 'sell', amount: 5_000_000_000n });
  });

  it.each([
    [undefined, 'expected at most 0.598 BTC to be spent, was 0.998'],
    ['0.7', 'expected at most 0.598 BTC to be spent, was 0.7'],
    ['2', 'expected a position of at least 2 btc that no exit and no sale has, to protect it; was 0.598'],
  ])('of what a sale of its own has is refused by what is free: %s', (amount, reason) => {
    const world = moved('98');
    world.open(sell('BTCUSDT', { amount: '0.4', price: '120' }));
    world.want(
      protect('BTCUSDT', { ...(amount === undefined ? {} : { amount }), stopLoss: { price: '90' } }),
    );
    expect(world.eventsOf('reject')).toMatchObject([{ reason: expect.stringContaining(reason) }]);
  });
});

/** Makes a world that bought 0.998 at 98 and whose best bid then moved to `bid`. */
function moved(bid: string): EngineWorld {
  const world = EngineWorld.answering().bought(WISH);
  return world.quote(bid, String(Number(bid) + 2)).advance(2_000);
}

describe('a protection of a position whose price has moved', () => {
  it('keeps a profit by a stop above what was paid', () => {
    const world = moved('120');
    world.want(protect('BTCUSDT', { stopLoss: { price: '110' } }));
    expect(world.eventsOf('reject')).toEqual([]);
    expect(world.pending('place').call.order.stopPrice).toBe(parseUnits('110'));
  });

  it('refuses a stop above both prices, with the numbers', () => {
    const world = moved('120');
    world.want(protect('BTCUSDT', { stopLoss: { price: '121' } }));
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'fit', reason: 'expected a stopLoss below the price of 120 usdt, was 121' },
    ]);
  });

  it('takes a target between the price of now and what was paid', () => {
    const world = moved('80');
    world.want(protect('BTCUSDT', { takeProfit: { price: '90' } }));
    expect(world.pending('place').call.order).toMatchObject({ execution: 'limit', price: 900_000_000_000n });
  });
});
