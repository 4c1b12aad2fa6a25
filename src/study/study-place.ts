import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
import { acquireLock, type ProcessLock } from '../daemon/process-lock.ts';

const ENDING = '.sqlite';
const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** Folder of the studies in a data folder. */
export class StudyFolder {
  private readonly folder: string;

  constructor(dataFolder: string) {
    this.folder = join(dataFolder, 'studies');
  }

  /** The register of all trials: beside the studies, so that it outlives them. */
  get registerPath(): string {
    return `${this.folder}-register${ENDING}`;
  }

  /** The file of a study by its name. Throws `INVALID_OPTIONS` for what is no name. */
  pathOf(name: string): string {
    if (NAME.test(name)) return join(this.folder, `${name}${ENDING}`);
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a name of letters, digits, dots and hyphens, found ${JSON.stringify(name)}`,
    );
  }

  /** The folder of a study's report, beside its file. Throws `INVALID_OPTIONS` for what is no name. */
  reportOf(name: string): string {
    return this.pathOf(name).slice(0, -ENDING.length);
  }

  /** The names of all studies, in order. */
  names(): readonly string[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length))
      .toSorted();
  }

  /**
   * The name of a study that is there, by its name or by the file that it was declared in. Throws
   * `INVALID_OPTIONS` where there is none.
   */
  find(wanted: string): string {
    const names = this.names();
    const found = [wanted, nameOfFile(wanted)].find((name) => names.includes(name));
    if (found !== undefined) return found;
    const there = names.length === 0 ? 'none' : names.join(', ');
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a study called ${wanted} in ${resolve(this.folder)}, found ${there}: "sarraf study run" makes one`,
    );
  }
}

/** The name of a study that a file declares: its own. */
export function nameOfFile(path: string): string {
  return basename(path).replace(/\.(?:ya?ml|sqlite)$/, '');
}

/** Keeps other processes from running the same study. Throws `DATA_UNUSABLE` while one does. */
export function lockStudy(path: string): ProcessLock {
  return acquireLock({
    path: `${path}.lock`,
    what: `the study ${path}`,
    otherwise: 'run this one under another name with --name',
  });
}
