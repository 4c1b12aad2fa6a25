import { minuteText } from '../../domain/time-text.ts';
import { countText } from '../../domain/money-text.ts';
import { dataSetText } from '../../study/data-set.ts';
import { shownFigures } from '../../study/objectives.ts';
import { rankedTrials, type StudyResult } from '../../study/study-result.ts';
import { studyVoice } from '../../study/study-voice.ts';
import type { ValidatedStudy } from '../../study/validated-study.ts';
import { tableLines, type TableColumn } from '../table.ts';
import { sampleFinding, statisticTexts, stressTexts } from '../../study/study-texts.ts';
import type { StressFindings } from '../../study/stress-findings.ts';
import type { StudyFinding } from '../../study/study-fact.ts';
import type { StudyValidation } from '../../study/study-validation.ts';

/** Trials of a result that are listed where not all are wanted. */
const FEW_TRIALS = 5;

const voice = studyVoice('en');

/** A study for people, the verdict first; `most`: how many of its trials, the best first. */
export function studyLines(result: ValidatedStudy, most: number = FEW_TRIALS): readonly string[] {
  const { counts, range, notes, hash, data, signals, validation } = result;
  const told = signals === null ? [] : [countText(signals.count, 'signal')];
  const recorded = [...data.map(dataSetText), ...told];
  const hasHoldout = range.splitMs < range.toMs;
  const holdout = hasHoldout ? `; hold-out to ${minuteText(range.toMs)}` : '';
  return [
    `${result.study}: ${counts.done} of ${result.wanted} trials by ${result.sampler.kind}, seed ${result.sampler.seed}`,
    `trials from ${minuteText(range.fromMs)} to ${minuteText(range.splitMs)}${holdout}; ${recorded.join(', ')}`,
    '',
    ...(validation === null ? [] : [...verdictLines(validation), '']),
    ...trialLines(result, most),
    ...failureLines(counts),
    '',
    ...(validation === null ? [] : [...statisticLines(validation), '']),
    ...(validation === null || validation.stress === null ? [] : [...stressLines(validation.stress), '']),
    ...notes.map(voice.tell),
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
  const { say, tell } = voice;
  const sample = sampleFinding(basis);
  const line = (of: StudyFinding): string => `  ${tell(of)}`;
  return [
    `luck: ${say(`luck.${luck.kind}`)} (trial ${basis.trial})`,
    ...luck.reasons.map(line),
    ...(sample === null ? [] : [line(sample)]),
    `stable: ${stable.kind}, ${tell(stable.reason)}`,
    `under stress: ${stress.kind}`,
    ...stress.reasons.map(line),
    'not tested:',
    ...notTested.map(line),
  ];
}

/** Every statistic with its figure; where it was tested with what it is, and where its formula is from. */
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

/** The best trial under other conditions, for people. */
export function stressLines(findings: StressFindings): readonly string[] {
  return tableLines(
    [`trial ${findings.trial} under stress`, ''],
    stressTexts(findings).map(({ title, figure, missing }) => [title, figure ?? `not tested: ${missing}`]),
  );
}
