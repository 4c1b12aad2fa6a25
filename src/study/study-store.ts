import { withoutYear } from '../backtest/finish-run.ts';
import { z } from 'zod';
import { storedIdentity, type StudyIdentity } from './study-identity.ts';
import type { StudyRange } from './data/study-data.ts';
import {
  openStudyDatabase,
  openStudyDatabaseToRead,
  storeFailure,
  type DatabaseShape,
  StudyTables,
  STUDY_APPLICATION_ID,
  STUDY_TABLES,
  STUDY_VERSION,
} from './store/study-database.ts';
import { rowOf, trialOfRow, type StoredTrial, type TrialRow } from './study-rows.ts';

const SHAPE: DatabaseShape = {
  what: 'a study',
  applicationId: STUDY_APPLICATION_ID,
  version: STUDY_VERSION,
  tables: STUDY_TABLES,
};

/** Description of a study, without its trials. */
export interface StudyHead {
  /** Study as its file or options declare it, with absolute paths. */
  readonly written: unknown;
  readonly identity: StudyIdentity;
  readonly range: StudyRange;
}

interface TrialTiming {
  readonly endedAtMs: number;
  readonly tookMs: number;
}

/** Opened hold-out. `report` is null if the process ended before there was one. */
export interface OpenedHoldout {
  readonly openedAtMs: number;
  readonly trial: number;
  /** Number of trials when it was opened. */
  readonly afterTrials: number;
  readonly report: unknown;
}

const RANGE = z.strictObject({ fromMs: z.int(), splitMs: z.int(), toMs: z.int() });
const HEAD_ROW = z.strictObject({ written: z.string(), identity: z.string(), split: z.string() });
const HOLDOUT_ROW = z.strictObject({
  opened_at_ms: z.int(),
  trial: z.int(),
  after_trials: z.int(),
  report: z.string().nullable(),
});

/** Study in its SQLite file. */
export class StudyStore extends StudyTables {
  /** Opens a study's file for writing, or creates it. Throws `DATA_UNUSABLE`. */
  static open(path: string): StudyStore {
    return new StudyStore(path, openStudyDatabase(path, SHAPE));
  }

  /** Opens a study's file for reading. Throws `DATA_UNUSABLE` if there is none. */
  static openToRead(path: string): StudyStore {
    return new StudyStore(path, openStudyDatabaseToRead(path, SHAPE));
  }

  /** Walk-forward of the study, in the same file. */
  get walkForward(): WalkForwardStore {
    return new WalkForwardStore(this.path, this.database);
  }

  /** Runs under stress of the study, in the same file. */
  get stress(): StressStore {
    return new StressStore(this.path, this.database);
  }

  /** Luck statistics of the study, in the same file. */
  get statistics(): StatisticsStore {
    return new StatisticsStore(this.path, this.database);
  }

  /** Returns the study's description; null in a new file. */
  head(): StudyHead | null {
    return this.read(() => {
      const found = this.database.prepare('SELECT written, identity, split FROM study').get();
      if (found === undefined) return null;
      const { written, identity, split } = HEAD_ROW.parse(found);
      return {
        written: JSON.parse(written) as unknown,
        identity: storedIdentity.parse(JSON.parse(identity)),
        range: RANGE.parse(JSON.parse(split)),
      };
    });
  }

  begin({ written, identity, range }: StudyHead): void {
    const texts = [written, identity, range].map((value) => JSON.stringify(value));
    this.run('INSERT INTO study VALUES (1, ?, ?, ?)', ...texts);
  }

  /** Replaces the written study: its budget and the place of its data may change between two runs. */
  rewrite(written: unknown): void {
    this.run('UPDATE study SET written = ?', JSON.stringify(written));
  }

  /** Stores an ended trial. */
  add(trial: StoredTrial, { endedAtMs, tookMs }: TrialTiming): void {
    const row = rowOf(trial);
    this.write(() => {
      this.database
        .prepare(
          'INSERT INTO trials VALUES (@number, @point, @params, @outcome, @failure, @metrics, @first_day, @returns)',
        )
        .run(row);
      this.database.prepare('INSERT INTO timings VALUES (?, ?, ?)').run(trial.number, endedAtMs, tookMs);
    });
  }

  /** Yields the trials by number. */
  *trials(): Generator<StoredTrial> {
    for (const row of this.rows()) yield trialOfRow(row);
  }

  /** Yields the trials without daily returns, which are most of a study's bytes. */
  *outcomes(): Generator<StoredTrial> {
    const columns = 'number, point, params, outcome, failure, metrics, NULL AS first_day, NULL AS returns';
    for (const row of this.select(columns)) yield trialOfRow(row);
  }

  /** Yields the trials as they are shown: without annualised metrics if they saw less than 30 days. */
  *shownOutcomes(): Generator<StoredTrial> {
    const { fromMs = 0, splitMs: toMs = 0 } = this.head()?.range ?? {};
    for (const trial of this.outcomes())
      yield trial.metrics === null
        ? trial
        : { ...trial, metrics: withoutYear(trial.metrics, { fromMs, toMs }) };
  }

  /** Yields the rows of the table of trials. */
  rows(): Generator<TrialRow> {
    return this.select('*');
  }

  trial(number: number): StoredTrial | null {
    const row = this.database.prepare('SELECT * FROM trials WHERE number = ?').get(number);
    return row === undefined ? null : trialOfRow(row);
  }

  count(): number {
    return this.read(() => z.int().parse(this.database.prepare('SELECT count(*) FROM trials').pluck().get()));
  }

  holdout(): OpenedHoldout | null {
    return this.read(() => {
      const sql = 'SELECT opened_at_ms, trial, after_trials, report FROM holdout';
      const found = this.database.prepare(sql).get();
      if (found === undefined) return null;
      const { opened_at_ms: openedAtMs, trial, after_trials: afterTrials, report } = HOLDOUT_ROW.parse(found);
      return {
        openedAtMs,
        trial,
        afterTrials,
        report: report === null ? null : (JSON.parse(report) as unknown),
      };
    });
  }

  /** Records for ever that the hold-out was opened. Call it before anybody sees the hold-out. */
  openHoldout(of: { readonly atMs: number; readonly trial: number; readonly afterTrials: number }): void {
    this.run('INSERT INTO holdout VALUES (1, ?, ?, ?, NULL)', of.atMs, of.trial, of.afterTrials);
  }

  storeHoldout(report: unknown): void {
    this.run('UPDATE holdout SET report = ?', JSON.stringify(report));
  }

  /** Closes the file and removes its write-ahead log, unless another process still reads the log. */
  close(): void {
    try {
      if (!this.database.readonly) this.database.pragma('journal_mode = DELETE');
    } catch {
      // The log holds what the file lacks; the next process that opens the file applies it.
    }
    this.database.close();
  }

  private *select(columns: string): Generator<TrialRow> {
    try {
      const all = this.database.prepare(`SELECT ${columns} FROM trials ORDER BY number`);
      yield* all.iterate() as IterableIterator<TrialRow>;
    } catch (error) {
      throw storeFailure(this.path, SHAPE.what, error);
    }
  }
}

const ROW = z.strictObject({ run: z.string(), report: z.string() });

/** Runs of a study's trials under stress, in the study's file. */
class StressStore extends StudyTables {
  /** Returns the basis of a trial's runs; null until all of them have ended. */
  basis(trial: number): unknown {
    return this.read(() => {
      const found = this.database.prepare('SELECT basis FROM stress WHERE trial = ?').pluck().get(trial);
      return found === undefined ? null : (JSON.parse(z.string().parse(found)) as unknown);
    });
  }

  /** Stores the basis once all runs are stored. It replaces an earlier one with fewer draws. */
  storeBasis(trial: number, basis: unknown): void {
    this.run('INSERT OR REPLACE INTO stress VALUES (?, ?)', trial, JSON.stringify(basis));
  }

  /** Stores an ended run. */
  add(of: { readonly trial: number; readonly run: string; readonly report: unknown }): void {
    this.run('INSERT INTO stress_runs VALUES (?, ?, ?)', of.trial, of.run, JSON.stringify(of.report));
  }

  /** Returns the reports of a trial's runs, by name. */
  reports(trial: number): ReadonlyMap<string, unknown> {
    const sql = 'SELECT run, report FROM stress_runs WHERE trial = ? ORDER BY run';
    return this.read(() => {
      const rows = this.database
        .prepare(sql)
        .all(trial)
        .map((row) => ROW.parse(row));
      return new Map(rows.map(({ run, report }) => [run, JSON.parse(report) as unknown]));
    });
  }
}

/** Table of the statistics, created when they are first stored. They can be computed again. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS statistics (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    basis TEXT NOT NULL,
    figures TEXT NOT NULL
  ) STRICT
`;

/** Statistics of a study's trials, in the study's file, with the basis that they were computed from. */
class StatisticsStore extends StudyTables {
  /** Returns the stored statistics; null if there are none, or if their basis is another one. */
  figures(basis: string): unknown {
    return this.read(() => {
      const table = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'statistics'`;
      if (this.database.prepare(table).get() === undefined) return null;
      const sql = 'SELECT figures FROM statistics WHERE basis = ?';
      const found = this.database.prepare(sql).pluck().get(basis);
      return found === undefined ? null : asJson(z.string().parse(found));
    });
  }

  /** Replaces the stored statistics in one commit: a crash during it leaves the earlier ones. */
  store(basis: string, figures: unknown): void {
    this.write(() => {
      this.database.exec(TABLE);
      this.database
        .prepare('INSERT OR REPLACE INTO statistics VALUES (1, ?, ?)')
        .run(basis, JSON.stringify(figures));
    });
  }
}

/** Parses JSON; null if it is invalid: the caller then computes the value again. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Row of a trial of a window; windows are numbered from 1. */
type WindowTrialRow = TrialRow & { readonly window: number };

const PLAN_ROW = z.strictObject({ plan: z.string(), account: z.string().nullable() });

/** Walk-forward of a study, in the study's file. */
class WalkForwardStore extends StudyTables {
  /** Returns the plan and the account's result; null before it began. The result is null until it exists. */
  head(): { readonly plan: unknown; readonly account: unknown } | null {
    return this.read(() => {
      const found = this.database.prepare('SELECT plan, account FROM walk_forward').get();
      if (found === undefined) return null;
      const { plan, account } = PLAN_ROW.parse(found);
      return {
        plan: JSON.parse(plan) as unknown,
        account: account === null ? null : (JSON.parse(account) as unknown),
      };
    });
  }

  begin(plan: unknown): void {
    this.run('INSERT INTO walk_forward VALUES (1, ?, NULL)', JSON.stringify(plan));
  }

  /** Stores an ended trial. It discards the account, whose choices were made without this trial. */
  add(window: number, trial: StoredTrial): void {
    const row = { window, ...rowOf(trial) };
    this.write(() => {
      this.database
        .prepare(
          'INSERT INTO window_trials VALUES (@window, @number, @point, @params, @outcome, @failure, @metrics, @first_day, @returns)',
        )
        .run(row);
      this.database.prepare('UPDATE walk_forward SET account = NULL').run();
    });
  }

  /** Returns the trials of a window by number, without daily returns. */
  outcomes(window: number): readonly StoredTrial[] {
    const columns = 'number, point, params, outcome, failure, metrics, NULL AS first_day, NULL AS returns';
    const sql = `SELECT ${columns} FROM window_trials WHERE window = ? ORDER BY number`;
    return this.read(() => this.database.prepare(sql).all(window).map(trialOfRow));
  }

  /** Returns the trials of all windows, window after window. */
  rows(): readonly WindowTrialRow[] {
    const sql = 'SELECT * FROM window_trials ORDER BY window, number';
    return this.read(() => this.database.prepare(sql).all() as WindowTrialRow[]);
  }

  count(): number {
    return this.read(() =>
      z.int().parse(this.database.prepare('SELECT count(*) FROM window_trials').pluck().get()),
    );
  }

  persistAccount(account: unknown): void {
    this.run('UPDATE walk_forward SET account = ?', JSON.stringify(account));
  }
}
