import { describe, expect, test } from 'vitest';
import { present } from '../../../../src/domain/errors.ts';
import { createRandom } from '../../../../src/domain/random.ts';
import type { TrialOutcome } from '../../../../src/search/trial-record.ts';
import { type Point, type Space, readSpace } from '../../../../src/search/space-declaration.ts';
import { plateauAround } from '../../../../src/study/validation/plateau.ts';
import { valueOf } from '../../../../src/study/validation/luck-statistics.ts';
import { SHARPE, SPACE } from './made-study.ts';
import { inEnglish } from '../in-english.ts';

interface Placed {
  readonly number: number;
  readonly point: Point;
  readonly outcome: TrialOutcome;
}

const complete = (value: number, violation = 0): TrialOutcome => ({
  kind: 'complete',
  values: [value],
  violation,
});
const failed: TrialOutcome = { kind: 'failed', reason: 'it stopped' };

/** Makes a trial at each value of fast, with its outcome. */
const along = (outcomeAt: (fast: number) => TrialOutcome, exit = 'trail'): Placed[] =>
  Array.from({ length: 40 }, (_, number) => ({
    number,
    point: { fast: number + 1, exit },
    outcome: outcomeAt(number + 1),
  }));

function around(best: number, trials: readonly Placed[], space: Space = SPACE) {
  return plateauAround(present(trials[best], 'a trial'), { trials, space, objective: SHARPE });
}

describe('the best trial', () => {
  test('of a hill is on a plateau', () => {
    const found = valueOf(
      around(
        19,
        along((fast) => complete(5 - ((fast - 20) / 10) ** 2)),
      ),
    );
    expect(found).toMatchObject({ isPlateau: true, neighbours: 8, along: ['fast'], best: 5 });
    expect(found?.kept).toBeGreaterThan(0.9);
  });

  test('of a needle is on a peak', () => {
    const found = valueOf(
      around(
        19,
        along((fast) => complete(fast === 20 ? 5 : fast % 3)),
      ),
    );
    expect(found).toMatchObject({ isPlateau: false, medianOfNeighbours: 1, worstTenth: 0, kept: 0.2 });
  });

  test('of noise is on a plateau hardly ever', () => {
    const plateaus = Array.from({ length: 200 }, (_, seed) => {
      const random = createRandom(seed);
      const trials = along(() => complete(random.next() + random.next() + random.next()));
      const values = trials.map(({ outcome }) =>
        outcome.kind === 'complete' ? (outcome.values[0] ?? 0) : 0,
      );
      return valueOf(around(values.indexOf(Math.max(...values)), trials))?.isPlateau;
    }).filter(Boolean);
    expect(plateaus.length).toBeLessThan(20);
  });

  test('among trials that are all the same is on a plateau', () => {
    const same = along(() => complete(2));
    expect(valueOf(around(19, same))).toMatchObject({ isPlateau: true, kept: 1 });
  });

  test.each([
    ['fail', failed],
    ['break constraints', complete(5, 0.1)],
  ])('whose neighbours %s is on a peak', (_, outcome) => {
    const trials = along((fast) =>
      fast === 20 ? complete(5) : Math.abs(fast - 20) < 4 ? outcome : complete(4),
    );
    const peak = { isPlateau: false, medianOfNeighbours: null, kept: null };
    expect(valueOf(around(19, trials))).toMatchObject(peak);
  });

  test('that minimizes has a plateau of small values', () => {
    const trials = along((fast) => complete(((fast - 20) / 10) ** 2));
    const objective = { metric: 'maxDrawdown', direction: 'minimize' } as const;
    const found = valueOf(plateauAround(present(trials[19], 'a trial'), { trials, space: SPACE, objective }));
    expect(found).toMatchObject({ isPlateau: true, best: 0 });
    expect(found?.worstTenth).toBeGreaterThan(1);
  });
});

describe('neighbours', () => {
  test('have the same choices, and are within a quarter of the range', () => {
    const best = along((fast) => complete(fast === 20 ? 5 : 0)).filter(({ point }) => point['fast'] === 20);
    const others = along(() => complete(1), 'stop');
    const far = along(() => complete(1)).filter(({ point }) => Number(point['fast']) > 30);
    const trials = [...best, ...others, ...far];
    expect(inEnglish(around(0, trials))).toEqual({
      kind: 'not tested',
      message:
        'expected at least 5 trials within a quarter of the range of fast around the best one, found 0',
    });
  });

  test('of a number with few steps are one step away', () => {
    const space = readSpace({ size: { kind: 'decimal', min: 0.1, max: 0.3, step: 0.1 } });
    const trials = ['0.2', '0.1', '0.1', '0.1', '0.3', '0.3'].map((size, number) => ({
      number,
      point: { size },
      outcome: complete(number === 0 ? 2 : 1),
    }));
    expect(valueOf(around(0, trials, space))).toMatchObject({ neighbours: 5 });
    expect(around(1, trials, space).kind).toBe('not tested');
  });

  test('are none where all params are choices', () => {
    const space = readSpace({ exit: { kind: 'choice', values: ['trail', 'stop'] } });
    const trials = along(() => complete(1)).map((trial) => ({ ...trial, point: { exit: 'stop' } }));
    expect(inEnglish(around(0, trials, space))).toEqual({
      kind: 'not tested',
      message: 'expected params that are numbers, found choices alone',
    });
  });
});
