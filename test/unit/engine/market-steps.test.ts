import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { OrderBook } from '../../../src/domain/order-book.ts';
import type { MarketRule } from '../../../src/venues/port.ts';
import { buy } from '../../support/intents.ts';
import { EngineWorld, feedOf, FEEDS, statsOf, WISH } from './engine-world.ts';

function rule(priceStep: string | null, amountStep: string | null): MarketRule {
  return {
    symbol: 'BTCUSDT',
    priceStep: priceStep === null ? null : decimalText(priceStep),
    amountStep: amountStep === null ? null : decimalText(amountStep),
    minOrderValue: null,
  };
}

function worldWith(...rules: readonly MarketRule[]): EngineWorld {
  const world = new EngineWorld({ feeds: [...FEEDS, feedOf('options', 'options', 10_000)] });
  world.venue.rules = rules;
  world.advance(2_000);
  return world;
}

function versions(world: EngineWorld): readonly string[] {
  const { markets } = world.stored();
  return markets.map(({ version, priceStep, amountStep }) => `${version}: ${priceStep} ${amountStep}`);
}

describe('the steps of a market', () => {
  it('make one version while they stay as they are', () => {
    const world = worldWith(rule('0.01', '0.001'), rule(null, null));
    world.advance(40_000);
    world.restart();
    expect(versions(world)).toEqual(['1: 0.01 0.001']);
  });

  it('make a new version when they change, which orders from then on are fitted to', () => {
    const world = worldWith().want(buy('BTCUSDT', { amount: '1.239', price: '98.07' }));
    world.accept();
    world.venue.rules = [rule('0.1', '0.01')];
    world.advance(11_000);
    world.want(buy('BTCUSDT', { amount: '1.239', price: '98.07' }));
    expect(world.pending('place').call.order).toMatchObject({
      amount: parseUnits('1.23'),
      price: parseUnits('98.1'),
    });
    expect(world.orders().map(({ marketVersion }) => marketVersion)).toEqual([1, 2]);
    expect(versions(world)).toEqual(['1: 0.01 0.001', '2: 0.1 0.01']);
    expect(world.messages('warning')).toEqual([expect.stringMatching(/BTCUSDT: steps are now 0.1 and 0.01/)]);
  });

  it('go on from the version that the mirror has', () => {
    const world = worldWith(rule('0.1', '0.01'));
    world.restart().advance(2_000);
    world.want(WISH);
    const { marketVersion } = world.order();
    expect(versions(world).at(-1)).toMatch(new RegExp(`^${marketVersion}: 0.1 0.01$`));
  });

  it('of a market that is not traded are nobody’s business', () => {
    const world = worldWith({ ...rule('0.1', '0.01'), symbol: 'ETHUSDT' });
    expect(versions(world)).toEqual(['1: 0.01 0.001']);
  });
});

/** Makes a book without bids. */
const soldBook = (lastTradePrice?: string): OrderBook => ({
  bids: [],
  asks: [[decimalText('101'), decimalText('1')]],
  updatedAtMs: 5,
  ...(lastTradePrice === undefined ? {} : { lastTradePrice: decimalText(lastTradePrice) }),
});
const priceIn = ({ engine, nowMs }: EngineWorld) => [
  engine.markets.priceOf('BTCUSDT'),
  engine.markets.priceSince('BTCUSDT', nowMs),
];

describe('the price of a market without one side of its book', () => {
  it('is the last price that its book says, until statistics are read that say another', () => {
    const world = new EngineWorld({ feeds: [] });
    const later = (): void => {
      world.advance(1_000);
      world.engine.step({ kind: 'tick', atMs: world.nowMs });
    };
    world.engine.markets.applyBook('BTCUSDT', soldBook());
    expect(priceIn(world)).toEqual([null, null]);
    world.engine.markets.applyBook('BTCUSDT', soldBook('98.5'));
    expect(priceIn(world)).toEqual([parseUnits('98.5'), parseUnits('98.5')]);
    later();
    expect(priceIn(world)).toEqual([parseUnits('98.5'), null]);
    world.engine.markets.applyStats(statsOf('97'));
    expect(priceIn(world)).toEqual([parseUnits('97'), parseUnits('97')]);
    later();
    world.engine.markets.applyBook('BTCUSDT', soldBook('99.00000000001'));
    expect(priceIn(world)).toEqual([parseUnits('99'), parseUnits('99')]);
  });
});
