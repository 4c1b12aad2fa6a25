import { countText } from '../../domain/money-text.ts';
import { studyVoice } from '../../study/study-voice.ts';
import { sampleFinding, statisticTexts } from '../../study/statistic-texts.ts';
import type { StudyValidation } from '../../study/study-validation.ts';
import type { StudyFinding } from '../../study/study-fact.ts';
import { tableLines } from '../table.ts';

/** Describes a study's figures in words, to be read before them. */
export function verdictLines({ verdict, basis }: StudyValidation): readonly string[] {
  const { luck, stable, stress, notTested } = verdict;
  const { say, tell } = studyVoice('en');
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
export function statisticLines(validation: StudyValidation): readonly string[] {
  const texts = statisticTexts(validation);
  const columns = [{ title: `statistics of ${countText(validation.basis.days, 'day')}` }, { title: '' }];
  const [head = '', ...rows] = tableLines(
    columns,
    texts.map(({ title, figure, missing }) => [title, figure ?? `not tested: ${missing}`]),
  );
  const explained = texts.map(({ figure, what, source }) =>
    figure === null ? [] : [`  ${what}: ${source}`],
  );
  return [head, ...rows.flatMap((row, index) => [row, ...(explained[index] ?? [])])];
}
