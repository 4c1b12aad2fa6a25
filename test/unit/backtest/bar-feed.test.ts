import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BarFeed } from '../../../src/backtest/bar-queue.ts';
import { columnsOf, type CandleColumns } from '../../../src/domain/candle-columns.ts';
import type { Candle, Timeframe } from '../../../src/domain/candle.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { MarketSymbol } from '../../../src/domain/market-symbol.ts';
import type { ClosedCandle } from '../../../src/strategy/strategy-event.ts';
import { barOf } from '../../../src/strategy/data/bar.ts';
import { FROM_MS } from './candle-run.ts';

const MINUTE_MS = 60_000;

/** Reads bars from a table with the columns minute, open, high, low, close and volume. */
function bars(table: string, timeframe: Timeframe = '1m'): CandleColumns {
  const candles = table
    .trim()
    .split('\n')
    .map((line): Candle => {
      const [minute = '', ...numbers] = line.trim().split(/ +/);
      const [open, high, low, close, volume] = numbers.map((text) => decimalText(text));
      if (
        open === undefined ||
        high === undefined ||
        low === undefined ||
        close === undefined ||
        volume === undefined
      ) {
        throw new Error(`expected six columns, was "${line}"`);
      }
      return { openTimeMs: FROM_MS + Number(minute) * MINUTE_MS, open, high, low, close, volume };
    });
  return columnsOf({ market: 'BTCUSDT' as MarketSymbol, timeframe }, candles);
}

const shown = ({
  openTimeMs,
  open,
  high,
  low,
  close,
  volume,
  missedBefore,
  seenAtMs,
}: ClosedCandle): string =>
  [
    (openTimeMs - FROM_MS) / MINUTE_MS,
    open,
    high,
    low,
    close,
    volume,
    missedBefore,
    (seenAtMs - FROM_MS) / MINUTE_MS,
  ].join(' ');

const all = (feed: BarFeed, columns: CandleColumns): string[][] =>
  Array.from({ length: columns.length }, (_, index) => feed.closedBy(index).map(shown));

describe('bars of the recorded length', () => {
  const columns = bars(`
    0 100.5 101 99.25 100 2
    1 100   102 100   101 0.5
    4 101   101 101   101 0`);

  it('come as they close, with how many are missing before them', () => {
    expect(all(new BarFeed(columns, '1m'), columns)).toEqual([
      ['0 100.5 101 99.25 100 2 0 1'],
      ['1 100 102 100 101 0.5 0 2'],
      ['4 101 101 101 101 0 2 5'],
    ]);
  });

  it('look to authors like plain objects that can be stored and not changed', () => {
    const [bar] = new BarFeed(columns, '1m').closedBy(0);
    if (bar === undefined) throw new Error('expected a bar');
    const shown = barOf(bar);
    const exact = { open: '100.5', high: '101', low: '99.25', close: '100', volume: '2' };
    const expected = {
      market: 'BTCUSDT',
      timeframe: '1m',
      openTimeMs: FROM_MS,
      closeTimeMs: FROM_MS + MINUTE_MS,
      open: 100.5,
      high: 101,
      low: 99.25,
      close: 100,
      volume: 2,
      seenAtMs: FROM_MS + MINUTE_MS,
      missedBefore: 0,
    };
    expect(shown).toMatchObject(expected);
    expect(JSON.parse(JSON.stringify(shown))).toEqual({ ...expected, exact });
    expect(inspect(shown)).toBe(inspect({ ...expected, exact }));
    expect(Reflect.set(shown, 'close', 1)).toBe(false);
    expect([shown.close, shown.exact.close]).toEqual([100, '100']);
  });
});

describe('longer bars', () => {
  it('close with their last part, and hold nothing of a later one', () => {
    const columns = bars(`
      0 10 12 9  11 1
      1 11 13 11 12 1
      2 12 12 7  8  1
      3 8  9  8  9  1
      4 9  9  9  9  1.5
      5 20 30 20 25 1`);
    expect(all(new BarFeed(columns, '5m'), columns)).toEqual([[], [], [], [], ['0 10 13 7 9 5.5 0 5'], []]);
  });

  it('whose last parts are missing close with the first part that comes after them', () => {
    const columns = bars(`
      0 10 12 9 11 1
      1 11 13 11 12 1
      7 20 21 20 21 1
      9 21 22 21 22 1`);
    expect(all(new BarFeed(columns, '5m'), columns)).toEqual([
      [],
      [],
      ['0 10 13 9 12 2 0 8'],
      ['5 20 22 20 22 2 0 10'],
    ]);
  });

  it('are refused where they are no multiple of the recorded ones', () => {
    const columns = bars('0 10 12 9 11 1', '15m');
    expect(() => new BarFeed(columns, '5m')).toThrow(
      /candles of 5m can be made of, were of the timeframe 15/,
    );
  });
});
