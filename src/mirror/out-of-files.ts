import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** What to do where a process may open no further file. */
export const OUT_OF_FILES_ADVICE =
  'this process may open no more files (EMFILE): raise its limit to 1024 or more ("ulimit -n", LimitNOFILE of systemd, "ulimits" of compose)';

/**
 * Whether this process may open no further file. SQLite then says that it can not open its own, as of a
 * folder without rights.
 */
export function isOutOfFiles(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EMFILE' || code === 'ENFILE';
  }
}
