import { createRandom } from '../../../../src/domain/random.ts';

/** Settings of random returns; test/oracles/statistics.py draws the same ones. */
export interface DrawnReturns {
  readonly seed: number;
  readonly count: number;
  readonly mean?: number;
  /** Share of a return that carries over into the next one, -1 to 1. */
  readonly memory?: number;
}

/** Draws nearly normal returns with deviation 0.01, by sums alone, so all machines get the same. */
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

/** Draws independent trials, whose seeds are 100 apart. */
export const drawnTrials = (of: DrawnReturns, count: number): Float64Array[] =>
  Array.from({ length: count }, (_, index) => drawnReturns({ ...of, seed: of.seed + 100 * index }));

/** Draws trials in groups: each is the returns of its group, plus a share of returns of its own. */
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
