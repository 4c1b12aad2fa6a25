import { present } from '../../../../src/domain/errors.ts';
import { readSpace } from '../../../../src/search/space-declaration.ts';
import { bestTrial, type StoredTrial } from '../../../../src/study/study-rows.ts';
import type { Objective } from '../../../../src/study/objectives.ts';
import type { ValidatedTrials } from '../../../../src/study/study-validation.ts';
import { trialLuck } from '../../../../src/study/validation/luck-statistics.ts';
import { drawnTrials } from '../statistics/drawn-returns.ts';

export const SPACE = readSpace({
  fast: { kind: 'integer', min: 1, max: 40 },
  exit: { kind: 'choice', values: ['trail', 'stop'] },
});
export const SHARPE: Objective = { metric: 'sharpe', direction: 'maximize' };

interface MadeTrial {
  readonly fast: number;
  readonly returns: Float64Array;
  readonly exit?: string;
}

export function madeTrial(number: number, { fast, returns, exit = 'trail' }: MadeTrial): StoredTrial {
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const squares = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const sharpe = (mean / Math.sqrt(squares / (returns.length - 1))) * Math.sqrt(365);
  return {
    number,
    point: { fast, exit },
    params: { fast, exit },
    outcome: { kind: 'complete', values: [sharpe], violation: 0 },
    failure: null,
    metrics: { sharpe, trades: 60, totalReturn: 0.4, buyAndHoldReturn: -0.1 },
    daily: { firstDay: 20_000, returns },
  };
}

/** Makes the input of the statistics of these trials. */
export function madeReturns(trials: readonly StoredTrial[]): Parameters<typeof trialLuck>[0] {
  return {
    id: '0123456789abcdef',
    ran: trials.flatMap(({ number, metrics }) => (metrics === null ? [] : [number])),
    best: bestOf(trials).number,
    dailyOf(number) {
      const daily = trials.find((trial) => trial.number === number)?.daily ?? null;
      if (daily === null) throw new Error(`expected returns of trial ${number}`);
      return daily;
    },
  };
}

/** Makes a study of these trials, as the validation reads it. */
export function madeStudy(
  trials: readonly StoredTrial[],
  of: Partial<ValidatedTrials & Pick<Parameters<typeof trialLuck>[0], 'id' | 'dailyOf'>> = {},
): ValidatedTrials {
  const best = bestOf(trials);
  const { id, dailyOf, ...given } = of;
  const made = madeReturns(trials);
  return {
    space: SPACE,
    objectives: [SHARPE],
    trials: trials.map(({ number, point, outcome, metrics }) => ({
      number,
      point,
      outcome,
      ran: metrics !== null,
    })),
    best: { number: best.number, metrics: present(best.metrics, 'figures') },
    ofData: trials.length,
    holdout: 'closed',
    isWalked: false,
    seen: { fromMs: 0, toMs: 400 * 86_400_000 },
    stress: null,
    luck: trialLuck({ ...made, id: id ?? made.id, dailyOf: dailyOf ?? made.dailyOf }),
    ...given,
  };
}

function bestOf(trials: readonly StoredTrial[]): StoredTrial {
  const best = bestTrial(trials, [SHARPE]);
  if (best === null) throw new Error('expected a trial with values');
  return best;
}

/** Makes trials whose parameters have no effect: all have random returns. */
export function madeNoise(of: {
  readonly days: number;
  readonly count: number;
  readonly seed?: number;
}): StoredTrial[] {
  const { days, count, seed = 1 } = of;
  return drawnTrials({ seed, count: days }, count).map((returns, number) =>
    madeTrial(number, { fast: 1 + ((number * 17) % 40), returns }),
  );
}
