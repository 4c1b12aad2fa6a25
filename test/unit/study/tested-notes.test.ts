import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StudyStore } from '../../../src/study/study-store.ts';
import { headOf, testedNotes } from '../../../src/study/study-result.ts';
import { inEnglish } from './in-english.ts';
import { keepDemoStudy } from './report/demo-study.ts';

let folder: string;
let store: StudyStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-tested-notes-'));
  const path = join(folder, 'demo.sqlite');
  keepDemoStudy(path, { trials: 6, days: 10 });
  store = StudyStore.open(path);
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
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
  store.walkForward.keepAccount(ACCOUNT);
  store.openHoldout({ atMs: 0, trial: 3, afterTrials: 6 });
  const walked = 'Its walk-forward made -5.93 %, where holding made -27.45 %, out of sample.';
  expect(notes()).toEqual([walked]);
  store.keepHoldout({ kind: 'ran', metrics: { totalReturn: 0.02 } });
  expect(notes()).toEqual([walked, 'In the hold-out trial 3 made 2.00 %.']);
  store.keepHoldout({ kind: 'failed', failure: 'stopped', reason: 'expected calm' });
  expect(notes()[1]).toBe('The run of trial 3 on the hold-out failed: expected calm');
  // The command that shows it says what is wrong with it.
  store.walkForward.keepAccount({});
  expect(notes()).toHaveLength(1);
});
