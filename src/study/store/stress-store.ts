import type Database from 'better-sqlite3';
import { z } from 'zod';
import type { StudyAccess } from './walk-forward-store.ts';

const ROW = z.strictObject({ run: z.string(), report: z.string() });

/** The runs of a study's trials under stress, in the study's file. Each write is one commit. */
export class StressStore {
  private readonly database: Database.Database;
  private readonly access: StudyAccess;

  constructor(database: Database.Database, access: StudyAccess) {
    this.database = database;
    this.access = access;
  }

  /** Returns the basis of a trial's runs; null before all of them have ended. */
  basis(trial: number): unknown {
    return this.access.read(() => {
      const found = this.database.prepare('SELECT basis FROM stress WHERE trial = ?').pluck().get(trial);
      return found === undefined ? null : (JSON.parse(z.string().parse(found)) as unknown);
    });
  }

  /** To be called when all runs are kept. What was there before, of fewer draws, no longer counts. */
  keepBasis(trial: number, basis: unknown): void {
    this.access.write(() =>
      this.database.prepare('INSERT OR REPLACE INTO stress VALUES (?, ?)').run(trial, JSON.stringify(basis)),
    );
  }

  /** Keeps a run that has ended. */
  add(of: { readonly trial: number; readonly run: string; readonly report: unknown }): void {
    const { trial, run, report } = of;
    this.access.write(() =>
      this.database
        .prepare('INSERT INTO stress_runs VALUES (?, ?, ?)')
        .run(trial, run, JSON.stringify(report)),
    );
  }

  /** Returns the reports of a trial's runs, by their names. */
  reports(trial: number): ReadonlyMap<string, unknown> {
    const sql = 'SELECT run, report FROM stress_runs WHERE trial = ? ORDER BY run';
    return this.access.read(() => {
      const rows = this.database
        .prepare(sql)
        .all(trial)
        .map((row) => ROW.parse(row));
      return new Map(rows.map(({ run, report }) => [run, JSON.parse(report) as unknown]));
    });
  }
}
