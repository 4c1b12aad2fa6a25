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
  /** The study as its file or its options say it, with paths that are whole. */
  readonly written: unknown;
  readonly identity: StudyIdentity;
  readonly range: StudyRange;
}

interface TrialTiming {
  readonly endedAtMs: number;
  readonly tookMs: number;
}

/** A hold-out that was opened. `report` is null where the process ended before it was known. */
export interface OpenedHoldout {
  readonly openedAtMs: number;
  readonly trial: number;
  /** Trials that there were. */
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

/** One study in its SQLite file. */
export class StudyStore extends StudyTables {
  /** Opens a study to go on with it, or makes its file. Throws `DATA_UNUSABLE`. */
  static open(path: string): StudyStore {
    return new StudyStore(path, openStudyDatabase(path, SHAPE));
  }

  /** Opens one to look at. Throws `DATA_UNUSABLE` where there is none. */
  static openToRead(path: string): StudyStore {
    return new StudyStore(path, openStudyDatabaseToRead(path, SHAPE));
  }

  /** Its walk-forward, in the same file. */
  get walkForward(): WalkForwardStore {
    return new WalkForwardStore(this.path, this.database);
  }

  /** Its trials under stress, in the same file. */
  get stress(): StressStore {
    return new StressStore(this.path, this.database);
  }

  /** Its statistics, in the same file. */
  get statistics(): StatisticsStore {
    return new StatisticsStore(this.path, this.database);
  }

  /** Returns the study's description; null in a file that was only just made. */
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

  /** Another budget, or another place of the same data: what may change between two runs. */
  rewrite(written: unknown): void {
    this.run('UPDATE study SET written = ?', JSON.stringify(written));
  }

  /** Keeps a trial that has ended. */
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

  /** Trials in the order of their numbers. */
  *trials(): Generator<StoredTrial> {
    for (const row of this.rows()) yield trialOfRow(row);
  }

  /** The same without daily returns, which are most of a study. */
  *outcomes(): Generator<StoredTrial> {
    const columns = 'number, point, params, outcome, failure, metrics, NULL AS first_day, NULL AS returns';
    for (const row of this.select(columns)) yield trialOfRow(row);
  }

  /** The same as they are shown: trials of less than 30 days without figures of a year. */
  *shownOutcomes(): Generator<StoredTrial> {
    const { fromMs = 0, splitMs: toMs = 0 } = this.head()?.range ?? {};
    for (const trial of this.outcomes())
      yield trial.metrics === null
        ? trial
        : { ...trial, metrics: withoutYear(trial.metrics, { fromMs, toMs }) };
  }

  /** The same as rows. */
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

  /** Records for ever that the hold-out was opened. To be called before anyone looks at it. */
  openHoldout(of: { readonly atMs: number; readonly trial: number; readonly afterTrials: number }): void {
    this.run('INSERT INTO holdout VALUES (1, ?, ?, ?, NULL)', of.atMs, of.trial, of.afterTrials);
  }

  storeHoldout(report: unknown): void {
    this.run('UPDATE holdout SET report = ?', JSON.stringify(report));
  }

  /** Leaves one file, without a log beside it. Somebody who looks at it meanwhile may keep the log. */
  close(): void {
    try {
      if (!this.database.readonly) this.database.pragma('journal_mode = DELETE');
    } catch {
      // The log holds what is missing in the file, and the next one that opens it takes it over.
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

/** The runs of a study's trials under stress, in the study's file. */
class StressStore extends StudyTables {
  /** Returns the basis of a trial's runs; null before all of them have ended. */
  basis(trial: number): unknown {
    return this.read(() => {
      const found = this.database.prepare('SELECT basis FROM stress WHERE trial = ?').pluck().get(trial);
      return found === undefined ? null : (JSON.parse(z.string().parse(found)) as unknown);
    });
  }

  /** To be called when all runs are kept. What was there before, of fewer draws, no longer counts. */
  storeBasis(trial: number, basis: unknown): void {
    this.run('INSERT OR REPLACE INTO stress VALUES (?, ?)', trial, JSON.stringify(basis));
  }

  /** Keeps a run that has ended. */
  add(of: { readonly trial: number; readonly run: string; readonly report: unknown }): void {
    this.run('INSERT INTO stress_runs VALUES (?, ?, ?)', of.trial, of.run, JSON.stringify(of.report));
  }

  /** Returns the reports of a trial's runs, by their names. */
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

/**
 * Made when statistics are kept first, so that a study of before has none and is read all the same. They can
 * be made again at any time.
 */
const TABLE = `
  CREATE TABLE IF NOT EXISTS statistics (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    basis TEXT NOT NULL,
    figures TEXT NOT NULL
  ) STRICT
`;

/** The statistics of a study's trials, in the study's file, with what they were made of. */
class StatisticsStore extends StudyTables {
  /** Null where none are kept, and where those were made of something else. */
  figures(basis: string): unknown {
    return this.read(() => {
      const table = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'statistics'`;
      if (this.database.prepare(table).get() === undefined) return null;
      const sql = 'SELECT figures FROM statistics WHERE basis = ?';
      const found = this.database.prepare(sql).pluck().get(basis);
      return found === undefined ? null : asJson(z.string().parse(found));
    });
  }

  /** Those that were kept before no longer count. One commit: a process that ends in it leaves those. */
  store(basis: string, figures: unknown): void {
    this.write(() => {
      this.database.exec(TABLE);
      this.database
        .prepare('INSERT OR REPLACE INTO statistics VALUES (1, ?, ?)')
        .run(basis, JSON.stringify(figures));
    });
  }
}

/** Null for what is no JSON: whoever reads it makes it again. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** A trial of a window, which is counted from 1. */
type WindowTrialRow = TrialRow & { readonly window: number };

const PLAN_ROW = z.strictObject({ plan: z.string(), account: z.string().nullable() });

/** The walk-forward of a study, in the study's file. */
class WalkForwardStore extends StudyTables {
  /**
   * Returns its plan and its account's result; null before it has begun, the result null before it exists.
   */
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

  /** Keeps a trial that has ended. An account of choices without it no longer counts. */
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

  /** Trials of a window in the order of their numbers, without daily returns. */
  outcomes(window: number): readonly StoredTrial[] {
    const columns = 'number, point, params, outcome, failure, metrics, NULL AS first_day, NULL AS returns';
    const sql = `SELECT ${columns} FROM window_trials WHERE window = ? ORDER BY number`;
    return this.read(() => this.database.prepare(sql).all(window).map(trialOfRow));
  }

  /** All of them, window after window. */
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
