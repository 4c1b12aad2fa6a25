import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
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
export function claimStudy(path: string): ProcessLock {
  return acquireProcessLock({
    path: `${path}.lock`,
    what: `the study ${path}`,
    otherwise: 'run this one under another name with --name',
  });
}

/** The files of a study while one process works on it. */
export interface StudyFiles {
  readonly store: StudyStore;
  readonly register: TrialRegister;
}

/**
 * Locks a study, opens its file and the register of trials, and closes both when the work is over. Throws
 * `DATA_UNUSABLE` where one can not be used or another process has the study.
 */
export async function withStudyFiles<Result>(
  { folder, name }: { readonly folder: StudyFolder; readonly name: string },
  work: (files: StudyFiles) => Promise<Result>,
): Promise<Result> {
  const path = folder.pathOf(name);
  const lock = claimStudy(path);
  let register: TrialRegister | null = null;
  let store: StudyStore | null = null;
  try {
    register = new TrialRegister(folder.registerPath);
    store = StudyStore.open(path);
    return await work({ store, register });
  } finally {
    store?.close();
    register?.close();
    lock.release();
  }
}

const SHAPE: DatabaseShape = {
  what: 'the register of trials',
  applicationId: REGISTER_APPLICATION_ID,
  version: REGISTER_VERSION,
  tables: REGISTER_TABLES,
};

/** Counts of everything ever tried on bars that share a month with given ones. */
export interface TrialsOnData {
  readonly trials: number;
  readonly studies: number;
  /** Studies among them whose hold-out was opened. */
  readonly opened: number;
  /** Trials among them that ran on candles of the hold-out: those of other studies, which cut elsewhere. */
  readonly inHoldout: number;
}

/** A study in the register: its id is what was asked, of what data and with what code. */
interface RegisteredStudy {
  readonly id: string;
  readonly name: string;
  readonly months: readonly string[];
  /** Range in which its trials run. */
  readonly seen: RunRange;
}

/**
 * Counts all trials that were ever run with a data folder. It outlives the files of the studies: a study that
 * is deleted was run all the same. The very same study counts once, however often it is run.
 */
export class TrialRegister extends StudyTables {
  private readonly raise: Database.Statement<[number, string]>;

  /** @throws SarrafError `DATA_UNUSABLE` */
  constructor(path: string) {
    super(path, openStudyDatabase(path, SHAPE), SHAPE.what);
    this.write(() => this.database.exec(SEEN_TABLE));
    this.raise = this.database.prepare('UPDATE studies SET trials = max(trials, ?) WHERE id = ?');
  }

  /** Enters a study; one that is there stays as it is. */
  enter({ id, name, months, seen }: RegisteredStudy): void {
    this.write(() => {
      this.database.prepare('INSERT OR IGNORE INTO studies VALUES (?, ?, 0, NULL)').run(id, name);
      const add = this.database.prepare('INSERT OR IGNORE INTO months VALUES (?, ?)');
      for (const month of months) add.run(month, id);
      this.database.prepare('INSERT OR REPLACE INTO seen VALUES (?, ?, ?)').run(id, seen.fromMs, seen.toMs);
    });
  }

  /** So many trials of a study have been run by now. */
  count(id: string, trials: number): void {
    this.write(() => this.raise.run(trials, id));
  }

  /** The hold-out of a study was opened. The first time stays. */
  open(id: string, atMs: number): void {
    const mark = 'UPDATE studies SET opened_at_ms = coalesce(opened_at_ms, ?) WHERE id = ?';
    this.run(mark, atMs, id);
  }

  /** All that was tried on data with one of these months; `holdout`: where the trials of a study end. */
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
