import { lockStudy, type StudyFolder } from '../study-place.ts';
import { StudyStore } from '../study-store.ts';
import { TrialRegister } from '../trial-register.ts';

/** The files of a study while one process works on it. */
export interface StudyFiles {
  readonly store: StudyStore;
  readonly register: TrialRegister;
}

/**
 * Locks a study, opens its file and the register of trials, and closes both when the work is over. Throws
 * `DATA_UNUSABLE` where one can not be used or another process has the study.
 */
export async function withStudyFiles<Result>(
  { folder, name }: { readonly folder: StudyFolder; readonly name: string },
  work: (files: StudyFiles) => Promise<Result>,
): Promise<Result> {
  const path = folder.pathOf(name);
  const lock = lockStudy(path);
  let register: TrialRegister | null = null;
  let store: StudyStore | null = null;
  try {
    register = new TrialRegister(folder.registerPath);
    store = StudyStore.open(path);
    return await work({ store, register });
  } finally {
    store?.close();
    register?.close();
    lock.release();
  }
}
