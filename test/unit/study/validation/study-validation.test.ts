import { describe, expect, test } from 'vitest';
import { present } from '../../../../src/domain/errors.ts';
import type { StoredTrial } from '../../../../src/study/study-rows.ts';
import { validateStudy, type StudyValidation } from '../../../../src/study/study-validation.ts';
import {
  valueOf,
  drawSample,
  sameDays,
  sampleSize,
} from '../../../../src/study/validation/luck-statistics.ts';
import { drawnReturns, drawnTrials } from '../statistics/drawn-returns.ts';
import { inEnglish } from '../in-english.ts';
import { madeNoise, madeStudy, madeTrial } from './made-study.ts';
import { deepRuns } from '../../../support/deep-runs.ts';
import { createRandom } from '../../../../src/domain/random.ts';

const DAYS = 160;
const COUNT = 24;

const noise = (seed: number, of: { readonly days?: number; readonly count?: number } = {}): StoredTrial[] =>
  madeNoise({ seed, days: DAYS, count: COUNT, ...of });

/** Makes trials with an edge around fast 20; the days are the same for all of them. */
function withEdge(seed: number): StoredTrial[] {
  const common = drawnReturns({ seed, count: DAYS });
  return drawnTrials({ seed: seed + 31, count: DAYS }, COUNT).map((own, number) => {
    const fast = 1 + ((number * 17) % 40);
    const edge = 0.004 - 0.000_1 * Math.abs(fast - 20);
    const returns = own.map((value, day) => edge + 0.9 * (common[day] ?? 0) + 0.2 * value);
    return madeTrial(number, { fast, returns });
  });
}

const kindsOf = (studies: readonly StudyValidation[]): string[] =>
  studies.map(({ verdict }) => verdict.luck.kind);

const SEEDS = Array.from({ length: deepRuns(6, 4) }, (_, index) => 5_000 * index + 1);

const probability = (of: StudyValidation['statistics']): number =>
  present(valueOf(of.deflatedSharpeOfData.result), 'a deflated ratio').probability;

const messages = (days: number): Set<string> => {
  const { statistics, verdict } = inEnglish(validateStudy(madeStudy(noise(3, { days }))));
  expect([days, verdict.luck.kind === 'not tested']).toEqual([days, days < 30]);
  const results = Object.values(statistics).map(({ result }) => result);
  return new Set(results.flatMap((result) => (result.kind === 'not tested' ? [result.message] : [])));
};

const overfitting = (days: number) => `expected at least 80 returns for 16 blocks, was ${days}`;

describe('the verdict', () => {
  test('calls the best trial of pure noise luck, in every study of noise', () => {
    const kinds = kindsOf(SEEDS.map((seed) => validateStudy(madeStudy(noise(seed)))));
    expect(kinds.filter((kind) => kind === 'likely luck').length).toBeGreaterThanOrEqual(deepRuns(5, 3));
    expect(kinds).not.toContain('unlikely luck');
    expect(kinds).not.toContain('not tested');
  });

  test('does not call a real edge luck, in any study that has one', () => {
    const studies = SEEDS.map((seed) => validateStudy(madeStudy(withEdge(seed))));
    expect(new Set(kindsOf(studies))).toEqual(new Set(['unlikely luck']));
    expect(studies.every(({ verdict }) => verdict.luck.reasons.length === 3)).toBe(true);
  });

  test('says no figure of a year of less than 30 days, and what near trials keep of it', () => {
    const seen = { fromMs: 0, toMs: 29 * 86_400_000 };
    const { verdict } = inEnglish(validateStudy(madeStudy(withEdge(1), { seen })));
    expect(verdict.stable.reason).toMatch(
      /^the \d+ nearest trials keep [\d.]+ % \(median\) of the sharpe that the best trial has above/,
    );
  });

  test('counts what other studies tried on the same data', () => {
    const trials = withEdge(1);
    const alone = validateStudy(madeStudy(trials)).statistics;
    const among = validateStudy(madeStudy(trials, { ofData: 1_000_000 })).statistics;
    expect(probability(among)).toBeLessThan(probability(alone));
    expect(among.deflatedSharpeOfStudy).toEqual(alone.deflatedSharpeOfStudy);
    expect(valueOf(among.deflatedSharpeOfData.result)?.trials).toBe(1_000_000);
  });

  test('does not believe an edge of a few trades, and says how many it takes', () => {
    const trials = withEdge(1).map((trial) => ({ ...trial, metrics: { ...trial.metrics, trades: 3 } }));
    const { luck } = inEnglish(validateStudy(madeStudy(trials)).verdict);
    expect(luck).toMatchObject({ kind: 'not tested' });
    expect(luck.reasons).toContain('Expected at least 10 closed trades, was 3.');
  });

  test('says by which returns its Sharpe ratio is, which is not that of the table of trials', () => {
    const { luck } = inEnglish(validateStudy(madeStudy(withEdge(1))).verdict);
    expect(luck.reasons.join(' ')).toMatch(
      /a daily Sharpe ratio \(of daily returns, for a year\) of [\d.]+, .* The figure `sharpe` of a trial is of the returns of bars/,
    );
  });

  test('says that holding the market earned more', () => {
    const [first, ...others] = withEdge(1).map((trial) => ({
      ...trial,
      metrics: { ...trial.metrics, totalReturn: 0.4, buyAndHoldReturn: 0.8 },
    }));
    const { luck } = validateStudy(madeStudy([present(first, 'a trial'), ...others])).verdict;
    const { reasons } = inEnglish(luck);
    expect(reasons.at(-1)).toBe(
      'Holding the market earned as much or more: 80.00 %, the best trial 40.00 %.',
    );
  });

  test.each([
    ['none', /^hold-out \(there is none\)$/],
    ['closed', /^hold-out \(closed/],
    ['opened', /^walk-forward/],
  ] as const)('says what was not tested where the hold-out is %s', (holdout, first) => {
    const { notTested } = inEnglish(validateStudy(madeStudy(noise(1), { holdout })).verdict);
    expect(notTested[0]).toMatch(first);
    expect(notTested.join('; ')).toMatch(/walk-forward .*; books \(candles alone/);
  });

  test.each([true, false])('names a walk-forward just where none was run: run is %s', (isWalked) => {
    const { notTested } = inEnglish(validateStudy(madeStudy(noise(1), { isWalked })).verdict);
    expect(notTested.some((what) => what.startsWith('walk-forward'))).toBe(!isWalked);
  });
});

describe('statistics of a study', () => {
  test('are the same each time, and draw by the id of the study', () => {
    const trials = noise(7);
    const once = validateStudy(madeStudy(trials));
    expect(validateStudy(madeStudy(trials))).toEqual(once);
    const other = validateStudy(madeStudy(trials, { id: 'fedcba9876543210' }));
    expect(other.statistics.dayOrder).not.toEqual(once.statistics.dayOrder);
    expect(other.statistics.probabilisticSharpe).toEqual(once.statistics.probabilisticSharpe);
  });

  test('say how many days they need', () => {
    expect(messages(29)).toEqual(new Set(['expected at least 30 days, was 29', overfitting(29)]));
    expect(messages(79)).toEqual(new Set([overfitting(79)]));
    expect(messages(80)).toEqual(new Set());
  });

  test('say how many trials they need', () => {
    const { statistics, verdict } = validateStudy(madeStudy(withEdge(1).slice(1, 2)));
    const message = 'expected at least 2 trials that vary, was 1';
    expect(inEnglish(statistics.deflatedSharpeOfData.result)).toEqual({ kind: 'not tested', message });
    expect(statistics.overfittingProbability.result.kind).toBe('not tested');
    expect(statistics.superiorPredictiveAbility.result.kind).toBe('tested');
    expect(verdict.luck.kind).toBe('not tested');
    expect(verdict.stable.kind).toBe('not tested');
  });

  test('leave out failed trials, and take trials of other days as idle before and after', () => {
    const trials = noise(9);
    const failed: StoredTrial = {
      ...present(trials[0], 'a trial'),
      outcome: { kind: 'failed', reason: 'it stopped' },
      failure: 'stopped',
      metrics: null,
      daily: null,
    };
    const later = present(trials[1], 'a trial');
    const short = {
      ...later,
      daily: { firstDay: 20_010, returns: present(later.daily, 'returns').returns.subarray(10) },
    };
    const { basis } = validateStudy(madeStudy([failed, short, ...trials.slice(2)]));
    expect(basis).toMatchObject({ ran: COUNT - 1, sampled: COUNT - 1, days: DAYS });
  });

  test('that no return could have are said in words: the study is shown nevertheless', () => {
    const trials = noise(2);
    const rich = madeTrial(COUNT, {
      fast: 3,
      returns: Float64Array.from({ length: DAYS }, (_, day) => 40 + day),
    });
    const { statistics } = validateStudy(madeStudy([...trials, rich]));
    expect(inEnglish(statistics.dayOrder.result)).toMatchObject({
      kind: 'not tested',
      message: expect.stringMatching(/^expected changes that compound to at most 1e\+100/) as string,
    });
  });
});

describe('a study of 100,000 trials', () => {
  const days = 40;
  const few = noise(1, { count: 50, days });
  const trials = Array.from({ length: 100_000 }, (_, number) => ({
    ...present(few[number % few.length], 'a trial'),
    number,
  }));

  test('is tested by a sample of 1,000, counts them all, and does not favour the best one', () => {
    const read: number[] = [];
    const { basis, statistics } = validateStudy(
      madeStudy(trials, {
        dailyOf(number) {
          read.push(number);
          return present(trials[number]?.daily, 'returns');
        },
      }),
    );
    expect(basis).toMatchObject({ ran: 100_000, sampled: 1_000, ofData: 100_000 });
    expect(read).toHaveLength(1_001);
    expect(new Set(read.slice(1)).size).toBe(1_000);
    expect(valueOf(statistics.deflatedSharpeOfData.result)?.trials).toBe(100_000);
    const message = 'expected at most 1000 trials of 40 days, was 100000';
    expect(inEnglish(statistics.deflatedSharpeEffective.result)).toEqual({ kind: 'not tested', message });
  });
});

test('a sample is bounded by trials and by returns', () => {
  expect([40, 1_000, 2_500, 50_000].map(sampleSize)).toEqual([1_000, 1_000, 400, 100]);
});

test('a sample has its size, keeps the order, and takes each number as often as any other', () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const random = createRandom(4);
  const drawn = Array.from({ length: 4_000 }, () => drawSample(numbers, { size: 5, random }));
  expect(new Set(drawn.map(({ length }) => length))).toEqual(new Set([5]));
  expect(
    drawn.every((sample) => sample.every((number, at) => at === 0 || number > (sample[at - 1] ?? 0))),
  ).toBe(true);
  const counts = numbers.map((number) => drawn.filter((sample) => sample.includes(number)).length);
  expect(Math.min(...counts)).toBeGreaterThan(880);
  expect(Math.max(...counts)).toBeLessThan(1_120);
  expect(drawSample(numbers, { size: 20, random })).toBe(numbers);
});

test('returns of other days are put on the same days, with 0 where there are none', () => {
  const columns = sameDays([
    { firstDay: 7, returns: Float64Array.of(1, 2, 3) },
    { firstDay: 5, returns: Float64Array.of(4, 5, 6) },
  ]);
  expect(columns.map((column) => [...column])).toEqual([
    [0, 0, 1, 2, 3],
    [4, 5, 6, 0, 0],
  ]);
});
