import type Database from 'better-sqlite3';
import { z } from 'zod';
import type { StudyAccess } from './walk-forward-store.ts';

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
export class StatisticsStore {
  private readonly database: Database.Database;
  private readonly access: StudyAccess;

  constructor(database: Database.Database, access: StudyAccess) {
    this.database = database;
    this.access = access;
  }

  /** Null where none are kept, and where those were made of something else. */
  figures(basis: string): unknown {
    return this.access.read(() => {
      const table = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'statistics'`;
      if (this.database.prepare(table).get() === undefined) return null;
      const sql = 'SELECT figures FROM statistics WHERE basis = ?';
      const found = this.database.prepare(sql).pluck().get(basis);
      return found === undefined ? null : asJson(z.string().parse(found));
    });
  }

  /** Those that were kept before no longer count. One commit: a process that ends in it leaves those. */
  keep(basis: string, figures: unknown): void {
    this.access.write(() => {
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
