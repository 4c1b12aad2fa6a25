import type { Stretch } from '../data/stretch.ts';
import type { Params } from '../space/params-of-point.ts';
import type { StressReport, StressTask } from '../stress/stress-task.ts';
import type { AccountReport, AccountTask } from './account-run.ts';
import type { TrialReport } from './trial-report.ts';

/** Who runs trials: threads here, or machines elsewhere. */
export interface TrialRunner {
  /** How many trials it wants at once, so that none of its workers waits. */
  readonly width: number;
  /**
   * Runs one; `stretch`: in place of that of the study. What goes wrong in a trial is in its report; it
   * rejects where the runner itself can not go on.
   */
  run(params: Params, stretch?: Stretch): Promise<TrialReport>;
  close(): Promise<void>;
}

/** The same, for accounts that trade several params one after the other, too. */
export interface AccountRunner extends TrialRunner {
  account(task: AccountTask): Promise<AccountReport>;
}

/** Who runs a trial under other conditions. */
export interface StressRunner extends Pick<TrialRunner, 'width' | 'close'> {
  stress(task: StressTask): Promise<StressReport>;
}
