import { describe, expect, test } from 'vitest';
import { columnsOf, type CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { createRandom } from '../../../../src/domain/random.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import {
  barsInOrder,
  barTimes,
  redrawnBars,
  redrawnSignals,
} from '../../../../src/study/stress/stress-run.ts';
import { TETHER, walkOf } from '../../backtest/candle-run.ts';
import { blockLength } from '../../../../src/statistics/stationary-bootstrap.ts';
import { blockOfBars } from '../../../../src/study/run-stress.ts';
import { drawnReturns } from '../statistics/drawn-returns.ts';
import { knownValue } from '../statistics/known-value.ts';
import type { FileSignal } from '../../../../src/backtest/signals.ts';
import { generatedCandles } from '../generated-candles.ts';

const candles = generatedCandles({ count: 300 });
const { openTimeMs, volume } = candles;
/** Candles whose volume is their index, so that a drawnSignals bar shows which one it was. */
const marked = { ...candles, volume: volume.map((_, bar) => bar) };
const drawnSignals = () => ({ fromMs: openTimeMs[20] ?? 0, meanBlock: 8, random: createRandom(5) });

const signal = (atMs: number, id: string): FileSignal => ({
  atMs,
  strategy: null,
  name: 'alert',
  id,
  payload: id,
  sentAtMs: atMs - 1_000,
  source: 'test',
  place: '',
});

test('signals move with the bars in which they came, each time by other ids', () => {
  // A signal in each bar, and in every fifth a repetition with the same id.
  const signals = [...openTimeMs].flatMap((openMs, bar) => [
    signal(openMs + 60_000, String(bar)),
    ...(bar % 5 === 0 ? [signal(openMs + 120_000, String(bar))] : []),
  ]);
  const [bars] = redrawnBars([{ columns: marked, priceStep: parseUnits('0.01') }], drawnSignals());
  const told = redrawnSignals(signals, [marked], drawnSignals());
  for (let bar = 20; bar < 300; bar += 1) {
    const openMs = openTimeMs[bar] ?? 0;
    const source = bars?.volume[bar] ?? Number.NaN;
    const here = told.filter(({ atMs }) => atMs >= openMs && atMs < openMs + HOUR_MS);
    expect(here.map(({ payload }) => payload)).toEqual(
      Array.from({ length: source % 5 === 0 ? 2 : 1 }, () => String(source)),
    );
    expect(here[0]).toMatchObject({ atMs: openMs + 60_000, sentAtMs: openMs + 59_000 });
    expect(new Set(here.map(({ id }) => id)).size).toBe(1);
  }
  // A signal that was drawnSignals twice counts as two, and a repetition does not.
  expect(new Set(told.map(({ id }) => id)).size).toBe(280);
  expect(redrawnSignals([], [marked], drawnSignals())).toEqual([]);
});

const HOUR_MS = 3_600_000;
const STEP = parseUnits('0.01');
const walk = walkOf(TETHER, { bars: 300, seed: 4, price: 500 });

/** A bar: open, high, low, close and volume. */
type Row = readonly [number, number, number, number, number];

const barsOf = (rows: readonly Row[], market = 'BTCUSDT'): CandleColumns =>
  columnsOf(
    { market: parseMarket(market).symbol, timeframe: '1h' },
    rows.map(([open, high, low, close, volume], hour) => ({
      openTimeMs: hour * HOUR_MS,
      open: decimalText(open),
      high: decimalText(high),
      low: decimalText(low),
      close: decimalText(close),
      volume: decimalText(volume),
    })),
  );

const rowsOf = (columns: CandleColumns): readonly (readonly number[])[] => {
  const scale = 10 ** columns.priceDecimals;
  return Array.from({ length: columns.length }, (_, bar) => [
    ...[columns.open, columns.high, columns.low, columns.close].map((cells) => (cells[bar] ?? 0) / scale),
    (columns.volume[bar] ?? 0) / 10 ** columns.volumeDecimals,
  ]);
};

const only = (all: readonly CandleColumns[]): CandleColumns => {
  const [one] = all;
  if (one === undefined || all.length !== 1) throw new Error(`expected one market, found ${all.length}`);
  return one;
};

const inOrder = (
  columns: CandleColumns,
  order: readonly number[],
  of: { readonly fromMs?: number; readonly step?: string } = {},
): CandleColumns => {
  const priceStep = parseUnits(of.step ?? '0.01');
  return only(
    barsInOrder([{ columns, priceStep }], { fromMs: of.fromMs ?? null, order: Int32Array.from(order) }),
  );
};

/** Returns the close before a bar; for the first bar its own open. */
const before = ({ open, close }: CandleColumns, bar: number): number =>
  (bar === 0 ? open[0] : close[bar - 1]) ?? Number.NaN;

describe('bars in another order', () => {
  test('are what a hand works out', () => {
    const bars = barsOf([
      [100, 120, 90, 110, 1],
      [110, 121, 99, 99, 2],
      [198, 200, 100, 148.5, 3],
    ]);
    // From 100: the third bar opens at twice that and closes at 1.5 times; the first and the second bar
    // follow.
    const redrawn = inOrder(bars, [2, 0, 1]);
    expect(rowsOf(redrawn)).toEqual([
      [200, 202.02, 101.01, 150, 3],
      [150, 180, 135, 165, 1],
      [165, 181.5, 148.5, 148.5, 2],
    ]);
    expect(redrawn.openTimeMs).toEqual(bars.openTimeMs);
  });

  test('are the same bars where the order is theirs', () => {
    const same = Array.from({ length: walk.length }, (_, bar) => bar);
    expect(inOrder(walk, same)).toEqual(walk);
    const fromMs = walk.openTimeMs[100] ?? 0;
    expect(inOrder(walk, same.slice(0, 200), { fromMs })).toEqual(walk);
  });

  test('leave the past as it was, and go on from its close', () => {
    const fromMs = walk.openTimeMs[250] ?? 0;
    const redrawn = inOrder(
      walk,
      Array.from({ length: 50 }, () => 7),
      { fromMs },
    );
    expect(rowsOf(redrawn).slice(0, 250)).toEqual(rowsOf(walk).slice(0, 250));
    const ratio = (walk.close[257] ?? 0) / (walk.close[256] ?? 0);
    expect((redrawn.close[250] ?? 0) / (walk.close[249] ?? 0)).toBeCloseTo(ratio, 4);
  });

  test('are on steps that are finer or coarser than their decimals, and at least one', () => {
    const bars = barsOf([
      [100, 100, 100, 100, 1],
      [100, 100, 1, 1, 1],
    ]);
    expect(rowsOf(inOrder(bars, [1, 1], { step: '0.025' }))).toEqual([
      [100, 100, 1, 1, 1],
      [1, 1, 0.025, 0.025, 1],
    ]);
    expect(rowsOf(inOrder(bars, [1, 1], { step: '10' })).map(([open, , low]) => [open, low])).toEqual([
      [100, 10],
      [10, 10],
    ]);
  });

  test('do not add up what is rounded', () => {
    // 0.4 % of 100 is less than half a step of 1: if each bar were rounded, the price would never move.
    const bars = barsOf([
      [100, 100, 100, 100, 1],
      [100, 100.4, 100, 100.4, 1],
    ]);
    const order = Array.from({ length: 2 }, () => 1);
    const later = barsOf(Array.from({ length: 100 }, (): Row => [100, 100.4, 100, 100.4, 1]));
    expect(rowsOf(inOrder(bars, order, { step: '1' })).map((row) => row[3])).toEqual([100, 101]);
    const rising = Array.from({ length: 100 }, () => 0);
    expect(rowsOf(inOrder(later, rising, { step: '1' })).at(-1)?.[3]).toBe(Math.round(100 * 1.004 ** 100));
  });

  test('do not go beyond what is counted exactly', () => {
    const bars = barsOf([[1, 1e9, 1, 1e9, 1]]);
    expect(() => inOrder(bars, [0], { step: '0.000001' })).not.toThrow();
    const again = barsOf([
      [1, 1, 1, 1, 1],
      [1, 1e9, 1, 1e9, 1],
    ]);
    expect(() => inOrder(again, [1, 1])).toThrow(/^expected a drawn price below 2\^53/);
  });
});

const drawn = (seed: number, meanBlock = 12) =>
  only(
    redrawnBars([{ columns: walk, priceStep: STEP }], {
      fromMs: null,
      meanBlock,
      random: createRandom(seed),
    }),
  );

const growth = (bars: CandleColumns): number =>
  Math.log((bars.close[bars.length - 1] ?? 0) / (bars.open[0] ?? 1));

const sourceAt = (bars: CandleColumns): Map<number, number> =>
  new Map(
    Array.from({ length: bars.length }, (_, bar) => [
      bars.openTimeMs[bar] ?? 0,
      (bars.volume[bar] ?? 0) / 10 ** bars.volumeDecimals - 1,
    ]),
  );

describe('redrawn bars', () => {
  test('keep the shape and the volume of a bar: each has that of one bar there was', () => {
    const volumes = walk.volume.map((_, bar) => 1_000_000 * (bar + 1));
    const marked = { ...walk, volume: volumes };
    const redrawn = only(
      redrawnBars([{ columns: marked, priceStep: STEP }], {
        fromMs: null,
        meanBlock: 12,
        random: createRandom(3),
      }),
    );
    const sources = Array.from(redrawn.volume, (volume) => volume / 1_000_000 - 1);
    for (const [bar, source] of sources.entries()) {
      const now = bar === 0 ? before(walk, 0) : before(redrawn, bar);
      const then = before(walk, source);
      for (const price of ['open', 'high', 'low', 'close'] as const) {
        const [made, was] = [redrawn[price][bar] ?? 0, walk[price][source] ?? 0];
        // Within one step, at a price of about 50,000 steps.
        expect(Math.abs(made / now - was / then)).toBeLessThan(2 / now);
      }
      const [low, high] = [redrawn.low[bar] ?? 0, redrawn.high[bar] ?? 0];
      expect(low).toBeLessThanOrEqual(Math.min(redrawn.open[bar] ?? 0, redrawn.close[bar] ?? 0));
      expect(high).toBeGreaterThanOrEqual(Math.max(redrawn.open[bar] ?? 0, redrawn.close[bar] ?? 0));
    }
    const following = sources.filter(
      (source, bar) => bar > 0 && source === ((sources[bar - 1] ?? 0) + 1) % 300,
    );
    // Blocks have twelve bars on the mean, so eleven of twelve bars follow the one before them.
    expect(following.length / 300).toBeGreaterThan(0.85);
    expect(following.length / 300).toBeLessThan(0.97);
  });

  test('are others for another seed, and the same for the same', () => {
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
  });

  test('go as far as the market went, on the mean of many draws', () => {
    const found = Array.from({ length: 400 }, (_, seed) => growth(drawn(seed, 4)));
    const mean = found.reduce((sum, one) => sum + one, 0) / found.length;
    const error = Math.sqrt(found.reduce((sum, one) => sum + (one - mean) ** 2, 0) / found.length ** 2);
    expect(Math.abs(mean - growth(walk))).toBeLessThan(3 * error);
  });

  test('of several markets are drawn together, and a gap is a gap in them, too', () => {
    const all = Array.from({ length: 200 }, (_, bar): Row => {
      const open = 100 + (bar % 7);
      return [open, open + 3, open - 3, open + 1, bar + 1];
    });
    const one = barsOf(all);
    const whole = barsOf(all, 'ETHUSDT');
    // The other market has no bars in hours 50 to 59.
    const kept = Array.from({ length: 200 }, (_, bar) => bar).filter((bar) => bar < 50 || bar >= 60);
    const column = (of: Float64Array) => Float64Array.from(kept, (bar) => of[bar] ?? 0);
    const other: CandleColumns = {
      ...whole,
      length: kept.length,
      openTimeMs: column(whole.openTimeMs),
      open: column(whole.open),
      high: column(whole.high),
      low: column(whole.low),
      close: column(whole.close),
      volume: column(whole.volume),
    };
    expect(barTimes([one, other], null)).toEqual(one.openTimeMs);
    const [left, right] = redrawnBars(
      [one, other].map((columns) => ({ columns, priceStep: STEP })),
      { fromMs: null, meanBlock: 10, random: createRandom(5) },
    );
    if (left === undefined || right === undefined) throw new Error('expected two markets');
    const [ofLeft, ofRight] = [sourceAt(left), sourceAt(right)];
    expect(left.length).toBe(200);
    for (const [time, source] of ofLeft) {
      const isGap = source >= 50 && source < 60;
      expect(ofRight.get(time)).toBe(isGap ? undefined : source);
    }
  });
});

const COUNT = 2_000;
const blockWalk = walkOf(TETHER, { bars: COUNT, seed: 1, price: 500 });

/** Makes bars whose closes give these returns. */
function closing(returns: Float64Array): CandleColumns {
  let price = 1_000_000_000;
  return { ...blockWalk, close: returns.map((value) => (price *= Math.exp(value))) };
}

const noise = drawnReturns({ seed: 3, count: COUNT });
/** Returns in turns of 100 calm and 100 wild bars: they do not depend on each other, but their sizes do. */
const storms = noise.map((value, bar) => value * (Math.floor(bar / 100) % 2 === 0 ? 0.2 : 2));

test('blocks are as long as returns need, or their sizes where these last', () => {
  const ofReturns = knownValue(blockLength(storms.slice(1))).stationary;
  const ofSizes = knownValue(blockLength(storms.slice(1).map(Math.abs))).stationary;
  expect(ofSizes).toBeGreaterThan(5 * ofReturns);
  expect(knownValue(blockOfBars([closing(storms)], null))).toBeCloseTo(ofSizes, 6);
  expect(knownValue(blockOfBars([closing(noise)], null))).toBeLessThan(ofSizes / 2);
  // The longest block of several markets counts, since they share their blocks.
  expect(knownValue(blockOfBars([closing(noise), closing(storms)], null))).toBeCloseTo(ofSizes, 6);
});

test('a range that is too short, or a price that never moves, has no block', () => {
  const fromMs = blockWalk.openTimeMs[COUNT - 15] ?? 0;
  expect(blockOfBars([blockWalk], fromMs)).toMatchObject({
    kind: 'unknown',
    message: 'expected at least 20 values, was 15',
  });
  const still = { ...blockWalk, close: blockWalk.close.map(() => 5) };
  expect(blockOfBars([still], null)).toMatchObject({ kind: 'unknown', reason: 'no-variance' });
});
