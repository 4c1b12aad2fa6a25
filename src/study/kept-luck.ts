import { isLockHeld } from '../daemon/process-locks/process-lock.ts';
import { SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { lockStudy, type StudyFolder } from './store/study-place.ts';
import { StudyStore } from './store/study-store.ts';
import type { StudyResult } from './study-result.ts';
import { readTrialLuck, STATISTICS_VERSION } from './validation/stored-luck.ts';
import type { TrialLuck } from './validation/trial-luck.ts';

/** Statistics, and what they were made of: other trials and other code have others. */
export interface MadeLuck {
  readonly basis: string;
  readonly luck: TrialLuck;
}

/**
 * The statistics of a study: those that it kept, where they are of these very trials and of this code; else
 * `make` makes them, and `onMade` gets them to be kept.
 */
export function luckOf(
  { statistics }: StudyStore,
  of: {
    readonly result: StudyResult;
    readonly make: () => TrialLuck;
    readonly onMade: (made: MadeLuck) => void;
  },
): TrialLuck {
  const { hash, best } = of.result;
  const basis = `statistics ${STATISTICS_VERSION} of sarraf ${VERSION}, trial ${best?.number} of ${hash}`;
  const kept = readTrialLuck(statistics.figures(basis));
  if (kept !== null) return kept;
  const luck = of.make();
  of.onMade({ basis, luck });
  return luck;
}

/**
 * Keeps statistics in the file of their study, unless it is being run: then it soon has other trials. Returns
 * null, or why they could not be kept. They are shown all the same, and made again the next time.
 */
export function keepLuck(
  { folder, name }: { readonly folder: StudyFolder; readonly name: string },
  { basis, luck }: MadeLuck,
): string | null {
  const path = folder.pathOf(name);
  try {
    if (isLockHeld(`${path}.lock`)) return null;
    const lock = lockStudy(path);
    try {
      const store = StudyStore.open(path);
      try {
        store.statistics.keep(basis, luck);
      } finally {
        store.close();
      }
    } finally {
      lock.release();
    }
    return null;
  } catch (error) {
    if (error instanceof SarrafError) return error.message;
    throw error;
  }
}
