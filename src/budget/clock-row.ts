import type Database from 'better-sqlite3';
import type { Answer } from './doubt.ts';
import type { UnknownPast } from './unknown-past.ts';

interface StoredClock {
  readonly bootId: string;
  readonly fullSinceMs: number | null;
  readonly heardAtMs: number | null;
}

/** The one row that says of which boot the file's times are, and since when it does not know everything. */
export class ClockRow {
  private readonly select: Database.Statement<[], StoredClock>;
  private readonly updateHeard: Database.Statement<[Answer]>;
  private readonly insert: Database.Statement<[string, number | null]>;

  constructor(database: Database.Database) {
    this.select = database.prepare(
      'SELECT boot_id AS bootId, full_since_ms AS fullSinceMs, heard_at_ms AS heardAtMs FROM clock',
    );
    this.updateHeard = database.prepare(`
      UPDATE clock SET heard_at_ms = @atMs WHERE heard_at_ms IS NULL AND full_since_ms <= @admittedAtMs`);
    this.insert = database.prepare(
      'INSERT OR REPLACE INTO clock (id, boot_id, full_since_ms) VALUES (1, ?, ?)',
    );
  }

  /**
   * Times are of this boot from now on; `fullSinceMs`: since when what was sent is not known; null if it is.
   */
  begin(bootId: string, fullSinceMs: number | null): void {
    this.insert.run(bootId, fullSinceMs);
  }

  isOf(bootId: string): boolean {
    return this.select.get()?.bootId === bootId;
  }

  /** Returns what the file does not know; null if it knows everything. */
  past(): UnknownPast | null {
    const clock = this.select.get();
    if (clock === undefined || clock.fullSinceMs === null) return null;
    return { sinceMs: clock.fullSinceMs, heardAtMs: clock.heardAtMs };
  }

  /** A request was answered that was sent after all that is not known. */
  heard(answer: Answer): void {
    this.updateHeard.run(answer);
  }
}
