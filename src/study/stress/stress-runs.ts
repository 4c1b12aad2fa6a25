import type { Params } from '../../search/params-of-point.ts';
import type { PaidCost } from './doubled-costs.ts';
import type { StressBasis } from './stored-stress.ts';
import { stressSeed } from './stress-seed.ts';
import type { Cost, StressTask, TradesAgain } from './stress-task.ts';

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

/** The name of one draw, which counts from 1: on redrawn bars, or of random entries. */
export function drawName(what: 'bars' | 'entries', draw: number): string {
  return `${what} ${draw}`;
}

/** All draws. Each has a seed of its own: more of them change none of the others. */
export function drawnRuns(
  params: Params,
  of: {
    readonly id: string;
    readonly trial: number;
    readonly basis: Pick<StressBasis, 'draws' | 'meanBlock' | 'positions'>;
    readonly held: TradesAgain['held'];
  },
): readonly NamedRun[] {
  const { id, trial, held } = of;
  const { draws, meanBlock, positions } = of.basis;
  const drawn = (what: 'bars' | 'entries', task: (seed: number) => StressTask): readonly NamedRun[] =>
    Array.from({ length: draws }, (_, index) => {
      const name = drawName(what, index + 1);
      return { name, task: task(stressSeed({ id, trial, run: name })) };
    });
  return [
    ...(typeof meanBlock === 'number'
      ? drawn('bars', (seed) => ({ what: 'bars', params, meanBlock, seed }))
      : []),
    ...(typeof positions === 'number' && held !== null
      ? drawn('entries', (seed) => ({ what: 'entries', held, seed }))
      : []),
  ];
}
