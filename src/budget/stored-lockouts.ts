import type Database from 'better-sqlite3';
import { lengthOf, type BreakerState, type CredentialStop, type LockoutRows } from './lockouts.ts';

interface LockoutRow {
  readonly subject: string;
  readonly budget: string;
  readonly kind: 'open' | 'trial';
  readonly strikes: number;
  readonly atMs: number;
  readonly lengthMs: number;
  readonly untilWallMs: number;
}

const COLUMNS = `subject, budget, kind, strikes, at_ms AS atMs, length_ms AS lengthMs, until_wall_ms AS untilWallMs`;

/**
 * Lockouts in the ledger's file. They outlast the machine's monotonic clock, so the wall's time is kept
 * beside it and read after a restart of the machine only.
 */
export class StoredLockouts implements LockoutRows {
  private readonly subjectOfBudget: (budget: string) => string;
  private readonly credential: string;
  private readonly wallMs: () => number;
  private readonly selectLockout: Database.Statement<[string, string], LockoutRow>;
  private readonly selectAll: Database.Statement<[], LockoutRow>;
  private readonly upsertLockout: Database.Statement<[LockoutRow]>;
  private readonly deleteLockout: Database.Statement<[string, string]>;
  private readonly selectStop: Database.Statement<[string], CredentialStop>;
  private readonly upsertStop: Database.Statement<[string, number, number]>;
  private readonly deleteStop: Database.Statement<[string]>;
  private readonly postponeProbes: Database.Statement<[number]>;

  constructor(
    database: Database.Database,
    options: {
      readonly subjectOfBudget: (budget: string) => string;
      readonly credential: string;
      readonly wallMs: () => number;
    },
  ) {
    this.subjectOfBudget = options.subjectOfBudget;
    this.credential = options.credential;
    this.wallMs = options.wallMs;
    this.selectLockout = database.prepare(`SELECT ${COLUMNS} FROM lockouts WHERE subject = ? AND budget = ?`);
    this.selectAll = database.prepare(`SELECT ${COLUMNS} FROM lockouts`);
    this.upsertLockout = database.prepare(
      'INSERT OR REPLACE INTO lockouts VALUES (@subject, @budget, @kind, @strikes, @atMs, @lengthMs, @untilWallMs)',
    );
    this.deleteLockout = database.prepare('DELETE FROM lockouts WHERE subject = ? AND budget = ?');
    this.selectStop = database.prepare(
      'SELECT log_ins_left AS logInsLeft, probe_at_ms AS probeAtMs FROM credential_stops WHERE subject = ?',
    );
    this.upsertStop = database.prepare('INSERT OR REPLACE INTO credential_stops VALUES (?, ?, ?)');
    this.deleteStop = database.prepare('DELETE FROM credential_stops WHERE subject = ?');
    this.postponeProbes = database.prepare('UPDATE credential_stops SET probe_at_ms = ?');
  }

  breaker(budget: string): BreakerState | null {
    const row = this.selectLockout.get(this.subjectOfBudget(budget), budget);
    if (row === undefined) return null;
    const { kind, strikes, atMs } = row;
    return kind === 'open' ? { kind, strikes, untilMs: atMs } : { kind, strikes, sinceMs: atMs };
  }

  saveBreaker(budget: string, state: BreakerState | null, nowMs: number): void {
    const subject = this.subjectOfBudget(budget);
    if (state === null) {
      this.deleteLockout.run(subject, budget);
      return;
    }
    const lengthMs = lengthOf(state, nowMs);
    this.upsertLockout.run({
      subject,
      budget,
      kind: state.kind,
      strikes: state.strikes,
      atMs: state.kind === 'open' ? state.untilMs : state.sinceMs,
      lengthMs,
      untilWallMs: Math.floor(this.wallMs()) + lengthMs,
    });
  }

  stop(): CredentialStop | null {
    return this.selectStop.get(this.credential) ?? null;
  }

  saveStop(stop: CredentialStop | null): void {
    if (stop === null) this.deleteStop.run(this.credential);
    else this.upsertStop.run(this.credential, stop.logInsLeft, stop.probeAtMs);
  }

  /**
   * After a restart of the machine: what is left by the wall's clock, and never more than the whole again,
   * should that have been stepped back. A canary that was on its way is gone.
   */
  carryOver(nowMs: number, probeAtMs: number): void {
    const wallMs = Math.floor(this.wallMs());
    for (const row of this.selectAll.all()) {
      const leftMs = Math.min(Math.max(0, row.untilWallMs - wallMs), row.lengthMs);
      this.upsertLockout.run({ ...row, kind: 'open', atMs: nowMs + leftMs });
    }
    this.postponeProbes.run(probeAtMs);
  }
}
