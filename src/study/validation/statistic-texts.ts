import { numberText, percentText } from '../../backtest/report/value-text.ts';
import { countText, groupedText } from '../../domain/money-text.ts';
import type { LuckStatisticName } from './luck-statistics.ts';
import type { StatisticNote } from './statistic-notes.ts';
import type { StudyValidation } from './study-validation.ts';
import type { Tested } from './tested.ts';
import type { LuckKind } from './verdict.ts';

/** A statistic as people read it. */
export interface StatisticText extends StatisticNote {
  readonly name: LuckStatisticName;
  /** Null where it was not tested. */
  readonly figure: string | null;
  /** What kept it from being tested; null where it was. */
  readonly missing: string | null;
}

/** Every statistic of a study with its figure. */
export function statisticTexts({ statistics: found }: StudyValidation): readonly StatisticText[] {
  return [
    written('probabilisticSharpe', found.probabilisticSharpe, chance),
    written(
      'minimumTrackRecord',
      found.minimumTrackRecord,
      ({ needed, found: days }) => `${daysText(needed)}, found ${groupedText(String(days))}`,
    ),
    written('deflatedSharpeOfStudy', found.deflatedSharpeOfStudy, deflation),
    written('deflatedSharpeOfData', found.deflatedSharpeOfData, deflation),
    written('deflatedSharpeEffective', found.deflatedSharpeEffective, deflation),
    written('overfittingProbability', found.overfittingProbability, chance),
    written('realityCheck', found.realityCheck, pValue),
    written('superiorPredictiveAbility', found.superiorPredictiveAbility, pValue),
    written(
      'dayOrder',
      found.dayOrder,
      ({ drawdown, observedDrawdown }) =>
        `${percentText(drawdown.p95)}, found ${percentText(observedDrawdown)}`,
    ),
  ];
}

function written<Value>(
  name: LuckStatisticName,
  of: StatisticNote & { readonly result: Tested<Value> },
  write: (value: Value) => string,
): StatisticText {
  const { result, ...note } = of;
  return result.kind === 'tested'
    ? { name, ...note, figure: write(result.value), missing: null }
    : { name, ...note, figure: null, missing: result.message };
}

/** The verdict on luck as a heading. */
export const luckText = (kind: LuckKind): string =>
  kind === 'not tested' ? 'not tested, too little to tell' : kind;

/** That not all trials were tested together; null where they were. */
export const sampleText = ({ sampled, ran }: StudyValidation['basis']): string | null =>
  sampled === ran
    ? null
    : `${groupedText(String(sampled))} of ${countText(ran, 'trial')} were tested together, drawn by the study's id; the deflated Sharpe ratio counts all.`;

const chance = ({ probability }: { readonly probability: number }): string => shareText(probability);

const pValue = (of: { readonly pValue: number }): string => shareText(of.pValue);

const deflation = (of: { readonly probability: number; readonly trials: number }): string =>
  `${shareText(of.probability)}, ${countText(of.trials, 'trial')}`;

/** Three digits: 0.05 is where many look. */
const shareText = (share: number): string => share.toFixed(3);

const daysText = (days: number): string =>
  days >= 1e6 ? numberText(days) : groupedText(String(Math.ceil(days)));
