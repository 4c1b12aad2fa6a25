import { drawdownOf, profitOfTehranDay, type ValueAt } from '../../portfolio/value-series.ts';
import type { AlertCondition } from './alert-facts.ts';
import type { AlertSnapshot } from './alert-snapshot.ts';
import type { RuleSettings } from './rule-settings.ts';

const BASIS_POINTS = 10_000;

/** Falls of equity: from its peak, and within the day of Tehran. Statistics, so shares are floats. */
export function equityConditions(
  { atMs, equity }: AlertSnapshot,
  { drawdown, dailyLoss }: RuleSettings,
): readonly AlertCondition[] {
  return equity.flatMap(({ currency, values }): readonly AlertCondition[] => {
    const conditions: AlertCondition[] = [];
    const fall = (drawdownOf(values)?.now.depthBps ?? 0) / BASIS_POINTS;
    if (drawdown !== null && fall * 100 >= drawdown.percent) {
      conditions.push({
        key: `drawdown ${currency}`,
        severity: drawdown.severity,
        facts: { rule: 'drawdown', currency, share: fall, limit: drawdown.percent / 100 },
        sinceMs: atMs,
      });
    }
    const loss = lossOfDay(values, atMs);
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

/** Returns the loss of the day so far, as a share of the value at its start. */
function lossOfDay(values: readonly ValueAt[], atMs: number): number {
  const day = profitOfTehranDay(values, atMs);
  const last = values.at(-1);
  if (day === null || last === undefined) return 0;
  const start = last.value - day.profit;
  return start <= 0n ? 0 : -Number(day.profit) / Number(start);
}
