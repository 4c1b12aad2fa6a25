import { readSpace } from '../src/search/space-declaration.ts';
import { Sampler } from '../src/search/sampler.ts';
import type { SamplerKind, Trial } from '../src/search/trial-record.ts';
import { cpuMs } from './cpu-time.ts';
import type { BenchResult } from './result.ts';

/** First measured trial: those around the thousandth are measured. */
const FROM = 900;
const TRIALS = 1_100;
const ROUNDS = 3;
const EXPONENTIALS = 100_000;

/** Maximum time of a trial, in units of 100,000 exponentials, which take about a millisecond. */
const TARGET = 1.5;

const box = (entry: object): object =>
  Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`x${index}`, entry]));

const SPACES: Readonly<Record<string, object>> = {
  decimals: box({ kind: 'decimal', min: -3, max: 7 }),
  steps: box({ kind: 'integer', min: 1, max: 60 }),
  mixed: {
    length: { kind: 'integer', min: 2, max: 100 },
    rate: { kind: 'decimal', min: 0.0001, max: 1, scale: 'log' },
    share: { kind: 'decimal', min: 0, max: 1, step: 0.05 },
    mode: { kind: 'choice', values: ['a', 'b', 'c'] },
    far: { kind: 'decimal', min: 0, max: 5, when: { mode: 'a' } },
    late: { kind: 'boolean' },
  },
};

/** Cases: sampler, space and generation. */
const CASES: readonly (readonly [SamplerKind, string, number])[] = [
  ['tpe', 'decimals', 1],
  ['tpe', 'decimals', 8],
  ['tpe', 'steps', 1],
  ['tpe', 'steps', 8],
  ['tpe', 'mixed', 8],
  ['cmaes', 'decimals', 8],
  ['nsga2', 'mixed', 8],
  ['sobol', 'mixed', 8],
  ['random', 'mixed', 8],
];

const loss = ({ point }: Trial): number =>
  Object.values(point).reduce<number>(
    (sum, value) => sum + (Number.isNaN(Number(value)) ? 0.3 : (Number(value) - 2) ** 2),
    0,
  );

/** CPU time of a trial near the thousandth, in ms. */
async function trialMs(kind: SamplerKind, space: string, generation: number): Promise<number> {
  const sampler = new Sampler(readSpace(SPACES[space]), {
    kind,
    seed: 1,
    generation,
    objectives: ['minimize'],
  });
  const runTo = (end: number): void => {
    while (sampler.trials.length < end)
      for (const trial of sampler.ask(generation))
        sampler.add([
          { number: trial.number, outcome: { kind: 'complete', values: [loss(trial)], violation: 0 } },
        ]);
  };
  runTo(FROM);
  const begun = sampler.trials.length;
  const spentMs = await cpuMs(() => runTo(TRIALS));
  return spentMs / (sampler.trials.length - begun);
}

/** CPU time of 100,000 exponentials, in ms. */
function exponentialsMs(): Promise<number> {
  return cpuMs(() => {
    let sum = 0;
    for (let count = 0; count < EXPONENTIALS; count += 1) sum += Math.exp(-(count % 1_000) / 100);
    if (!(sum > 0)) throw new Error('expected a sum, found none');
  });
}

/** Measures the cost of a trial near the thousandth for each sampler, against a fixed piece of work. */
export async function benchSamplers(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const [kind, space, generation] of CASES) {
    let [best, reference] = [Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round += 1) {
      reference = Math.min(reference, await exponentialsMs());
      best = Math.min(best, await trialMs(kind, space, generation));
    }
    results.push({
      name: `samplers/${kind}/${space}/generation-${generation}`,
      value: Number(best.toFixed(4)),
      unit: 'ms a trial',
      reference: Number(reference.toFixed(4)),
      ratio: Number((best / reference).toFixed(3)),
      target: TARGET,
      holds: best < reference * TARGET,
    });
  }
  return results;
}
