import type { RandomSource } from '../../domain/random.ts';

/**
 * A text of `length` hexadecimal digits from a seeded source: for tokens of a simulation, not for secrets of
 * the world.
 */
export function randomHex(random: RandomSource, length: number): string {
  let text = '';
  while (text.length < length) {
    text += Math.floor(random.next() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  }
  return text.slice(0, length);
}
