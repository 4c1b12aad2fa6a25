import { balancesOverride, feeOverride, strategiesOverride } from '../../backtest/bot-overrides.ts';
import type { Override } from '../../daemon/overrides.ts';
import { defined } from '../../simulator-server/config-fields.ts';
import type { StudySettings } from '../study-settings.ts';
import { fillRulesOf } from './fill-rules.ts';
import type { StudySetup } from './trial-setup.ts';

/** The setup that the settings of a study stand for. */
export function setupOfStudy(settings: StudySettings): StudySetup {
  return {
    overrides: overridesOf(settings),
    timeframe: settings.timeframe,
    currency: settings.currency ?? null,
    steps: defined(settings.steps),
    ...(settings.detail === undefined ? {} : { detail: { timeframe: settings.detail } }),
    ...fillRulesOf(settings),
  };
}

/** A bot with the strategy of a study, once in each of its markets. */
function overridesOf({ balances, fee, ...bot }: StudySettings): readonly Override[] {
  const { strategy, markets, universe, timeframe, inventory } = bot;
  return [
    strategiesOverride({ strategy, markets, universe, timeframe, inventory }),
    balancesOverride(balances),
    ...(fee === undefined ? [] : [feeOverride(fee)]),
  ];
}
