import { describe, expect, test, afterEach, beforeEach } from 'vitest';
import type { StressFindings } from '../../../../src/study/stress-findings.ts';
import type { StoredTrial } from '../../../../src/study/study-rows.ts';
import { stressVerdict, untestedStress } from '../../../../src/study/validation/verdict.ts';
import { validateStudy } from '../../../../src/study/study-validation.ts';
import { notTested } from '../../../../src/study/validation/luck-statistics.ts';
import { finding } from '../../../../src/study/english-study.ts';
import { inEnglish } from '../in-english.ts';
import { drawnReturns, drawnTrials } from '../statistics/drawn-returns.ts';
import { ENTRIES, known, madeFindings, ORDER, REDRAWN } from './made-findings.ts';
import { madeStudy, madeTrial } from './made-study.ts';
import { join } from 'node:path';
import { StudyStore } from '../../../../src/study/study-store.ts';
import { headOf, testedNotes } from '../../../../src/study/study-result.ts';
import { keepDemoStudy } from '../report/demo-study.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const LOSES = { all: known({ totalReturn: -0.03 }), each: [], paid: [] };
const COMES_BACK = {
  reorder: known(ORDER),
  resample: known({ ...ORDER, lossShare: 0.06 }),
};
const RANDOM = known({ ...ENTRIES, asGood: 0.4, pValue: 21 / 51 });

describe('what is left under stress', () => {
  test('holds where nothing takes it away', () => {
    expect(inEnglish(stressVerdict(madeFindings()))).toEqual({
      kind: 'holds',
      reasons: [
        'With doubled costs it still earns: 4.00 %.',
        'Its trades drawn anew lose in 1.00 % of runs. In another order they fall by more than 40.00 % in one run of twenty.',
        'In 50 redrawn histories it loses in 20.00 %, and earns more than holding in 70.00 %.',
        'It is better than random entries with the same exposure: 2.00 % of 50 controls do as well.',
      ],
    });
    expect(untestedStress(madeFindings())).toEqual([]);
  });

  test.each([
    ['doubled costs', { costs: LOSES }, 'With doubled costs it loses: -3.00 %.'],
    ['another order', { tradeOrder: COMES_BACK }, 'Its trades drawn anew lose in 6.00 % of runs.'],
    [
      'redrawn candles',
      { redrawn: known({ ...REDRAWN, lossShare: 0.5 }) },
      'In 50 redrawn histories it loses in 50.00 %',
    ],
    ['random entries', { entries: RANDOM }, 'It is no better than random entries with the same exposure: 40'],
  ])('breaks by %s alone', (_, part, words) => {
    const { kind, reasons } = inEnglish(stressVerdict(madeFindings(part)));
    expect(kind).toBe('breaks');
    expect(reasons.join(' ')).toContain(words);
  });

  test('is not tested while one condition is missing, which is named with its reason', () => {
    const some = madeFindings({ entries: notTested(finding('lack.positions', { least: 10, found: 3 })) });
    expect(stressVerdict(some)).toMatchObject({ kind: 'not tested' });
    expect(stressVerdict(some).reasons).toHaveLength(3);
    expect(inEnglish(untestedStress(some))).toEqual([
      'random entries (expected at least 10 positions, was 3)',
    ]);
    // One broken test is enough.
    expect(stressVerdict({ ...some, costs: LOSES }).kind).toBe('breaks');
    expect(stressVerdict(null)).toEqual({ kind: 'not tested', reasons: [] });
    expect(untestedStress(null)).toHaveLength(4);
  });
});

describe('the verdict on luck', () => {
  /** Trials with a real edge, which all tests find. */
  const trials: readonly StoredTrial[] = drawnTrials({ seed: 32, count: 160 }, 24).map((own, number) => {
    const common = drawnReturns({ seed: 1, count: 160 });
    return madeTrial(number, {
      fast: number + 1,
      returns: own.map((value, day) => 0.004 + 0.9 * (common[day] ?? 0) + 0.2 * value),
    });
  });
  const luckWith = (stress: StressFindings | null) =>
    validateStudy(madeStudy(trials, { stress })).verdict.luck;

  test('is worse where random entries do as well, and no better where they do not', () => {
    expect(luckWith(null).kind).toBe('unlikely luck');
    expect(luckWith(madeFindings())).toEqual(luckWith(null));
    const { kind, reasons } = inEnglish(luckWith(madeFindings({ entries: RANDOM })));
    expect(kind).toBe('perhaps luck');
    expect(reasons).toContain('Random entries with the same exposure do as well.');
  });
});

const folder = folderOfEachTest();
let store: StudyStore;
beforeEach(() => {
  const path = join(folder, 'demo.sqlite');
  keepDemoStudy(path, { trials: 6, days: 10 });
  store = StudyStore.open(path);
});
afterEach(() => {
  store.close();
});

const notes = (): readonly string[] => inEnglish(testedNotes(store, headOf(store).range));

const ACCOUNT = {
  initialEquity: '10000',
  finalEquity: '9407',
  metrics: { totalReturn: -0.0593, buyAndHoldReturn: -0.2745 },
  stretches: [],
  daily: { firstDay: 0, returns: [] },
  failures: [],
};

test('a study says what it brought on candles that its choice had not seen', () => {
  expect(notes()).toEqual([]);
  store.walkForward.begin({});
  expect(notes()).toEqual([]);
  store.walkForward.persistAccount(ACCOUNT);
  store.openHoldout({ atMs: 0, trial: 3, afterTrials: 6 });
  const walked = 'Its walk-forward made -5.93 %, where holding made -27.45 %, out of sample.';
  expect(notes()).toEqual([walked]);
  store.storeHoldout({ kind: 'ran', metrics: { totalReturn: 0.02 } });
  expect(notes()).toEqual([walked, 'In the hold-out trial 3 made 2.00 %.']);
  store.storeHoldout({ kind: 'failed', failure: 'stopped', reason: 'expected calm' });
  expect(notes()[1]).toBe('The run of trial 3 on the hold-out failed: expected calm');
  // The command that shows the record reports what is wrong with it.
  store.walkForward.persistAccount({});
  expect(notes()).toHaveLength(1);
});
