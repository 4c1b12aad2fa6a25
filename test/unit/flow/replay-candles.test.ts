import { describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { formatPrice } from '../../../src/domain/market.ts';
import type { Timeframe } from '../../../src/domain/candle.ts';
import type { Price } from '../../../src/domain/money.ts';
import { createRandom } from '../../../src/domain/random.ts';
import type { ReplayRow } from '../../../src/simulator/replay-flow.ts';
import { candle, HOUR_MS, replayOn, START_MS } from '../../support/replayed-market.ts';

/** Makes hours of a random walk with gaps between the bars; one price jumps to ten times its value. */
const walk = (hours: number): ReplayRow[] => {
  const random = createRandom(5);
  let price = 4_000;
  return Array.from({ length: hours }, (_, hour) => {
    price *= hour === 60 ? 10 : 0.97 + 0.06 * random.next();
    const open = price;
    const close = open * (0.97 + 0.06 * random.next());
    const high = Math.max(open, close) * (1 + 0.02 * random.next());
    const low = Math.min(open, close) * (1 - 0.02 * random.next());
    price = close;
    const volume = (random.next() * 100).toFixed(6);
    return candle(
      hour,
      [open, high, low, close].map((value) => value.toFixed(2)),
      volume,
    );
  });
};

describe('a replay of candles', () => {
  test('gives the recorded candles again, to the last digit, over jumps of any size', () => {
    const rows = walk(120);
    const { flow, market, show, balance } = replayOn(rows);
    for (let hour = 0; hour <= 120; hour += 1) flow.advance(START_MS + hour * HOUR_MS);
    const recorded = rows.map((row) =>
      row.kind === 'candle'
        ? [row.open, row.high, row.low, row.close].map((text) => decimalText(text)).concat(row.volume)
        : [],
    );
    expect(market.candles.bars('1h').map(show)).toEqual(recorded);
    expect(flow.isDone).toBe(true);
    expect(balance()).toEqual([0n, 0n]);
  });

  test('keeps a ladder of 24 levels around the price at every moment', () => {
    const { flow, market } = replayOn(walk(50));
    for (let minute = 0; minute <= 50 * 60; minute += 5) {
      flow.advance(START_MS + minute * 60_000);
      const { buys, sells } = market.book;
      expect([buys.levelCount, sells.levelCount]).toEqual([24, 24]);
      expect(buys.best!.price).toBeLessThanOrEqual(market.lastPrice);
      expect(sells.best!.price).toBeGreaterThanOrEqual(market.lastPrice);
      expect(sells.best!.price - buys.best!.price).toBeLessThan(market.lastPrice * 0.001);
    }
  });

  test('goes from the open to the nearer extreme, to the other and to the close, each inside the bar', () => {
    const { flow, tape } = replayOn([
      candle(0, ['100', '101', '98.8', '100'], '0.9'),
      candle(1, ['100', '100.8', '99.8', '100.4'], '0.7'),
    ]);
    flow.advance(START_MS + 2 * HOUR_MS);
    const prices = tape().map((line) => line.split(' ')[2]);
    expect([prices.slice(0, 8).join(' '), prices.slice(8).join(' ')]).toEqual([
      '100 100.5 101 100.27 99.53 98.8 99.4 100',
      '100 99.9 99.8 100.3 100.8 100.6 100.4',
    ]);
    expect(tape()[0]).toMatch(/^0 /);
    expect(tape()[7]).toMatch(/^3599999 buy 100 0.1/);
  });

  test('takes smaller steps where a long bar goes far', () => {
    const { flow, tape } = replayOn([candle(0, ['100', '100', '95', '95'], '1')]);
    flow.advance(START_MS + HOUR_MS);
    const prices = tape().map((line) => Number(line.split(' ')[2]));
    expect(prices.length).toBeGreaterThan(8);
    for (const [index, price] of prices.slice(1).entries())
      expect(Math.abs(price - prices[index]!)).toBeLessThan(1);
  });

  test('does nothing between the points of a path', () => {
    const { exchange, flow } = replayOn([candle(0, ['100', '101', '90', '95'])]);
    flow.advance(START_MS);
    const before = exchange.trading.counters;
    flow.advance(START_MS + 1);
    expect(exchange.trading.counters).toEqual(before);
  });

  test('moves the book without a trade where a bar has no volume', () => {
    const { flow, market, tape } = replayOn([candle(0, ['100', '100', '100', '100'], '0')]);
    flow.advance(START_MS + HOUR_MS);
    expect(tape()).toEqual([]);
    expect(market.book.buys.levelCount).toBe(24);
  });

  test('fills a resting order in its way at its own price, before it goes on', () => {
    const { flow, market, place, tape, balance, show } = replayOn([
      candle(0, ['100', '101', '99', '100'], '70'),
      candle(1, ['100', '101', '90', '100'], '70'),
    ]);
    flow.advance(START_MS);
    const buy = place({ side: 'buy', price: 9_512, amount: 50_000_000 }, START_MS);
    const sell = place({ side: 'sell', price: 10_073, amount: 3_000_000 }, START_MS);
    const far = place({ side: 'buy', price: 8_900, amount: 1_000_000 }, START_MS);
    flow.advance(START_MS + 2 * HOUR_MS);
    expect([buy.status, sell.status, far.status]).toEqual(['Done', 'Done', 'Active']);
    expect(tape().filter((line) => / sell 95.12 50$/.test(line))).toHaveLength(1);
    expect(tape().filter((line) => / buy 100.73 3$/.test(line))).toHaveLength(1);
    expect(market.candles.bars('1h').map((bar) => show(bar).slice(0, 4))).toEqual([
      ['100', '101', '99', '100'],
      ['100', '101', '90', '100'],
    ]);
    expect(balance()).toEqual([0n, 0n]);
  });

  test('fills an order at the price of a jump although the ladder was far away', () => {
    const { flow, place } = replayOn([
      candle(0, ['100', '101', '99', '100']),
      candle(1, ['50', '51', '49', '50']),
    ]);
    flow.advance(START_MS);
    const buy = place({ side: 'buy', price: 8_000, amount: 1_000_000 }, START_MS);
    flow.advance(START_MS + HOUR_MS);
    expect([buy.status, buy.total]).toEqual(['Done', 800_000_000_000n]);
  });

  test('lets a market order find the ladder', () => {
    const { flow, market, place } = replayOn([candle(0, ['4000', '4010', '3990', '4000'])]);
    flow.advance(START_MS + 60_000);
    const ask = market.book.sells.best!.price;
    const order = place({ side: 'buy', execution: 'market', amount: 10_000 }, START_MS + 60_000);
    expect([order.status, order.filledSteps]).toEqual(['Done', BigInt(ask) * 10_000n]);
  });

  test('wakes a stop when the price reaches it', () => {
    const { flow, place } = replayOn([
      candle(0, ['100', '101', '92', '100']),
      candle(1, ['100', '101', '99', '100']),
    ]);
    flow.advance(START_MS);
    const stop = place(
      { side: 'sell', execution: 'stop_market', stopPrice: 9_400, amount: 1_000_000 },
      START_MS,
    );
    flow.advance(START_MS + HOUR_MS);
    expect(stop.status).toBe('Done');
  });

  test('gives a market closed for a while what comes after', () => {
    const { flow, market, tape } = replayOn(walk(3));
    market.isClosed = true;
    flow.advance(START_MS + HOUR_MS - 1);
    expect(tape()).toEqual([]);
    market.isClosed = false;
    flow.advance(START_MS + 2 * HOUR_MS - 1);
    expect(tape().length).toBeGreaterThan(6);
    expect(tape().every((line) => Number(line.split(' ')[0]) >= HOUR_MS)).toBe(true);
  });

  test('goes on in the new steps when the rules change', () => {
    const { flow, market, show, balance } = replayOn([
      candle(0, ['100', '101', '98', '99'], '7'),
      candle(1, ['99', '100', '98.5', '99.5'], '7'),
    ]);
    flow.advance(START_MS + 20 * 60_000);
    market.changeRules({ priceStep: '0.1', amountStep: '0.0000001' });
    flow.advance(START_MS + 90 * 60_000);
    market.changeRules({ priceStep: '0.0001' });
    flow.advance(START_MS + 2 * HOUR_MS);
    expect(market.candles.bars('1h').map((bar) => show(bar).slice(0, 4))).toEqual([
      ['100', '101', '98', '99'],
      ['99', '100', '98.5', '99.5'],
    ]);
    expect(market.book.buys.levelCount).toBe(24);
    expect(balance()).toEqual([0n, 0n]);
  });

  test('trades at its own times although accepted orders stay new for a while', () => {
    const { flow, market, show } = replayOn([candle(0, ['100', '101', '90', '95'], '7')], {
      newForMs: 30_000,
    });
    flow.advance(START_MS + HOUR_MS);
    expect(market.candles.bars('1h').map(show)).toEqual([['100', '101', '90', '95', '7']]);
  });

  test('is the same for the same seed', () => {
    const [one, other] = [replayOn(walk(20)), replayOn(walk(20))];
    one.flow.advance(START_MS + 20 * HOUR_MS);
    for (let minute = 0; minute <= 1_200; minute += 5) other.flow.advance(START_MS + minute * 60_000);
    const ladder = ({ market }: typeof one) =>
      market.book.buys.top(24).map(({ price, amount }) => [price, amount]);
    expect(ladder(other)).toEqual(ladder(one));
    expect(other.tape()).toEqual(one.tape());
  });

  test('counts the prices that it had to round', () => {
    const { flow, tape } = replayOn([candle(0, ['100.001', '101.005', '99', '100'], '7')]);
    flow.advance(START_MS + HOUR_MS);
    expect(flow.offGridPrices).toBe(2);
    expect(tape()[0]).toContain(' 100 ');
  });

  test('cuts a volume with more decimals than the books keep', () => {
    const { flow, market, show } = replayOn([candle(0, ['100', '101', '99', '100'], '0.30000000000000004')]);
    flow.advance(START_MS + HOUR_MS);
    expect(market.candles.bars('1h').map(show)).toEqual([['100', '101', '99', '100', '0.3']]);
  });

  test('takes earlier rows as the past of the market', () => {
    const rows = walk(50);
    const { flow, market, show, seeded } = replayOn(rows, { past: 30 });
    const last = rows[29]!;
    expect(last.kind === 'candle' && formatPrice(market.grid, market.lastPrice as Price)).toBe(
      last.kind === 'candle' && decimalText(last.close),
    );
    expect(market.candles.bars('1h')).toHaveLength(30);
    flow.advance(START_MS + 50 * HOUR_MS);
    expect(market.candles.bars('1h')).toHaveLength(50);
    expect(show(market.candles.bars('1h')[10]!)).toEqual(
      show(replayOn(rows, { past: 11 }).market.candles.bars('1h')[10]!),
    );
    const volumeOf = (timeframe: Timeframe) =>
      market.candles.bars(timeframe).reduce((sum, bar) => sum + bar.volume, 0);
    expect(volumeOf('3h')).toBe(volumeOf('1h'));
    // Days of Tehran do not begin with an hour of UTC; they hold only what was traded after the seeding.
    expect(volumeOf('1d')).toBeLessThan(volumeOf('1h'));
    expect(seeded.offGridPrices).toBe(0);
  });
});
