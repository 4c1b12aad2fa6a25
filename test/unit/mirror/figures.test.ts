import { beforeEach, describe, expect, test } from 'vitest';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import type { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import type { MirrorStore } from '../../../src/mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../../../src/mirror/pruner.ts';
import { figure, mirrorOfEachTest } from './mirror-fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** First moment of 2 April 2026 in Tehran, which is at half past an hour in UTC. */
const MIDNIGHT_MS = Date.parse('2026-04-01T20:30:00Z');

const place = mirrorOfEachTest();
let store: MirrorStore;
let reader: MirrorReader;
beforeEach(() => {
  store = place.open({ retention: { ...DEFAULT_RETENTION, candlesPerSeries: 100 } });
  reader = place.read();
});

function write(changes: readonly MirrorChange[], atMs: number): void {
  store.apply(changes, { atMs, isDurable: true });
  for (let round = 0; round < 12; round += 1) store.flush();
}

const timesOf = (name: string): readonly number[] =>
  reader.figures(name, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, most: 1e6 }).map(({ atMs }) => atMs);

/** Makes values of a series, five minutes apart, from one time to another. */
const every5Minutes = (name: string, fromMs: number, toMs: number): readonly MirrorChange[] =>
  Array.from({ length: (toMs - fromMs) / (5 * MINUTE_MS) }, (_, index) =>
    figure(name, fromMs + index * 5 * MINUTE_MS, String(index)),
  );

describe('a series of money', () => {
  test('keeps every value for 14 days, then the first of an hour of Tehran', () => {
    write(every5Minutes('equity/usdt', MIDNIGHT_MS, MIDNIGHT_MS + 3 * HOUR_MS), MIDNIGHT_MS + 14 * DAY_MS);
    expect(timesOf('equity/usdt')).toHaveLength(36);
    write([figure('equity/usdt', MIDNIGHT_MS + 14 * DAY_MS)], MIDNIGHT_MS + 14 * DAY_MS + 2 * HOUR_MS);
    const hours = timesOf('equity/usdt').filter((atMs) => atMs < MIDNIGHT_MS + 2 * HOUR_MS);
    expect(hours).toEqual([MIDNIGHT_MS, MIDNIGHT_MS + HOUR_MS]);
    expect(timesOf('equity/usdt')).toHaveLength(2 + 12 + 1);
  });

  test('keeps the first value of a day of Tehran after 400 days, and none after 10,000', () => {
    const hourly = Array.from({ length: 49 }, (_, hour) =>
      figure('profit/one/rls', MIDNIGHT_MS + hour * HOUR_MS),
    );
    write(hourly, MIDNIGHT_MS);
    const lateMs = MIDNIGHT_MS + 402 * DAY_MS;
    write([figure('profit/one/rls', lateMs)], lateMs);
    expect(timesOf('profit/one/rls')).toEqual([
      MIDNIGHT_MS,
      MIDNIGHT_MS + DAY_MS,
      MIDNIGHT_MS + 2 * DAY_MS,
      lateMs,
    ]);
    const endMs = MIDNIGHT_MS + 10_001 * DAY_MS;
    write([figure('profit/one/rls', endMs)], endMs);
    expect(timesOf('profit/one/rls')).toEqual([
      MIDNIGHT_MS + DAY_MS,
      MIDNIGHT_MS + 2 * DAY_MS,
      lateMs,
      endMs,
    ]);
  });

  test('is thinned by the next life where the last one ended before', () => {
    write(every5Minutes('equity/usdt', MIDNIGHT_MS, MIDNIGHT_MS + HOUR_MS), MIDNIGHT_MS);
    store.close();
    store = place.open();
    write([figure('budget/x', MIDNIGHT_MS, '1/60')], MIDNIGHT_MS + 15 * DAY_MS);
    expect(timesOf('equity/usdt')).toEqual([MIDNIGHT_MS]);
  });
});

describe('a plot', () => {
  test('keeps as many values as a series of candles does', () => {
    const values = Array.from({ length: 200 }, (_, minute) =>
      figure('plot/one/BTCIRT/rsi', minute * MINUTE_MS),
    );
    write(values, MIDNIGHT_MS);
    expect(timesOf('plot/one/BTCIRT/rsi')).toHaveLength(100);
    expect(timesOf('plot/one/BTCIRT/rsi')[0]).toBe(100 * MINUTE_MS);
  });

  test('goes when its strategy has a hundred others with newer values', () => {
    const of = (strategy: string, index: number): MirrorChange =>
      figure(`plot/${strategy}/BTCIRT/level ${index}`, MIDNIGHT_MS + index);
    const plots = Array.from({ length: 102 }, (_, index) => [of('one', index), of('two', index % 100)]);
    write(plots.flat(), MIDNIGHT_MS);
    expect(reader.figureNames('plot/one/')).toHaveLength(100);
    expect(reader.figureNames('plot/one/')).not.toContain('plot/one/BTCIRT/level 1');
    expect(reader.figureNames('plot/two/')).toHaveLength(100);
  });
});

test('a reader gets at most as many values as it wants, with the newest of each part of the time', () => {
  write(every5Minutes('equity/usdt', MIDNIGHT_MS, MIDNIGHT_MS + HOUR_MS), MIDNIGHT_MS);
  const range = { fromMs: MIDNIGHT_MS + 5 * MINUTE_MS, toMs: MIDNIGHT_MS + HOUR_MS, most: 4 };
  expect(reader.figures('equity/usdt', range).map(({ value }) => value)).toEqual(['3', '6', '8', '11']);
  expect(reader.figures('equity/usdt', { ...range, most: 1 }).map(({ value }) => value)).toEqual(['11']);
  expect(reader.figures('equity/usdt', { ...range, most: 100 })).toHaveLength(11);
  expect(reader.figures('equity/rls', range)).toEqual([]);
});

test('names of series are found by how they begin', () => {
  const names = ['profit/usdt', 'profit/one/usdt', 'equity/usdt'];
  write(
    names.map((name) => figure(name, MIDNIGHT_MS)),
    MIDNIGHT_MS,
  );
  write([figure('profit/usdt', MIDNIGHT_MS + 1)], MIDNIGHT_MS + 1);
  expect(reader.figureNames('profit/')).toEqual(['profit/one/usdt', 'profit/usdt']);
  expect(reader.figureNames('profit/o')).toEqual(['profit/one/usdt']);
  expect(reader.figureNames('plot/')).toEqual([]);
});

test('a value that is none of its series is found when the mirror is opened', () => {
  write([figure('plot/one/BTCIRT/rsi', 1, null), figure('plot/one/BTCIRT/rsi', 2, '-0.5')], MIDNIGHT_MS);
  place.read().close();
  write([figure('equity/usdt', MIDNIGHT_MS, 'much')], MIDNIGHT_MS);
  expect(() => place.read()).toThrow(
    `a damaged row in the table figures (name "equity/usdt", at_ms ${MIDNIGHT_MS}): expected a value as the name of its series says for value`,
  );
});
