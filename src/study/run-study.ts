import { SarrafError } from '../domain/errors.ts';
import { judgeTrial, type Goals, type TrialReport } from './objectives.ts';
import { Sampler } from '../search/sampler.ts';
import type { SamplerSettings, Trial } from '../search/trial-record.ts';
import type { Space } from '../search/space-declaration.ts';
import { paramsOfPoint, type Params } from '../search/params-of-point.ts';
import type { StoredTrial } from './study-rows.ts';
import type { TrialRunner } from './trial-runner.ts';

/** Store of ended trials. */
interface TrialStore {
  /** In the order of their numbers; their daily returns are not needed. */
  outcomes(): Iterable<StoredTrial>;
  /** Returns once the trial is safe. */
  add(trial: StoredTrial, tookMs: number): void;
}

export interface StudyRun {
  readonly space: Space;
  readonly sampler: SamplerSettings;
  readonly goals: Goals;
  readonly fixed: Params;
  /** Trials in all, those of before among them. */
  readonly trials: number;
  readonly store: TrialStore;
  readonly runner: TrialRunner;
  /** Asked before each trial: true once no other one is to begin. */
  readonly isOver: () => boolean;
  /** A clock in ms, for how long trials take. */
  readonly clock: () => number;
  /** Called for each trial: those of before first, then each that ends now. */
  readonly onTrial: (trial: StoredTrial, isNew: boolean) => void;
}

/** Reason a run of a study ended. */
export type StudyEnd = 'complete' | 'exhausted' | 'stopped';

interface EndedTrial {
  readonly trial: Trial;
  readonly report: TrialReport;
  readonly tookMs: number;
}

/**
 * Runs a study on from where its store is. Trials are asked for in order and told as they end; the sampler
 * learns of whole generations in the order of their numbers, so what is tried does not depend on the runner.
 * Trials that ended before one that did not are found again by their numbers, and are not run twice.
 *
 * Where it stops, those under way are ended and kept: the trials that there are, are the first ones of the
 * whole study. Rejects where the store or the runner can not go on; what was kept stays.
 */
export async function runStudy(run: StudyRun): Promise<StudyEnd> {
  const known = [...run.store.outcomes()];
  const firsts = known.filter(({ number }, index) => number === index);
  const later = new Map(known.slice(firsts.length).map((trial) => [trial.number, trial]));
  const sampler = new Sampler(run.space, run.sampler, firsts);
  for (const trial of known) run.onTrial(trial, false);
  const inProgress = new Map<number, Promise<EndedTrial>>();
  try {
    for (;;) {
      begin(run, { sampler, later, inProgress });
      if (inProgress.size === 0) break;
      const ended = await Promise.race(inProgress.values());
      inProgress.delete(ended.trial.number);
      store(run, sampler, ended);
    }
  } finally {
    // Whoever closes the runner ends these, and nobody waits for them any more.
    for (const left of inProgress.values()) left.catch(() => undefined);
  }
  if (sampler.trials.length >= run.trials) return 'complete';
  return sampler.isExhausted ? 'exhausted' : 'stopped';
}

/** Begins as many trials as the runner wants at once. */
function begin(
  run: StudyRun,
  of: {
    readonly sampler: Sampler;
    readonly later: ReadonlyMap<number, StoredTrial>;
    readonly inProgress: Map<number, Promise<EndedTrial>>;
  },
): void {
  const { sampler, later, inProgress } = of;
  while (inProgress.size < run.runner.width && sampler.trials.length < run.trials && !run.isOver()) {
    const [trial] = sampler.ask(1);
    if (trial === undefined) return;
    const stored = later.get(trial.number);
    if (stored === undefined) inProgress.set(trial.number, runOne(run, trial));
    else {
      refuseOther(trial, stored);
      sampler.add([stored]);
    }
  }
}

async function runOne(run: StudyRun, trial: Trial): Promise<EndedTrial> {
  const startMs = run.clock();
  const report = await run.runner.run(paramsOfPoint(run.space, trial.point, run.fixed));
  return { trial, report, tookMs: run.clock() - startMs };
}

function store(run: StudyRun, sampler: Sampler, { trial, report, tookMs }: EndedTrial): void {
  const params = paramsOfPoint(run.space, trial.point, run.fixed);
  const ended = { ...trial, params, ...judged(report, run.goals) };
  run.store.add(ended, tookMs);
  sampler.add([ended]);
  run.onTrial(ended, true);
}

function judged(
  report: TrialReport,
  goals: Goals,
): Pick<StoredTrial, 'outcome' | 'failure' | 'metrics' | 'daily'> {
  if (report.kind === 'failed') {
    const { failure, reason } = report;
    return { outcome: { kind: 'failed', reason }, failure, metrics: null, daily: null };
  }
  const { metrics, daily } = report;
  const outcome = judgeTrial(metrics, goals);
  return { outcome, failure: outcome.kind === 'failed' ? 'no value' : null, metrics, daily };
}

/** A store whose trials are of another study. */
function refuseOther({ number, point }: Trial, stored: StoredTrial): void {
  const names = new Set([...Object.keys(point), ...Object.keys(stored.point)]);
  if ([...names].every((name) => point[name] === stored.point[name])) return;
  throw new SarrafError(
    'DATA_UNUSABLE',
    `expected trial ${number} of this study, found one of other params: restore a copy of its file, or run it under another name`,
  );
}
