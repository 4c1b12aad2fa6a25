import { SarrafError, invalidOptions } from '../../domain/errors.ts';
import { readWrittenStudy } from '../../study/study-settings.ts';
import type { RunRange } from '../../study/objectives.ts';
import {
  storeLuck,
  type MadeLuck,
  reportedStudy,
  type ReportedStudy,
  type ReportedWalk,
  validatedStudy,
  type ValidatedStudy,
} from '../../study/validated-study.ts';
import { prepareStudy, type PreparedStudy } from '../../study/prepare-study.ts';
import { differenceOf } from '../../study/study-identity.ts';
import { type StudyFolder, TrialRegister, type TrialsOnData } from '../../study/study-place.ts';
import { StudyStore } from '../../study/study-store.ts';
import { headOf, studyResult, type StudyResult } from '../../study/study-result.ts';
import { walkForwardResult, type WalkForwardResult } from '../../study/walk-forward-result.ts';
import { begunPlan, type WalkQuestion } from '../../study/walk-plan.ts';

/** Reads a study as it was written. Throws `DATA_UNUSABLE`. */
export const readWritten = (folder: StudyFolder, name: string): unknown =>
  readStudy(folder, name, (store) => headOf(store).written);

/** Reads the plan with which the walk-forward of a study was begun; null if there is none, or no study. */
export const readBegunPlan = (folder: StudyFolder, name: string): WalkQuestion | null =>
  folder.names().includes(name) ? readStudy(folder, name, begunPlan) : null;

/** Returns the result of a stored study. Throws `DATA_UNUSABLE`. */
export const readStudyResult = (folder: StudyFolder, name: string): StudyResult =>
  readStudy(folder, name, (store, onData) => studyResult(store, { name, onData }));

/** Reads a stored study with its statistics, which it stores if needed. Throws `DATA_UNUSABLE`. */
export const readValidatedStudy = (folder: StudyFolder, name: string): ValidatedStudy =>
  readValidated(folder, name, (_store, study) => study);

/** Reads a stored study with all data of its report; its walk-forward needs candles, maybe gone. */
export async function readReportedStudy(
  folder: StudyFolder,
  name: string,
  createdAtMs: number,
): Promise<ReportedStudy> {
  const { reported, written, isWalked } = readValidated(folder, name, (store, study) => ({
    reported: reportedStudy(store, { study, walk: null, createdAtMs }),
    written: headOf(store).written,
    isWalked: (store.walkForward.head()?.account ?? null) !== null,
  }));
  return isWalked ? { ...reported, walk: await readWalk(written, folder, name) } : reported;
}

function readValidated<Read>(
  folder: StudyFolder,
  name: string,
  read: (store: StudyStore, study: ValidatedStudy) => Read,
): Read {
  const made: MadeLuck[] = [];
  const found = readStudy(folder, name, (store, onData) => {
    const result = studyResult(store, { name, onData });
    return read(
      store,
      validatedStudy(store, result, (luck) => made.push(luck)),
    );
  });
  for (const luck of made) {
    const refusal = storeLuck({ folder, name }, luck);
    if (refusal !== null) console.error(`the statistics are not kept, and take as long again: ${refusal}`);
  }
  return found;
}

async function readWalk(written: unknown, folder: StudyFolder, name: string): Promise<ReportedWalk> {
  try {
    const prepared = await prepareStudy(readWrittenStudy(written));
    return { kind: 'known', result: readWalkForward(prepared, folder, name) };
  } catch (error) {
    if (error instanceof SarrafError && error.code !== 'INVARIANT')
      return { kind: 'unknown', reason: error.message };
    throw error;
  }
}

/** Reads a walk-forward that has ended. Throws `DATA_UNUSABLE`, and `INVALID_OPTIONS` for another study. */
export function readWalkForward(study: PreparedStudy, folder: StudyFolder, name: string): WalkForwardResult {
  return readStudy(folder, name, (store, onData) => {
    const { identity } = headOf(store);
    const difference = differenceOf(identity, study.identity);
    if (difference === null) return walkForwardResult(study, { store, name, onData });
    throw invalidOptions(
      `expected the study that ${store.path} was begun with, found another one (${difference})`,
    );
  });
}

type OnData = (months: readonly string[], holdout: RunRange) => TrialsOnData;

function readStudy<Read>(
  folder: StudyFolder,
  name: string,
  read: (store: StudyStore, onData: OnData) => Read,
): Read {
  const store = StudyStore.openToRead(folder.pathOf(name));
  let register: TrialRegister | null = null;
  try {
    register = new TrialRegister(folder.registerPath);
    const counted = register;
    return read(store, (months, holdout) => counted.onData(months, holdout));
  } finally {
    register?.close();
    store.close();
  }
}
