import { existsSync, readdirSync } from 'node:fs';
import { closing } from '../domain/closing.ts';
import { basename, join, resolve } from 'node:path';
import { listText, invalidOptions } from '../domain/errors.ts';
import { acquireProcessLock, type ProcessLock } from '../daemon/process-locks.ts';
import { StudyStore } from './study-store.ts';
import type Database from 'better-sqlite3';
import type { RunRange } from './objectives.ts';
import {
  openStudyDatabase,
  StudyTables,
  type DatabaseShape,
  REGISTER_APPLICATION_ID,
  REGISTER_TABLES,
  REGISTER_VERSION,
  SEEN_TABLE,
} from './store/study-database.ts';

const ENDING = '.sqlite';
const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

export class StudyFolder {
  private readonly folder: string;

  constructor(dataFolder: string) {
    this.folder = join(dataFolder, 'studies');
  }

  /** Path of the register of all trials, which lies beside the studies' files and outlives them. */
  get registerPath(): string {
    return `${this.folder}-register${ENDING}`;
  }

  /** Returns the file of a study by its name. Throws `INVALID_OPTIONS` if it is not a valid name. */
  pathOf(name: string): string {
    if (NAME.test(name)) return join(this.folder, `${name}${ENDING}`);
    throw invalidOptions(
      `expected a name of letters, digits, dots and hyphens, found ${JSON.stringify(name)}`,
    );
  }

  /** Returns the folder of a study's report, beside its file. Throws `INVALID_OPTIONS` for a bad name. */
  reportOf(name: string): string {
    return this.pathOf(name).slice(0, -ENDING.length);
  }

  /** Returns the names of all studies, sorted. */
  names(): readonly string[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length))
      .toSorted();
  }

  /** Returns the name of an existing study by its name or file. Throws `INVALID_OPTIONS` for none. */
  find(wanted: string): string {
    const names = this.names();
    const found = [wanted, nameOfFile(wanted)].find((name) => names.includes(name));
    if (found !== undefined) return found;
    const begun = names.filter((name) => name.startsWith(basename(wanted).replace(/\.\w+$/, '')));
    const [first] = begun.length > 0 ? begun : names;
    const todo = first === undefined ? '"sarraf study run" makes one' : `type "sarraf study show ${first}"`;
    throw invalidOptions(
      `expected a study called ${wanted} in ${resolve(this.folder)}, found ${listText(names) || 'none'}: ${todo}`,
    );
  }
}

/** Returns the name of the study that a file declares: the file's name without its extension. */
export const nameOfFile = (path: string): string => basename(path).replace(/\.(?:ya?ml|sqlite)$/, '');

/** Locks a study against other processes. Throws `DATA_UNUSABLE` if another one has it locked. */
export function claimStudy(path: string): ProcessLock {
  return acquireProcessLock({
    path: `${path}.lock`,
    what: `the study ${path}`,
    otherwise: 'run this one under another name with --name',
  });
}

/** Open files of a study while one process works on it. */
export interface StudyFiles {
  readonly store: StudyStore;
  readonly register: TrialRegister;
}

/**
 * Locks a study, opens its file and the register of trials, and closes both after the work. Throws
 * `DATA_UNUSABLE` if one is unusable or another process has locked the study.
 */
export async function withStudyFiles<Result>(
  { folder, name }: { readonly folder: StudyFolder; readonly name: string },
  work: (files: StudyFiles) => Promise<Result>,
): Promise<Result> {
  const path = folder.pathOf(name);
  using _lock = claimStudy(path);
  using register = closing(new TrialRegister(folder.registerPath));
  using store = closing(StudyStore.open(path));
  return await work({ store, register });
}

const SHAPE: DatabaseShape = {
  what: 'the register of trials',
  applicationId: REGISTER_APPLICATION_ID,
  version: REGISTER_VERSION,
  tables: REGISTER_TABLES,
};

/** Counts of all trials and studies ever run on data that shares a month with given data. */
export interface TrialsOnData {
  readonly trials: number;
  readonly studies: number;
  /** Studies among them whose hold-out was opened. */
  readonly opened: number;
  /** Number of trials that ran on the hold-out: trials of other studies, which split the data elsewhere. */
  readonly inHoldout: number;
}

/** Study as the register stores it. The id covers its settings, data and code. */
interface RegisteredStudy {
  readonly id: string;
  readonly name: string;
  readonly months: readonly string[];
  /** Range that its trials see. */
  readonly seen: RunRange;
}

/**
 * Counts all trials ever run with a data folder. It outlives the files of studies: a deleted study was run
 * all the same. The same study counts once, however often it is run.
 */
export class TrialRegister extends StudyTables {
  private readonly raise: Database.Statement<[number, string]>;

  /** @throws SarrafError `DATA_UNUSABLE` */
  constructor(path: string) {
    super(path, openStudyDatabase(path, SHAPE), SHAPE.what);
    this.write(() => this.database.exec(SEEN_TABLE));
    this.raise = this.database.prepare('UPDATE studies SET trials = max(trials, ?) WHERE id = ?');
  }

  /** Adds a study; an entry that exists stays as it is. */
  enter({ id, name, months, seen }: RegisteredStudy): void {
    this.write(() => {
      this.database.prepare('INSERT OR IGNORE INTO studies VALUES (?, ?, 0, NULL)').run(id, name);
      const add = this.database.prepare('INSERT OR IGNORE INTO months VALUES (?, ?)');
      for (const month of months) add.run(month, id);
      this.database.prepare('INSERT OR REPLACE INTO seen VALUES (?, ?, ?)').run(id, seen.fromMs, seen.toMs);
    });
  }

  /** Raises the number of trials that a study has run to `trials`. */
  count(id: string, trials: number): void {
    this.write(() => this.raise.run(trials, id));
  }

  /** Records that a hold-out was opened. The time of the first opening stays. */
  open(id: string, atMs: number): void {
    const mark = 'UPDATE studies SET opened_at_ms = coalesce(opened_at_ms, ?) WHERE id = ?';
    this.run(mark, atMs, id);
  }

  /** Counts what was tried on data of these months. `holdout`: range of the hold-out, for `inHoldout`. */
  onData(months: readonly string[], holdout: RunRange): TrialsOnData {
    const { fromMs, toMs } = holdout;
    const found = this.database
      .prepare(
        `SELECT coalesce(sum(trials), 0) AS trials, count(*) AS studies, count(opened_at_ms) AS opened,
           coalesce(sum(trials) FILTER (WHERE from_ms < :toMs AND to_ms > :fromMs), 0) AS inHoldout
         FROM studies LEFT JOIN seen ON seen.study = studies.id WHERE id IN
           (SELECT study FROM months WHERE month IN (SELECT value FROM json_each(:months)))`,
      )
      .get({ months: JSON.stringify(months), fromMs, toMs }) as TrialsOnData;
    return fromMs < toMs ? { ...found } : { ...found, inHoldout: 0 };
  }

  close(): void {
    this.database.close();
  }
}
