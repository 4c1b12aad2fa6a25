/** A 32-bit mix in which every bit of the input changes half of the output ("lowbias32", Chris Wellons). */
export function mixBits(input: number): number {
  let mixed = input >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Draws until its state depends on every bit of the key, as the author of the generator advises. */
const WARM_UP = 12;

/**
 * Random numbers for one purpose of one trial: the key alone decides them, so nothing of a generator has to
 * be stored. It is Chris Doty-Humphrey's "sfc32" (public domain; 128 bits of state).
 */
export class RandomStream {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;
  private spare: number | null = null;

  /** `key`: whole numbers that no other stream of the study has, such as seed, trial and purpose. */
  constructor(...key: readonly number[]) {
    const state = [0x9e3779b9, 0x243f6a88, 0xb7e15162].map((start) =>
      key.reduce(
        (mixed, part) => mixBits(mixBits(mixed ^ (part >>> 0)) + Math.floor(part / 4_294_967_296)),
        start,
      ),
    );
    const [a = 0, b = 0, c = 0] = state;
    this.a = a;
    this.b = b;
    this.c = c;
    for (let draw = 0; draw < WARM_UP; draw += 1) this.bits();
  }

  /** Evenly spread over 0 to 1, without 1, with 53 bits. */
  uniform(): number {
    return ((this.bits() >>> 5) * 67_108_864 + (this.bits() >>> 6)) / 9_007_199_254_740_992;
  }

  /** A whole number from 0 to `count` less one; `count` is at most 2^53. */
  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  /** Normally distributed with mean 0 and deviation 1 (Box and Muller). */
  normal(): number {
    const { spare } = this;
    if (spare !== null) {
      this.spare = null;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  private bits(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return sum >>> 0;
  }
}
