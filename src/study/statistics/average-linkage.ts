/** Two clusters that become one, each named by one of its members, at their mean distance. */
export interface Merge {
  readonly into: number;
  readonly from: number;
  readonly distance: number;
}

/**
 * Hierarchical clustering by average linkage (UPGMA): all merges from single points to one cluster, nearest
 * first. `distances` has `count^2` numbers, row by row, and is not changed. By chains of nearest neighbours
 * in `count^2` steps (Murtagh, "A Survey of Recent Advances in Hierarchical Clustering Algorithms", The
 * Computer Journal 26, 1983). The distance is that of Sokal and Michener (1958).
 */
export function averageLinkage(distances: Float64Array, count: number): Merge[] {
  const between = distances.slice();
  const sizes = new Int32Array(count).fill(1);
  const alive = Int32Array.from({ length: count }, (_, index) => index);
  const merges: Merge[] = [];
  const chain: number[] = [];
  for (let left = count; left > 1;) {
    const tip = chain.at(-1) ?? alive[0] ?? 0;
    if (chain.length === 0) chain.push(tip);
    const before = chain.at(-2) ?? -1;
    const next = nearest({ between, count, alive, left }, tip, before);
    if (next !== before) {
      chain.push(next);
      continue;
    }
    chain.length -= 2;
    merges.push({ into: tip, from: next, distance: between[tip * count + next] ?? 0 });
    left -= 1;
    remove(alive, left, next);
    join({ between, count, alive, left, sizes }, tip, next);
  }
  // A chain finds merges out of their order. A sort keeps the order of equal ones, so parts come first.
  return merges.toSorted((one, other) => one.distance - other.distance);
}

interface Clusters {
  readonly between: Float64Array;
  readonly count: number;
  /** The first `left` are clusters still. */
  readonly alive: Int32Array;
  readonly left: number;
}

/** The nearest other cluster. Of equals it is the one before in the chain, so that a chain ends. */
function nearest({ between, count, alive, left }: Clusters, tip: number, before: number): number {
  let best = before;
  let least = before === -1 ? Infinity : (between[tip * count + before] ?? Infinity);
  for (let index = 0; index < left; index += 1) {
    const other = alive[index] ?? 0;
    const distance = between[tip * count + other] ?? Infinity;
    if (other !== tip && distance < least) {
      least = distance;
      best = other;
    }
  }
  return best;
}

function remove(alive: Int32Array, last: number, cluster: number): void {
  alive[alive.indexOf(cluster)] = alive[last] ?? 0;
  alive[last] = cluster;
}

/** Lance and Williams: the mean distance to both, by their sizes. */
function join(clusters: Clusters & { readonly sizes: Int32Array }, into: number, from: number): void {
  const { between, count, alive, left, sizes } = clusters;
  const [one, other] = [sizes[into] ?? 0, sizes[from] ?? 0];
  for (let index = 0; index < left; index += 1) {
    const to = alive[index] ?? 0;
    if (to === into) continue;
    const distance =
      (one * (between[into * count + to] ?? 0) + other * (between[from * count + to] ?? 0)) / (one + other);
    between[into * count + to] = distance;
    between[to * count + into] = distance;
  }
  sizes[into] = one + other;
}
