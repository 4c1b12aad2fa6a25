/** The constants of CMA-ES for a number of dimensions and a population. */
export interface CmaConstants {
  /** By rank, the best first; those of the worse half are negative. */
  readonly weights: readonly number[];
  /** Trials of the better half. */
  readonly parents: number;
  readonly effectiveParents: number;
  readonly pathRate: number;
  readonly rankOneRate: number;
  readonly rankMuRate: number;
  readonly stepRate: number;
  readonly stepDamping: number;
  /** The mean length of a normally distributed vector. */
  readonly meanLength: number;
}

/** Trials of a population: N. Hansen's default. */
export function defaultPopulation(dimensions: number): number {
  return 4 + Math.floor(3 * Math.log(dimensions));
}

/**
 * N. Hansen's defaults ("The CMA evolution strategy: a tutorial", arXiv:1604.00772, table 1; the numbers of
 * its equations stand beside the formulas).
 */
export function cmaConstants(dimensions: number, population: number): CmaConstants {
  const n = dimensions;
  const parents = Math.floor(population / 2);
  // (49)
  const raw = Array.from(
    { length: population },
    (_, rank) => Math.log((population + 1) / 2) - Math.log(rank + 1),
  );
  const effectiveParents = effective(raw.slice(0, parents));
  const effectiveOthers = effective(raw.slice(parents));
  // (57)
  const rankOneRate = 2 / ((n + 1.3) ** 2 + effectiveParents);
  // (58); a rate of all would leave nothing of the matrix.
  const rankMuRate = Math.min(
    1 - rankOneRate - 1e-8,
    (2 * (effectiveParents - 2 + 1 / effectiveParents)) / ((n + 2) ** 2 + effectiveParents),
  );
  // (50) to (52)
  const negative = Math.min(
    1 + rankOneRate / rankMuRate,
    1 + (2 * effectiveOthers) / (effectiveParents + 2),
    (1 - rankOneRate - rankMuRate) / (n * rankMuRate),
  );
  const positiveSum = sumOf(raw.filter((weight) => weight > 0));
  const negativeSum = -sumOf(raw.filter((weight) => weight < 0));
  // (55)
  const stepRate = (effectiveParents + 2) / (n + effectiveParents + 5);
  return {
    // (53)
    weights: raw.map((weight) => (weight >= 0 ? weight / positiveSum : (negative * weight) / negativeSum)),
    parents,
    effectiveParents,
    // (56)
    pathRate: (4 + effectiveParents / n) / (n + 4 + (2 * effectiveParents) / n),
    rankOneRate,
    rankMuRate,
    stepRate,
    stepDamping: 1 + 2 * Math.max(0, Math.sqrt((effectiveParents - 1) / (n + 1)) - 1) + stepRate,
    meanLength: Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * Returns the number of equal weights that are as varied as these: the square of their sum by the sum of
 * their squares.
 */
function effective(weights: readonly number[]): number {
  return sumOf(weights) ** 2 / sumOf(weights.map((weight) => weight ** 2));
}
