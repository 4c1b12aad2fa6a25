import { SarrafError } from '../domain/errors.ts';
import type { PreparedStudy } from './prepare-study.ts';
import type { Stretch } from './stretch.ts';
import { differenceOf } from './study-identity.ts';
import { repeatTrials } from './repeat-trials.ts';
import { runStudy, type StudyEnd } from './run-study.ts';
import type { StudyFolder } from './study-place.ts';
import { withStudyFiles, type StudyFiles } from './store/with-study-files.ts';
import type { StoredTrial } from './study-rows.ts';
import type { StudyStore } from './study-store.ts';
import { ThreadRunner } from './thread-runner.ts';
import type { StudyRunner } from './trial-runner.ts';
import { sharedSetup, withData, type TrialSetup } from './trials/trial-setup.ts';

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
    takeUp(files.store, study);
    return runWith(study, options, files);
  });
}

/** Returns the range in which the trials of a study run: all but the hold-out. */
export function seenOf({ data }: PreparedStudy): Stretch {
  const { fromMs, splitMs } = data.range;
  return { fromMs, toMs: splitMs };
}

/**
 * Begins the file of a study, or makes sure that it is of this one. A plan that it knows stays where the
 * study says none; `keepsBudget`: the budget of its trials stays, too.
 */
export function takeUp(
  store: StudyStore,
  study: PreparedStudy,
  { keepsBudget = false }: { readonly keepsBudget?: boolean } = {},
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
  store.rewrite({ validation, ...written, ...(keepsBudget ? { budget } : {}) });
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
