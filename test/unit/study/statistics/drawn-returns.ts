import { createRandom } from '../../../../src/domain/random.ts';

/** What returns are drawn from; the same in test/oracles/statistics.py. */
export interface DrawnReturns {
  readonly seed: number;
  readonly count: number;
  readonly mean?: number;
  /** How much of a return the next one keeps, -1 to 1. */
  readonly memory?: number;
}

/** Nearly normal returns with deviation 0.01: sums alone, so that every machine has the same ones. */
export function drawnReturns({ seed, count, mean = 0, memory = 0 }: DrawnReturns): Float64Array {
  const random = createRandom(seed);
  let before = 0;
  return Float64Array.from({ length: count }, () => {
    let total = 0;
    for (let draw = 0; draw < 12; draw += 1) total += random.next();
    before = memory * before + (total - 6) * 0.01;
    return before + mean;
  });
}

/** Independent trials of seeds that are 100 apart. */
export function drawnTrials(of: DrawnReturns, count: number): Float64Array[] {
  return Array.from({ length: count }, (_, index) => drawnReturns({ ...of, seed: of.seed + 100 * index }));
}

/** Trials in groups: each is the returns of its group, and a share of its own. */
export function groupedTrials(
  of: { readonly seed: number; readonly count: number },
  { groups, size, share }: { readonly groups: number; readonly size: number; readonly share: number },
): Float64Array[] {
  const { seed, count } = of;
  const common = Array.from({ length: groups }, (_, group) =>
    drawnReturns({ seed: seed + 1_000 * group, count }),
  );
  return Array.from({ length: groups * size }, (_, trial) => {
    const own = drawnReturns({ seed: seed + 1_000 * (groups + trial) + 7, count });
    return own.map((value, period) => common[trial % groups]![period]! + share * value);
  });
}
