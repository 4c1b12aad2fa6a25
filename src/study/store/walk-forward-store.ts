import type Database from 'better-sqlite3';
import { z } from 'zod';
import { rowOf, trialOfRow, type StoredTrial, type TrialRow } from '../study-rows.ts';

/** A trial of a window, which is counted from 1. */
type WindowTrialRow = TrialRow & { readonly window: number };

/** Read and write access to a study's file: each write is one commit. */
export interface StudyAccess {
  write(change: () => unknown): void;
  read<Value>(look: () => Value): Value;
}

const PLAN_ROW = z.strictObject({ plan: z.string(), account: z.string().nullable() });

/** The walk-forward of a study, in the study's file. */
export class WalkForwardStore {
  private readonly database: Database.Database;
  private readonly access: StudyAccess;

  constructor(database: Database.Database, access: StudyAccess) {
    this.database = database;
    this.access = access;
  }

  /**
   * Returns its plan and its account's result; null before it has begun, the result null before it exists.
   */
  head(): { readonly plan: unknown; readonly account: unknown } | null {
    return this.access.read(() => {
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
    this.access.write(() =>
      this.database.prepare('INSERT INTO walk_forward VALUES (1, ?, NULL)').run(JSON.stringify(plan)),
    );
  }

  /** Keeps a trial that has ended. An account of choices without it no longer counts. */
  add(window: number, trial: StoredTrial): void {
    const row = { window, ...rowOf(trial) };
    this.access.write(() => {
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
    return this.access.read(() => this.database.prepare(sql).all(window).map(trialOfRow));
  }

  /** All of them, window after window. */
  rows(): readonly WindowTrialRow[] {
    const sql = 'SELECT * FROM window_trials ORDER BY window, number';
    return this.access.read(() => this.database.prepare(sql).all() as WindowTrialRow[]);
  }

  count(): number {
    return this.access.read(() =>
      z.int().parse(this.database.prepare('SELECT count(*) FROM window_trials').pluck().get()),
    );
  }

  keepAccount(account: unknown): void {
    this.access.write(() =>
      this.database.prepare('UPDATE walk_forward SET account = ?').run(JSON.stringify(account)),
    );
  }
}
