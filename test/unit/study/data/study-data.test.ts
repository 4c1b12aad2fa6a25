import { type CandleColumns, barsBetween } from '../../../../src/domain/candle-columns.ts';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/domain/random.ts';
import { cutCandles, type RunData } from '../../../../src/study/data/study-data.ts';
import { sharedColumns, sharedSetup } from '../../../../src/study/trials/trial-setup.ts';
import { generatedCandles } from '../generated-candles.ts';
import { dataSetOf } from '../../../../src/study/data-set.ts';
import { readWrittenStudy } from '../../../../src/study/study-settings.ts';
import {
  canonicalJson,
  differenceOf,
  identityOf,
  storedIdentity,
} from '../../../../src/study/study-identity.ts';
import { prepareStudy, studyQuestion } from '../../../../src/study/prepare-study.ts';
import { trialSetupOf } from '../../../../src/study/study-session.ts';
import { TrialBench } from '../../../../src/study/trials/trial-bench.ts';
import { readSpace } from '../../../../src/search/space-declaration.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeHash } from '../../../../src/study/code-bundle.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const folder = folderOfEachTest();

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('the hash of code', () => {
  test('is that of what the file says, wherever it is', () => {
    const text = `import { z } from 'zod';\nexport default 1;\n`;
    expect(codeHash(write('a.ts', text))).toBe(codeHash(write('b.ts', text)));
    expect(codeHash(write('c.ts', `${text}// more`))).not.toBe(codeHash(write('a.ts', text)));
  });

  test('changes with a file that it imports by a path, and with those of that one', () => {
    write('deep.ts', 'export const deep = 1;');
    write('near.ts', `export * from './deep.ts';`);
    const file = write('a.ts', `import { deep } from './near.ts';\nexport default deep;\n`);
    const before = codeHash(file);
    write('deep.ts', 'export const deep = 2;');
    expect(codeHash(file)).not.toBe(before);
  });

  test('ends where files import each other', () => {
    const file = write('a.ts', `import './b.ts';`);
    write('b.ts', `import './a.ts';`);
    expect(codeHash(file)).toMatch(/^[0-9a-f]{64}$/);
  });
});

const HOUR_MS = 3_600_000;
const bars = generatedCandles({ count: 1_000 });
const candlesOf = (data: RunData): readonly CandleColumns[] => {
  if (data.fidelity === 'candles') return data.candles;
  throw new TypeError('expected candles');
};
const firstMs = bars.openTimeMs[0] ?? 0;

describe('candles of a study', () => {
  test('are all for the trials where there is no hold-out', () => {
    const { range, trials } = cutCandles([bars], { fromMs: null, holdout: null });
    const endMs = firstMs + 1_000 * HOUR_MS;
    expect(range).toEqual({ fromMs: firstMs, splitMs: endMs, toMs: endMs });
    expect(candlesOf(trials)[0]?.length).toBe(1_000);
  });

  test('end for the trials where the hold-out begins: nothing later is behind the arrays', () => {
    const { range, trials, all } = cutCandles([bars], { fromMs: null, holdout: 0.2 });
    expect((range.splitMs - range.fromMs) / HOUR_MS).toBe(800);
    const [seen] = candlesOf(trials).map(sharedColumns);
    expect(seen?.length).toBe(800);
    expect(Math.max(...(seen?.openTimeMs ?? []))).toBe(range.splitMs - HOUR_MS);
    expect(seen?.close.buffer.byteLength).toBe(800 * Float64Array.BYTES_PER_ELEMENT);
    expect(seen?.close.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(candlesOf(all)[0]?.length).toBe(1_000);
  });

  test('keep those before the range to warm up, and share the range alone with the hold-out', () => {
    const fromMs = firstMs + 500 * HOUR_MS;
    const { range, trials } = cutCandles([bars], { fromMs, holdout: 0.5 });
    expect((range.splitMs - fromMs) / HOUR_MS).toBe(250);
    expect(candlesOf(trials)[0]?.length).toBe(750);
  });

  test.each([
    [{ fromMs: firstMs + 950 * HOUR_MS, holdout: null }, /at least 100 candles of BTCUSDT for the trials/],
    [{ fromMs: null, holdout: 0.01 }, /at least 20 candles of BTCUSDT for the hold-out, found 10/],
    [{ fromMs: null, holdout: 0.9 }, null],
  ])('are refused where %j leaves too few', (of, message) => {
    const cut = () => cutCandles([bars], of);
    if (message === null) expect(cut).not.toThrow();
    else expect(cut).toThrow(message);
  });
});

/** Rules with three bundled indicators, of which one has a record, and one that throws at a bar. */
const WITH_INDICATORS = `import { z } from 'zod';
import { bollinger, defineIndicator, defineRules, ema, rsi, search, sma } from '#sdk';
const until = defineIndicator({
  name: 'until',
  params: { end: 1 },
  init: () => ({ bars: 0 }),
  next: (state, bar, { end }) => {
    state.bars += 1;
    if (state.bars >= end) throw new Error('the end');
    return state.bars;
  },
  warmUp: () => 1,
});
const whole = search(z.int().default(9), { min: 2, max: 30 });
export default defineRules({
  name: 'shared',
  params: z.strictObject({ slow: whole, fast: whole, end: z.int().default(2000) }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }, { params }) => ({
    count: until(bars, { end: params.end }),
    slow: ema(bars, 4 * params.slow),
    fast: sma(bars, params.fast),
    strength: rsi(bars, params.fast),
    bands: bollinger(bars, params.slow),
  }),
  enter: ({ slow, fast, strength }) => fast.isAbove(slow).and(strength.isBelow(80)),
  exit: ({ bars, slow, fast, bands }) => fast.isBelow(slow).or(bars.close.isAbove(bands.upper)),
  size: { equityShare: 0.5 },
});
`;

test('trials that share the values of their indicators end as those that compute them', async () => {
  const rows = Array.from(bars.openTimeMs, (timeMs, row) => {
    const cell = (column: Float64Array): number => (column[row] ?? 0) / 10 ** bars.priceDecimals;
    return [timeMs, ...[bars.open, bars.high, bars.low, bars.close].map(cell), 1_000].join(',');
  });
  const csv = write('hours.csv', ['time,open,high,low,close,volume', ...rows, ''].join('\n'));
  const strategy = write('shared.ts', WITH_INDICATORS);
  const study = { strategy, markets: 'BTCUSDT', csv, balances: { usdt: 10_000 }, fee: '0.1%' };
  const setup = trialSetupOf(await prepareStudy(readWrittenStudy(study)));
  const shared = sharedSetup(setup);
  if (setup.fidelity !== 'candles' || shared.fidelity !== 'candles') throw new TypeError('expected candles');
  const [alone, sharing] = [new TrialBench(setup), new TrialBench(shared)];
  const random = createRandom(11);
  let trades = 0;
  for (let trial = 0; trial < 24; trial += 1) {
    const [slow, fast] = [2 + Math.floor(random.next() * 6), 2 + Math.floor(random.next() * 4)];
    // Trials that stop early leave values that end early.
    const params = { slow, fast, ...(trial % 3 === 0 ? { end: 150 + 30 * trial } : {}) };
    const report = await sharing.run(params);
    expect(report).toEqual(await alone.run(params));
    if (report.kind === 'ran') trades += report.metrics['trades'] ?? 0;
  }
  expect(trades).toBeGreaterThan(100);
  // Bars of the same times and other closes have other values.
  const [others, own] = [shared, setup].map(({ candles, ...of }) => {
    const low = candles.map((columns) => ({ ...columns, close: columns.low }));
    return new TrialBench({ ...of, candles: low });
  });
  const params = { slow: 5, fast: 3 };
  expect(await others?.run(params)).toEqual(await own?.run(params));
});

const ten = (column: Float64Array): Float64Array => column.map((cell) => cell * 10);

/** Writes the same prices with another number of decimals, as another source may have them. */
function finer(columns: CandleColumns): CandleColumns {
  const { open, high, low, close, priceDecimals } = columns;
  return {
    ...columns,
    priceDecimals: priceDecimals + 1,
    open: ten(open),
    high: ten(high),
    low: ten(low),
    close: ten(close),
  };
}

describe('a data set', () => {
  test('is the same for the same bars in other decimals', () => {
    expect(dataSetOf(finer(bars))).toEqual(dataSetOf(bars));
  });

  test('is another one where one bar closes elsewhere', () => {
    const close = bars.close.map((cell, index) => (index === 500 ? cell + 1 : cell));
    expect(dataSetOf({ ...bars, close }).sha256).not.toBe(dataSetOf(bars).sha256);
  });

  test('shares all whole months with the same bars that end earlier, and is another one', () => {
    const shorter = dataSetOf(barsBetween(bars, 0, 999));
    const whole = dataSetOf(bars);
    expect(shorter.sha256).not.toBe(whole.sha256);
    // The thousand hours from 20 January on end on 1 March.
    expect(whole.months).toHaveLength(3);
    expect(shorter.months.map((month) => whole.months.includes(month))).toEqual([true, true, false]);
  });

  test('says how many bars it has, and from when to when', () => {
    expect(dataSetOf(bars)).toMatchObject({
      market: 'BTCUSDT',
      timeframe: '1h',
      bars: 1_000,
      firstMs: Date.UTC(2024, 0, 20),
      lastMs: Date.UTC(2024, 0, 20) + 999 * 3_600_000,
    });
  });
});

const space = readSpace({ fast: { kind: 'integer', min: 2, max: 9 } });
const LEAST = { strategy: 'a/ma-cross.ts', markets: 'BTCUSDT', balances: { usdt: 10_000 } };

const questionOf = (more: object = {}) =>
  studyQuestion(readWrittenStudy({ ...LEAST, ...more }).settings, space);

const identityBars = dataSetOf(generatedCandles({ count: 200 }));
const identity = (of: object = {}) =>
  identityOf({ question: questionOf(), code: 'c0', data: [identityBars], ...of });

describe('a study is the same', () => {
  test.each([
    ['with other budgets', { budget: { trials: 7, time: '1m' } }],
    ['with its data elsewhere', { csv: 'elsewhere/hours.csv' }],
    ['with its strategy in another folder', { strategy: 'b/ma-cross.ts' }],
    ['with its defaults written down', { objectives: ['sharpe'], sampler: { seed: 1 }, rules: {} }],
  ])('%s', (_, more) => {
    expect(differenceOf(identity(), identity({ question: questionOf(more) }))).toBeNull();
  });

  test('after it was stored and read', () => {
    const stored = storedIdentity.parse(JSON.parse(JSON.stringify(identity())));
    expect(differenceOf(stored, identity())).toBeNull();
  });
});

test.each([
  [{ question: questionOf({ sampler: { seed: 8 } }) }, /^sampler: \{.*"seed":1\}, now \{.*"seed":8\}$/],
  [{ question: questionOf({ fee: '0.2%' }) }, /^fee: nothing, now "0\.2"$/],
  [{ code: 'c1' }, /^the strategy's code has changed$/],
  [
    { data: [dataSetOf(generatedCandles({ count: 201 }))] },
    /^data of BTCUSDT: 200 candles .*, now 201 candles/,
  ],
])('what differs between two studies is said %#', (of, message) => {
  expect(differenceOf(identity(), identity(of))).toMatch(message);
});

test('canonical JSON has the keys of objects in order, and lists as they are', () => {
  expect(canonicalJson({ b: [2, 1], a: { d: null, c: 'x' } })).toBe('{"a":{"c":"x","d":null},"b":[2,1]}');
});
