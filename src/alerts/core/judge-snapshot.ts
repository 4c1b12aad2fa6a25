import { accountConditions } from './account-rules.ts';
import type { AlertCondition } from './alert-facts.ts';
import type { AlertSnapshot } from './alert-snapshot.ts';
import { equityConditions } from './equity-rules.ts';
import { machineConditions } from './machine-rules.ts';
import type { RuleSettings } from './rule-settings.ts';
import { tradingConditions } from './trading-rules.ts';

/** Conditions of one look at most; beyond it the last ones are left out until others end. */
const MOST_CONDITIONS = 500;

/** Everything that is worth an alert at a moment, a key once. */
export function judgeSnapshot(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  const all = [
    ...machineConditions(snapshot, rules),
    ...accountConditions(snapshot, rules),
    ...tradingConditions(snapshot, rules),
    ...equityConditions(snapshot, rules),
  ];
  return [...new Map(all.map((one) => [one.key, one])).values()].slice(0, MOST_CONDITIONS);
}
