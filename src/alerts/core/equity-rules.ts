import { tehranDay, tehranInstant } from '../../domain/tehran-time.ts';
import type { AlertCondition } from './alert-facts.ts';
import type { AlertSnapshot, FigurePoint } from './alert-snapshot.ts';
import type { RuleSettings } from './rule-settings.ts';

/** Falls of equity: from its peak, and within the day of Tehran. Statistics, so shares are floats. */
export function equityConditions(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  const { drawdown, dailyLoss } = rules;
  const { atMs, equity } = snapshot;
  const dayBeganMs = tehranInstant(tehranDay(atMs), 0);
  return equity.flatMap(({ currency, points }): readonly AlertCondition[] => {
    const conditions: AlertCondition[] = [];
    const fall = shareBelowPeak(points);
    if (drawdown !== null && fall * 100 >= drawdown.percent) {
      conditions.push({
        key: `drawdown ${currency}`,
        severity: drawdown.severity,
        facts: { rule: 'drawdown', currency, share: fall, limit: drawdown.percent / 100 },
        sinceMs: atMs,
      });
    }
    const loss = -changeSince(points, dayBeganMs);
    if (dailyLoss !== null && loss * 100 >= dailyLoss.percent) {
      conditions.push({
        key: `daily-loss ${currency}`,
        severity: dailyLoss.severity,
        facts: { rule: 'daily-loss', currency, share: loss, limit: dailyLoss.percent / 100 },
        sinceMs: atMs,
      });
    }
    return conditions;
  });
}

/** How far the last value is below the highest one, as a share of that. */
function shareBelowPeak(points: readonly FigurePoint[]): number {
  const last = points.at(-1);
  const peak = points.reduce((highest, { value }) => Math.max(highest, value), 0);
  return last === undefined || peak <= 0 ? 0 : (peak - last.value) / peak;
}

/** How far the last value is above that at a time, as a share of it; the first value where none is older. */
function changeSince(points: readonly FigurePoint[], sinceMs: number): number {
  const before = points.findLast(({ atMs }) => atMs <= sinceMs) ?? points[0];
  const last = points.at(-1);
  if (before === undefined || last === undefined || before.value <= 0) return 0;
  return (last.value - before.value) / before.value;
}
