import { dirname, join } from 'node:path';
import { Catalogue } from '../recording/catalogue.ts';
import { acquireProcessLock } from './process-locks.ts';

/** The catalogue at a folder, which one process writes to at a time. */
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

/** The catalogue where none is named: below the folder that SARRAF_DATA names, else below `data`. */
export function usualCatalogue(dataFolder = 'data'): string {
  const { SARRAF_DATA: named = '' } = process.env;
  return join(named === '' ? dataFolder : named, 'catalogue');
}
