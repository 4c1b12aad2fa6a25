import { numberText, percentText } from '../../backtest/report/value-text.ts';
import { countText, groupedText } from '../../domain/money-text.ts';
import type { StudyValidation } from '../../study/validation/study-validation.ts';
import type { Tested } from '../../study/validation/tested.ts';
import { tableLines } from '../table.ts';

/** What a study's figures say, in words: to be read before them. */
export function verdictLines({ verdict, basis }: StudyValidation): readonly string[] {
  const { luck, stable, notTested } = verdict;
  const isSample = basis.sampled < basis.ran;
  return [
    `luck: ${luck.kind === 'not tested' ? 'not tested, too little to tell' : luck.kind} (trial ${basis.trial})`,
    ...luck.reasons.map((reason) => `  ${reason}`),
    ...(isSample ? [`  ${sampleText(basis)}`] : []),
    `stable: ${stable.kind}, ${stable.reason}`,
    'not tested:',
    ...notTested.map((what) => `  ${what}`),
  ];
}

const sampleText = ({ sampled, ran }: StudyValidation['basis']): string =>
  `${groupedText(String(sampled))} of ${countText(ran, 'trial')} were tested together, drawn by the study's id; the deflated Sharpe ratio counts all.`;

/** Every statistic with its figure; where it was tested with what it is, and where its formula is from. */
export function statisticLines({ statistics: found, basis }: StudyValidation): readonly string[] {
  const lines = [
    lineOf(found.probabilisticSharpe, chance),
    lineOf(
      found.minimumTrackRecord,
      ({ needed, found: days }) => `${daysText(needed)}, found ${groupedText(String(days))}`,
    ),
    lineOf(found.deflatedSharpeOfStudy, deflation),
    lineOf(found.deflatedSharpeOfData, deflation),
    lineOf(found.deflatedSharpeEffective, deflation),
    lineOf(found.overfittingProbability, chance),
    lineOf(found.realityCheck, pValue),
    lineOf(found.superiorPredictiveAbility, pValue),
    lineOf(
      found.dayOrder,
      ({ drawdown, observedDrawdown }) =>
        `${percentText(drawdown.p95)}, found ${percentText(observedDrawdown)}`,
    ),
  ];
  const columns = [{ title: `statistics of ${countText(basis.days, 'day')}` }, { title: '' }];
  const [head = '', ...rows] = tableLines(
    columns,
    lines.map(({ title, figure }) => [title, figure]),
  );
  return [head, ...rows.flatMap((row, index) => [row, ...(lines[index]?.explained ?? [])])];
}

interface StatisticLine {
  readonly title: string;
  readonly figure: string;
  readonly explained: readonly string[];
}

function lineOf<Value>(
  of: {
    readonly title: string;
    readonly what: string;
    readonly source: string;
    readonly result: Tested<Value>;
  },
  text: (value: Value) => string,
): StatisticLine {
  const { title, what, source, result } = of;
  return result.kind === 'tested'
    ? { title, figure: text(result.value), explained: [`  ${what}: ${source}`] }
    : { title, figure: `not tested: ${result.message}`, explained: [] };
}

const chance = ({ probability }: { readonly probability: number }): string => shareText(probability);

const pValue = (of: { readonly pValue: number }): string => shareText(of.pValue);

const deflation = (of: { readonly probability: number; readonly trials: number }): string =>
  `${shareText(of.probability)}, ${countText(of.trials, 'trial')}`;

/** Three digits: 0.05 is where many look. */
const shareText = (share: number): string => share.toFixed(3);

const daysText = (days: number): string =>
  days >= 1e6 ? numberText(days) : groupedText(String(Math.ceil(days)));
