import { minuteText } from '../../domain/time-text.ts';
import { countText } from '../../domain/money.ts';
import { dataSetText } from '../../study/data-set.ts';
import { shownFigures, type RunRange, type Objective, type FailureKind } from '../../study/objectives.ts';
import { rankedTrials, type StudyResult } from '../../study/study-result.ts';
import { studyVoice } from '../../study/study-voice.ts';
import type { ValidatedStudy } from '../../study/validated-study.ts';
import { tableLines, type TableColumn } from '../table.ts';
import { sampleFinding, statisticTexts, stressTexts } from '../../study/study-texts.ts';
import type { StressFindings } from '../../study/stress-findings.ts';
import type { StudyFinding } from '../../study/english-study.ts';
import type { StudyValidation } from '../../study/study-validation.ts';
import { numberText } from '../../backtest/value-text.ts';
import { isTooShortFor } from '../../backtest/finish-run.ts';
import { bestTrial, type StoredTrial } from '../../study/study-rows.ts';
import type { ProgressReport } from '../progress-report.ts';

/** Maximum number of trials of a result that are listed by default. */
const FEW_TRIALS = 5;

const voice = studyVoice('en');

/** Describes a study for people, the verdict first; `most`: how many of its trials, the best first. */
export function studyLines(result: ValidatedStudy, most: number = FEW_TRIALS): readonly string[] {
  const { counts, range, notes, hash, data, signals, validation } = result;
  const signalLines = signals === null ? [] : [countText(signals.count, 'signal')];
  const recorded = [...data.map(dataSetText), ...signalLines];
  const hasHoldout = range.splitMs < range.toMs;
  const holdout = hasHoldout ? `; hold-out to ${minuteText(range.toMs)}` : '';
  return [
    `${result.study}: ${counts.done} of ${countText(result.wanted, 'trial')} by ${result.sampler.kind}, seed ${result.sampler.seed}`,
    `trials from ${minuteText(range.fromMs)} to ${minuteText(range.splitMs)}${holdout}; ${recorded.join(', ')}`,
    '',
    ...(validation === null ? [] : [...verdictLines(validation), '']),
    ...trialLines(result, most),
    ...failureLines(counts),
    '',
    ...(validation === null ? [] : [...statisticLines(validation), '']),
    ...(validation === null || validation.stress === null ? [] : [...stressLines(validation.stress), '']),
    ...notes.map(voice.format),
    `hash ${hash}`,
    result.file,
  ];
}

function trialLines(result: StudyResult, most: number): readonly string[] {
  const ranked = rankedTrials(result).slice(0, most);
  if (ranked.length === 0) return ['No trial has values.'];
  const metrics = shownFigures(result.objectives.map(({ metric }) => metric));
  const names = [...new Set(ranked.flatMap(({ params }) => Object.keys(params)))];
  const columns: readonly TableColumn[] = [
    '>trial',
    ...metrics.map((title): TableColumn => ({ title, align: 'right' })),
    ...names.map((title): TableColumn => ({ title, align: 'right' })),
    '',
  ];
  const rows = ranked.map(({ number, params, metrics: found, violation }) => [
    String(number),
    ...metrics.map((name) => voice.figure(name, found)),
    ...names.map((name) => voice.param(params[name])),
    (violation ?? 0) > 0 ? 'breaks constraints' : '',
  ]);
  return tableLines(columns, rows);
}

function failureLines({ failed, infeasible }: StudyResult['counts']): readonly string[] {
  const kinds = Object.entries(failed).map(([kind, count]) => `${count} ${kind}`);
  return [
    ...(kinds.length === 0 ? [] : [`failed: ${kinds.join(', ')}`]),
    ...(infeasible === 0 ? [] : [`${infeasible} broke a constraint`]),
  ];
}

/** Describes a study's figures in words, to be read before them. */
export function verdictLines({ verdict, basis }: StudyValidation): readonly string[] {
  const { luck, stable, stress, notTested } = verdict;
  const { t, format } = voice;
  const sample = sampleFinding(basis);
  const line = (of: StudyFinding): string => `  ${format(of)}`;
  return [
    `luck: ${t(`luck.${luck.kind}`)} (trial ${basis.trial})`,
    ...luck.reasons.map(line),
    ...(sample === null ? [] : [line(sample)]),
    `stable: ${stable.kind}, ${format(stable.reason)}`,
    `under stress: ${stress.kind}`,
    ...stress.reasons.map(line),
    'not tested:',
    ...notTested.map(line),
  ];
}

/** Returns a line for each statistic; a tested one has its figure, meaning, and source of formula. */
function statisticLines(validation: StudyValidation): readonly string[] {
  const texts = statisticTexts(validation);
  const columns = [`statistics of ${countText(validation.basis.days, 'day')}`, ''];
  const [head = '', ...rows] = tableLines(
    columns,
    texts.map(({ title, figure, missing }) => [title, figure ?? `not tested: ${missing}`]),
  );
  const explained = texts.map(({ figure, what, source }) =>
    figure === null ? [] : [`  ${what}: ${source}`],
  );
  return [head, ...rows.flatMap((row, index) => [row, ...(explained[index] ?? [])])];
}

/** Describes the best trial under other conditions, for people. */
export function stressLines(findings: StressFindings): readonly string[] {
  return tableLines(
    [`trial ${findings.trial} under stress`, ''],
    stressTexts(findings).map(({ title, figure, missing }) => [title, figure ?? `not tested: ${missing}`]),
  );
}

/** Counts of trials, of one search or several, for the progress and the time left. */
export interface TrialCounts {
  readonly wanted: number;
  /** Number of trials run before this session; below, number of those run in it. */
  before: number;
  ran: number;
}

/** Shows the progress of a study: the best trial so far, and the failures. */
export class StudyProgress {
  private readonly report: ProgressReport;
  private readonly objectives: readonly Objective[];
  private readonly seen: RunRange;
  private readonly own: TrialCounts;
  private readonly whole: TrialCounts;
  private readonly name: string;
  private best: StoredTrial | null = null;
  private readonly failed = new Map<FailureKind, number>();

  /** `part`: the search is one of several, which are counted together. */
  constructor(
    report: ProgressReport,
    of: {
      readonly objectives: readonly Objective[];
      /** Range that its trials see. */
      readonly seen: RunRange;
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

  /** Number of trials of this session. */
  get ranNow(): number {
    return this.own.ran;
  }

  /** Counts a trial; `isNew`: it was run in this session, not before. */
  add(trial: StoredTrial, isNew: boolean): void {
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
