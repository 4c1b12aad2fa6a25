import { barRulesOf } from '../../backtest/bar-rules-of.ts';
import { pollRulesOf } from '../../backtest/poll-rules-of.ts';
import { defined } from '../../simulator-server/config-fields.ts';
import type { BarRules } from '../../venues/bar-rules.ts';
import { createPollRules, type PollRules } from '../../venues/poll-rules.ts';
import type { StudySettings } from '../study-settings.ts';

/** Fill rules for orders of a study's trials. */
export type FillRules =
  | { readonly fidelity: 'candles'; readonly rules: BarRules }
  | { readonly fidelity: 'poll'; readonly rules: PollRules };

/** The rules of a study with every default. */
export function fillRulesOf({ fidelity, rules }: Pick<StudySettings, 'fidelity' | 'rules'>): FillRules {
  const given = defined(rules);
  return fidelity === 'candles'
    ? { fidelity, rules: barRulesOf(given) }
    : { fidelity, rules: createPollRules(pollRulesOf(given)) };
}
