import { createRandom } from '../src/domain/random.ts';
import { deflatedSharpeOfTrials } from '../src/statistics/probabilistic-sharpe.ts';
import { halfSplits, overfittingProbability } from '../src/statistics/overfitting-probability.ts';
import { stationaryBootstrap } from '../src/statistics/stationary-bootstrap.ts';
import { superiorPredictiveAbility } from '../src/statistics/superior-predictive-ability.ts';
import { cpuMs } from './cpu-time.ts';
import { median, type BenchResult } from './result.ts';

const TRIALS = 1_000;
const DAYS = 1_000;
const BLOCKS = 16;
const DRAWS = 1_000;
const ROUNDS = 3;
const OVERFITTING_S = 1;
const ABILITY_S = 5;
const DEFLATION_S = 5;
/** Splits that the plain algorithm computes; its time for all of them is extrapolated. */
const PLAIN_SPLITS = 4;
const PLAIN_DRAWS = 10;

function drawnTrials(): Float64Array[] {
  const random = createRandom(1);
  return Array.from({ length: TRIALS }, () => Float64Array.from({ length: DAYS }, () => random.next() - 0.5));
}

async function secondsOf(work: () => void): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push((await cpuMs(work)) / 1_000);
  return median(times);
}

/** Mean divided by deviation over the periods of some blocks, read period by period. */
function plainSharpe(trial: Float64Array, mask: number): number {
  const length = Math.floor(trial.length / BLOCKS);
  let [count, sum, squares] = [0, 0, 0];
  for (let block = 0; block < BLOCKS; block += 1) {
    if ((mask & (1 << block)) === 0) continue;
    for (let period = block * length; period < (block + 1) * length; period += 1) {
      const value = trial[period]!;
      count += 1;
      sum += value;
      squares += value * value;
    }
  }
  return sum / count / Math.sqrt((squares - (sum * sum) / count) / (count - 1));
}

/** Splits the data without sums of blocks; returns a checksum. */
function plainSplits(trials: readonly Float64Array[]): number {
  let checksum = 0;
  for (const mask of halfSplits(BLOCKS).slice(0, PLAIN_SPLITS)) {
    const others = (2 ** BLOCKS - 1) ^ mask;
    for (const trial of trials) checksum += plainSharpe(trial, mask) - plainSharpe(trial, others);
  }
  return checksum;
}

/** Means of drawn periods, read one by one. */
function plainDraws(trials: readonly Float64Array[]): number {
  const places = new Int32Array(DAYS);
  const resample = stationaryBootstrap({ length: DAYS, meanBlock: 5, random: createRandom(2) });
  let checksum = 0;
  for (let draw = 0; draw < PLAIN_DRAWS; draw += 1) {
    resample(places);
    for (const trial of trials) for (const place of places) checksum += trial[place]!;
  }
  return checksum;
}

/** Measures the statistics of luck for a study of many trials, against the plain algorithm. */
export async function benchStatistics(): Promise<BenchResult[]> {
  const trials = drawnTrials();
  const splits = 2 * halfSplits(BLOCKS).length;
  const overfitting = await secondsOf(() => void overfittingProbability(trials));
  const plainOverfitting = ((await secondsOf(() => void plainSplits(trials))) * splits) / (2 * PLAIN_SPLITS);
  const ability = await secondsOf(
    () => void superiorPredictiveAbility(trials, { random: createRandom(3), draws: DRAWS }),
  );
  const plainAbility = ((await secondsOf(() => void plainDraws(trials))) * DRAWS) / PLAIN_DRAWS;
  const deflation = await secondsOf(() => void deflatedSharpeOfTrials({ trials, chosen: 0 }));
  return [
    {
      name: `statistics: overfitting of ${TRIALS} trials x ${splits} splits, against splits without sums of blocks`,
      value: overfitting,
      unit: 's of CPU',
      reference: plainOverfitting,
      ratio: plainOverfitting / overfitting,
      target: OVERFITTING_S,
      holds: overfitting <= OVERFITTING_S,
    },
    {
      name: `statistics: superior ability of ${TRIALS} trials x ${DAYS} days x ${DRAWS} draws, against places read one by one`,
      value: ability,
      unit: 's of CPU',
      reference: plainAbility,
      ratio: plainAbility / ability,
      target: ABILITY_S,
      holds: ability <= ABILITY_S,
    },
    {
      name: `statistics: deflated Sharpe ratio of ${TRIALS} trials x ${DAYS} days, with their clusters`,
      value: deflation,
      unit: 's of CPU',
      reference: null,
      ratio: null,
      target: DEFLATION_S,
      holds: deflation <= DEFLATION_S,
    },
  ];
}
