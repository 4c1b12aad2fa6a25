import type { StudyFolder } from '../../study/store/study-place.ts';
import { StudyStore } from '../../study/store/study-store.ts';
import { TrialRegister } from '../../study/store/trial-register.ts';
import { studyResult, type StudyResult } from '../../study/study-result.ts';
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

function readStudy<Read>(
  folder: StudyFolder,
  name: string,
  read: (store: StudyStore, result: StudyResult) => Read,
): Read {
  const store = StudyStore.openToRead(folder.pathOf(name));
  let register: TrialRegister | null = null;
  try {
    register = new TrialRegister(folder.registerPath);
    const counted = register;
    return read(store, studyResult(store, { name, onData: (months) => counted.onData(months) }));
  } finally {
    register?.close();
    store.close();
  }
}
