import type { Stretch } from './stretch.ts';
import type { Params } from '../search/params-of-point.ts';
import type { StressReport, StressTask } from './stress/stress-task.ts';
import type { AccountReport, AccountTask } from './trials/account-run.ts';
import type { TrialReport } from './trial-report.ts';

/** Runs trials: in threads here, or on machines elsewhere. */
export interface TrialRunner {
  /** Number of trials to hand it at once, so that none of its workers waits. */
  readonly width: number;
  /**
   * Runs one; `stretch`: in place of that of the study. What goes wrong in a trial is in its report; it
   * rejects where the runner itself can not go on.
   */
  run(params: Params, stretch?: Stretch): Promise<TrialReport>;
  close(): Promise<void>;
}

/** Runs everything that a study may request. */
export interface StudyRunner extends TrialRunner {
  /** One account through several params, one after the other. */
  account(task: AccountTask): Promise<AccountReport>;
  /** A trial under other conditions. */
  stress(task: StressTask): Promise<StressReport>;
}
