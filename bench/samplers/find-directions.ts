/**
 * Finds the numbers that `src/search/sobol-proposer.ts` stores, and prints them, by hand:
 *
 *     node bench/samplers/find-directions.ts 64
 */
import { searchDirections } from './direction-search.ts';

const [dimensions = 64] = process.argv.slice(2).map(Number);
for (const first of searchDirections(dimensions)) console.log(first.join(' '));
