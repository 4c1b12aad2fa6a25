import { describe, expect, test } from 'vitest';
import { paceOf, wrongTrailing } from '../../../src/strategy/definition.ts';

const bars = (timeframe: '1m' | '1h') =>
  ({ kind: 'candles', market: 'BTCIRT', timeframe, warmUp: 0 }) as const;

describe('how many stops follow the price', () => {
  test.each<readonly [given: unknown, wrong: string | null]>([
    [undefined, null],
    [{ most: 1 }, null],
    [{ most: 1_000, everyMs: 1_000 }, null],
    [{}, 'trailing.most to be a whole number from 1 to 1000, was undefined'],
    [{ most: 0 }, 'was 0'],
    [{ most: 1.5 }, 'was 1.5'],
    [{ most: Number.NaN }, 'was NaN'],
    [{ most: 1_001 }, 'was 1001'],
    [{ most: 1, everyMs: 999 }, 'trailing.everyMs to be from 1000 to 86400000 ms, was 999'],
    [{ most: 1, everyMs: Infinity }, 'was Infinity'],
    [{ most: 1, often: 1 }, 'to have most and everyMs, was "often"'],
    [3, 'to be like { most: 1 }, was number'],
  ])('%j', (given, wrong) => {
    if (wrong === null) expect(wrongTrailing(given)).toBeNull();
    else expect(wrongTrailing(given)).toContain(wrong);
  });

  test('is as often as the shortest bars close, or once a minute without bars', () => {
    expect(paceOf(undefined, [])).toBeNull();
    expect(paceOf({ most: 2 }, [])).toEqual({ most: 2, everyMs: 60_000 });
    expect(paceOf({ most: 2 }, [bars('1h'), bars('1m')])).toEqual({ most: 2, everyMs: 60_000 });
    expect(paceOf({ most: 2 }, [bars('1h')])).toEqual({ most: 2, everyMs: 3_600_000 });
    expect(paceOf({ most: 2, everyMs: 5_000 }, [bars('1h')])).toEqual({ most: 2, everyMs: 5_000 });
  });
});
