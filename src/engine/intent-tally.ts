import { english, type Sentence } from '../language/sentence.ts';

/**
 * Maximum number of reasons that are counted separately for one strategy; further ones are counted together
 * as `other`.
 */
const MOST_REASONS = 50;

const LONGEST_EXAMPLE = 300;

/** Number of refusals for one reason. */
export interface RefusalCount {
  /**
   * Kind of the refused intent; `order` for an order that was placed and rejected, `slice` for an order of an
   * algorithm.
   */
  readonly what: string;
  /** Code of the check: `risk data-age`, `fit`, or the exchange's own, without a case's numbers. */
  readonly code: string;
  readonly count: number;
  /** Reason of the first case. */
  readonly example: Sentence;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

function exampleOf(reason: Sentence): Sentence {
  const text = english(reason);
  return text.length > LONGEST_EXAMPLE ? text.slice(0, LONGEST_EXAMPLE) : reason;
}

/** Counts the intents of one strategy in this process, and the refused ones by their reason. */
export class IntentTally {
  intents = 0;
  private readonly counts = new Map<string, RefusalCount>();

  refuse(of: {
    readonly what: string;
    readonly code: string;
    readonly reason: Sentence;
    readonly atMs: number;
  }): void {
    const { reason, atMs } = of;
    let { what } = of;
    // Reasons such as "Risk: the price of 5 …" begin with their code.
    let code = of.code.replace(/:.*$/s, '').trim();
    if (!this.counts.has(`${what} ${code}`) && this.counts.size >= MOST_REASONS)
      [what, code] = ['any', 'other'];
    const key = `${what} ${code}`;
    const before = this.counts.get(key);
    this.counts.set(
      key,
      before === undefined
        ? { what, code, count: 1, example: exampleOf(reason), firstAtMs: atMs, lastAtMs: atMs }
        : { ...before, count: before.count + 1, lastAtMs: atMs },
    );
  }

  /** Returns the refusals, the most frequent first. */
  refusals(): readonly RefusalCount[] {
    return [...this.counts.values()].toSorted((left, right) => right.count - left.count);
  }
}
