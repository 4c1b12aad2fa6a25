import { describe, expect, test } from 'vitest';
import { createBareExchange, fund, type BareMarket } from '../../support/bare-exchange.ts';
import { SyntheticFlow } from '../../../src/simulator/synthetic-flow.ts';
import type { MarketState } from '../../../src/simulator/market-state.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import type { Side } from '../../../src/domain/order.ts';

const START_MS = 1_700_000_012_345;
const BTC: BareMarket = {
  market: 'BTCIRT',
  priceStep: '10',
  amountStep: '0.000001',
  minOrderValue: '3000000',
  initialPrice: '12600000000',
};
const MARKETS: readonly BareMarket[] = [
  BTC,
  {
    market: 'BTCUSDT',
    priceStep: '0.01',
    amountStep: '0.000001',
    minOrderValue: '11',
    initialPrice: '61000',
  },
  {
    market: 'USDTIRT',
    priceStep: '10',
    amountStep: '0.01',
    minOrderValue: '3000000',
    initialPrice: '600000',
  },
  {
    market: 'DUSTUSDT',
    priceStep: '0.00000001',
    amountStep: '1',
    minOrderValue: '11',
    initialPrice: '0.0000123',
  },
];

const create = (
  options: {
    seed?: number;
    markets?: readonly BareMarket[];
    newForMs?: number;
    historyMinutes?: number;
  } = {},
) => {
  const { exchange } = createBareExchange({
    markets: options.markets ?? [BTC],
    trading: { newForMs: options.newForMs ?? 0 },
  });
  const flow = new SyntheticFlow({
    exchange,
    seed: options.seed ?? 7,
    startMs: START_MS,
    historyMinutes: options.historyMinutes ?? 60,
  });
  return {
    exchange,
    flow,
    markets: [...exchange.markets.values()],
    market: [...exchange.markets.values()][0]!,
  };
};

const tapeOf = (market: MarketState): readonly string[] =>
  market.tape.values().map((trade) => `${trade.timeMs} ${trade.side} ${trade.price} ${trade.amount}`);

const place = (of: ReturnType<typeof create>, side: Side, price: number, amount: number, timeMs: number) =>
  of.exchange.trading.place(
    1,
    {
      market: of.market.rules.symbol,
      side,
      execution: 'limit',
      mode: 'default',
      amount,
      price,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
    },
    timeMs,
  );

const levels = (market: MarketState): readonly number[] => [
  market.book.buys.levelCount,
  market.book.sells.levelCount,
];

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a synthetic market', () => {
  test('keeps 24 levels a side with a positive spread of several steps on every market', () => {
    const { flow, markets } = create({ markets: MARKETS });
    for (let second = 0; second <= 600; second += 1) {
      flow.advance(START_MS + second * 1_000);
      for (const { book } of markets) {
        expect(book.buys.levelCount).toBeGreaterThanOrEqual(24);
        expect(book.sells.levelCount).toBeGreaterThanOrEqual(24);
        expect(book.sells.best!.price - book.buys.best!.price).toBeGreaterThanOrEqual(4);
      }
    }
    for (const market of markets) expect(market.tape.length).toBeGreaterThan(50);
  });

  test('has returns with heavy tails whose size comes in clusters', () => {
    const { flow, market } = create();
    const closes: number[] = [];
    for (let minute = 0; minute <= deepRuns(480, 240); minute += 1) {
      flow.advance(START_MS + minute * 60_000);
      closes.push((market.book.buys.best!.price + market.book.sells.best!.price) / 2);
    }
    const returns = closes.slice(1).map((close, index) => Math.log(close / closes[index]!));
    const centre = mean(returns);
    const variance = mean(returns.map((value) => (value - centre) ** 2));
    expect(mean(returns.map((value) => (value - centre) ** 4)) / variance ** 2).toBeGreaterThan(3);
    const sizes = returns.map(Math.abs);
    const typical = mean(sizes);
    const covariance = mean(
      sizes.slice(1).map((size, index) => (size - typical) * (sizes[index]! - typical)),
    );
    expect(covariance / mean(sizes.map((size) => (size - typical) ** 2))).toBeGreaterThan(0.05);
    expect(Math.sqrt(variance * 525_600)).toBeGreaterThan(0.4);
    expect(Math.sqrt(variance * 525_600)).toBeLessThan(2.5);
  });

  test('has takers whose few large trades are much larger than the usual one', () => {
    const { flow, market } = create();
    flow.advance(START_MS);
    for (let minute = 1; minute <= 30; minute += 1) flow.advance(START_MS + minute * 60_000);
    const amounts = market.tape
      .values()
      .map(({ amount }) => amount)
      .toSorted((left, right) => left - right);
    expect(amounts.at(-1)!).toBeGreaterThan(10 * amounts[amounts.length >> 1]!);
    expect(new Set(market.tape.values().map(({ side }) => side)).size).toBe(2);
  });

  test('moves enough for the averages of three and eight minutes to cross several times in six hours', () => {
    const { flow, market } = create();
    for (let minute = 0; minute <= 360; minute += 1) flow.advance(START_MS + minute * 60_000);
    const closes = market.candles.bars('1m').map(({ close }) => close);
    const average = (end: number, length: number): number => mean(closes.slice(end - length, end));
    let crosses = 0;
    for (let end = 10; end <= closes.length; end += 1) {
      if (average(end, 3) > average(end, 8) !== average(end - 1, 3) > average(end - 1, 8)) crosses += 1;
    }
    expect(crosses).toBeGreaterThan(12);
  });

  test('gives the same tape for the same seed however often it is advanced, and another for another', () => {
    const [one, other, different] = [create(), create(), create({ seed: 8 })];
    for (let second = 1; second <= 300; second += 1) one.flow.advance(START_MS + second * 1_000);
    for (let second = 30; second <= 300; second += 30) other.flow.advance(START_MS + second * 1_000);
    for (let second = 30; second <= 300; second += 30) different.flow.advance(START_MS + second * 1_000);
    expect(one.market.tape.length).toBeGreaterThan(30);
    expect(tapeOf(other.market)).toEqual(tapeOf(one.market));
    expect(tapeOf(different.market)).not.toEqual(tapeOf(one.market));
  });

  test('conserves money on all markets', () => {
    const { exchange, flow } = create({ markets: MARKETS });
    for (let minute = 0; minute <= 20; minute += 1) flow.advance(START_MS + minute * 60_000);
    const currencies = ['rls', 'usdt', 'btc', 'dust'];
    expect(currencies.map((currency) => exchange.accounts.imbalanceOf(currency))).toEqual([0n, 0n, 0n, 0n]);
  });

  test('fills what a user rests inside the spread', () => {
    const made = create();
    fund(made.exchange, 1, 'rls', '100000000000');
    made.flow.advance(START_MS);
    const placed = place(made, 'buy', made.market.book.buys.best!.price + 1, 10_000, START_MS);
    expect(placed.ok).toBe(true);
    if (!placed.ok) return;
    for (let second = 1; second <= 300; second += 1) made.flow.advance(START_MS + second * 1_000);
    expect(placed.value[0]!.status).toBe('Done');
    expect(made.exchange.accounts.imbalanceOf('rls')).toBe(0n);
  });

  test('leaves a closed market as it is and goes on when it opens', () => {
    const { flow, market } = create();
    flow.advance(START_MS + 60_000);
    market.isClosed = true;
    const before = tapeOf(market);
    flow.advance(START_MS + 120_000);
    expect(tapeOf(market)).toEqual(before);
    market.isClosed = false;
    flow.advance(START_MS + 180_000);
    expect(market.tape.length).toBeGreaterThan(before.length);
    expect(Math.min(...levels(market))).toBeGreaterThanOrEqual(24);
  });

  test('goes on when steps become coarser, finer and the minimum larger', () => {
    const { exchange, flow, market } = create();
    flow.advance(START_MS + 60_000);
    market.changeRules({ priceStep: '1000', amountStep: '0.0001', minOrderValue: '9000000' });
    flow.advance(START_MS + 120_000);
    const prices = [...market.book.buys.top(24), ...market.book.sells.top(24)].map(({ price }) => price);
    expect(prices).toHaveLength(48);
    expect(prices.every((price) => price % 100 === 0)).toBe(true);
    market.changeRules({ priceStep: '1', amountStep: '0.00000001' });
    flow.advance(START_MS + 180_000);
    expect(Math.min(...levels(market))).toBeGreaterThanOrEqual(24);
    expect(exchange.accounts.imbalanceOf('btc')).toBe(0n);
  });

  test('makes its orders enter the book where others stay new for a while', () => {
    const { flow, market } = create({ newForMs: 5_000 });
    flow.advance(START_MS);
    expect(Math.min(...levels(market))).toBeGreaterThanOrEqual(24);
  });

  test('does about as much for a jump of a month as for one of a minute', () => {
    const made = create();
    made.flow.advance(START_MS + 60_000);
    const before = made.exchange.trading.counters.nextOrderId;
    made.flow.advance(START_MS + 30 * 86_400_000);
    expect(made.exchange.trading.counters.nextOrderId - before).toBeLessThan(10_000);
    expect(Math.min(...levels(made.market))).toBeGreaterThanOrEqual(24);
  });

  test('keeps a small history of its own traders', () => {
    const { exchange, flow } = create();
    for (let minute = 0; minute <= 120; minute += 1) flow.advance(START_MS + minute * 60_000);
    for (const trader of exchange.trading.allTraders()) expect(trader.orders.length).toBeLessThan(1_000);
    expect(exchange.trading.counters.nextOrderId).toBeGreaterThan(10_000);
  });

  test('has a past that ends at the price it starts from', () => {
    const { market } = create({ historyMinutes: 1_440 });
    const bars = market.candles.bars('1m');
    expect(bars).toHaveLength(1_440);
    expect(bars.at(-1)).toMatchObject({
      close: market.lastPrice,
      openTimeMs: Math.floor(START_MS / 60_000 - 1) * 60_000,
    });
    for (const { open, high, low, close, volume } of bars) {
      expect(low).toBeLessThanOrEqual(Math.min(open, close));
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
      expect(volume).toBeGreaterThan(0);
    }
    expect(market.candles.bars('1h').length).toBeGreaterThanOrEqual(24);
  });

  test('keeps little of its own traders, so that its memory has a bound', () => {
    const of = create({ historyMinutes: 1 });
    for (let minute = 1; minute <= 90; minute += 1) of.flow.advance(START_MS + minute * 60_000);
    const wallets = [...of.exchange.accounts.allWallets()];
    const kept = wallets.map(({ transactions }) => transactions.length);
    const newest = wallets.map(({ transactions }) => transactions.at(-1)?.id ?? 0);
    expect(Math.max(...newest)).toBeGreaterThan(10_000);
    expect(Math.max(...kept)).toBeGreaterThan(200);
    expect(Math.max(...kept)).toBeLessThan(2 * 256);
  });
});
