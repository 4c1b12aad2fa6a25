import { dirname, join } from 'node:path';
import { Catalogue } from '../recording/catalogue.ts';
import { acquireProcessLock } from './process-locks.ts';

/** Opens the catalogue in a folder; one process at a time writes to it. */
export function openCatalogue(root: string): Catalogue {
  return new Catalogue({
    root,
    lockFile: (path) =>
      acquireProcessLock({
        path,
        what: dirname(path),
        otherwise: 'wait until it has written, and try again',
      }),
  });
}

/** Returns the default catalogue: below the folder in SARRAF_DATA, else below `data`. */
export function usualCatalogue(dataFolder = 'data'): string {
  const { SARRAF_DATA: named = '' } = process.env;
  return join(named === '' ? dataFolder : named, 'catalogue');
}
