import type Database from 'better-sqlite3';
import { QUIET_MS, type NamedLimit } from './named-limit.ts';
import type { BudgetKey } from './slot-rows.ts';

/**
 * Lowered limits in the ledger's file, so that every process keeps to them and a restart forgets none. One
 * row a budget at most.
 */
export class NamedLimitRows {
  private readonly select: Database.Statement<[BudgetKey], NamedLimit>;
  private readonly upsert: Database.Statement<[BudgetKey & NamedLimit]>;
  private readonly delete: Database.Statement<[BudgetKey]>;
  private readonly deleteOld: Database.Statement<[number]>;
  private readonly updateAll: Database.Statement<[number]>;

  constructor(database: Database.Database) {
    this.select = database.prepare(`
      SELECT request_limit AS "limit", at_ms AS atMs FROM named_limits WHERE subject = @subject AND budget = @budget`);
    this.upsert = database.prepare(
      'INSERT OR REPLACE INTO named_limits VALUES (@subject, @budget, @limit, @atMs)',
    );
    this.delete = database.prepare('DELETE FROM named_limits WHERE subject = @subject AND budget = @budget');
    this.deleteOld = database.prepare(`DELETE FROM named_limits WHERE at_ms + ${QUIET_MS} < ?`);
    this.updateAll = database.prepare('UPDATE named_limits SET at_ms = ?');
  }

  of(key: BudgetKey): NamedLimit | null {
    return this.select.get(key) ?? null;
  }

  save(key: BudgetKey, named: NamedLimit | null): void {
    if (named === null) this.delete.run(key);
    else this.upsert.run({ ...key, ...named });
  }

  /** Forgets those that hold no more, of tokens that are gone too. */
  forgetOld(nowMs: number): void {
    this.deleteOld.run(nowMs);
  }

  /** After a restart of the machine, of whose clock nothing is known: the quiet hours begin anew. */
  carryOver(nowMs: number): void {
    this.updateAll.run(nowMs);
  }
}
