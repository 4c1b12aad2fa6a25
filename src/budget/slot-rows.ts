import { present } from '../domain/errors.ts';
import type Database from 'better-sqlite3';
import { LATE_ARRIVAL_MS, QUIET_MS, type NamedLimit } from './admission.ts';
import {
  HANDLED_TOGETHER_MS,
  LONGEST_DOUBT_MS,
  PART_STANDS_STILL_MS,
  type Answer,
  type Doubt,
  type UnknownPast,
} from './doubt.ts';

export interface BudgetRow {
  readonly requestLimit: number;
  /** Limit that the exchange itself allows. */
  readonly statedLimit: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly assumed: number;
  readonly fullSinceMs: number | null;
}

/** The budget of one IP or token. */
export interface BudgetKey {
  readonly subject: string;
  readonly budget: string;
}

interface OpenSlotRow {
  readonly id: number;
  readonly owner: string;
  readonly admittedAtMs: number;
}

const IN_DOUBT = 'ended_at_ms IS NOT NULL AND stamped_at_ms IS NULL';

/** Budgets and slots in the ledger's file. Never more slots of a budget than its limit. */
export class SlotRows {
  private readonly database: Database.Database;
  private readonly selectBudget: Database.Statement<[BudgetKey], BudgetRow>;
  private readonly upsertBudget: Database.Statement<[BudgetKey & BudgetRow]>;
  private readonly deleteReleased: Database.Statement<[BudgetKey & { readonly beforeMs: number }]>;
  private readonly selectCount: Database.Statement<[BudgetKey], { readonly count: number }>;
  private readonly selectStamp: Database.Statement<
    [BudgetKey & { readonly index: number }],
    { readonly stampedAtMs: number | null }
  >;
  private readonly selectUnstamped: Database.Statement<[BudgetKey & { readonly owner: string }], OpenSlotRow>;
  private readonly insertSlot: Database.Statement<
    [BudgetKey & { readonly owner: string; readonly admittedAtMs: number }]
  >;
  private readonly selectInFlight: Database.Statement<[BudgetKey], { readonly admittedAtMs: number }>;
  private readonly selectDoubts: Database.Statement<[BudgetKey], Pick<Doubt, 'admittedAtMs' | 'endedAtMs'>>;
  private readonly selectAnyDoubt: Database.Statement<[], { readonly id: number }>;
  private readonly updateEnd: Database.Statement<[number, number]>;
  private readonly followDoubtsOfBudget: Database.Statement<[BudgetKey & Answer]>;
  private readonly stampOldDoubts: Database.Statement<[Answer]>;
  private readonly stampOldestDoubts: Database.Statement<[number]>;
  private readonly updateStamp: Database.Statement<[number, number]>;
  private readonly deleteSlot: Database.Statement<[number]>;
  private readonly selectOpen: Database.Statement<[number], { readonly id: number }>;

  constructor(database: Database.Database) {
    this.database = database;
    this.selectBudget = database.prepare(`
      SELECT request_limit AS requestLimit, ifnull(stated_limit, request_limit) AS statedLimit, window_ms AS windowMs,
        reserve, assumed, full_since_ms AS fullSinceMs
      FROM budgets WHERE subject = @subject AND budget = @budget`);
    this.upsertBudget = database.prepare(`
      INSERT OR REPLACE INTO budgets (subject, budget, request_limit, stated_limit, window_ms, reserve, assumed, full_since_ms)
      VALUES (@subject, @budget, @requestLimit, @statedLimit, @windowMs, @reserve, @assumed, @fullSinceMs)`);
    this.deleteReleased = database.prepare(
      'DELETE FROM slots WHERE subject = @subject AND budget = @budget AND stamped_at_ms < @beforeMs',
    );
    this.selectCount = database.prepare(
      'SELECT count(*) AS count FROM slots WHERE subject = @subject AND budget = @budget',
    );
    this.selectStamp = database.prepare(`
      SELECT stamped_at_ms AS stampedAtMs FROM slots WHERE subject = @subject AND budget = @budget
      ORDER BY stamped_at_ms NULLS LAST LIMIT 1 OFFSET @index`);
    this.selectUnstamped = database.prepare(`
      SELECT id, owner, admitted_at_ms AS admittedAtMs FROM slots
      WHERE subject = @subject AND budget = @budget AND stamped_at_ms IS NULL AND ended_at_ms IS NULL AND owner <> @owner`);
    this.selectInFlight = database.prepare(`
      SELECT admitted_at_ms AS admittedAtMs FROM slots
      WHERE subject = @subject AND budget = @budget AND stamped_at_ms IS NULL AND ended_at_ms IS NULL`);
    this.selectDoubts = database.prepare(`
      SELECT admitted_at_ms AS admittedAtMs, ended_at_ms AS endedAtMs FROM slots
      WHERE subject = @subject AND budget = @budget AND ${IN_DOUBT} AND is_followed = 0`);
    this.selectAnyDoubt = database.prepare(`SELECT id FROM slots WHERE ${IN_DOUBT} LIMIT 1`);
    this.updateEnd = database.prepare(
      'UPDATE slots SET ended_at_ms = ? WHERE id = ? AND stamped_at_ms IS NULL AND ended_at_ms IS NULL',
    );
    this.followDoubtsOfBudget = database.prepare(`
      UPDATE slots SET is_followed = 1,
        stamped_at_ms = CASE WHEN ended_at_ms + ${LATE_ARRIVAL_MS} <= @admittedAtMs THEN @atMs + ${HANDLED_TOGETHER_MS} END
      WHERE subject = @subject AND budget = @budget AND ${IN_DOUBT} AND ended_at_ms <= @admittedAtMs`);
    this.stampOldDoubts = database.prepare(`
      UPDATE slots SET stamped_at_ms = @atMs + ${HANDLED_TOGETHER_MS}
      WHERE ${IN_DOUBT} AND ended_at_ms + ${PART_STANDS_STILL_MS} <= @admittedAtMs`);
    this.stampOldestDoubts = database.prepare(`
      UPDATE slots SET stamped_at_ms = ended_at_ms + ${LONGEST_DOUBT_MS}
      WHERE ${IN_DOUBT} AND ended_at_ms + ${LONGEST_DOUBT_MS} <= ?`);
    this.insertSlot = database.prepare(`
      INSERT INTO slots (subject, budget, owner, admitted_at_ms) VALUES (@subject, @budget, @owner, @admittedAtMs)`);
    this.updateStamp = database.prepare(
      'UPDATE slots SET stamped_at_ms = ? WHERE id = ? AND stamped_at_ms IS NULL',
    );
    this.deleteSlot = database.prepare('DELETE FROM slots WHERE id = ? AND stamped_at_ms IS NULL');
    this.selectOpen = database.prepare(
      'SELECT id FROM slots WHERE id = ? AND stamped_at_ms IS NULL AND ended_at_ms IS NULL',
    );
  }

  budget(key: BudgetKey): BudgetRow | null {
    return this.selectBudget.get(key) ?? null;
  }

  saveBudget(key: BudgetKey, row: BudgetRow): void {
    this.upsertBudget.run({ ...key, ...row });
  }

  /** Forgets budgets, of tokens that are gone, which hold no slot. Whoever still uses one writes it again. */
  forgetIdleBudgets(): void {
    this.database.exec(`
      DELETE FROM budgets WHERE full_since_ms IS NULL AND NOT EXISTS (
        SELECT 1 FROM slots WHERE slots.subject = budgets.subject AND slots.budget = budgets.budget)`);
  }

  releaseBefore(key: BudgetKey, beforeMs: number): void {
    this.deleteReleased.run({ ...key, beforeMs });
  }

  occupied(key: BudgetKey): number {
    return present(this.selectCount.get(key), 'a row of a count').count;
  }

  stampAt(key: BudgetKey, index: number): number | null {
    return this.selectStamp.get({ ...key, index })?.stampedAtMs ?? null;
  }

  /** Slots without a stamp that are not `owner`'s own. */
  unstampedOfOthers(key: BudgetKey, owner: string): readonly OpenSlotRow[] {
    return this.selectUnstamped.all({ ...key, owner });
  }

  insert(key: BudgetKey, owner: string, admittedAtMs: number): number {
    return Number(this.insertSlot.run({ ...key, owner, admittedAtMs }).lastInsertRowid);
  }

  stamp(id: number, stampMs: number): void {
    this.updateStamp.run(stampMs, id);
  }

  /** Requests of a budget that ended without an answer, and that nothing has followed. */
  doubts(key: BudgetKey): readonly Doubt[] {
    return this.selectDoubts.all(key).map((row) => ({ ...row, isFollowed: false }));
  }

  /** Returns when the requests of a budget that are in flight were admitted, whoever sent them. */
  inFlight(key: BudgetKey): readonly number[] {
    return this.selectInFlight.all(key).map(({ admittedAtMs }) => admittedAtMs);
  }

  /** Puts a slot in doubt. */
  end(id: number, endedAtMs: number): void {
    this.updateEnd.run(endedAtMs, id);
  }

  /** Takes in what an answer shows about doubts, as `follows`, `stampByAnswer` and `stampByAnyAnswer` say. */
  endDoubts(key: BudgetKey, answer: Answer): void {
    if (this.selectAnyDoubt.get() === undefined) return;
    this.stampOldDoubts.run(answer);
    this.followDoubtsOfBudget.run({ ...key, ...answer });
  }

  /** Stamps what has been in doubt for as long as anything can be. */
  endOldestDoubts(nowMs: number): void {
    if (this.selectAnyDoubt.get() !== undefined) this.stampOldestDoubts.run(nowMs);
  }

  delete(id: number): void {
    this.deleteSlot.run(id);
  }

  /** Returns true if the slot exists, and is neither stamped nor in doubt. */
  isOpen(id: number): boolean {
    return this.selectOpen.get(id) !== undefined;
  }

  /** Forgets every slot, and since when a window counts as full because it grew. */
  deleteAll(): void {
    this.database.exec('DELETE FROM slots; UPDATE budgets SET full_since_ms = NULL');
  }
}

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
