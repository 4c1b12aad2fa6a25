import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { backtest, type Candles } from '../../../src/research.ts';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { bracket, buy, cancelAll, exit, oco, sell, target, targets } from '../../support/intents.ts';
import { BRACKET, EngineWorld, WISH } from './engine-world.ts';

const BTC = 'BTCUSDT';

/** Makes a world whose account has no coins. */
function ready(): EngineWorld {
  const world = new EngineWorld();
  world.deposit('btc', '-10').advance(2_000);
  world.answers.add('order');
  return world;
}

/** Makes a world whose bracket holds 0.998, with its exit at the exchange. */
const held = (): EngineWorld => ready().holding(BRACKET);

/** Makes a world that bought 0.998 without a bracket, and protects it by orders of its own. */
function guarded(guard: Intent, count = 1): EngineWorld {
  const world = ready().want(WISH);
  world.fillNext().advance(11_000);
  for (let placed = 0; placed < count; placed += 1) {
    world.want(guard);
    if (guard.kind === 'oco') world.acceptPair();
    else world.accept();
  }
  return world;
}

/** Answers cancels and sales until none waits; sales fill. */
function serve(world: EngineWorld): void {
  for (let round = 0; round < 20; round += 1) {
    const [kind] = world.waitingKinds();
    if (kind === 'cancel') world.endCanceled();
    else if (kind === 'place-oco') world.acceptPair();
    else if (kind === 'place') {
      const order = world.accept();
      if (order.side === 'sell' && order.execution === 'market') world.venue.fill(order.id, undefined, '99');
    }
    world.advance(6_000);
  }
}

const refused = (world: EngineWorld): readonly unknown[] => world.eventsOf('reject');

describe('leaving by the decision of the strategy, where its own exits hold the coins', () => {
  it.each<readonly [how: string, intents: readonly Intent[]]>([
    ['exit', [exit(BTC, { reason: 'the averages crossed' })]],
    ['a sale of all', [sell(BTC, { amount: '0.998' })]],
    ['a target of nothing', [target(BTC, { position: 0 })]],
    ['a set of shares without it', [targets(BTC, { [BTC]: 0 })]],
    ['cancelAll and a sale', [cancelAll(), sell(BTC, { amount: '0.998' })]],
    ['cancelAll and a target', [cancelAll(), target(BTC, { position: 0 })]],
  ])('%s takes the exit of a bracket down and sells once', (_, intents) => {
    const world = held();
    world.want(...intents);
    serve(world);
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', 'market 0.998']);
    expect(refused(world)).toEqual([]);
    expect(world.engine.unfinishedOrders()).toEqual([]);
    expect(world.orders().at(-1)).toMatchObject({ exit: 'decision', state: 'filled' });
  });

  it.each<readonly [how: string, intents: readonly Intent[]]>([
    ['exit', [exit(BTC)]],
    ['a sale of all', [sell(BTC, { amount: '0.998' })]],
    ['a target of nothing', [target(BTC, { position: 0 })]],
    ['a set of shares without it', [targets(BTC, { [BTC]: 0 })]],
    ['cancelAll and a sale', [cancelAll(), sell(BTC, { amount: '0.998' })]],
    ['cancelAll and a target', [cancelAll(), target(BTC, { position: 0 })]],
  ])('%s takes a stop of its own down and sells once', (_, intents) => {
    const world = guarded(sell(BTC, { amount: '0.998', stopPrice: '90' }));
    world.want(...intents);
    serve(world);
    expect(world.sales()).toEqual(['stop_market 0.998', 'cancel', 'market 0.998']);
    expect(refused(world)).toEqual([]);
  });

  it('sells once where no exit rests for now, since the next exit has the coins', () => {
    const world = ready();
    world.want(bracket(BTC, { entry: { amount: '1', price: '98' }, stopLoss: { price: '90' } }));
    world.fillNext().advance(11_000);
    world.refuse('place', 'InsufficientBalance').advance(1_000);
    expect(world.engine.unfinishedOrders()).toEqual([]);
    world.want(sell(BTC, { amount: '0.998', price: '120' }));
    serve(world);
    world.advance(20_000);
    serve(world);
    expect(world.sales()).toEqual(['stop_market 0.998', 'limit 0.998 @120']);
    expect(refused(world)).toHaveLength(1);
  });

  it('sells as soon as the end of the exit is known: nothing else lies in the gap', () => {
    const world = held();
    world.want(exit(BTC)).advance(200);
    world.endCanceled();
    const from = world.nowMs;
    while (world.sales().length < 3 && world.nowMs < from + 20_000) world.advance(10);
    // The time is for the pair's other leg, each look-up of which takes 50 ms here.
    expect(world.nowMs - from).toBeLessThanOrEqual(100);
    expect(world.sales().at(-1)).toBe('market 0.998');
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', 'market 0.998']);
  });

  it('says in the end why it was left', () => {
    const world = held();
    world.want(exit(BTC, { reason: 'the averages crossed' }));
    serve(world);
    expect(world.messages('info')).toContain(
      'one: its bracket in BTCUSDT is over: sold: the averages crossed',
    );
  });

  it.each([
    ['all', exit(BTC, { price: '105' }), '0.998'],
    ['a part', target(BTC, { position: '0.5', price: '105' }), '0.498'],
  ])('sells %s at the limit that it names, and all at the market at the stop', (_, intent, amount) => {
    const world = held();
    world.want(intent);
    serve(world);
    world.quote('89', '90');
    serve(world);
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', `limit ${amount} @105`, 'cancel', 'market 0.998']);
    expect(world.orders().at(-1)).toMatchObject({ exit: 'stop-loss', state: 'filled' });
  });

  it.each<readonly [what: string, again: Intent, sales: readonly string[]]>([
    ['another limit', exit(BTC, { price: '103' }), ['cancel', 'limit 0.998 @103']],
    ['the market', exit(BTC), ['cancel', 'market 0.998']],
    ['the same limit', exit(BTC, { price: '105' }), []],
    ['a target of nothing', target(BTC, { position: 0 }), ['cancel', 'market 0.998']],
    ['a set of shares without it', targets(BTC, { [BTC]: 0 }), ['cancel', 'market 0.998']],
    ['a target of a part of it', target(BTC, { position: '0.5' }), []],
  ])('moves a limit sale to what a later decision says: %s', (_, again, sales) => {
    const world = held();
    world.want(exit(BTC, { price: '105' }));
    serve(world);
    world.want(again);
    serve(world);
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', 'limit 0.998 @105', ...sales]);
    expect(refused(world)).toEqual([]);
  });

  it('moves the limit sale of a part to a later target of the same part', () => {
    const world = held();
    world.want(target(BTC, { position: '0.5', price: '105' }));
    serve(world);
    world.want(target(BTC, { position: '0.5' }));
    serve(world);
    expect(world.sales()).toEqual([
      'pair 0.998',
      'cancel',
      'limit 0.498 @105',
      'cancel',
      'market 0.498',
      'pair 0.5',
    ]);
    expect(refused(world)).toEqual([]);
  });

  it('stays with the market once it has asked for it', () => {
    const world = held();
    world.want(exit(BTC), exit(BTC, { price: '105' }));
    serve(world);
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', 'market 0.998']);
  });

  it('sells a part, and protects the rest again', () => {
    const world = held();
    world.want(sell(BTC, { amount: '0.4', tag: 'half' }));
    serve(world);
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', 'market 0.4', 'pair 0.598']);
    expect(world.eventsOf('fill')).toMatchObject([{ side: 'buy' }, { tag: 'half', exit: 'decision' }]);
    expect(refused(world)).toEqual([]);
  });

  it('sells what lies beside the bracket by an order of its own', () => {
    const world = held();
    world.want(buy(BTC, { amount: '0.5', price: '97' }));
    world.fillNext().advance(11_000);
    world.want(target(BTC, { position: 0 }));
    serve(world);
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', 'market 0.998', 'market 0.499']);
    expect(refused(world)).toEqual([]);
  });

  it('takes no limit order down for a sale, but for an exit', () => {
    const limit = sell(BTC, { amount: '0.998', price: '110' });
    const world = guarded(limit);
    world.want(exit(BTC));
    serve(world);
    expect(world.sales()).toEqual(['limit 0.998 @110', 'cancel', 'market 0.998']);
  });

  it('keeps the exit at the exchange while no orders are taken', () => {
    const world = held();
    world.want(buy(BTC, { amount: '0.1', price: '90' }));
    world.answer('place', { outcome: 'unsent', reason: 'locked out', retryInMs: 30_000 });
    world.want(exit(BTC)).advance(20_000);
    expect(world.sales()).toEqual(['pair 0.998']);
    world.advance(10_000);
    serve(world);
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', 'market 0.998']);
  });

  it('goes on after a crash in its middle, and sells once', () => {
    const world = guarded(
      oco(BTC, 'sell', { amount: '0.998', price: '110', stopPrice: '90', stopLimitPrice: '89' }),
    );
    world.want(exit(BTC));
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.restart().advance(5_000);
    serve(world);
    expect(world.sales().filter((one) => one.startsWith('market'))).toEqual(['market 0.998']);
    expect(world.engine.unfinishedOrders()).toEqual([]);
  });

  it('waits for a buyer with the exit at the exchange', () => {
    const world = held();
    world.quote(null, '101').advance(3_000);
    world.want(exit(BTC)).advance(30_000);
    expect(world.sales()).toEqual(['pair 0.998']);
    world.quote('99', '101');
    serve(world);
    expect(world.sales()).toEqual(['pair 0.998', 'cancel', 'market 0.998']);
  });
});

const column = (value: number): Float64Array => new Float64Array(9).fill(value);

const TETHER_PRICE = 1_000_000;

/** Makes candles of nine hours at one price. */
const flat = (market: string, price: number): Candles => {
  const timeMs = Float64Array.from({ length: 9 }, (_, hour) => Date.UTC(2024, 0, 1, hour));
  const [open, high, low, close] = [column(price), column(price), column(price), column(price)];
  return { market, timeframe: '1h', timeMs, open, high, low, close, volume: column(1_000) };
};

/** Leaves brackets in two markets at a price; returns the sales. `again`: the tether one is left first. */
const left = async (again: boolean) => {
  const strategy = defineStrategy({
    name: 'two-markets',
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market, markets }) => ({
      bars: market.candles('1h'),
      rial: markets.of('BTCIRT').candles('1h'),
    }),
    on: {
      bars(ctx) {
        const { bars } = ctx.state;
        ctx.setState({ bars: bars + 1 });
        const rial = ctx.markets.of('BTCIRT');
        const wish = { entry: { amount: 1 }, stopLoss: { percent: 20 } };
        if (bars === 0) {
          ctx.bracket(wish);
          rial.bracket(wish);
        }
        if (again && bars === 2) ctx.exit({ price: 110 });
        if (bars === 4) rial.exit({ price: 110 * TETHER_PRICE });
      },
    },
  });
  const { result } = await backtest({
    strategies: [{ strategy, market: 'BTCUSDT' }],
    candles: [flat('BTCUSDT', 100), flat('BTCIRT', 100 * TETHER_PRICE), flat('USDTIRT', TETHER_PRICE)],
    balances: { usdt: 1_000, rls: 10_000_000_000 },
  });
  const { market, side, execution, price, exit: by, state } = result.orders;
  return market.flatMap((symbol, row) =>
    side[row] === 'sell' && by[row] === 'decision'
      ? [`${symbol} ${execution[row]} ${price[row]} ${state[row]}`]
      : [],
  );
};

describe('leaving a coin that is held in two markets', () => {
  it('sells at the price in the market that it is of, and at the market in the other one', async () => {
    expect(await left(false)).toEqual(['BTCUSDT market 100 filled', 'BTCIRT limit 110000000 open']);
  });

  it('leaves a sale in the other market where it rests', async () => {
    expect(await left(true)).toEqual(['BTCUSDT limit 110 open', 'BTCIRT market 100000000 filled']);
  });
});
