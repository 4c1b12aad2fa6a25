import { describe, expect, it } from 'vitest';
import { formatUnits } from '../../../src/domain/money.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { buy, iceberg, oco, quotes, sell } from '../../support/intents.ts';
import { EngineWorld, WISH, WITH_COINS, type WorldOptions } from './engine-world.ts';

const DRAIN = { kind: 'drain', openOrders: 'keep-exits' } as const;

const STOP = sell('BTCUSDT', { amount: '0.5', price: '80', stopPrice: '81' });
const OCO = oco('BTCUSDT', 'sell', { amount: '0.9', price: '110', stopPrice: '90', stopLimitPrice: '89' });
const DEARER = sell('BTCUSDT', { amount: '0.4', price: '120' });
const TOO_MUCH = sell('BTCUSDT', { amount: '1', price: '130' });
const ENTRY = buy('BTCUSDT', { amount: '1', price: '97' });

/** Makes a world whose strategy holds 0.998 BTC and has placed these intents. */
function holding(options: WorldOptions, ...chosen: readonly Intent[]): EngineWorld {
  const world = EngineWorld.answering(options).bought(WISH);
  for (const wish of chosen) {
    world.want(wish);
    if (world.waitingKinds().includes('place-oco')) world.acceptPair();
    else world.accept();
  }
  return world;
}

/** Makes a world as `holding` does, where an earlier version could place sales of coins it does not hold. */
function oversold(...chosen: readonly Intent[]): EngineWorld {
  return holding(WITH_COINS, ...chosen)
    .restartWithout('0.998')
    .advance(11_000);
}

/** Answers all cancels that were requested; returns the prices of their orders. */
function canceled(world: EngineWorld): readonly string[] {
  const prices: string[] = [];
  while (world.waitingKinds().includes('cancel')) prices.push(formatUnits(world.endedByCancel().price ?? 0n));
  return prices.toSorted();
}

const kept = (world: EngineWorld): readonly string[] =>
  world.venue
    .open()
    .map(({ price }) => formatUnits(price ?? 0n))
    .toSorted();

describe('a drain that keeps exits', () => {
  it.each<[string, readonly Intent[], readonly string[], readonly string[]]>([
    ['cancels what would add to the position', [ENTRY], ['97'], []],
    [
      'keeps a stop order and an OCO that fit together',
      [
        STOP,
        oco('BTCUSDT', 'sell', { amount: '0.4', price: '110', stopPrice: '90', stopLimitPrice: '89' }),
        ENTRY,
      ],
      ['97'],
      ['110', '80', '89'],
    ],
    ['counts an OCO once', [OCO], [], ['110', '89']],
    ['keeps what protects before what does not', [DEARER, OCO], ['120'], ['110', '89']],
    [
      'keeps the stop order before the older one that does not protect',
      [sell('BTCUSDT', { amount: '0.9', price: '120' }), STOP],
      ['120'],
      ['80'],
    ],
    ['cancels what is more than the position', [TOO_MUCH, DEARER], ['130'], ['120']],
    [
      'keeps no more than the position together',
      [
        DEARER,
        sell('BTCUSDT', { amount: '0.4', price: '125' }),
        sell('BTCUSDT', { amount: '0.4', price: '128' }),
      ],
      ['128'],
      ['120', '125'],
    ],
  ])('%s', (_, chosen, out, stays) => {
    const world = oversold(...chosen);
    world.control(DRAIN);
    expect(canceled(world)).toEqual(out);
    expect(world.engine.isDrained()).toBe(true);
    expect(kept(world)).toEqual(stays);
    world.advance(20_000);
    expect(canceled(world)).toEqual([]);
  });

  it('keeps no sale of what the strategy does not hold', () => {
    const { world } = EngineWorld.answering(WITH_COINS).open(DEARER);
    world.restartWithout('0').advance(11_000);
    world.control(DRAIN);
    expect(canceled(world)).toEqual(['120']);
  });

  it('cancels an exit that no longer fits, since an order that was being canceled took the position', () => {
    const world = oversold(TOO_MUCH, OCO);
    world.control(DRAIN);
    const { venueId } = world.pending('cancel').call;
    world.venue.fill(venueId, '0.5');
    expect(canceled(world)).toEqual(['130']);
    world.advance(12_000);
    expect(canceled(world)).toEqual(['110', '89']);
    expect(world.engine.isDrained()).toBe(true);
    expect(kept(world)).toEqual([]);
  });

  it('cancels everything in a halt, before it or after', () => {
    const world = holding({}, OCO);
    // The id of a stop leg, which has no client order id, is only sure after two readings.
    world.advance(5_100);
    world.control(DRAIN);
    expect(world.engine.isDrained()).toBe(true);
    world.control({ kind: 'halt', reason: 'a test', wholeAccount: false });
    expect(canceled(world)).toHaveLength(2);
    const other = holding({}, OCO);
    other.advance(5_100);
    other.control({ kind: 'halt', reason: 'a test', wholeAccount: false });
    other.control(DRAIN);
    expect(canceled(other)).toHaveLength(2);
  });

  it('knows its exits again after a restart, and the strategy gets their fills', () => {
    const world = holding({}, OCO);
    world.control(DRAIN);
    world.restart().advance(2_000);
    world.fill(world.venue.open()[0]?.id).advance(12_000);
    expect(
      world
        .orders()
        .slice(1)
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(['cancelled', 'filled']);
    expect(world.eventsOf('fill').at(-1)).toMatchObject({ side: 'sell', amount: 0.9 });
  });

  it('ends algorithms but those with an order that stays, which go on at the next start', () => {
    const world = holding(
      {},
      quotes('BTCUSDT', [
        { side: 'buy', price: '96', amount: '1' },
        { side: 'sell', price: '140', amount: '0.3' },
      ]),
    );
    while (world.waitingKinds().includes('place')) world.accept();
    world.open(iceberg('BTCUSDT', 'buy', { amount: '2', visible: '1', price: '95' }));
    world.control(DRAIN);
    expect(canceled(world)).toEqual(['95', '96']);
    expect(kept(world)).toEqual(['140']);
    world.restart().advance(2_000);
    expect([...world.mirror.intents.values()].filter(({ status }) => status === 'working')).toMatchObject([
      { kind: 'quotes' },
    ]);
  });

  it('names what it leaves open, and what of a position nothing protects', () => {
    const world = holding({}, STOP, DEARER);
    world.control(DRAIN);
    const { orders, unprotected } = world.engine.leftBehind();
    expect(orders.map(({ price }) => price)).toEqual([800_000_000_000n, 1_200_000_000_000n]);
    expect(unprotected).toEqual([
      { strategy: 'one', asset: 'btc', held: 9_980_000_000n, unprotected: 4_980_000_000n },
    ]);
  });
});
