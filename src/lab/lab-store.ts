import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { openStepFile } from '../daemon/step-file.ts';
import { jobBody, type JobItem, type JobRequest, type JobState } from './lab-schema.ts';

/** SQLite application id: "sarl" in ASCII, which distinguishes the file from any other SQLite file. */
const APPLICATION_ID = 0x7361726c;

/** Longest wait for another process, in ms. */
const BUSY_TIMEOUT_MS = 2_000;

const LOG_PAGES = 64;

/** Maximum number of jobs that are stored; the oldest ones that have ended are dropped. */
const MOST_STORED = 500;

/** Maximum number of jobs in a list. */
const MOST_LISTED = 100;

/** Migrations, one for each version; a released one is never changed. */
const STEPS: readonly string[] = [
  `
  CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    request TEXT NOT NULL,
    state TEXT NOT NULL,
    by TEXT NOT NULL,
    queued_at_ms INTEGER NOT NULL,
    began_at_ms INTEGER,
    ended_at_ms INTEGER,
    owner TEXT,
    report TEXT,
    run TEXT,
    output TEXT NOT NULL DEFAULT ''
  ) STRICT;
  `,
];

/** Job as it is stored; its progress is not. */
export type StoredJob = Omit<JobItem, 'progress'> & {
  /** Process that does it, as `ownerText` writes it; null without one. */
  readonly owner: string | null;
};

interface JobRow extends Omit<StoredJob, 'request'> {
  readonly request: string;
}

const COLUMNS =
  'id, request, state, by, queued_at_ms AS queuedAtMs, began_at_ms AS beganAtMs, ended_at_ms AS endedAtMs, owner, report, run';

/** Jobs of the lab of a data folder: one file, and one process that writes to it. */
export class LabStore {
  private readonly database: Database.Database;
  private readonly nowMs: () => number;

  /** Opens or creates the store. Throws `DATA_UNUSABLE`. */
  constructor(labFolder: string, nowMs: () => number) {
    this.database = openStepFile({
      path: join(labFolder, 'jobs.sqlite'),
      what: 'the jobs of the lab',
      applicationId: APPLICATION_ID,
      steps: STEPS,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
      logPages: LOG_PAGES,
    });
    this.nowMs = nowMs;
  }

  /** Adds a waiting job. Returns its id, and those of old jobs that it replaces. */
  add(request: JobRequest, by: string): { readonly id: number; readonly dropped: readonly number[] } {
    const { lastInsertRowid } = this.database
      .prepare('INSERT INTO jobs (request, state, by, queued_at_ms) VALUES (?, ?, ?, ?)')
      .run(JSON.stringify(request), 'waiting' satisfies JobState, by, this.nowMs());
    const dropped = this.database
      .prepare<[number], number>(
        `DELETE FROM jobs WHERE ended_at_ms IS NOT NULL AND id NOT IN (SELECT id FROM jobs ORDER BY id DESC LIMIT ?) RETURNING id`,
      )
      .pluck()
      .all(MOST_STORED);
    return { id: Number(lastInsertRowid), dropped };
  }

  /** Returns a job; null if there is none. */
  get(id: number): StoredJob | null {
    const row = this.database.prepare<[number], JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`).get(id);
    return row === undefined ? null : jobOf(row);
  }

  /** Returns the newest jobs, newest first. */
  list(): readonly StoredJob[] {
    return this.database
      .prepare<[number], JobRow>(`SELECT ${COLUMNS} FROM jobs ORDER BY id DESC LIMIT ?`)
      .all(MOST_LISTED)
      .map(jobOf);
  }

  /** Returns the jobs of a state, oldest first. */
  inState(state: 'waiting' | 'running'): readonly StoredJob[] {
    return this.database
      .prepare<[string], JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE state = ? ORDER BY id`)
      .all(state)
      .map(jobOf);
  }

  /** Returns the last lines that a job wrote; null if there is no such job. */
  outputOf(id: number): string | null {
    const find = this.database.prepare<[number], string>('SELECT output FROM jobs WHERE id = ?').pluck();
    return find.get(id) ?? null;
  }

  begin(id: number): void {
    this.database
      .prepare(`UPDATE jobs SET state = 'running', began_at_ms = ? WHERE id = ?`)
      .run(this.nowMs(), id);
  }

  /** Stores the process that does a job, so that a later lab can end it. */
  setOwner(id: number, owner: string): void {
    this.database.prepare('UPDATE jobs SET owner = ? WHERE id = ?').run(owner, id);
  }

  end(
    id: number,
    of: {
      readonly state: JobState;
      readonly output: string;
      readonly report: string | null;
      readonly run: string | null;
    },
  ): void {
    this.database
      .prepare(
        'UPDATE jobs SET state = ?, output = ?, report = ?, run = ?, ended_at_ms = ?, owner = NULL WHERE id = ?',
      )
      .run(of.state, of.output, of.report, of.run, this.nowMs(), id);
  }

  /** Stops running a job again when its strategy is saved, as a newer job does so. */
  endAgain(id: number): void {
    this.database
      .prepare(`UPDATE jobs SET request = json_set(request, '$.again', json('false')) WHERE id = ?`)
      .run(id);
  }

  close(): void {
    this.database.close();
  }
}

function jobOf({ request, ...row }: JobRow): StoredJob {
  return { ...row, request: jobBody.parse(JSON.parse(request)) };
}
