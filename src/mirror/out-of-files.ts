import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Advice if a process may open no further file. */
export const OUT_OF_FILES_ADVICE =
  'this process may open no more files (EMFILE): raise its limit to 1024 or more ("ulimit -n", LimitNOFILE of systemd, "ulimits" of compose)';

/**
 * True if this process may open no further file. SQLite then reports that it can not open its own, as for a
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
