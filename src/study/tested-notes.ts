import { percentText } from '../backtest/report/value-text.ts';
import type { TrialMetrics } from './goals/objectives.ts';
import { readHoldoutReport } from './holdout-report.ts';
import type { StudyStore } from './store/study-store.ts';
import { accountFigures } from './walk-forward/stored-account.ts';

/** What a study brought on candles that its choice had not seen: a sentence for each test that was made. */
export function testedNotes(store: StudyStore): readonly string[] {
  const walked = accountFigures(store.walkForward.head()?.account);
  return [
    ...(walked === null ? [] : [`Its walk-forward made ${earnedText(walked)}, out of sample.`]),
    ...holdoutNotes(store.holdout()),
  ];
}

function holdoutNotes(opened: ReturnType<StudyStore['holdout']>): readonly string[] {
  const report = opened === null ? null : readHoldoutReport(opened.report);
  if (opened === null || report === null) return [];
  return report.kind === 'failed'
    ? [`The run of trial ${opened.trial} on the hold-out failed: ${report.reason}`]
    : [`In the hold-out trial ${opened.trial} made ${earnedText(report.metrics)}.`];
}

function earnedText(metrics: TrialMetrics): string {
  const { totalReturn = null, buyAndHoldReturn = null } = metrics;
  const holding = buyAndHoldReturn === null ? '' : `, where holding made ${percentText(buyAndHoldReturn)}`;
  return `${percentText(totalReturn)}${holding}`;
}
