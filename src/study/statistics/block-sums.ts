/**
 * Sums over any blocks of periods, for all trials at once. The blocks are two groups of at most ten; of each
 * group the sums of all its subsets are kept, so that the sum over any blocks is one addition for each trial.
 */
export class BlockSums {
  readonly #trials: number;
  readonly #lowBits: number;
  readonly #low: readonly Float64Array[];
  readonly #high: readonly Float64Array[];

  /** `byBlock[block]` holds a number for each trial. */
  constructor(byBlock: readonly Float64Array[]) {
    this.#trials = byBlock[0]?.length ?? 0;
    this.#lowBits = byBlock.length >> 1;
    this.#low = subsetSums(byBlock.slice(0, this.#lowBits), this.#trials);
    this.#high = subsetSums(byBlock.slice(this.#lowBits), this.#trials);
  }

  /** Writes the sum over the blocks whose bits are set, for each trial. */
  over(mask: number, into: Float64Array): void {
    const low = this.#low[mask & ((1 << this.#lowBits) - 1)];
    const high = this.#high[mask >> this.#lowBits];
    if (low === undefined || high === undefined) throw new RangeError(`expected known blocks, was ${mask}`);
    for (let trial = 0; trial < this.#trials; trial += 1)
      into[trial] = (low[trial] ?? 0) + (high[trial] ?? 0);
  }
}

/** By the bits of a subset: that of all but its lowest block, and this block. */
function subsetSums(byBlock: readonly Float64Array[], trials: number): Float64Array[] {
  const sums = [new Float64Array(trials)];
  for (let mask = 1; mask < 2 ** byBlock.length; mask += 1) {
    const rest = sums[mask & (mask - 1)];
    const lowest = byBlock[31 - Math.clz32(mask & -mask)];
    sums.push(
      Float64Array.from({ length: trials }, (_, trial) => (rest?.[trial] ?? 0) + (lowest?.[trial] ?? 0)),
    );
  }
  return sums;
}
