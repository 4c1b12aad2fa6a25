import { beforeAll, expect, test } from 'vitest';
import { RawVenue } from './raw-venue.ts';

interface Columns {
  readonly s: string;
  readonly t?: readonly number[];
  readonly o?: readonly number[];
  readonly c?: readonly number[];
  readonly v?: readonly number[];
}

const MINUTES = 600;
const venue = new RawVenue();
/** Start of the first minute, in seconds. */
let firstS = 0;
let lastS = 0;

/** Makes one trade each minute for ten hours, each at a price one step higher. */
beforeAll(() => {
  venue.nowMs = Date.UTC(2024, 2, 12);
  firstS = venue.nowMs / 1000;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const order = {
      srcCurrency: 'btc',
      dstCurrency: 'rls',
      price: String(12_600_000_000 + minute * 10),
      amount: '0.001',
    };
    venue.bobPlaces({ ...order, type: 'sell' });
    venue.send('POST /market/orders/add', { body: { ...order, type: 'buy' } });
    lastS = venue.nowMs / 1000;
    venue.nowMs += 60_000;
  }
});

function history(query: string): Columns {
  const { json } = venue.send(`GET /market/udf/history?symbol=BTCIRT&${query}`, { token: null });
  return json as Columns;
}

test('a range gives the candles that begin in it', () => {
  const { s, t, o, c, v } = history(`resolution=1&from=${firstS + 60}&to=${firstS + 180}`);
  expect(s).toBe('ok');
  expect(t).toEqual([firstS + 60, firstS + 120, firstS + 180]);
  expect(o).toEqual([12600000010, 12600000020, 12600000030]);
  expect(c).toEqual(o);
  expect(v).toEqual([0.001, 0.001, 0.001]);
});

test('countback goes before from and ends at to', () => {
  expect(history(`resolution=1&countback=3&from=${firstS}&to=${lastS}`).t).toEqual([
    lastS - 120,
    lastS - 60,
    lastS,
  ]);
});

test('one page holds at most 500 candles, and the pages together hold all', () => {
  const range = `resolution=1&from=${firstS}&to=${lastS}`;
  const first = history(range).t ?? [];
  const second = history(`${range}&page=2`).t ?? [];
  expect(first).toHaveLength(500);
  expect(history(`${range}&page=1`).t).toEqual(first);
  expect([...first, ...second].toSorted((left, right) => left - right)).toEqual(
    Array.from({ length: MINUTES }, (_, minute) => firstS + minute * 60),
  );
  expect(history(`${range}&page=3`)).toEqual({ s: 'no_data' });
});

/** Bars of four hours and more begin at full hours of Tehran, 3.5 hours ahead of UTC. In seconds. */
const TEHRAN_S = 12_600;
const DAY_S = 86_400;

test.each([
  ['5', 300, 120],
  ['15', 900, 40],
  ['30', 1800, 20],
  ['60', 3600, 10],
  ['180', 10_800, 4],
  ['240', 14_400, 4],
  ['360', 21_600, 3],
  ['720', 43_200, 2],
  ['D', 86_400, 1],
  ['2D', 172_800, 1],
  ['3D', 259_200, 1],
])('resolution %s has candles of %i seconds', (resolution, lengthS, count) => {
  const { t = [], v = [] } = history(`resolution=${resolution}&from=${firstS - 4 * 86_400}&to=${lastS}`);
  expect(t).toHaveLength(count);
  const [aheadS, everyS] = lengthS < 14_400 ? [0, lengthS] : [TEHRAN_S, Math.min(lengthS, DAY_S)];
  for (const startS of t) expect((startS + aheadS) % everyS).toBe(0);
  expect(v.reduce((sum, volume) => sum + Math.round(volume * 1000), 0)).toBe(MINUTES);
});

test.each([
  'symbol=BTCIRT&resolution=1',
  'symbol=NOPEIRT&resolution=1&to=1',
  'resolution=1&to=1',
  'symbol=BTCIRT&to=1',
])('%s is refused', (query) => {
  const { json } = venue.send(`GET /market/udf/history?${query}`, { token: null });
  expect(json).not.toMatchObject({ s: 'ok' });
  expect(json).not.toMatchObject({ status: 'ok' });
});
