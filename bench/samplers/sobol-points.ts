/**
 * Points of our Sobol sequence for `bench/peers/sobol.py`:
 *
 *     node bench/samplers/sobol-points.ts DIMENSIONS POINTS SEEDS
 *
 * Prints one line of JSON: the points as they are, and scrambled by each seed from 0 on.
 */
import { SOBOL_BITS, scrambledSobol, sobolBits } from '../../src/search/sobol-proposer.ts';

const [dimensions = 2, points = 64, seeds = 1] = process.argv.slice(2).map(Number);
const countTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const pointsOf = (coordinate: (point: number, dimension: number) => number): number[][] =>
  countTo(points).map((point) => countTo(dimensions).map((dimension) => coordinate(point, dimension)));

const plain = pointsOf((point, dimension) => sobolBits(point, dimension) / 2 ** SOBOL_BITS);
const scrambled = countTo(seeds).map((seed) =>
  pointsOf((point, dimension) => scrambledSobol({ point, dimension, seed })),
);
console.log(JSON.stringify({ plain, scrambled }));
