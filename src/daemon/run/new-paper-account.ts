import { join } from 'node:path';
import { isoText } from '../../domain/time-text.ts';
import { hasWriter } from '../../mirror/writer-lock.ts';
import { unusable } from '../../mirror/unusable.ts';
import { moveAside } from '../backup/move-aside.ts';
import { hasPaperAccount, PAPER_ACCOUNT } from '../paper-account-file.ts';
import { mirrorName } from '../session-file.ts';

/**
 * Puts the paper account of a data folder aside, and what the bot remembers of it: the next run on paper
 * begins with the configured balances. Answers where the files are now; null where there was no account. For
 * a folder that this process has locked. Throws `DATA_UNUSABLE` while a bot has the mirror open.
 */
function putPaperAccountAside(dataFolder: string, nowMs: number): string | null {
  const mirror = join(dataFolder, mirrorName('paper'));
  if (hasWriter(mirror) === true)
    throw unusable({ path: mirror, found: 'a bot that has it open', advice: 'end that one first' });
  const account = join(dataFolder, PAPER_ACCOUNT);
  const files = [
    ...['', '-wal', '-shm', '.mark'].map((ending) => mirror + ending),
    // The account itself goes last: as long as it is there, an interrupted move is seen and done again.
    ...['-wal', '-shm', ''].map((ending) => account + ending),
  ];
  return moveAside(files, join(dataFolder, `paper-until-${isoText(nowMs).replaceAll(':', '-')}`));
}

/**
 * Makes room for the account of a run on paper. A mirror without an account is of an account that is gone,
 * and goes aside before the new one begins: a crash between the two never leaves a new account with an old
 * mirror. `isWanted`: so does an account that could go on. Answers and throws as above.
 */
export function makeRoomForPaperAccount(
  dataFolder: string,
  { isWanted, nowMs }: { readonly isWanted: boolean; readonly nowMs: number },
): string | null {
  return isWanted || !hasPaperAccount(dataFolder) ? putPaperAccountAside(dataFolder, nowMs) : null;
}
