import { createRandom } from '../../domain/random.ts';
import { drawSample } from '../validation/trial-sample.ts';

/** Trials that the charts of a page have: more would be one cloud, and three megabytes. */
export const MOST_SHOWN = 2_000;
/** Of more trials, the best ones that are shown beside those that were drawn. */
const MOST_CHOSEN = 500;

/** The trials that a page shows. */
export interface ShownTrials {
  /** In the order of their numbers. */
  readonly numbers: readonly number[];
  /** Those that chance has chosen among all: what means and medians may be made of. */
  readonly drawn: ReadonlySet<number>;
}

const SEED_DIGITS = 8;
const HEX = 16;

/**
 * All trials, or at most 2,000 of more: the best 500, what must be there, and the others drawn by the study's
 * id, each as likely as any other. The same study shows the same trials.
 */
export function shownTrials(of: {
  readonly id: string;
  readonly numbers: readonly number[];
  /** The best first. */
  readonly ranked: readonly number[];
  /** The neighbours of the best one. */
  readonly needed: readonly number[];
}): ShownTrials {
  const { id, numbers, ranked, needed } = of;
  if (numbers.length <= MOST_SHOWN) return { numbers, drawn: new Set(numbers) };
  const chosen = new Set([...needed, ...ranked.slice(0, MOST_CHOSEN - needed.length)]);
  const random = createRandom(Number.parseInt(id.slice(0, SEED_DIGITS), HEX));
  const drawn = new Set(drawSample(numbers, { size: MOST_SHOWN - MOST_CHOSEN, random }));
  return { numbers: numbers.filter((number) => chosen.has(number) || drawn.has(number)), drawn };
}
