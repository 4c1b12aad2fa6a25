import { factsOf, type Fact } from '../language/fact.ts';

/** Reasons a statistic has no value: the value expected and the value found. */
export const ENGLISH_LACKS = {
  'lack.returns': 'expected at least {least} returns, was {found}',
  'lack.returnsOfBlocks': 'expected at least {least} returns for {blocks} blocks, was {found}',
  'lack.values': 'expected at least {least} values, was {found}',
  'lack.days': 'expected at least {least} days, was {found}',
  'lack.trials': 'expected at least {least} trials, was {found}',
  'lack.noTrial': 'expected at least one trial, was none',
  'lack.varyingTrials': 'expected at least {least} trials that vary, was {found}',
  'lack.mostTrials': 'expected at most {most} trials, was {found}',
  'lack.ratios': 'expected at least {least} Sharpe ratios, was {found}',
  'lack.trades': 'expected at least {least} trades, was {found}',
  'lack.noTrade': 'expected at least one trade, was none',
  'lack.positions': 'expected at least {least} positions, was {found}',
  'lack.heldBars': 'expected at most {most} held bars without overlaps, was {found}',
  'lack.room':
    'expected room for {positions} positions of {held} bars with one between them in {bars} bars of {market}, found none',
  'lack.oneReturn': 'expected returns that vary, was one value {times} times',
  'lack.oneValue': 'expected values that vary, was one value {times} times',
  'lack.oneReturnInTrial': 'expected returns that vary in trial {trial}, was one value',
  'lack.oneReturnInHalf':
    'expected returns that vary in each half, trial {trial} has one return through half of the blocks',
  'lack.noVaryingTrial': 'expected a trial whose returns vary, was none of {found}',
  'lack.onePrice': 'expected prices that move, was one price',
  'lack.variance': 'expected a Sharpe ratio with a variance above 0, was {found}',
  'lack.benchmark': 'expected a Sharpe ratio above the benchmark {benchmark}, was {found}',
  'lack.compounded': 'expected changes that compound to at most {most} times, was {found}',
} as const;

/** Reason a statistic has no value. Figures are written in digits or are names. */
export type Lack = Fact<keyof typeof ENGLISH_LACKS>;

export const lack = factsOf<typeof ENGLISH_LACKS>();

/** The same as a sentence: its figures are numbers in digits, and names. */
export function lackText({ fact, figures }: Lack): string {
  return ENGLISH_LACKS[fact].replaceAll(/\{(\w+)\}/g, (_, place: string) => {
    const figure = figures[place];
    if (typeof figure === 'object' && 'digits' in figure) return figure.digits;
    return typeof figure === 'string' ? figure : '';
  });
}
