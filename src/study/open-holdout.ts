import { SarrafError, invalidOptions } from '../domain/errors.ts';
import { bestTrial, type StoredTrial } from './study-rows.ts';
import type { HoldoutReport } from './study-result.ts';
import type { PreparedStudy } from './prepare-study.ts';
import { differenceOf } from './study-identity.ts';
import { type StudyFolder, withStudyFiles } from './study-place.ts';
import type { OpenedHoldout, StudyStore } from './study-store.ts';
import { TrialBench } from './trials/trial-bench.ts';
import { withData } from './trials/trial-setup.ts';

/** Result of opening a hold-out, and whether it was opened for the first time. */
export interface HoldoutOpening {
  readonly opened: OpenedHoldout;
  readonly trial: StoredTrial;
  readonly isFirst: boolean;
}

/**
 * Runs the chosen params once on the hold-out, the last part of the range, which no trial has seen. The
 * opening is stored on disk before the run and is never removed. A second call returns the stored result, or
 * runs the same trial if the process ended before there was one.
 *
 * Throws `INVALID_OPTIONS` for a study without a hold-out or trials, and for another trial than the first
 * time.
 */
export async function openHoldout(
  study: PreparedStudy,
  of: {
    readonly folder: StudyFolder;
    readonly name: string;
    /** Trial whose params are run; null: the best trial. */
    readonly trial: number | null;
    readonly atMs: number;
  },
): Promise<HoldoutOpening> {
  return withStudyFiles(of, async ({ store, register }) => {
    const { identity, data } = study;

    const head = store.head();
    const difference = head === null ? 'its file is empty' : differenceOf(head.identity, identity);
    if (difference !== null)
      throw refused(difference, `expected the study that ${store.path} was begun with`);
    if (data.range.splitMs >= data.range.toMs)
      throw refused('none', 'expected a study with a hold-out, such as holdout: 20% in its file');
    const before = store.holdout();
    if (before !== null && of.trial !== null && before.trial !== of.trial)
      throw refused(
        `it was opened with trial ${before.trial}, and is opened once`,
        `expected trial ${before.trial}`,
      );
    const trial = chosenTrial(store, study, before?.trial ?? of.trial);
    if (before === null) {
      store.openHoldout({ atMs: of.atMs, trial: trial.number, afterTrials: store.count() });
      register.open(study.identity.id, of.atMs);
    }
    if (before === null || before.report === null) store.storeHoldout(await runHoldout(study, trial));
    const opened = store.holdout();
    if (opened === null) throw new SarrafError('INVARIANT', 'expected a hold-out that is open, found none');
    return { opened, trial, isFirst: before === null };
  });
}

function chosenTrial(store: StudyStore, { settings }: PreparedStudy, number: number | null): StoredTrial {
  const trial = number === null ? bestTrial(store.outcomes(), settings.objectives) : store.trial(number);
  if (trial !== null && trial.outcome.kind === 'complete') return trial;
  const found = trial === null ? 'none' : 'one that failed';
  throw refused(
    found,
    number === null ? 'expected a trial with values' : `expected trial ${number} with values`,
  );
}

async function runHoldout(study: PreparedStudy, { params }: StoredTrial): Promise<HoldoutReport> {
  const { setup, data } = study;
  // The data before the hold-out warms the strategy up, as before every range.
  const bench = new TrialBench(withData(setup, data.all, data.range.splitMs));
  const report = await bench.run(params);
  if (report.kind === 'failed') return report;
  const { kind, metrics } = report;
  return { kind, metrics };
}

const refused = (found: string, expected: string): SarrafError =>
  invalidOptions(`${expected}, found ${found}`);
