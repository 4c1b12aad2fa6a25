import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { present } from '../../../../src/domain/errors.ts';
import type { ReportedStudy } from '../../../../src/study/validated-study.ts';
import { MOST_SHOWN, shownTrials, studyReportData, walkData } from '../../../../src/study/study-html.ts';
import { valueOf } from '../../../../src/study/validation/luck-statistics.ts';
import { demoStudy, demoWalk } from './demo-study.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const folder = folderOfAllTests();
let reported: ReportedStudy;
beforeAll(() => {
  reported = demoStudy(join(folder, 'demo.sqlite'));
});

describe('the data of a report', () => {
  test('have every trial with its params, its figures and what became of it', () => {
    const { trials, parameters, figures, all } = studyReportData(reported);
    const { study, points } = reported;
    expect([all, trials.number.length]).toEqual([200, 200]);
    expect(figures.map(({ name, kind, direction }) => [name, kind, direction])).toEqual([
      ['sharpe', 'number', 'maximize'],
      ['totalReturn', 'fraction', null],
      ['maxDrawdown', 'fraction', null],
      ['trades', 'number', null],
    ]);
    for (const [place, trial] of study.trials.entries()) {
      const point = present(points[place], 'a point');
      const shown = parameters.map(({ isChoice, cells }, index) => {
        const value = trials.values[index]?.[place] ?? null;
        return value === null ? undefined : isChoice ? cells[value] : value;
      });
      const { fast, share, exit, trailBps } = point;
      expect(shown).toEqual([fast, Number(share), exit, trailBps]);
      expect(trials.figures[0]?.[place] ?? null).toBeCloseTo(trial.metrics?.['sharpe'] ?? 0, 5);
      const isBroken = (trial.violation ?? 0) > 0;
      expect(trials.state[place]).toBe(trial.kind === 'failed' ? 2 : isBroken ? 1 : 0);
    }
    expect(new Set(trials.state)).toEqual(new Set([0, 1, 2]));
  });

  test('mark the best trial, and the neighbours that its plateau is made of', () => {
    const { best, trials, parameters, plateau } = studyReportData(reported);
    expect(best).toBe(reported.study.best?.number);
    const found = present(
      valueOf(present(reported.study.validation, 'a validation').plateau),
      'a plateau that was tested',
    );
    const near = trials.number.filter((_, place) => trials.isNear[place] === 1);
    expect(near).toHaveLength(found.neighbours);
    expect(near).not.toContain(best);
    expect(plateau).toEqual({
      medianOfNeighbours: found.medianOfNeighbours,
      worstTenth: found.worstTenth,
      isPlateau: found.isPlateau,
    });
    for (const [index, { near: range }] of parameters.entries()) {
      if (range === null) continue;
      for (const [place, value] of (trials.values[index] ?? []).entries()) {
        if (trials.isNear[place] !== 1 || value === null || value === undefined) continue;
        expect(value).toBeGreaterThanOrEqual(range[0]);
        expect(value).toBeLessThanOrEqual(range[1]);
      }
    }
  });

  test('have cells of a heat map that hold every value', () => {
    const { parameters, trials } = studyReportData(reported);
    expect(parameters.map(({ edges }) => edges.length)).toEqual([13, 10, 0, 13]);
    expect(parameters.map(({ cells }) => [cells.at(0), cells.at(-1)])).toEqual([
      ['5 to 9', '60'],
      ['0.1', '0.9'],
      ['trail', '<b>both</b>'],
      ['10 to 14.7', '681 to 1000'],
    ]);
    for (const [index, { edges, cells, isChoice }] of parameters.entries()) {
      if (isChoice) continue;
      expect(cells).toHaveLength(edges.length - 1);
      const values = (trials.values[index] ?? []).filter((value) => value !== null);
      expect(Math.min(...values)).toBeGreaterThanOrEqual(edges[0] ?? Infinity);
      expect(Math.max(...values)).toBeLessThanOrEqual(edges.at(-1) ?? 0);
      expect(edges).toEqual(edges.toSorted((left, right) => left - right));
    }
  });
});

describe('the trials that are shown', () => {
  const id = '0123456789abcdef';
  const numbers = Array.from({ length: 100_000 }, (_, number) => number);

  test('are all where they are few', () => {
    const few = numbers.slice(0, MOST_SHOWN);
    const { numbers: shown, drawn } = shownTrials({ id, numbers: few, ranked: [5, 3], needed: [9] });
    expect([shown, drawn.size]).toEqual([few, MOST_SHOWN]);
  });

  test('of 100,000 are the best 500, the neighbours, and others by chance, always the same', () => {
    const ranked = numbers.toReversed();
    const of = { id, numbers, ranked, needed: [17, 4] };
    const { numbers: shown, drawn } = shownTrials(of);
    expect(shownTrials(of)).toEqual({ numbers: shown, drawn });
    expect(drawn.size).toBe(1_500);
    expect(shown.length).toBeLessThanOrEqual(MOST_SHOWN);
    expect(shown).toEqual(expect.arrayContaining([4, 17, 99_999, 99_502]));
    expect(shown).toEqual(shown.toSorted((left, right) => left - right));
    // Apart from the best trials, each is drawn with the same chance.
    const mean = [...drawn].reduce((sum, number) => sum + number, 0) / drawn.size;
    expect(Math.abs(mean - 50_000)).toBeLessThan(3_000);
    expect(shownTrials({ ...of, id: '1123456789abcdef' }).numbers).not.toEqual(shown);
  });
});

describe('the data of a walk-forward', () => {
  test('have its windows, and what each brought in and out of sample', () => {
    const result = demoWalk();
    const { windows, figures, day, equity, initialEquity } = walkData(result, 'usdt');
    expect(initialEquity).toBe(10_000);
    expect(windows.map(({ number, fromMs, toMs }) => [number, fromMs, toMs])).toEqual(
      result.windows.map(({ number, test: stretch }) => [number, stretch.fromMs, stretch.toMs]),
    );
    expect(day).toEqual(result.account.equity.map((one) => one.day));
    expect(equity[30]).toBeCloseTo(result.account.equity[30]?.equity ?? 0, 2);
    expect(figures.map(({ name }) => name)).toEqual(['sharpe', 'maxDrawdown', 'growth a day']);
    expect(figures[0]?.inSample).toEqual([2, 2.5, 3, 3.5]);
    expect(figures[0]?.outOfSample).toEqual([1.5, 0.5, -0.5, -1.5]);
    // 10 % in 60 days, and 3 % in 20 days.
    expect(figures[2]?.inSample[0]).toBeCloseTo(Math.log(1.1) / 60, 8);
    expect(figures[2]?.outOfSample[0]).toBeCloseTo(Math.log(1.03) / 20, 8);
  });

  test('keep the extremes of an account of many years', () => {
    const demo = demoWalk();
    const equity = Array.from({ length: 9_000 }, (_, day) => ({
      day: 10_000 + day,
      equity: 10_000 + (day === 4_321 ? 5_000 : 0) - (day === 7_777 ? 5_000 : 0) + (day % 7),
    }));
    const thin = walkData({ ...demo, account: { ...demo.account, equity } }, 'usdt');
    expect(thin.day.length).toBeLessThanOrEqual(1_501);
    expect(thin.day).toEqual([...new Set(thin.day)].toSorted((left, right) => left - right));
    expect(thin.day.at(-1)).toBe(18_999);
    expect([Math.max(...thin.equity), Math.min(...thin.equity)]).toEqual([15_002, 5_000]);
  });
});
