import { describe, expect, it } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { BracketWish, Intent } from '../../../src/strategy/intents.ts';
import { runBars, TETHER, walkOf } from '../backtest/candle-run.ts';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import { bracket, buy, oco, sell, target } from '../../support/intents.ts';
import { BRACKET, EngineWorld, feedOf, FEEDS, WISH, type WorldOptions } from './engine-world.ts';

const BTC = 'BTCUSDT';
const FAR: BracketWish = { ...BRACKET, takeProfit: { price: '135' } };

/** Makes a world whose bracket has bought 0.998, and whose exit is not answered yet. */
const bought = (wish: BracketWish): EngineWorld => EngineWorld.answering().bought(bracket(BTC, wish));

const bid = (world: EngineWorld, price: number): EngineWorld => world.quote(String(price), String(price + 2));

describe('a target that is out of the band of the exchange', () => {
  it('stays in the bot while the stop rests alone, and rests as soon as it is in reach', () => {
    const world = bought(FAR);
    world.accept();
    world.advance(600_000);
    expect(world.sales()).toEqual(['stop_market 0.998']);
    bid(world, 105).advance(2_000);
    world.endCanceled();
    world.acceptPair();
    world.advance(600_000);
    expect(world.sales()).toEqual(['stop_market 0.998', 'cancel', 'pair 0.998']);
    expect(world.eventsOf('reject')).toEqual([]);
  });

  it('goes on resting when it is out of reach again', () => {
    const world = bought(FAR);
    world.accept();
    bid(world, 105).advance(2_000);
    world.endCanceled();
    world.acceptPair();
    bid(world, 95).advance(60_000);
    expect(world.sales()).toEqual(['stop_market 0.998', 'cancel', 'pair 0.998']);
  });

  it('is sold by a limit at it where the price has jumped to it', () => {
    const world = bought(FAR);
    world.accept();
    bid(world, 136).advance(2_000);
    world.endCanceled();
    expect(world.pending('place').call.order).toMatchObject({
      side: 'sell',
      execution: 'limit',
      price: parseUnits('135'),
    });
    world.accept();
    expect(world.orders().at(-1)).toMatchObject({ exit: 'take-profit' });
  });

  it('waits in the bot without a stop, too', () => {
    const world = bought({ entry: BRACKET.entry, takeProfit: { price: '135' } });
    world.advance(60_000);
    expect(world.sales()).toEqual([]);
    bid(world, 105).advance(2_000);
    expect(world.sales()).toEqual(['limit 0.998 @135']);
  });

  it('is not tried again until the price is nearer, where the exchange takes less than it says', () => {
    const world = bought(BRACKET);
    world.refuse('place-oco', 'BadPrice');
    world.accept();
    bid(world, 99.5).advance(3_600_000);
    expect(world.sales()).toEqual(['pair 0.998', 'stop_market 0.998']);
    bid(world, 100.5).advance(2_000);
    world.endCanceled();
    world.acceptPair();
    expect(world.sales()).toEqual(['pair 0.998', 'stop_market 0.998', 'cancel', 'pair 0.998']);
  });
});

describe('an exit that the market does not take now', () => {
  const STOP: BracketWish = { entry: BRACKET.entry, stopLoss: { price: '90' } };

  it('goes as soon as the book is another one, and not before as it was', () => {
    const world = bought(STOP);
    world.refuse('place', 'PriceConditionFailed').advance(300_000);
    expect(world.sales()).toHaveLength(1);
    bid(world, 97).advance(1_200);
    expect(world.sales()).toHaveLength(2);
    world.accept();
  });

  it('is tried again in the end, where no book shows a change', () => {
    const world = bought(STOP);
    world.refuse('place', 'PriceConditionFailed').advance(340_000);
    expect(world.sales()).toHaveLength(2);
  });

  it('is sold at the market with the first book whose bid is at the stop', () => {
    const world = bought(STOP);
    world.refuse('place', 'PriceConditionFailed');
    bid(world, 89).advance(1_200);
    expect(world.sales()).toEqual(['stop_market 0.998', 'market 0.998']);
  });

  it('waits for a buyer, and goes with the first', () => {
    const world = bought({ ...STOP, timeStopMs: 60_000 });
    world.accept();
    world.quote(null, '101').advance(600_000);
    expect(world.sales()).toEqual(['stop_market 0.998']);
    bid(world, 99).advance(1_200);
    world.endCanceled();
    expect(world.sales()).toEqual(['stop_market 0.998', 'cancel', 'market 0.998']);
  });

  it('is sold again with the next book, where a sale found nobody', () => {
    const world = bought(STOP);
    world.refuse('place', 'PriceConditionFailed');
    bid(world, 89).advance(1_200);
    const sale = world.accept();
    world.end(sale.id).advance(7_000);
    expect(world.sales()).toHaveLength(2);
    bid(world, 88).advance(1_200);
    expect(world.sales()).toEqual(['stop_market 0.998', 'market 0.998', 'market 0.998']);
  });
});

const sent = (world: EngineWorld): number => world.requestsOf('place').length;
const codes = (world: EngineWorld): readonly string[] =>
  world.eventsOf('reject').map((rejection) => (rejection as { readonly code: string }).code);

describe('an entry that the exchange refused', () => {
  const OPTIONS: WorldOptions = { feeds: [...FEEDS, feedOf('options', 'options', 3_600_000)] };
  const ready = (): EngineWorld => EngineWorld.ready(OPTIONS, 3_000);

  it.each<readonly [code: string, wish: Intent, change: (world: EngineWorld) => void]>([
    ['BadPrice', buy(BTC, { amount: '1', price: '72' }), (world) => bid(world, 90)],
    ['PriceConditionFailed', buy(BTC, { amount: '1', stopPrice: '102' }), (world) => bid(world, 98)],
    ['OverValueOrder', buy(BTC, { amount: '1', price: '97' }), (world) => world.venue.deposit('usdt', '5')],
    [
      'SmallOrder',
      buy(BTC, { amount: '1', price: '97' }),
      (world) => {
        world.venue.rules = [
          { symbol: BTC, priceStep: null, amountStep: null, minOrderValue: decimalText('50') },
        ];
      },
    ],
  ])('waits with %s until something has changed on which that depends', (code, wish, change) => {
    const world = ready().want(wish);
    world.refuse('place', code);
    for (let round = 0; round < 4; round += 1) {
      world.advance(12_000);
      world.want(wish);
    }
    expect(sent(world)).toBe(1);
    expect(codes(world)).toEqual([code, 'again', 'again', 'again', 'again']);
    change(world);
    world.advance(code === 'SmallOrder' ? 3_700_000 : 60_000);
    world.want(wish);
    expect(sent(world)).toBe(2);
  });

  it('is told once when it was refused three times alike', () => {
    const world = ready();
    for (let round = 0; round < 6; round += 1) {
      world.want(buy(BTC, { amount: '1', price: '72' }));
      if (world.waitingKinds().includes('place')) world.refuse('place', 'BadPrice');
      world.advance(12_000);
    }
    expect(world.messages('warning')).toEqual([
      'one: buy BTCUSDT was refused 3 times alike (BadPrice): the like is not sent again until its price is nearer to that of the market',
    ]);
    world.mirror.flush();
    expect(world.mirror.journal.filter(({ subject }) => subject === 'refused')).toHaveLength(1);
  });

  it('may go at once with other terms', () => {
    const world = ready().want(buy(BTC, { amount: '1', price: '72' }));
    world.refuse('place', 'BadPrice');
    world.want(buy(BTC, { amount: '1', price: '80' }));
    expect(sent(world)).toBe(2);
  });

  it('is another kind of order than a pair, a stop or a limit at the same price', () => {
    const price = '98';
    const stopped = { stopPrice: '102', price: '103' };
    const pair = oco(BTC, 'buy', { amount: '1', price, stopPrice: '102', stopLimitPrice: '103' });
    const kinds = [pair, buy(BTC, { amount: '1', price }), buy(BTC, { amount: '1', ...stopped })];
    for (const code of ['PriceConditionFailed', 'BadPrice']) {
      for (const [refused, others] of kinds.map(
        (kind) => [kind, kinds.filter((one) => one !== kind)] as const,
      )) {
        for (const other of others) {
          const world = ready().want(refused);
          world.refuse(refused === pair ? 'place-oco' : 'place', code);
          world.want(refused);
          world.want(other);
          expect(codes(world), `${code} ${refused.kind} ${other.kind}`).toEqual([code, 'again']);
        }
      }
    }
  });

  it('goes again with the next price of a bar, where no book is seen', () => {
    const strategy = defineStrategy({
      name: 'below',
      data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
      on: { bars: (ctx) => ctx.buy({ amount: 0.01, stopPrice: 100 }) },
    });
    const columns = walkOf(TETHER, { bars: 6, seed: 7, price: 60_000, timeframe: '1m' });
    const { orders } = runBars({ market: TETHER, columns, strategy, cash: '100000', timeframe: '1m' });
    expect(new Set(columns.close).size).toBe(6);
    expect(orders.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 6 }, () => 'PriceConditionFailed'),
    );
  });

  it('is the wait of an algorithm, which goes on', () => {
    const world = ready().want(target(BTC, { position: 1 }));
    world.refuse('place', 'OverValueOrder').advance(120_000);
    expect(sent(world)).toBe(1);
    world.deposit('usdt', '5').advance(25_000);
    expect(sent(world)).toBe(2);
    expect(codes(world)).toEqual(['OverValueOrder']);
  });

  it.each(['SmallOrder', 'InvalidOrderPrice', 'BadPrice'])(
    'asks for the rules of the market at once after %s',
    (code) => {
      const world = ready().want(buy(BTC, { amount: '1', price: '97' }));
      const before = world.requestsOf('options').length;
      world.refuse('place', code).advance(1_000);
      expect(world.requestsOf('options').length).toBe(before + 1);
    },
  );

  it('is no reason to hold a way out back, where only the exchange knows why', () => {
    const world = EngineWorld.ready().want(WISH);
    world.fillNext().advance(11_000);
    world.want(sell(BTC, { amount: '0.9' }));
    world.refuse('place', 'OverValueOrder').advance(12_000);
    world.want(sell(BTC, { amount: '0.9' }));
    expect(sent(world)).toBe(3);
  });
});

it('a cancel is never given up', () => {
  const world = EngineWorld.answering().want(buy(BTC, { amount: '1', price: '97' }));
  const order = world.accept();
  world.want({ kind: 'cancel-all' });
  for (let round = 0; round < 200; round += 1) {
    if (round % 3 === 0) world.fail('cancel');
    else if (round % 3 === 1) world.refuse('cancel', 'NotApplied');
    else world.unsend('cancel');
    world.advance(round % 50 === 49 ? 600_000 : 20_000);
  }
  world.restart().advance(5_000);
  world.endCanceled().advance(10_000);
  expect(world.venue.orderOf(order.id).status).toBe('Canceled');
  expect(world.engine.unfinishedOrders()).toEqual([]);
});
