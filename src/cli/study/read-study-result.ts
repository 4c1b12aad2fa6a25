import { SarrafError } from '../../domain/errors.ts';
import { present } from '../../domain/invariant.ts';
import { readWrittenStudy } from '../../study/file/read-study.ts';
import { prepareStudy, type PreparedStudy } from '../../study/prepare-study.ts';
import { differenceOf } from '../../study/question/study-identity.ts';
import { reportedStudy, type ReportedStudy, type ReportedWalk } from '../../study/report/reported-study.ts';
import type { StudyFolder } from '../../study/store/study-place.ts';
import { StudyStore } from '../../study/store/study-store.ts';
import { TrialRegister, type TrialsOnData } from '../../study/store/trial-register.ts';
import { studyResult, type StudyResult } from '../../study/study-result.ts';
import { walkForwardResult, type WalkForwardResult } from '../../study/walk-forward/walk-forward-result.ts';
import { validatedStudy, type ValidatedStudy } from '../../study/validated-study.ts';

/** What a study that is kept says, and the study as it was written. Throws `DATA_UNUSABLE`. */
export function readStudyResult(
  folder: StudyFolder,
  name: string,
): { readonly result: StudyResult; readonly written: unknown } {
  return readStudy(folder, name, (store, result) => ({ result, written: store.head()?.written }));
}

/** The same with its statistics, which take up to some seconds. Throws `DATA_UNUSABLE`. */
export function readValidatedStudy(folder: StudyFolder, name: string): ValidatedStudy {
  return readStudy(folder, name, validatedStudy);
}

/** The same with all that its report shows. The walk-forward needs the candles, which may be gone. */
export async function readReportedStudy(
  folder: StudyFolder,
  name: string,
  createdAtMs: number,
): Promise<ReportedStudy> {
  const { study, written, isWalked } = readStudy(folder, name, (store, result) => ({
    study: validatedStudy(store, result),
    written: store.head()?.written,
    isWalked: (store.walkForward.head()?.account ?? null) !== null,
  }));
  const walk = isWalked ? await readWalk(written, folder, name) : null;
  return readStudy(folder, name, (store) => reportedStudy(store, { study, walk, createdAtMs }));
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

/** A walk-forward that has ended. Throws `DATA_UNUSABLE`, and `INVALID_OPTIONS` for another study. */
export function readWalkForward(study: PreparedStudy, folder: StudyFolder, name: string): WalkForwardResult {
  return readStudy(folder, name, (store, _result, onData) => {
    const { identity } = present(store.head(), 'the head of a study with a result');
    const difference = differenceOf(identity, study.identity);
    if (difference === null) return walkForwardResult(study, { store, name, onData });
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected the study that ${store.path} was begun with, found another one (${difference})`,
    );
  });
}

type OnData = (months: readonly string[]) => TrialsOnData;

function readStudy<Read>(
  folder: StudyFolder,
  name: string,
  read: (store: StudyStore, result: StudyResult, onData: OnData) => Read,
): Read {
  const store = StudyStore.openToRead(folder.pathOf(name));
  let register: TrialRegister | null = null;
  try {
    register = new TrialRegister(folder.registerPath);
    const counted = register;
    const onData: OnData = (months) => counted.onData(months);
    return read(store, studyResult(store, { name, onData }), onData);
  } finally {
    register?.close();
    store.close();
  }
}
