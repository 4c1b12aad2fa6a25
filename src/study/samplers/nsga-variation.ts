import type { NumericAxis } from '../space/numeric-axis.ts';
import type { RandomStream } from './random-stream.ts';

/** Closeness of children to their parents, and of mutants to their origin: K. Deb's distribution indices. */
const CROSSOVER_INDEX = 20;
const MUTATION_INDEX = 20;

/**
 * One child of two coordinates by simulated binary crossover, which keeps inside the line (K. Deb and R.
 * Agrawal, 1995): the spread of the children is that of the parents, more or less.
 */
export function crossed(
  [one, other]: readonly [number, number],
  { low, high }: Pick<NumericAxis, 'low' | 'high'>,
  random: RandomStream,
): number {
  const [lower, upper] = [Math.min(one, other), Math.max(one, other)];
  const distance = upper - lower;
  const share = random.uniform();
  const isLower = random.uniform() < 0.5;
  if (distance < 1e-14 * (high - low)) return isLower ? one : other;
  const room = isLower ? lower - low : high - upper;
  const spread = spreadOf(share, 1 + (2 * room) / distance, CROSSOVER_INDEX);
  const child = (lower + upper + (isLower ? -1 : 1) * spread * distance) / 2;
  return Math.min(high, Math.max(low, child));
}

function spreadOf(share: number, bound: number, index: number): number {
  const reach = 2 - bound ** -(index + 1);
  const isInner = share <= 1 / reach;
  return (isInner ? share * reach : 1 / (2 - share * reach)) ** (1 / (index + 1));
}

/** A coordinate near another one by polynomial mutation, which keeps inside the line (K. Deb, 2001). */
export function mutated(
  coordinate: number,
  { low, high }: Pick<NumericAxis, 'low' | 'high'>,
  random: RandomStream,
): number {
  const share = random.uniform();
  const power = 1 / (MUTATION_INDEX + 1);
  const room = (share < 0.5 ? coordinate - low : high - coordinate) / (high - low);
  const left = (1 - room) ** (MUTATION_INDEX + 1);
  const shift =
    share < 0.5
      ? (2 * share + (1 - 2 * share) * left) ** power - 1
      : 1 - (2 * (1 - share) + 2 * (share - 0.5) * left) ** power;
  return Math.min(high, Math.max(low, coordinate + shift * (high - low)));
}
