import { createRandom, type RandomSource } from '../domain/random.ts';

/**
 * Chance that a seed decides. Each concern takes its own, so that one more draw in one changes nothing in the
 * others.
 */
export class Dice {
  private readonly source: RandomSource;

  constructor(seed: number) {
    this.source = createRandom(seed);
    // Seeds that lie next to each other begin alike.
    for (let draws = 0; draws < 4; draws += 1) this.source.next();
  }

  static of(seed: number, concern: string): Dice {
    let hash = Math.imul(seed, 0x9e37_79b1) ^ 0x811c_9dc5;
    for (const character of concern) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x0100_0193);
    return new Dice(hash);
  }

  /** Evenly in [0, 1). */
  share(): number {
    return this.source.next();
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  between(least: number, most: number): number {
    return least + this.share() * (most - least);
  }

  /** Between two positive numbers, each order of magnitude as likely as the next. */
  logUniform(least: number, most: number): number {
    return least * (most / least) ** this.share();
  }

  /** A time until something that comes every `mean` on average and remembers nothing. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.share());
  }

  /** Moments of a run that come every `meanMs` on average; the gap after one is drawn after its own draws. */
  *moments(runMs: number, meanMs: number): Generator<number> {
    for (let atMs = this.exponential(meanMs); atMs < runMs; atMs += this.exponential(meanMs)) yield atMs;
  }

  /** The same as a list, in whole ms. */
  times(runMs: number, meanMs: number): readonly number[] {
    return [...this.moments(runMs, meanMs)].map((atMs) => Math.round(atMs));
  }

  happens(probability: number): boolean {
    return this.share() < probability;
  }

  /** One of a list; null of an empty one. */
  pick<T>(choices: readonly T[]): T | null {
    return choices[Math.floor(this.share() * choices.length)] ?? null;
  }

  /** Each with the same probability, in their order. */
  some<T>(choices: readonly T[], probability: number): readonly T[] {
    return choices.filter(() => this.happens(probability));
  }
}
