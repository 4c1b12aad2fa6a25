import { inDigits } from '../language/fact.ts';
import type { StudyRange } from './data/study-data.ts';
import type { TrialMetrics } from './goals/objectives.ts';
import { readHoldoutReport } from './holdout-report.ts';
import type { StudyStore } from './store/study-store.ts';
import { finding, type StudyFinding } from './texts/study-fact.ts';
import { accountFigures } from './walk-forward/stored-account.ts';

/**
 * Returns the results of a study on candles that its choice had not seen: a sentence for each test that was
 * made.
 */
export function testedNotes(store: StudyStore, range: StudyRange): readonly StudyFinding[] {
  const walked = accountFigures(store.walkForward.head()?.account);
  return [
    ...(walked === null ? [] : [finding('note.walked', { earned: earnedBy(walked) })]),
    ...holdoutNotes(store.holdout(), range),
  ];
}

function holdoutNotes(opened: ReturnType<StudyStore['holdout']>, range: StudyRange): readonly StudyFinding[] {
  const report = opened === null ? null : readHoldoutReport(opened.report, range);
  if (opened === null || report === null) return [];
  const trial = inDigits(opened.trial);
  return report.kind === 'failed'
    ? [finding('note.holdoutFailed', { trial, reason: report.reason })]
    : [finding('note.heldOut', { trial, earned: earnedBy(report.metrics) })];
}

function earnedBy(metrics: TrialMetrics): StudyFinding {
  const { totalReturn = null, buyAndHoldReturn = null } = metrics;
  const earned = { share: totalReturn };
  return buyAndHoldReturn === null
    ? finding('earned.alone', { earned })
    : finding('earned.held', { earned, held: { share: buyAndHoldReturn } });
}
