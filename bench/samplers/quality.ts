/**
 * Runs our samplers on standard test functions for `bench/peers/samplers.py`:
 *
 *     node bench/samplers/quality.ts KIND FUNCTION GENERATION TRIALS SEEDS
 *
 * Prints one line of JSON: for each seed the values of all trials, as the objectives are declared.
 */
import { paramsOfPoint } from '../../src/search/params-of-point.ts';
import { readSpace } from '../../src/search/space-declaration.ts';
import { Sampler } from '../../src/search/sampler.ts';
import { SAMPLER_KINDS } from '../../src/search/trial-record.ts';
import { TEST_FUNCTIONS } from './test-functions.ts';

const [kindName, name = '', ...numbers] = process.argv.slice(2);
const [generation = 1, trials = 100, seeds = 1] = numbers.map(Number);
const kind = SAMPLER_KINDS.find((one) => one === kindName);
const test = TEST_FUNCTIONS[name];
if (kind === undefined || test === undefined)
  throw new Error(`expected a sampler and a function, found ${kindName} ${name}`);
const space = readSpace(test.space);

const runs = Array.from({ length: seeds }, (_, seed) => {
  const objectives = Array.from({ length: name.startsWith('zdt') ? 2 : 1 }, () => 'minimize' as const);
  const sampler = new Sampler(space, { kind, seed, generation, objectives });
  const values: (readonly number[])[] = [];
  while (values.length < trials) {
    for (const { number, point } of sampler.ask(Math.min(generation, trials - values.length))) {
      const found = test.values(paramsOfPoint(space, point));
      values.push(found);
      sampler.add([{ number, outcome: { kind: 'complete', values: found, violation: 0 } }]);
    }
  }
  return values;
});
console.log(JSON.stringify(runs));
