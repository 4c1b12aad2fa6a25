import { isDeepStrictEqual } from 'node:util';
import { SarrafError } from '../domain/errors.ts';
import { bestTrial } from './best-trials.ts';
import type { Objective } from './objectives.ts';
import type { StoredTrial } from './study-rows.ts';
import type { TrialReport } from './trial-report.ts';

/** Trials beside the best one that are run once more. */
const OTHERS = 2;

/**
 * Runs the best trial and two others once more, each alone, and compares their figures with those that were
 * kept. A trial is a function of its params and the data. One that is not depends on the trials that ran
 * before it, and so on the number of threads.
 * @throws SarrafError `INVALID_STRATEGY` where one ends otherwise
 */
export async function repeatTrials(of: {
  readonly trials: readonly StoredTrial[];
  readonly objectives: readonly Objective[];
  /** Runs a trial where no other one has run. */
  readonly runAlone: (trial: StoredTrial) => Promise<TrialReport>;
}): Promise<void> {
  const ran = of.trials.filter(({ metrics }) => metrics !== null);
  const best = bestTrial(ran, of.objectives);
  const others = ran.filter((trial) => trial !== best);
  const chosen = new Set([best, ...others.slice(-OTHERS)]);
  for (const trial of chosen) {
    if (trial === null) continue;
    const report = await of.runAlone(trial);
    const difference = differenceOf(trial, report);
    if (difference === null) continue;
    throw new SarrafError(
      'INVALID_STRATEGY',
      `expected trial ${trial.number} to end alike when it runs alone, ${difference}: the strategy remembers earlier trials ` +
        '(in globalThis, a package or a file), or draws lots without a seed. Keep what it remembers in its state. ' +
        'The figures of this study mean nothing: run it again under another name',
    );
  }
}

function differenceOf({ metrics }: StoredTrial, report: TrialReport): string | null {
  if (report.kind === 'failed') return `it failed: ${report.reason}`;
  if (isDeepStrictEqual(metrics, report.metrics)) return null;
  const before: Readonly<Record<string, unknown>> = { ...metrics };
  const [name = '', value] =
    Object.entries(report.metrics).find(([each, found]) => !isDeepStrictEqual(found, before[each])) ?? [];
  return `its ${name} was ${String(before[name])} and is ${String(value)}`;
}
