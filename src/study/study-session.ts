import { dataUnusable, invalidOptions, invalidStrategy } from '../domain/errors.ts';
import type { PreparedStudy } from './prepare-study.ts';
import { type TrialReport, judgeTrial, type Goals } from './objectives.ts';
import { differenceOf } from './study-identity.ts';
import { type StudyFolder, withStudyFiles, type StudyFiles } from './study-place.ts';
import { type StoredTrial, bestTrial } from './study-rows.ts';
import type { StudyStore } from './study-store.ts';
import { ThreadRunner } from './thread-runner.ts';
import type { StudyRunner, TrialRunner } from './trial-runner.ts';
import { sharedSetup, withData, type TrialSetup } from './trials/trial-setup.ts';
import { isDeepStrictEqual } from 'node:util';
import { Sampler } from '../search/sampler.ts';
import type { SamplerSettings, Trial } from '../search/trial-record.ts';
import type { Space } from '../search/space-declaration.ts';
import { paramsOfPoint, type Params } from '../search/params-of-point.ts';

export interface SessionOptions {
  readonly folder: StudyFolder;
  /** Name under which the study is stored. */
  readonly name: string;
  readonly workers: number;
  /** Signal to stop: no trial starts once it is aborted. */
  readonly signal: AbortSignal;
  readonly onTrial: (trial: StoredTrial, isNew: boolean) => void;
  /** Opens a runner that replaces the threads of this process, such as one on other machines. */
  readonly openRunner?: (study: PreparedStudy) => Promise<StudyRunner>;
}

/**
 * Runs a study from where its file ends, in threads of this process or with its runner. Throws
 * `INVALID_OPTIONS` if the file is another study's, and `DATA_UNUSABLE` if it is unusable or another process
 * runs it.
 */
export async function runSession(study: PreparedStudy, options: SessionOptions): Promise<StudyEnd> {
  return withStudyFiles(options, async (files) => {
    resumeStudy(files.store, study);
    return runWith(study, options, files);
  });
}

/**
 * Begins the file of a study, or checks that it belongs to this study. A stored plan of a walk-forward stays
 * if the settings have none. `isBudgetFixed`: the stored budget of trials stays, too.
 */
export function resumeStudy(
  store: StudyStore,
  study: PreparedStudy,
  { isBudgetFixed = false }: { readonly isBudgetFixed?: boolean } = {},
): void {
  const { written, identity, data } = study;
  const head = store.head();
  if (head === null) {
    store.begin({ written, identity, range: data.range });
    return;
  }
  const difference = differenceOf(head.identity, identity);
  if (difference !== null)
    throw invalidOptions(
      `expected the study that ${store.path} was begun with, found another one (${difference}): run it under another name with --name`,
    );
  const { validation, budget }: Partial<Record<string, unknown>> = { ...Object(head.written) };
  store.rewrite({ validation, ...written, ...(isBudgetFixed ? { budget } : {}) });
}

/** Adds a study's trials to the register under an id, and returns what all of its searches share. */
export function enterStudy(
  study: PreparedStudy,
  { name, signal }: Pick<SessionOptions, 'name' | 'signal'>,
  register: StudyFiles['register'],
  id: string,
): Pick<StudyRun, 'space' | 'sampler' | 'goals' | 'fixed' | 'isOver' | 'clock'> {
  const { settings, identity, space } = study;
  register.enter({
    id,
    name,
    months: identity.data.flatMap(({ months }) => months),
    // The range that the trials see: all but the hold-out.
    seen: { fromMs: study.data.range.fromMs, toMs: study.data.range.splitMs },
  });
  const startMs = performance.now();
  const { time } = settings.budget;
  return {
    space,
    sampler: { ...settings.sampler, objectives: settings.objectives.map(({ direction }) => direction) },
    goals: settings,
    fixed: settings.params,
    isOver: () => signal.aborted || (time !== undefined && performance.now() - startMs >= time),
    clock: () => performance.now(),
  };
}

async function runWith(
  study: PreparedStudy,
  options: SessionOptions,
  { store, register }: StudyFiles,
): Promise<StudyEnd> {
  const { settings } = study;
  const { id } = study.identity;
  const search = enterStudy(study, options, register, id);
  const { trials } = settings.budget;
  let done = store.count();
  register.count(id, done);
  const workers = Math.min(options.workers, Math.max(1, trials - done));
  const runner = await openRunner(study, { ...options, workers });
  let end: StudyEnd;
  try {
    end = await runStudy({
      ...search,
      trials,
      runner,
      store: {
        outcomes: () => store.outcomes(),
        add(trial, tookMs) {
          // Counted before it is stored, so that no trial that ran is missing from the register.
          done += 1;
          register.count(id, done);
          store.add(trial, { endedAtMs: Date.now(), tookMs });
        },
      },
      onTrial: options.onTrial,
    });
  } finally {
    await runner.close();
  }
  // A study that is stopped by hand ends at once. Trials are repeated when it later runs to its end.
  if (options.signal.aborted) return end;
  await repeatTrials(study, [...store.outcomes()]);
  return end;
}

/** Returns the given runner, or else one that uses threads of this process. */
export async function openRunner(
  study: PreparedStudy,
  { openRunner: given, workers }: Pick<SessionOptions, 'openRunner' | 'workers'>,
): Promise<StudyRunner> {
  if (given !== undefined) return given(study);
  return new ThreadRunner({ setup: sharedSetup(trialSetupOf(study)), workers });
}

/** Returns the setup of a study's trials, without the hold-out. */
export const trialSetupOf = ({ settings, data, setup }: PreparedStudy): TrialSetup =>
  withData(setup, data.trials, settings.from ?? null);

/** Number of trials that are repeated besides the best one. */
const OTHERS = 2;

/**
 * Repeats the best trial and two others, each alone, and compares their metrics with the stored ones. A trial
 * must depend only on its params and the data. One that differs depends on the trials before it, and so on
 * the number of threads.
 * @throws SarrafError `INVALID_STRATEGY` if a repeated trial ends differently
 */
async function repeatTrials(study: PreparedStudy, trials: readonly StoredTrial[]): Promise<void> {
  const setup = sharedSetup(trialSetupOf(study));
  const ran = trials.filter(({ metrics }) => metrics !== null);
  const best = bestTrial(ran, study.settings.objectives);
  const others = ran.filter((trial) => trial !== best);
  const chosen = new Set([best, ...others.slice(-OTHERS)]);
  for (const trial of chosen) {
    if (trial === null) continue;
    const alone = new ThreadRunner({ setup, workers: 1 });
    const report = await alone.run(trial.params).finally(async () => alone.close());
    const difference = reportDifference(trial, report);
    if (difference === null) continue;
    throw invalidStrategy(
      `expected trial ${trial.number} to end alike when it runs alone, ${difference}: the strategy remembers earlier trials ` +
        '(in globalThis, a package or a file), or draws lots without a seed. Keep what it remembers in its state. ' +
        'The figures of this study mean nothing: run it again under another name',
    );
  }
}

function reportDifference({ metrics }: StoredTrial, report: TrialReport): string | null {
  if (report.kind === 'failed') return `it failed: ${report.reason}`;
  if (isDeepStrictEqual(metrics, report.metrics)) return null;
  const before: Readonly<Record<string, unknown>> = { ...metrics };
  const [name = '', value] =
    Object.entries(report.metrics).find(([each, found]) => !isDeepStrictEqual(found, before[each])) ?? [];
  return `its ${name} was ${String(before[name])} and is ${String(value)}`;
}

interface TrialStore {
  /** Returns the stored trials by number; their daily returns are not needed. */
  outcomes(): Iterable<StoredTrial>;
  /** Stores a trial; it returns once the trial is on disk. */
  add(trial: StoredTrial, tookMs: number): void;
}

export interface StudyRun {
  readonly space: Space;
  readonly sampler: SamplerSettings;
  readonly goals: Goals;
  readonly fixed: Params;
  /** Total number of trials, including stored ones. */
  readonly trials: number;
  readonly store: TrialStore;
  readonly runner: TrialRunner;
  /** True once no other trial is to start; called before each one. */
  readonly isOver: () => boolean;
  /** Clock in ms that measures the duration of trials. */
  readonly clock: () => number;
  /** Called for each trial: first for the stored ones, then for each that ends now. */
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
 * Runs a study from where its store ends. Trials are requested in order and stored as they end. The sampler
 * learns of whole generations in the order of their numbers, so what is tried does not depend on the runner.
 * Trials that ended before an unfinished one are found again by their numbers and not run twice.
 *
 * When it stops, trials in progress end and are stored, so the stored trials are the first ones of the whole
 * study. Rejects if the store or the runner fails; stored trials stay.
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
    // Closing the runner ends these trials, and nothing waits for them any more.
    for (const left of inProgress.values()) left.catch(() => undefined);
  }
  if (sampler.trials.length >= run.trials) return 'complete';
  return sampler.isExhausted ? 'exhausted' : 'stopped';
}

/** Starts as many trials as the runner runs at once. */
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
  const failure = metrics['fills'] === 0 ? 'no trade' : 'no value';
  return { outcome, failure: outcome.kind === 'failed' ? failure : null, metrics, daily };
}

/** Throws if a stored trial has another point than the sampler's, which means that it is of another study. */
function refuseOther({ number, point }: Trial, stored: StoredTrial): void {
  const names = new Set([...Object.keys(point), ...Object.keys(stored.point)]);
  if ([...names].every((name) => point[name] === stored.point[name])) return;
  throw dataUnusable(
    `expected trial ${number} of this study, found one of other params: restore a copy of its file, or run it under another name`,
  );
}
