import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import type { Candle } from '../../../src/domain/candle.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { MarketSymbol } from '../../../src/domain/market-symbol.ts';
import type { AppendOutcome } from '../../../src/recording/staging-table.ts';
import { CandleCollector } from '../../../src/recording/candle-collector.ts';
import { deepRuns } from '../../support/deep-runs.ts';

const MARKET = 'BTCUSDT' as MarketSymbol;
const MINUTE_MS = 60_000;

function candle(minute: number, close: string, volume = '1'): Candle {
  const price = decimalText(close);
  return {
    openTimeMs: minute * MINUTE_MS,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: decimalText(volume),
  };
}

async function collected(
  ...parts: readonly (readonly Candle[])[]
): Promise<{ readonly outcome: AppendOutcome; readonly candles: readonly Candle[] }> {
  const collector = new CandleCollector();
  const given = { market: MARKET, source: 'test', timeframe: '1m', candles: parts } as const;
  const outcome = await collector.appendCandles(given);
  const columns = collector.candlesOf(MARKET);
  return { outcome, candles: Array.from({ length: columns.length }, (_, index) => candleAt(columns, index)) };
}

describe('bars that are collected in memory', () => {
  it('come out as they came, to the last digit, however many decimals the later ones have', async () => {
    const given = [
      candle(0, '65000'),
      candle(1, '65000.5', '0.000001'),
      candle(2, '0.0000000001'),
      candle(3, '7.25'),
    ];
    const small = given.map((one, index) => (index < 2 ? { ...one, volume: decimalText('0.1') } : one));
    const { outcome, candles } = await collected([given[3] as Candle], given.slice(2, 3));
    expect(candles).toEqual([given[2], given[3]]);
    const range = { fromMs: 2 * MINUTE_MS, toMs: 3 * MINUTE_MS };
    expect(outcome).toEqual({ kind: 'added', added: 2, known: 0, ...range });
    expect((await collected(small.slice(0, 2))).candles).toEqual(small.slice(0, 2));
  });

  it('are whatever they are written as: any digits, any order', async () => {
    const text = fc
      .tuple(
        fc.integer({ min: 0, max: 999_999_999 }),
        fc.integer({ min: 0, max: 999_999 }),
        fc.integer({ min: 0, max: 6 }),
      )
      .map(([whole, part, digits]) =>
        decimalText(`${whole}.${String(part).padStart(6, '0').slice(0, digits)}0`),
      );
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(minutes, fc.array(text, { minLength: 60, maxLength: 60 }), async (times, texts) => {
        const given = times.map((minute, index) =>
          candle(minute, texts[index] ?? '1', texts[59 - index] ?? '1'),
        );
        const { candles } = await collected(given.slice(0, 7), given.slice(7));
        expect(candles).toEqual(given.toSorted((left, right) => left.openTimeMs - right.openTimeMs));
      }),
      { numRuns: deepRuns(20) },
    );
  });

  it('are one where the same bar comes twice, and a conflict where it is another', async () => {
    const same = await collected([candle(5, '10.50'), candle(4, '9')], [candle(5, '10.5'), candle(6, '11')]);
    expect(same.candles.map(({ close }) => close)).toEqual(['9', '10.5', '11']);
    expect(same.outcome).toMatchObject({ kind: 'added', added: 3, known: 1 });
    const { outcome } = await collected(
      [candle(5, '10'), candle(6, '8')],
      [candle(5, '10'), candle(5, '11')],
    );
    expect(outcome).toMatchObject({
      kind: 'conflict',
      count: 1,
      conflicts: [
        { timeMs: 5 * MINUTE_MS, isWithin: true, there: '10, 10, 10, 10, 1', given: '11, 11, 11, 11, 1' },
      ],
    });
  });

  it('grow beyond the room that there is at first', async () => {
    const given = Array.from({ length: 140_000 }, (_, minute) => candle(minute, String(minute + 1)));
    const { candles } = await collected(given);
    expect(candles.length).toBe(140_000);
    expect(candles.at(-1)).toEqual(given.at(-1));
  });

  it('are refused where a number does not fit with the decimals of another', async () => {
    const collector = new CandleCollector();
    const candles = [[candle(0, '123456789012345'), candle(1, '0.0001')]];
    const given = { market: MARKET, source: 'test', timeframe: '1m', candles } as const;
    await expect(collector.appendCandles(given)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('are exact beyond what one rounding could lose', async () => {
    const { candles } = await collected([candle(0, '9007199254740.991'), candle(1, '9007199254740.99')]);
    expect(candles.map(({ close }) => close)).toEqual(['9007199254740.991', '9007199254740.99']);
  });
});
