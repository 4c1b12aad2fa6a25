import { SarrafError } from '../domain/errors.ts';
import type { PreparedStudy } from './prepare-study.ts';
import type { RunRange, Objective, TrialReport } from './objectives.ts';
import { differenceOf } from './study-identity.ts';
import { runStudy, type StudyEnd } from './run-study.ts';
import { type StudyFolder, withStudyFiles, type StudyFiles } from './study-place.ts';
import { type StoredTrial, bestTrial } from './study-rows.ts';
import type { StudyStore } from './study-store.ts';
import { ThreadRunner } from './thread-runner.ts';
import type { StudyRunner } from './trial-runner.ts';
import { sharedSetup, withData, type TrialSetup } from './trials/trial-setup.ts';
import { isDeepStrictEqual } from 'node:util';

export interface SessionOptions {
  readonly folder: StudyFolder;
  /** Under which the study is kept. */
  readonly name: string;
  readonly workers: number;
  /** No trial begins once it is aborted. */
  readonly signal: AbortSignal;
  readonly onTrial: (trial: StoredTrial, isNew: boolean) => void;
  /** Opens a runner to use in place of threads of this process, such as other machines. */
  readonly openRunner?: (study: PreparedStudy) => Promise<StudyRunner>;
}

/**
 * Runs a study in threads of this process, or where its runner does, on from where its file is. Throws
 * `INVALID_OPTIONS` where the file is of another study, and `DATA_UNUSABLE` where it can not be used or
 * another process runs it.
 */
export async function runSession(study: PreparedStudy, options: SessionOptions): Promise<StudyEnd> {
  return withStudyFiles(options, async (files) => {
    resumeStudy(files.store, study);
    return runWith(study, options, files);
  });
}

/** Returns the range in which the trials of a study run: all but the hold-out. */
export function seenOf({ data }: PreparedStudy): RunRange {
  const { fromMs, splitMs } = data.range;
  return { fromMs, toMs: splitMs };
}

/**
 * Begins the file of a study, or makes sure that it is of this one. A plan that it knows stays where the
 * study says none; `isBudgetFixed`: the budget of its trials stays, too.
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
  if (difference !== null) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected the study that ${store.path} was begun with, found another one (${difference}): run it under another name with --name`,
    );
  }
  const { validation, budget }: Partial<Record<string, unknown>> = { ...Object(head.written) };
  store.rewrite({ validation, ...written, ...(isBudgetFixed ? { budget } : {}) });
}

async function runWith(
  study: PreparedStudy,
  options: SessionOptions,
  { store, register }: StudyFiles,
): Promise<StudyEnd> {
  const { settings, identity } = study;
  const { id } = identity;
  register.enter({
    id,
    name: options.name,
    months: identity.data.flatMap(({ months }) => months),
    seen: seenOf(study),
  });
  const startMs = performance.now();
  const { trials, time } = settings.budget;
  let done = store.count();
  register.count(id, done);
  const workers = Math.min(options.workers, Math.max(1, trials - done));
  const runner = await openRunner(study, { ...options, workers });
  let end: StudyEnd;
  try {
    end = await runStudy({
      space: study.space,
      sampler: { ...settings.sampler, objectives: settings.objectives.map(({ direction }) => direction) },
      goals: settings,
      fixed: settings.params,
      trials,
      runner,
      store: {
        outcomes: () => store.outcomes(),
        add(trial, tookMs) {
          // Counted before it is kept: a trial that was run is never missing from the register.
          done += 1;
          register.count(id, done);
          store.add(trial, { endedAtMs: Date.now(), tookMs });
        },
      },
      isOver: () => options.signal.aborted || (time !== undefined && performance.now() - startMs >= time),
      clock: () => performance.now(),
      onTrial: options.onTrial,
    });
  } finally {
    await runner.close();
  }
  // Whoever ends it by hand waits for nothing more. It is compared once the study goes on to its end.
  if (options.signal.aborted) return end;
  const setup = sharedSetup(trialSetupOf(study));
  await repeatTrials({
    trials: [...store.outcomes()],
    objectives: settings.objectives,
    async runAlone({ params }) {
      const alone = new ThreadRunner({ setup, workers: 1 });
      try {
        return await alone.run(params);
      } finally {
        await alone.close();
      }
    },
  });
  return end;
}

/** The runner that was given, else threads of this process. */
export async function openRunner(
  study: PreparedStudy,
  { openRunner: given, workers }: Pick<SessionOptions, 'openRunner' | 'workers'>,
): Promise<StudyRunner> {
  if (given !== undefined) return given(study);
  return new ThreadRunner({ setup: sharedSetup(trialSetupOf(study)), workers });
}

/** The setup of a study's trials: they see nothing of the hold-out. */
export function trialSetupOf({ settings, data, setup }: PreparedStudy): TrialSetup {
  return withData(setup, data.trials, settings.from ?? null);
}

/** Trials beside the best one that are run once more. */
const OTHERS = 2;

/**
 * Runs the best trial and two others once more, each alone, and compares their figures with those that were
 * kept. A trial is a function of its params and the data. One that is not depends on the trials that ran
 * before it, and so on the number of threads.
 * @throws SarrafError `INVALID_STRATEGY` where one ends otherwise
 */
async function repeatTrials(of: {
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
    const difference = reportDifference(trial, report);
    if (difference === null) continue;
    throw new SarrafError(
      'INVALID_STRATEGY',
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
