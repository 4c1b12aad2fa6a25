import { createRandom, type RandomSource } from '../domain/random.ts';

/** Random source of a seed. Each concern has its own, so that its draws change nothing in others. */
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

  /** Draws a number of [0, 1), evenly. */
  share(): number {
    return this.source.next();
  }

  /** Draws a whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  between(least: number, most: number): number {
    return least + this.share() * (most - least);
  }

  /** Draws a number between two positive ones, in which each order of magnitude is equally likely. */
  logUniform(least: number, most: number): number {
    return least * (most / least) ** this.share();
  }

  /** Draws the time until the next of independent events that come every `mean` on average. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.share());
  }

  /** Draws times of a run, every `meanMs` on average; a gap is drawn after the caller's draws for a time. */
  *moments(runMs: number, meanMs: number): Generator<number> {
    for (let atMs = this.exponential(meanMs); atMs < runMs; atMs += this.exponential(meanMs)) yield atMs;
  }

  /** Draws times of a run as `moments` does, as a list in whole ms. */
  times(runMs: number, meanMs: number): readonly number[] {
    return [...this.moments(runMs, meanMs)].map((atMs) => Math.round(atMs));
  }

  happens(probability: number): boolean {
    return this.share() < probability;
  }

  /** Draws an item of a list; null if it is empty. */
  pick<T>(choices: readonly T[]): T | null {
    return choices[Math.floor(this.share() * choices.length)] ?? null;
  }

  /** Returns a random part of a list: each item with the same probability, in order. */
  some<T>(choices: readonly T[], probability: number): readonly T[] {
    return choices.filter(() => this.happens(probability));
  }
}
