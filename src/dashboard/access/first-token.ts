import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../../configuration/private-file.ts';
import type { AccessStore } from './access-store.ts';

/** The name of the token that the first start makes. */
const FIRST_NAME = 'first';

/** Where the first token is written, for this user alone. */
function firstTokenPath(dataFolder: string): string {
  return join(dataFolder, 'dashboard-token');
}

/**
 * Makes a token that may do everything where there is none yet, and writes it to a file of 0600. Answers
 * where that is; null where the file is not there, since somebody has taken it away.
 */
export function makeFirstToken(store: AccessStore, dataFolder: string): string | null {
  const path = firstTokenPath(dataFolder);
  if (store.tokens().length === 0) {
    const token = store.addToken({ name: FIRST_NAME, role: 'operate' });
    try {
      writePrivateFile(path, `${token}\n`);
    } catch (error) {
      // A token that nobody can read would keep the next start from making one.
      store.removeToken(FIRST_NAME);
      throw error;
    }
  }
  return existsSync(path) ? path : null;
}
