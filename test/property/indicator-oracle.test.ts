import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import * as library from 'trading-signals';
import { describe, expect, test } from 'vitest';
import type { Candle } from '../../src/domain/candle.ts';
import { createRandom } from '../../src/domain/random.ts';
import { decimalText } from '../../src/domain/decimal-text.ts';
import { candles } from '../../src/strategy/subscriptions.ts';
import { createIndicator, INDICATORS } from '../../src/strategy/indicators/indicators.ts';
import {
  usualOf,
  type IndicatorEntry,
  type Indicator,
} from '../../src/strategy/indicators/declare-indicator.ts';
import { deepRuns } from '../support/deep-runs.ts';
import { averageFormulas } from './indicator-oracle/averages.ts';
import type { Answer, Columns, Formula, Params } from './indicator-oracle/lines.ts';
import { oscillatorFormulas } from './indicator-oracle/oscillators.ts';
import { trendFormulas } from './indicator-oracle/trends.ts';
import { volatilityFormulas } from './indicator-oracle/volatility.ts';

const FORMULAS: ReadonlyMap<string, Formula> = new Map(
  Object.entries({ ...averageFormulas, ...trendFormulas, ...oscillatorFormulas, ...volatilityFormulas }),
);

const after = (indicator: Indicator, candle: Candle) => {
  indicator.add(candle);
  return indicator.value;
};

const BARS = 110;

/** Runs of each indicator, each with other candles and parameters. */
const RUNS = deepRuns(3);

/** Tolerance, as a share of the largest value of a run. */
const TOLERANCE = 1e-9;

const cents = (price: number) => decimalText(String(price / 100));

/** Candles of a walk in whole cents, some of them equal, without range, or without trades. */
function walk(random: () => number, length = BARS): readonly Candle[] {
  const step = (most: number): number => Math.floor(random() * (most + 1));
  let last = 9_000 + step(2_000);
  return Array.from({ length }, (_, index) => {
    const open = last;
    const close = random() < 0.08 ? open : Math.max(2_000, open + step(240) - 120);
    const [high, low] = [Math.max(open, close) + step(40), Math.min(open, close) - step(40)];
    last = random() < 0.7 ? close : close + step(30) - 15;
    return {
      openTimeMs: index,
      open: cents(open),
      high: cents(high),
      low: cents(low),
      close: cents(close),
      volume: decimalText(random() < 0.05 ? '0' : String((1 + step(900)) / 100)),
    };
  });
}

const STILL = Object.fromEntries(
  ['open', 'high', 'low', 'close', 'volume'].map((name) => [
    name,
    decimalText(name === 'volume' ? '0' : '70'),
  ]),
);

function columnsOf(candles: readonly Candle[]): Columns {
  const column = (name: 'open' | 'high' | 'low' | 'close' | 'volume') =>
    candles.map((candle) => Number(candle[name]));
  return {
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
}

/** Draws small parameters: the least and a few more, or any from the least to twice the default. */
function drawnParams(entry: IndicatorEntry, random: () => number): Params {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const params = Object.fromEntries(
      Object.entries(entry.params).map(([name, { least, most, usual, isWhole }]) => [
        name,
        isWhole ? least + Math.floor(random() * 10) : least + random() * (Math.min(most, 2 * usual) - least),
      ]),
    );
    try {
      entry.check(params);
      return params as Params;
    } catch {
      // These parameters break a rule between them: draw again.
    }
  }
  throw new Error(`expected parameters that ${entry.kind} takes, found none in 1000 tries`);
}

/** Values of an answer for each bar; null where a part of it is null. */
function rowsOf(answer: Answer): readonly unknown[] {
  if (Array.isArray(answer)) return (answer as readonly (number | null)[]).map(finiteOf);
  const parts = Object.entries(answer as Exclude<Answer, readonly unknown[]>);
  return parts[0]![1].map((_, bar) => {
    const row = parts.map(([name, line]) => [name, finiteOf(line[bar] ?? null)]);
    return row.some(([, value]) => value === null) ? null : Object.fromEntries(row);
  });
}

const finiteOf = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? null : value;

const partsOf = (row: unknown): readonly (readonly [string, unknown])[] =>
  typeof row === 'object' && row !== null ? Object.entries(row) : [['', row]];

function largestOf(rows: readonly unknown[]): number {
  const numbers = rows
    .flatMap((row) => partsOf(row).map(([, value]) => value))
    .filter((value) => typeof value === 'number');
  return Math.max(Number.MIN_VALUE, ...numbers.map(Math.abs));
}

/** Describes the first bar at which the two differ; null if there is none. */
function difference(found: readonly unknown[], expected: readonly unknown[]): string | null {
  const most = TOLERANCE * largestOf(expected);
  for (const [bar, row] of expected.entries()) {
    const has = new Map(partsOf(found[bar]));
    const same = partsOf(row).every(([name, value]) => {
      const mine = has.get(name);
      return typeof value === 'number' && typeof mine === 'number'
        ? Math.abs(mine - value) <= most
        : mine === value;
    });
    if (!same || has.size !== partsOf(row).length)
      return `bar ${bar + 1}: expected ${JSON.stringify(row)}, was ${JSON.stringify(found[bar])}`;
  }
  return null;
}

const running = (kind: string, params: Readonly<Record<string, number>>) =>
  createIndicator({ kind, params, of: { kind: 'candles', from: candles('BTCIRT', '1h') } });

describe('an indicator of the table', () => {
  test.each([...INDICATORS.keys()])('%s is what was published, from the bar on that it says', (kind) => {
    const [entry, formula] = [INDICATORS.get(kind)!, FORMULAS.get(kind)];
    expect(formula, `a formula of ${kind}`).toBeDefined();
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = createRandom(seed).next;
        const [params, candles] = [drawnParams(entry, random), walk(random)];
        const { first } = entry.check(params);
        const indicator = running(kind, params);
        const found = candles.map((candle) => after(indicator, candle));
        const expected = rowsOf(formula!(columnsOf(candles), params)).map((row, bar) =>
          bar + 1 < first ? null : row,
        );
        expect(found.slice(0, first - 1)).toEqual(Array.from({ length: first - 1 }, () => null));
        expect(difference(found, expected), JSON.stringify(params)).toBeNull();
      }),
      // The seed is fixed: where a range is as small as a rounding error, another float changes the answer.
      { numRuns: RUNS, seed: 1 },
    );
  });

  test.each([...INDICATORS.keys()])('%s has a value at its first bar', (kind) => {
    const entry = INDICATORS.get(kind)!;
    const random = createRandom(5).next;
    const params = drawnParams(entry, random);
    const indicator = running(kind, params);
    const traded = walk(random).map((candle) => ({ ...candle, volume: decimalText('1') }));
    expect(traded.map((candle) => after(indicator, candle))[entry.check(params).first - 1]).not.toBeNull();
  });

  test.each([...INDICATORS.keys()])('%s has forgotten where it began after the bars that it says', (kind) => {
    const random = createRandom(7).next;
    const params = usualOf(INDICATORS.get(kind)!.params);
    const [late, early] = [running(kind, params), running(kind, params)];
    const before = walk(random).map((candle) => after(early, candle));
    const bars = walk(random, late.settledAfter);
    let [one, other]: unknown[] = [null, null];
    for (const bar of bars) [one, other] = [after(late, bar), after(early, bar)];
    expect(one).not.toBeNull();
    const most = 0.003 * largestOf(before);
    const parts = new Map(partsOf(other));
    for (const [name, value] of partsOf(one)) {
      if (typeof value === 'number')
        expect(Math.abs(value - Number(parts.get(name)))).toBeLessThanOrEqual(most);
      else expect(parts.get(name)).toBe(value);
    }
  });

  test.each([...INDICATORS.keys()])(
    '%s is a finite number or none while nothing moves, and works after it',
    (kind) => {
      const entry = INDICATORS.get(kind)!;
      const random = createRandom(9).next;
      const params = drawnParams(entry, random);
      const indicator = running(kind, params);
      const still = walk(random).map((candle, bar) => (bar < 70 ? { ...candle, ...STILL } : candle));
      const values = still.map((candle) => after(indicator, candle));
      expect(
        values.flatMap(partsOf).filter(([, value]) => typeof value === 'number' && !Number.isFinite(value)),
      ).toEqual([]);
      const last = walk(random, 100)
        .map((candle) => after(indicator, candle))
        .at(-1);
      expect(last).not.toBeNull();
    },
  );
});

describe('the table of indicators', () => {
  test('has a formula for each, and no other', () => {
    expect([...FORMULAS.keys()].sort()).toEqual([...INDICATORS.keys()].sort());
  });

  test('speaks of all that the library has', () => {
    const classes = Object.entries(library)
      .filter(
        ([, value]) =>
          typeof value === 'function' && typeof Reflect.get(value.prototype ?? {}, 'update') === 'function',
      )
      .map(([name]) => name);
    expect(classes.length).toBeGreaterThan(100);
    const folder = 'src/strategy/indicators';
    const source = readdirSync(folder)
      .map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
      .join('\n');
    expect(classes.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
  });
});
