import { checkTrials } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../../language/fact.ts';
import { productSum } from './product-sum.ts';
import { NOISE_SHARE } from './sample-moments.ts';

/**
 * The columns of trials with mean 0 and length 1, so that the product of two is their correlation (Pearson).
 * Unknown below two trials or three periods, and where one of them does not vary. Throws `InvalidSample` at a
 * number that is not finite, and at columns of different lengths.
 */
export function standardizedTrials(trials: readonly Float64Array[]): Estimate<Float64Array[]> {
  const length = checkTrials(trials);
  if (trials.length < 2)
    return unknown(
      'too-few-trials',
      lack('lack.trials', { least: inDigits(2), found: inDigits(trials.length) }),
    );
  if (length < 3)
    return unknown(
      'too-few-observations',
      lack('lack.returns', { least: inDigits(3), found: inDigits(length) }),
    );
  const standardized: Float64Array[] = [];
  for (const [index, trial] of trials.entries()) {
    const column = standardizedTrial(trial);
    if (column === null)
      return unknown('no-variance', lack('lack.oneReturnInTrial', { trial: inDigits(index) }));
    standardized.push(column);
  }
  return known(standardized);
}

function standardizedTrial(trial: Float64Array): Float64Array | null {
  const scale = trial.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = trial.reduce((sum, value) => sum + value / scale, 0) / trial.length;
  const squares = trial.reduce((sum, value) => sum + (value / scale - mean) ** 2, 0);
  if (Math.sqrt(squares / (trial.length - 1)) <= NOISE_SHARE) return null;
  const length = Math.sqrt(squares);
  return trial.map((value) => (value / scale - mean) / length);
}

/**
 * The correlation of each pair of standardized trials, -1 to 1: row by row, `[i * trials + j]`. It takes
 * `trials^2` numbers of memory.
 */
export function correlationMatrix(standardized: readonly Float64Array[]): Float64Array {
  const { length } = standardized;
  const matrix = new Float64Array(length * length);
  for (const [row, one] of standardized.entries()) {
    matrix[row * length + row] = 1;
    for (let column = row + 1; column < length; column += 1) {
      const correlation = Math.max(-1, Math.min(1, productSum(one, standardized[column] ?? one)));
      matrix[row * length + column] = correlation;
      matrix[column * length + row] = correlation;
    }
  }
  return matrix;
}

/**
 * The mean correlation of all pairs of standardized trials, -1 to 1, from the length of their sum: `(|sum|^2
 * - N) / (N (N - 1))`. It needs no matrix.
 */
export function meanCorrelation(standardized: readonly Float64Array[]): number {
  const count = standardized.length;
  const sum = new Float64Array(standardized[0]?.length ?? 0);
  for (const trial of standardized) {
    for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] ?? 0) + (trial[index] ?? 0);
  }
  return (productSum(sum, sum) - count) / (count * (count - 1));
}
