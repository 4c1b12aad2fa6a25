import type { StudyFolder } from '../../study/store/study-place.ts';
import { StudyStore } from '../../study/store/study-store.ts';
import { TrialRegister } from '../../study/store/trial-register.ts';
import { studyResult, type StudyResult } from '../../study/study-result.ts';

/** What a study that is kept says, and the study as it was written. Throws `DATA_UNUSABLE`. */
export function readStudyResult(
  folder: StudyFolder,
  name: string,
): { readonly result: StudyResult; readonly written: unknown } {
  const store = StudyStore.openToRead(folder.pathOf(name));
  let register: TrialRegister | null = null;
  try {
    register = new TrialRegister(folder.registerPath);
    const counted = register;
    const result = studyResult(store, { name, onData: (months) => counted.onData(months) });
    return { result, written: store.head()?.written };
  } finally {
    register?.close();
    store.close();
  }
}
