import type { Stretch } from '../stretch.ts';
import type { Params } from '../../search/params-of-point.ts';
import type { StressReport, StressTask } from '../stress/stress-task.ts';
import type { AccountReport, AccountTask } from './account-run.ts';
import type { TrialReport } from '../trial-report.ts';

/** A task for a thread. `stretch` null: that of the study. */
export type BenchTask =
  | { readonly kind: 'trial'; readonly params: Params; readonly stretch: Stretch | null }
  | (AccountTask & { readonly kind: 'account' })
  | { readonly kind: 'stress'; readonly task: StressTask };

/** Answers of a thread to each kind of task. */
export interface BenchReports {
  readonly trial: TrialReport;
  readonly account: AccountReport;
  readonly stress: StressReport;
}

export type BenchReport = BenchReports[keyof BenchReports];
