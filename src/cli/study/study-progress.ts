import { numberText } from '../../backtest/report/value-text.ts';
import { bestTrial } from '../../study/goals/best-trials.ts';
import type { Objective } from '../../study/goals/objectives.ts';
import type { StoredTrial } from '../../study/store/study-rows.ts';
import type { FailureKind } from '../../study/trials/trial-report.ts';
import type { ProgressReport } from '../progress-report.ts';

/** Says how far a study is: the best trial so far, and what failed. */
export class StudyProgress {
  private readonly report: ProgressReport;
  private readonly objectives: readonly Objective[];
  /** Trials in all. */
  private readonly wanted: number;
  private before = 0;
  private ran = 0;
  private best: StoredTrial | null = null;
  private readonly failed = new Map<FailureKind, number>();

  constructor(
    report: ProgressReport,
    of: { readonly objectives: readonly Objective[]; readonly wanted: number },
  ) {
    this.report = report;
    this.objectives = of.objectives;
    this.wanted = of.wanted;
  }

  /** Trials that were run now. */
  get ranNow(): number {
    return this.ran;
  }

  /** Takes a trial; `isNew`: it was run now, and not before. */
  take(trial: StoredTrial, isNew: boolean): void {
    if (isNew) this.ran += 1;
    else this.before += 1;
    this.best = bestTrial(this.best === null ? [trial] : [this.best, trial], this.objectives);
    const { failure } = trial;
    if (failure !== null) this.failed.set(failure, (this.failed.get(failure) ?? 0) + 1);
    if (!isNew) return;
    const share = Math.min(1, this.ran / Math.max(1, this.wanted - this.before));
    this.report.show({ done: this.ran, share, note: this.note() });
  }

  private note(): string {
    const parts = [`${this.before + this.ran} of ${this.wanted}`, this.bestText()];
    if (this.failed.size > 0) {
      const kinds = [...this.failed].map(([kind, count]) => `${count} ${kind}`);
      parts.push(`failed: ${kinds.join(', ')}`);
    }
    return parts.join(', ');
  }

  private bestText(): string {
    const { best, objectives } = this;
    if (best === null || best.outcome.kind === 'failed') return 'none has values yet';
    const { values, violation } = best.outcome;
    const figures = objectives.map(({ metric }, index) => `${metric} ${numberText(values[index] ?? null)}`);
    const broken = violation > 0 ? ', which breaks constraints' : '';
    return `best ${figures.join(', ')} (trial ${best.number}${broken})`;
  }
}
