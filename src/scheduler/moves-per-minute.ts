import type { VenueProfile } from '../venues/port.ts';
import { capacityOf, type PlanBudget } from './planned-budget.ts';

/**
 * Returns the number of moves of an order that the limits allow a minute: a cancel and an order each. Null if
 * neither is counted.
 */
export function movesPerMinute(
  budgets: Iterable<PlanBudget>,
  { budgets: names }: Pick<VenueProfile, 'budgets'>,
): number | null {
  const { place, cancel } = names;
  const asksOf = (name: string): number => Number(name === place) + Number(name === cancel);
  const rates = [...budgets].flatMap((budget) => {
    const asks = asksOf(budget.name);
    return asks === 0 ? [] : [((capacityOf(budget) / budget.windowMs) * 60_000) / asks];
  });
  return rates.length === 0 ? null : Math.min(...rates);
}
