/** A source of numbers in [0, 1) that depend on a seed alone; pure parts use it for chance. */
export interface RandomSource {
  readonly next: () => number;
  /** The whole state as one integer, so that a run can be stored and continued. */
  readonly state: number;
}

/**
 * Makes a generator of 32-bit quality ("mulberry32", Tommy Ettinger, public domain design): small, fast and
 * the same on every machine.
 */
export function createRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  return {
    get state() {
      return state;
    },
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = state;
      mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}
