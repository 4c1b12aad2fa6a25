import type { Params } from '../space/params-of-point.ts';
import type { TrialReport } from './trial-report.ts';

/** Who runs trials: threads here, or machines elsewhere. */
export interface TrialRunner {
  /** How many trials it wants at once, so that none of its workers waits. */
  readonly width: number;
  /**
   * Runs one. What goes wrong in a trial is in its report; it rejects where the runner itself can not go on.
   */
  run(params: Params): Promise<TrialReport>;
  close(): Promise<void>;
}
