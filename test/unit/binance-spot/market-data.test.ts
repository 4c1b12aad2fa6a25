import { describe, expect, test } from 'vitest';
import { candleStart, SPOT_INTERVALS } from '../../../src/binance-spot/simulator/candles.ts';
import { OPENING_MS, QUIET, SpotCaller } from './spot-caller.ts';

const T = { symbol: 'BTCUSDT' };
const iso = (timeMs: number): string => new Date(timeMs).toISOString().replace(':00.000Z', '');

describe('a candle', () => {
  test.each([
    ['1m', 0, '2026-09-21T14:13'],
    ['1h', 0, '2026-09-21T14:00'],
    ['1h', 345, '2026-09-21T13:15'],
    ['4h', 0, '2026-09-21T12:00'],
    ['1d', 0, '2026-09-21T00:00'],
    ['1d', 480, '2026-09-20T16:00'],
    ['1d', -720, '2026-09-21T12:00'],
    ['1w', 0, '2026-09-21T00:00'],
    ['1w', 600, '2026-09-20T14:00'],
    ['1M', 0, '2026-09-01T00:00'],
    ['1M', 840, '2026-08-31T10:00'],
  ] as const)('of %s in a zone of %d minutes begins at %s', (interval, offsetMin, expected) => {
    expect(iso(candleStart({ interval, offsetMin }, OPENING_MS))).toBe(expected);
  });

  test('of a month follows the calendar for a century', () => {
    for (let month = 0; month < 1_200; month += 1) {
      const expected = Date.UTC(1990, month + 1);
      const first = Date.UTC(1990, month);
      expect(candleStart({ interval: '1M', offsetMin: 0 }, first + 86_400_000 * 20, 1)).toBe(expected);
      expect(candleStart({ interval: '1M', offsetMin: 0 }, expected - 1)).toBe(first);
    }
  });
});

const prices = (rows: readonly (readonly [string, string])[]) => rows.map(([price]) => Number(price));

/** Markets with traders, whose tables are compared with their own trades. */
const caller = new SpotCaller({ flow: { historyMinutes: 300 } }, 11);
caller.nowMs += 95_123;
caller.core.advance(caller.nowMs);
const trades = caller.core.markets.get('BTCUSDT')?.trades ?? [];
const TICK = 0.01;
const STEP = 0.000_01;

test('the flow depends on its seed, and a jump of days costs as much as a minute', () => {
  const run = (seed: number) => {
    const other = new SpotCaller({ flow: { historyMinutes: 10 } }, seed);
    other.nowMs += 20_000;
    return other.open('depth', T).body;
  };
  expect(run(5)).toEqual(run(5));
  expect(run(5)).not.toEqual(run(6));
  const jumper = new SpotCaller({ flow: { historyMinutes: 0 } });
  jumper.nowMs += 30 * 86_400_000;
  expect(jumper.open('depth', T).status).toBe(200);
  expect(jumper.core.markets.get('BTCUSDT')?.trades.length).toBeLessThan(400);
});

test('a book has its prices in order, and never crosses', () => {
  for (let step = 0; step < 50; step += 1) {
    caller.nowMs += 777;
    for (const symbol of caller.core.markets.keys()) {
      const { bids, asks } = caller.open('depth', { symbol, limit: 1_000 }, { ip: `10.1.0.${step}` }).body;
      expect(prices(bids)).toEqual(prices(bids).toSorted((one, other) => other - one));
      expect(prices(asks)).toEqual(prices(asks).toSorted((one, other) => one - other));
      expect(prices(bids)[0] ?? 0).toBeLessThan(prices(asks)[0] ?? Number.POSITIVE_INFINITY);
      expect(Math.min(bids.length, asks.length)).toBeGreaterThan(10);
    }
  }
});

test.each(SPOT_INTERVALS)('candles of %s are the sums of their trades', (interval) => {
  const { body } = caller.open('klines', { ...T, interval, limit: 400 }, { ip: '10.2.0.1' });
  const first = trades[0]?.timeMs ?? 0;
  let previous: number | null = null;
  for (const row of body) {
    const [openTime, open, high, low, close, volume, closeTime, quote, count, buyBase, buyQuote] = row;
    const within = trades.filter(({ timeMs }) => timeMs >= openTime && timeMs <= closeTime);
    const prices = within.map(({ price }) => price * TICK);
    if (previous !== null) expect(openTime).toBe(previous);
    previous = closeTime + 1;
    expect(count).toBe(within.length);
    if (within.length > 0) {
      expect([open, high, low, close].map(Number)).toEqual(
        [prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)].map(
          (each) => expect.closeTo(each ?? 0, 6) as unknown,
        ),
      );
    } else
      expect([open, high, low, close, volume, quote]).toEqual([
        close,
        close,
        close,
        close,
        '0.00000000',
        '0.00000000',
      ]);
    const sum = (of: (trade: (typeof within)[number]) => number): number =>
      within.reduce((total, each) => total + of(each), 0);
    expect(Number(volume)).toBeCloseTo(
      sum(({ quantity }) => quantity * STEP),
      6,
    );
    expect(Number(quote)).toBeCloseTo(
      sum(({ quantity, price }) => quantity * STEP * price * TICK),
      3,
    );
    expect(Number(buyBase)).toBeCloseTo(
      sum(({ quantity, isBuyerMaker }) => (isBuyerMaker ? 0 : quantity * STEP)),
      6,
    );
    expect(Number(buyQuote)).toBeLessThanOrEqual(Number(quote));
  }
  expect(body.length).toBeGreaterThan(0);
  expect(body.length === 400 || body[0][0] <= first).toBe(true);
});

const candleTimes = (params: object): number[] =>
  caller
    .open('klines', { ...T, interval: '1m', ...params }, { ip: '10.2.0.2' })
    .body.map(([openTime]: [number]) => openTime);

test('candles follow the rules of lists', () => {
  const all = candleTimes({ limit: 1_000 });
  expect(all.length).toBeGreaterThan(300);
  const [from, to] = [all[10] ?? 0, all[20] ?? 0];
  expect(candleTimes({ startTime: from, limit: 3 })).toEqual(all.slice(10, 13));
  expect(candleTimes({ startTime: from + 1, limit: 3 })).toEqual(all.slice(11, 14));
  expect(candleTimes({ endTime: to, limit: 3 })).toEqual(all.slice(18, 21));
  expect(candleTimes({ startTime: from, endTime: to })).toEqual(all.slice(10, 21));
  expect(candleTimes({ startTime: from * 1_000, endTime: to * 1_000 })).toEqual(all.slice(10, 21));
  expect(candleTimes({ startTime: to, endTime: from })).toEqual([]);
});

test('a minute without a trade repeats the close, also at the end', () => {
  const quiet = new SpotCaller();
  quiet.outside('sell 1 @ 101');
  quiet.outside('buy 1');
  quiet.nowMs += 180_000;
  const { body } = quiet.open('klines', { ...T, interval: '1m' });
  expect(body.map((row: unknown[]) => [row[4], row[8]])).toEqual([
    ['101.00000000', 1],
    ['101.00000000', 0],
    ['101.00000000', 0],
    ['101.00000000', 0],
  ]);
});

test('tickers are the sums of their window', () => {
  const { body } = caller.open('ticker', { ...T, windowSize: '1h' }, { ip: '10.2.0.3' });
  const within = trades.filter(({ timeMs }) => timeMs >= body.openTime && timeMs <= body.closeTime);
  expect(body).toMatchObject({
    count: within.length,
    firstId: within[0]?.id,
    lastId: within.at(-1)?.id,
    openPrice: ((within[0]?.price ?? 0) * TICK).toFixed(8),
    lastPrice: ((within.at(-1)?.price ?? 0) * TICK).toFixed(8),
    highPrice: (Math.max(...within.map(({ price }) => price)) * TICK).toFixed(8),
  });
  expect(body.openTime % 60_000).toBe(0);
  const day = caller.open('ticker/24hr', T, { ip: '10.2.0.3' }).body;
  expect(Number(day.priceChange)).toBeCloseTo(Number(day.lastPrice) - Number(day.openPrice), 6);
  expect(Number(day.weightedAvgPrice)).toBeCloseTo(Number(day.quoteVolume) / Number(day.volume), 5);
  const today = caller.open(
    'ticker/tradingDay',
    { ...T, timeZone: '8', type: 'MINI' },
    { ip: '10.2.0.3' },
  ).body;
  expect(iso(today.openTime)).toBe('2026-09-20T16:00');
  expect(
    caller
      .open('ticker/24hr', { symbols: '["BNBUSDT","BTCUSDT"]' }, { ip: '10.2.0.3' })
      .body.map(({ symbol }: typeof T) => symbol),
  ).toEqual(['BNBUSDT', 'BTCUSDT']);
  expect(new SpotCaller(QUIET).open('ticker/24hr', T).body).toMatchObject({
    firstId: -1,
    lastId: -1,
    count: 0,
  });
});

const ask = (path: string, params: object) => caller.open(path, { ...T, ...params }, { ip: '10.2.0.4' }).body;
const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

test('public trades page by id, and their aggregates by time', () => {
  expect(ids(ask('historicalTrades', { fromId: 5, limit: 3 }))).toEqual([5, 6, 7]);
  expect(ids(ask('trades', { limit: 3 }))).toEqual(ids(trades.slice(-3)));
  const all = ask('aggTrades', { startTime: 0, limit: 1_000 });
  expect(all[0].f).toBe(1);
  for (const [index, row] of all.entries()) {
    if (index > 0) expect([row.f, row.a]).toEqual([all[index - 1].l + 1, all[index - 1].a + 1]);
    const parts = trades.filter(({ id }) => id >= row.f && id <= row.l);
    expect(Number(row.q)).toBeCloseTo(
      parts.reduce((sum, { quantity }) => sum + quantity * STEP, 0),
      6,
    );
    expect(new Set(parts.map(({ price, timeMs }) => `${price} ${timeMs}`)).size).toBe(1);
  }
  expect(ask('aggTrades', { fromId: all[7].a, limit: 2 })).toEqual(all.slice(7, 9));
  expect(
    ask('aggTrades', { startTime: all[7].T, endTime: all[9].T }).map(({ a }: { a: number }) => a),
  ).toEqual(all.slice(7, 10).map(({ a }: { a: number }) => a));
});

test('the average price is weighted over five minutes, or the last price', () => {
  const quiet = new SpotCaller();
  quiet.outside('sell 1 @ 101');
  quiet.outside('buy 1');
  quiet.nowMs += 60_000;
  quiet.outside('sell 3 @ 105');
  quiet.outside('buy 3');
  const average = () => quiet.open('avgPrice', T).body;
  expect(average()).toEqual({ mins: 5, price: '104.00000000', closeTime: quiet.nowMs });
  quiet.nowMs += 240_000;
  expect(average().price).toBe('105.00000000');
  quiet.nowMs += 3_600_000;
  expect(average().price).toBe('105.00000000');
});
