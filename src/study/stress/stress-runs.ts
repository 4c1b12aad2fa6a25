import type { Params } from '../space/params-of-point.ts';
import type { PaidCost } from './doubled-costs.ts';
import type { Cost, StressTask } from './stress-task.ts';

/** A run, and the name that it is kept by. */
export interface NamedRun {
  readonly name: string;
  readonly task: StressTask;
}

/** The name of the run that changes nothing. */
export const AGAIN = 'again';

/** The name of the run with every cost doubled. */
export const ALL_COSTS = costName('all');

export function costName(cost: Cost | 'all'): string {
  return `costs ${cost}`;
}

/** Every cost doubled, and each by itself where there are several. */
export function costRuns(params: Params, paid: readonly PaidCost[]): readonly NamedRun[] {
  if (paid.length === 0) return [];
  const costs = paid.map(({ cost }) => cost);
  const run = (name: string, doubled: readonly Cost[]): NamedRun => ({
    name,
    task: { what: 'costs', params, doubled },
  });
  const each = costs.length === 1 ? [] : costs.map((cost) => run(costName(cost), [cost]));
  return [run(ALL_COSTS, costs), ...each];
}
