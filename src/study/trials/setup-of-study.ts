import { barRulesOf } from '../../backtest/setup/bar-rules-of.ts';
import type { Override } from '../../daemon/settings/overrides.ts';
import { baseName } from '../../daemon/settings/strategy-settings.ts';
import { defined } from '../../simulator/settings/config-fields.ts';
import type { StudySettings } from '../file/study-settings.ts';
import type { TrialSetup } from './trial-setup.ts';

/** What a trial needs beside its params, its bars and its range. */
export type StudySetup = Omit<TrialSetup, 'candles' | 'fromMs' | 'toMs'>;

/** The setup that the settings of a study stand for. */
export function setupOfStudy(settings: StudySettings): StudySetup {
  return {
    overrides: overridesOf(settings),
    timeframe: settings.timeframe,
    currency: settings.currency ?? null,
    steps: defined(settings.steps),
    rules: barRulesOf(defined(settings.rules)),
  };
}

/** A bot with the strategy of a study, once in each of its markets. */
function overridesOf({ strategy, markets, timeframe, balances, fee }: StudySettings): readonly Override[] {
  const name = (index: number): string => `${baseName(strategy).slice(0, 9).replace(/-+$/, '')}-${index + 1}`;
  const strategies = markets.map((market, index) => ({
    plugin: strategy,
    market,
    timeframe,
    ...(markets.length === 1 ? {} : { name: name(index) }),
  }));
  const rates = { maker: fee, taker: fee };
  return [
    ['strategies', JSON.stringify(strategies)],
    ['paper.balances', JSON.stringify(balances)],
    ...(fee === undefined ? [] : [['paper.fees', JSON.stringify({ rls: rates, usdt: rates })] as const]),
  ];
}
