import { numberText } from '../../backtest/value-text.ts';
import { isTooShortFor } from '../../backtest/finish-run.ts';
import { bestTrial, type StoredTrial } from '../../study/study-rows.ts';
import type { Stretch, Objective, FailureKind } from '../../study/objectives.ts';
import type { ProgressReport } from '../progress-report.ts';

/** Trials of something that may be several searches: what its share and its time left are worked out from. */
export interface TrialCounts {
  readonly wanted: number;
  /** Run before, and run now. */
  before: number;
  ran: number;
}

/** Says how far a study is: the best trial so far, and what failed. */
export class StudyProgress {
  private readonly report: ProgressReport;
  private readonly objectives: readonly Objective[];
  private readonly seen: Stretch;
  private readonly own: TrialCounts;
  private readonly whole: TrialCounts;
  private readonly name: string;
  private best: StoredTrial | null = null;
  private readonly failed = new Map<FailureKind, number>();

  /** `part`: the search is one of several, which count together. */
  constructor(
    report: ProgressReport,
    of: {
      readonly objectives: readonly Objective[];
      /** Range that its trials see. */
      readonly seen: Stretch;
      readonly wanted: number;
      readonly part?: { readonly name: string; readonly whole: TrialCounts };
    },
  ) {
    const { objectives, seen, wanted, part } = of;
    this.seen = seen;
    this.report = report;
    this.objectives = objectives;
    this.own = { wanted, before: 0, ran: 0 };
    this.whole = part?.whole ?? this.own;
    this.name = part === undefined ? '' : `${part.name}: `;
  }

  /** Trials that were run now. */
  get ranNow(): number {
    return this.own.ran;
  }

  /** Takes a trial; `isNew`: it was run now, and not before. */
  take(trial: StoredTrial, isNew: boolean): void {
    for (const counts of new Set([this.own, this.whole])) {
      if (isNew) counts.ran += 1;
      else counts.before += 1;
    }
    this.best = bestTrial(this.best === null ? [trial] : [this.best, trial], this.objectives);
    const { failure } = trial;
    if (failure !== null) this.failed.set(failure, (this.failed.get(failure) ?? 0) + 1);
    if (!isNew) return;
    const { wanted, before, ran } = this.whole;
    const share = Math.min(1, ran / Math.max(1, wanted - before));
    this.report.show({ done: ran, share, note: this.note() });
  }

  private note(): string {
    const { wanted, before, ran } = this.own;
    const parts = [`${this.name}${before + ran} of ${wanted}`, this.bestText()];
    if (this.failed.size > 0) {
      const kinds = [...this.failed].map(([kind, count]) => `${count} ${kind}`);
      parts.push(`failed: ${kinds.join(', ')}`);
    }
    return parts.join(', ');
  }

  private bestText(): string {
    const { best, objectives, seen } = this;
    if (best === null || best.outcome.kind === 'failed') return 'none has values yet';
    const { values, violation } = best.outcome;
    const figures = objectives.map(({ metric }, index) =>
      isTooShortFor(metric, seen) ? metric : `${metric} ${numberText(values[index] ?? null)}`,
    );
    const broken = violation > 0 ? ', which breaks constraints' : '';
    return `best ${figures.join(', ')} (trial ${best.number}${broken})`;
  }
}
