/**
 * Measures how evenly points fill the planes of each two dimensions, for `bench/peers/sobol.py`:
 *
 *     node bench/samplers/plane-defects.ts DIMENSIONS DIGITS < directions.json
 *
 * Reads direction numbers, one array for each dimension; `null` stands for ours. Prints the worst and the
 * mean defect of 2^DIGITS points.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { SOBOL_DIRECTIONS } from '../../src/search/sobol-proposer.ts';
import { digitRows, netDefect } from './net-defect.ts';

const [dimensions = 2, digits = 10] = process.argv.slice(2).map(Number);
const given = z
  .array(z.array(z.int().nonnegative()))
  .nullable()
  .parse(JSON.parse(readFileSync(0, 'utf8')));
const directions = given?.map((numbers) => Uint32Array.from(numbers)) ?? SOBOL_DIRECTIONS;
const rows = directions.slice(0, dimensions).map((numbers) => digitRows(numbers, digits));
const defects = rows.flatMap((one, index) =>
  rows.slice(0, index).map((other) => netDefect([other, one], digits)),
);
const mean = defects.reduce((sum, defect) => sum + defect, 0) / defects.length;
console.log(JSON.stringify({ worst: Math.max(...defects), mean }));
