import { numberText, percentText } from '../../backtest/report/value-text.ts';
import { summarySchema } from '../../backtest/result/result-schema.ts';
import { groupedText } from '../../domain/money-text.ts';
import { durationText, minuteText } from '../../domain/time-text.ts';
import type { TrialMetrics } from '../../study/goals/objectives.ts';
import type { ShownTrial, StudyResult } from '../../study/study-result.ts';
import type { ValidatedStudy } from '../../study/validated-study.ts';
import { tableLines, type TableColumn } from '../table.ts';
import { statisticLines, verdictLines } from './validation-lines.ts';

/** Trials of a result that are listed where not all are wanted. */
const FEW_TRIALS = 5;

/** Figures that are listed of every trial, beside the objectives. */
const ALWAYS = ['totalReturn', 'maxDrawdown', 'trades'];

/** A study for people, the verdict first; `most`: how many of its trials, the best first. */
export function studyLines(result: ValidatedStudy, most: number = FEW_TRIALS): readonly string[] {
  const { counts, range, notes, hash, data, validation } = result;
  const bars = data.map(({ market, bars: count }) => `${groupedText(String(count), 0)} candles of ${market}`);
  const hasHoldout = range.splitMs < range.toMs;
  const holdout = hasHoldout ? `; hold-out to ${minuteText(range.toMs)}` : '';
  return [
    `${result.study}: ${counts.done} of ${result.wanted} trials by ${result.sampler.kind}, seed ${result.sampler.seed}`,
    `trials from ${minuteText(range.fromMs)} to ${minuteText(range.splitMs)}${holdout}; ${bars.join(', ')}`,
    '',
    ...(validation === null ? [] : [...verdictLines(validation), '']),
    ...trialLines(result, most),
    ...failureLines(counts),
    '',
    ...(validation === null ? [] : [...statisticLines(validation), '']),
    ...notes,
    `hash ${hash}`,
    result.file,
  ];
}

function trialLines(result: StudyResult, most: number): readonly string[] {
  const ranked = rankedTrials(result).slice(0, most);
  if (ranked.length === 0) return ['No trial has values.'];
  const metrics = [...new Set([...result.objectives.map(({ metric }) => metric), ...ALWAYS])];
  const names = [...new Set(ranked.flatMap(({ params }) => Object.keys(params)))];
  const columns: readonly TableColumn[] = [
    { title: 'trial', align: 'right' },
    ...metrics.map((title): TableColumn => ({ title, align: 'right' })),
    ...names.map((title): TableColumn => ({ title, align: 'right' })),
    { title: '' },
  ];
  const rows = ranked.map(({ number, params, metrics: found, violation }) => [
    String(number),
    ...metrics.map((name) => figureText(name, found)),
    ...names.map((name) => paramText(params[name])),
    (violation ?? 0) > 0 ? 'breaks constraints' : '',
  ]);
  return tableLines(columns, rows);
}

/** Those that hold all constraints first, then by the first objective; of several objectives the front. */
function rankedTrials({ trials, front, objectives }: StudyResult): readonly ShownTrial[] {
  const [first] = objectives;
  const loss = ({ values }: ShownTrial): number => {
    const value = values[0] ?? Infinity;
    return first?.direction === 'maximize' ? -value : value;
  };
  return trials
    .filter(({ kind, number }) => kind === 'complete' && (front.length === 0 || front.includes(number)))
    .toSorted(
      (left, right) =>
        (left.violation ?? 0) - (right.violation ?? 0) ||
        loss(left) - loss(right) ||
        left.number - right.number,
    );
}

function failureLines({ failed, infeasible }: StudyResult['counts']): readonly string[] {
  const kinds = Object.entries(failed).map(([kind, count]) => `${count} ${kind}`);
  return [
    ...(kinds.length === 0 ? [] : [`failed: ${kinds.join(', ')}`]),
    ...(infeasible === 0 ? [] : [`${infeasible} broke a constraint`]),
  ];
}

/** Figures that are fractions, by what the schema of a summary says of them. */
const FRACTIONS = new Set([
  'maxDrawdown',
  ...Object.entries(summarySchema.shape).flatMap(([name, { description }]) =>
    description?.startsWith('A fraction') === true ? [name] : [],
  ),
]);

/** One figure as people read it. */
export function figureText(name: string, metrics: TrialMetrics | null): string {
  const value = metrics?.[name] ?? null;
  if (value === null) return 'n/a';
  if (FRACTIONS.has(name)) return percentText(value);
  if (name.endsWith('Ms')) return durationText(value);
  return Number.isInteger(value) ? groupedText(String(value), 0) : numberText(value);
}

/** One param as people read it. */
export function paramText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
