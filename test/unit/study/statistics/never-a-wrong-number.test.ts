import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createRandom } from '../../../../src/domain/random.ts';
import * as research from '../../../../src/research.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { candleAt } from '../../../../src/domain/candle-columns.ts';
import { TETHER, walkOf } from '../../backtest/candle-run.ts';
import { drawnTrials } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

/** Values of every kind that a broken run may produce. */
const values = fc.oneof(
  fc.double({ min: -0.1, max: 0.1, noNaN: true }),
  fc.constantFrom(0, -0, 0.01, -0.01, -1, 1, 1e-320, 1e-200, 1e200, 1.7e308, -1.7e308),
  fc.constantFrom(Number.NaN, Infinity, -Infinity),
);
const oddColumn = (length: number): fc.Arbitrary<Float64Array> =>
  fc.array(values, { minLength: length, maxLength: length }).map((numbers) => Float64Array.from(numbers));
/** Columns of zeros and one other value, as of a strategy that hardly trades, in many powers of ten. */
const stillColumn = (length: number): fc.Arbitrary<Float64Array> =>
  fc
    .tuple(fc.array(fc.nat(9), { minLength: length, maxLength: length }), fc.integer({ min: -310, max: 300 }))
    .map(([digits, power]) =>
      Float64Array.from(digits, (digit) => (digit < 7 ? 0 : (digit - 8.5) * 10 ** power)),
    );
const column = (length: number): fc.Arbitrary<Float64Array> =>
  fc.oneof({ weight: 1, arbitrary: oddColumn(length) }, { weight: 4, arbitrary: stillColumn(length) });
const columns = fc.constantFrom(0, 1, 5, 40).chain((length) => fc.array(column(length), { maxLength: 5 }));

/** Throws unless all numbers in a result are finite; an unknown result or a refusal is right as well. */
function outcomeOf(work: () => research.Estimate<unknown>): 'known' | 'unknown' | 'refused' {
  let answer: research.Estimate<unknown>;
  try {
    answer = work();
  } catch (error) {
    if (error instanceof research.InvalidSample) return 'refused';
    throw error;
  }
  const look = (part: unknown, path: string): void => {
    if (typeof part === 'number' && !Number.isFinite(part))
      throw new Error(`expected a number at ${path}, was ${part}`);
    if (part instanceof Float64Array) part.forEach((value, index) => look(value, `${path}[${index}]`));
    else if (typeof part === 'object' && part !== null)
      for (const [name, value] of Object.entries(part)) look(value, `${path}.${name}`);
  };
  look(answer, 'answer');
  return answer.kind;
}

const random = createRandom(1);
const OF_TRIALS = {
  deflatedSharpeOfTrials: (trials) => research.deflatedSharpeOfTrials({ trials, chosen: 0 }),
  effectiveTrials: research.effectiveTrials,
  overfittingProbability: (trials) => research.overfittingProbability(trials, { blocks: 4 }),
  realityCheck: (trials) => research.realityCheck(trials, { random, draws: 9 }),
  superiorPredictiveAbility: (trials) => research.superiorPredictiveAbility(trials, { random, draws: 9 }),
} satisfies Record<string, (trials: Float64Array[]) => research.Estimate<unknown>>;

const OF_RETURNS = {
  sampleMoments: research.sampleMoments,
  observedSharpe: research.observedSharpe,
  autocorrelation: (returns) => research.autocorrelation(returns, 2),
  blockLength: research.blockLength,
  reorder: (returns) => research.tradeOrderRisk(returns, { random, runs: 5 }),
  resample: (returns) => research.tradeOrderRisk(returns, { random, runs: 5, draw: 'resample' }),
  probabilisticSharpe: (returns) => {
    const moments = research.sampleMoments(returns);
    return moments.kind === 'known' ? research.probabilisticSharpe(moments.value) : moments;
  },
  minimumTrackRecord: (returns) => {
    const moments = research.sampleMoments(returns);
    return moments.kind === 'known' ? research.minimumTrackRecord(moments.value) : moments;
  },
} satisfies Record<string, (returns: Float64Array) => research.Estimate<unknown>>;

describe('whatever it is given, a statistic is a finite number, unknown, or refused', () => {
  test.each(Object.entries(OF_TRIALS))('%s', (_name, work) => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(columns, (trials) => void seen.add(outcomeOf(() => work(trials)))),
      { numRuns: 150, seed: 1 },
    );
    expect([...seen].toSorted()).toEqual(['known', 'refused', 'unknown']);
  });

  test.each(Object.entries(OF_RETURNS))('%s', (_name, work) => {
    const lengths = fc.constantFrom(0, 1, 4, 9, 25, 60).chain(column);
    const seen = new Set<string>();
    fc.assert(
      fc.property(lengths, (returns) => void seen.add(outcomeOf(() => work(returns)))),
      { numRuns: 200, seed: 1 },
    );
    expect([...seen].toSorted()).toEqual(['known', 'refused', 'unknown']);
  });

  test('probabilisticSharpe, minimumTrackRecord and deflatedSharpe of any moments', () => {
    const number = fc.oneof(
      fc.double({ min: -5, max: 5, noNaN: true }),
      fc.constantFrom(0, 1e-300, 1e200, -1e200, Infinity, 2, 1),
    );
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 6, maxLength: 6 }),
        ([sharpe, skewness, more, benchmark, n, v]) => {
          const sample = {
            count: 100,
            sharpe: sharpe!,
            skewness: skewness!,
            kurtosis: 1 + skewness! ** 2 + more!,
          };
          seen.add(outcomeOf(() => research.probabilisticSharpe(sample, benchmark)));
          seen.add(outcomeOf(() => research.minimumTrackRecord(sample, { benchmark: benchmark! })));
          seen.add(outcomeOf(() => research.deflatedSharpe(sample, { trials: n!, variance: v! })));
        },
      ),
      { numRuns: 500, seed: 1 },
    );
    expect([...seen].toSorted()).toEqual(['known', 'refused', 'unknown']);
  });
});

const PAGE = readFileSync('docs/statistics.md', 'utf8');
const folder = folderOfAllTests();

test('the example of the page runs, and finds no skill in a random walk', async () => {
  const walk = walkOf(TETHER, { bars: 400, seed: 3, price: 60_000 });
  const rows = Array.from({ length: walk.length }, (_, index) => {
    const { openTimeMs, open, high, low, close, volume } = candleAt(walk, index);
    return [openTimeMs, open, high, low, close, volume].join(',');
  });
  const file = join(folder, 'hours.csv');
  writeFileSync(file, ['time_ms,open,high,low,close,volume', ...rows, ''].join('\n'));
  const program = join(folder, 'example.ts');
  const code = /```ts\n(.*?)```/s.exec(PAGE)?.[1] ?? '';
  writeFileSync(
    program,
    code
      .replace("'sarraf/research'", JSON.stringify(resolve('src/research.ts')))
      .replace("'hours.csv'", JSON.stringify(file)),
  );
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  await import(program);
  const said = new Map(log.mock.calls.map(([what, value]) => [what as string, value as number]));
  log.mockRestore();
  expect([...said.keys()]).toEqual(['better than luck:', 'overfitted:', 'p value:']);
  for (const value of said.values()) expect(value).toBeGreaterThanOrEqual(0);
  expect(said.get('better than luck:')).toBeLessThan(0.95);
  expect(said.get('p value:')).toBeGreaterThan(0.05);
});

describe('the page', () => {
  test('names every statistic that the library has', () => {
    const statistics = Object.entries(research)
      .filter(([name, value]) => typeof value === 'function' && !name.startsWith('normal'))
      .map(([name]) => name);
    expect(statistics.length).toBeGreaterThan(15);
    const elsewhere = new Set(['latencyOfSession']);
    expect(statistics.filter((name) => !elsewhere.has(name) && !PAGE.includes(name))).toEqual([]);
  });

  test('says what the best of 60 guesses shows in 500 days', () => {
    const ratios = drawnTrials({ seed: 1, count: 500 }, 60).map((trial) =>
      knownValue(research.observedSharpe(trial)),
    );
    expect(Math.max(...ratios)).toBeGreaterThan(0.08);
    const expected = knownValue(research.expectedMaximumSharpe({ trials: 60, variance: 1 / 500 }));
    expect(expected).toBeCloseTo(0.1, 1);
    expect(expected * Math.sqrt(365)).toBeCloseTo(2, 0);
  });
});
