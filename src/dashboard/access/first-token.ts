import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../../configuration/private-file.ts';
import type { AccessStore } from '../access-store.ts';

const FIRST_NAME = 'first';

/** Returns the path of the first token, for this user alone. */
function firstTokenPath(dataFolder: string): string {
  return join(dataFolder, 'dashboard-token');
}

/**
 * Makes a token that may do everything where there is none yet, and writes it to a file of 0600. Answers
 * where that is; null where the file is not there, since somebody has taken it away.
 */
export function makeFirstToken(store: AccessStore, dataFolder: string): string | null {
  const path = firstTokenPath(dataFolder);
  store.addFirstToken({ name: FIRST_NAME, role: 'operate' }, (token) => writePrivateFile(path, `${token}\n`));
  return existsSync(path) ? path : null;
}
