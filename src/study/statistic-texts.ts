import { numberText } from '../backtest/value-text.ts';
import { groupedText } from '../domain/money-text.ts';
import { studyVoice, type StudyVoice } from './study-voice.ts';
import { finding, type StudyFinding } from './study-fact.ts';
import type { LuckStatistics, LuckStatisticName } from './validation/luck-statistics.ts';
import type { StatisticNote } from './validation/statistic-notes.ts';
import type { StudyValidation } from './study-validation.ts';
import type { Tested } from './validation/tested.ts';

/** A statistic as people read it. */
export interface StatisticText extends StatisticNote {
  readonly name: LuckStatisticName;
  /** Null where it was not tested. */
  readonly figure: string | null;
  /** Reason it was not tested; null if it was. */
  readonly missing: string | null;
}

type Writers = {
  readonly [Name in LuckStatisticName]: (
    value: Extract<LuckStatistics[Name], { readonly kind: 'tested' }>['value'],
  ) => string;
};

/** Every statistic of a study with its figure. Formula and source are as the docs have them. */
export function statisticTexts(
  { statistics: found }: StudyValidation,
  voice: StudyVoice = studyVoice('en'),
): readonly StatisticText[] {
  const writers = writersIn(voice);
  const written = (name: LuckStatisticName): StatisticText => {
    const { formula, source } = found[name];
    const result: Tested<never> = found[name].result as Tested<never>;
    const isTested = result.kind === 'tested';
    return {
      name,
      title: voice.say(`statistic.${name}`),
      what: voice.say(`statistic.${name}.what`),
      formula,
      source,
      figure: isTested ? writers[name](result.value) : null,
      missing: isTested ? null : voice.tell(result.message),
    };
  };
  return NAMES.map(written);
}

const NAMES: readonly LuckStatisticName[] = [
  'probabilisticSharpe',
  'minimumTrackRecord',
  'deflatedSharpeOfStudy',
  'deflatedSharpeOfData',
  'deflatedSharpeEffective',
  'overfittingProbability',
  'realityCheck',
  'superiorPredictiveAbility',
  'dayOrder',
];

function writersIn({ say, tell, chance, digits, count, percent }: StudyVoice): Writers {
  const probability = (of: { readonly probability: number }): string => chance(of.probability);
  const pValue = (of: { readonly pValue: number }): string => chance(of.pValue);
  const deflation = (of: { readonly probability: number; readonly trials: number }): string =>
    say('statistic.ofTrials', {
      figure: chance(of.probability),
      trials: tell(finding('count.trials', { count: of.trials })),
    });
  const days = (needed: number): string =>
    digits(needed >= 1e6 ? numberText(needed) : groupedText(String(Math.ceil(needed))));
  return {
    probabilisticSharpe: probability,
    minimumTrackRecord: ({ needed, found }) =>
      say('statistic.against', { figure: days(needed), found: count(found) }),
    deflatedSharpeOfStudy: deflation,
    deflatedSharpeOfData: deflation,
    deflatedSharpeEffective: deflation,
    overfittingProbability: probability,
    realityCheck: pValue,
    superiorPredictiveAbility: pValue,
    dayOrder: ({ drawdown, observedDrawdown }) =>
      say('statistic.against', { figure: percent(drawdown.p95), found: percent(observedDrawdown) }),
  };
}

/** That not all trials were tested together; null where they were. */
export const sampleFinding = ({ sampled, ran }: StudyValidation['basis']): StudyFinding | null =>
  sampled === ran ? null : finding('luck.sample', { sampled, ran: finding('count.trials', { count: ran }) });
