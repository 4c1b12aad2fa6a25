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
import { z } from 'zod';

export const BUDGET_FIELD = z.object({
  requestLimit: z.number(),
  /** Limit that the exchange itself allows. */
  statedLimit: z.number(),
  windowMs: z.number(),
  reserve: z.number(),
  assumed: z.number(),
  fullSinceMs: z.number().nullable(),
});
export type BudgetRow = Readonly<z.output<typeof BUDGET_FIELD>>;

/** Key of the budget of one IP address or token. */
export interface BudgetKey {
  readonly subject: string;
  readonly budget: string;
}

interface OpenSlotRow {
  readonly id: number;
  readonly owner: string;
  readonly admittedAtMs: number;
}

/** A slot that is taken. */
export interface NewSlot {
  readonly owner: string;
  readonly weight: number;
  readonly admittedAtMs: number;
}

const OF_BUDGET = 'subject = @subject AND budget = @budget';
const IN_FLIGHT = 'stamped_at_ms IS NULL AND ended_at_ms IS NULL';
const IN_DOUBT = 'ended_at_ms IS NOT NULL AND stamped_at_ms IS NULL';

/**
 * Access to budgets and slots in the ledger's file. The slots of our requests never have more units than
 * their limit.
 */
export function slotRows(database: Database.Database) {
  const selectBudget = database.prepare<[BudgetKey], BudgetRow>(`
    SELECT request_limit AS requestLimit, ifnull(stated_limit, request_limit) AS statedLimit, window_ms AS windowMs,
      reserve, assumed, full_since_ms AS fullSinceMs
    FROM budgets WHERE ${OF_BUDGET}`);
  const upsertBudget = database.prepare<[BudgetKey & BudgetRow]>(`
    INSERT OR REPLACE INTO budgets (subject, budget, request_limit, stated_limit, window_ms, reserve, assumed, full_since_ms)
    VALUES (@subject, @budget, @requestLimit, @statedLimit, @windowMs, @reserve, @assumed, @fullSinceMs)`);
  const deleteReleased = database.prepare<[BudgetKey & { readonly beforeMs: number }]>(
    `DELETE FROM slots WHERE ${OF_BUDGET} AND stamped_at_ms < @beforeMs`,
  );
  const selectUnits = database
    .prepare<[BudgetKey], number>(`SELECT ifnull(sum(weight), 0) FROM slots WHERE ${OF_BUDGET}`)
    .pluck();
  const selectStamp = database
    .prepare<[BudgetKey & { readonly units: number }], number | null>(
      `SELECT stamped_at_ms FROM (
        SELECT stamped_at_ms, sum(weight) OVER (ORDER BY stamped_at_ms NULLS LAST, id) AS freed FROM slots WHERE ${OF_BUDGET})
      WHERE freed >= @units ORDER BY freed LIMIT 1`,
    )
    .pluck();
  const selectUnstamped = database.prepare<[BudgetKey & { readonly owner: string }], OpenSlotRow>(`
    SELECT id, owner, admitted_at_ms AS admittedAtMs FROM slots
    WHERE ${OF_BUDGET} AND ${IN_FLIGHT} AND owner <> @owner`);
  const selectInFlight = database
    .prepare<[BudgetKey], number>(`SELECT admitted_at_ms FROM slots WHERE ${OF_BUDGET} AND ${IN_FLIGHT}`)
    .pluck();
  const selectDoubts = database.prepare<[BudgetKey], Omit<Doubt, 'isFollowed'>>(`
    SELECT admitted_at_ms AS admittedAtMs, ended_at_ms AS endedAtMs FROM slots
    WHERE ${OF_BUDGET} AND ${IN_DOUBT} AND is_followed = 0`);
  const selectAnyDoubt = database.prepare(`SELECT id FROM slots WHERE ${IN_DOUBT} LIMIT 1`);
  const updateEnd = database.prepare<[number, number]>(
    `UPDATE slots SET ended_at_ms = ? WHERE id = ? AND ${IN_FLIGHT}`,
  );
  const followDoubtsOfBudget = database.prepare<[BudgetKey & Answer]>(`
    UPDATE slots SET is_followed = 1,
      stamped_at_ms = CASE WHEN ended_at_ms + ${LATE_ARRIVAL_MS} <= @admittedAtMs THEN @atMs + ${HANDLED_TOGETHER_MS} END
    WHERE ${OF_BUDGET} AND ${IN_DOUBT} AND ended_at_ms <= @admittedAtMs`);
  const stampOldDoubts = database.prepare<[Answer]>(`
    UPDATE slots SET stamped_at_ms = @atMs + ${HANDLED_TOGETHER_MS}
    WHERE ${IN_DOUBT} AND ended_at_ms + ${PART_STANDS_STILL_MS} <= @admittedAtMs`);
  const stampOldestDoubts = database.prepare<[number]>(`
    UPDATE slots SET stamped_at_ms = ended_at_ms + ${LONGEST_DOUBT_MS}
    WHERE ${IN_DOUBT} AND ended_at_ms + ${LONGEST_DOUBT_MS} <= ?`);
  const insertSlot = database.prepare<[BudgetKey & NewSlot]>(
    `INSERT INTO slots (subject, budget, weight, owner, admitted_at_ms) VALUES (@subject, @budget, @weight, @owner, @admittedAtMs)`,
  );
  const updateStamp = database.prepare<[number, number]>(
    'UPDATE slots SET stamped_at_ms = ? WHERE id = ? AND stamped_at_ms IS NULL',
  );
  const deleteSlot = database.prepare<[number]>('DELETE FROM slots WHERE id = ? AND stamped_at_ms IS NULL');
  const selectOpen = database.prepare<[number]>(`SELECT id FROM slots WHERE id = ? AND ${IN_FLIGHT}`);
  const hasDoubt = (): boolean => selectAnyDoubt.get() !== undefined;
  return {
    budget: (key: BudgetKey): BudgetRow | null => selectBudget.get(key) ?? null,

    saveBudget: (key: BudgetKey, row: BudgetRow): void => void upsertBudget.run({ ...key, ...row }),

    /** Deletes budgets without slots, such as those of former tokens. Who uses one writes it anew. */
    forgetIdleBudgets(): void {
      database.exec(`
        DELETE FROM budgets WHERE full_since_ms IS NULL AND NOT EXISTS (
          SELECT 1 FROM slots WHERE slots.subject = budgets.subject AND slots.budget = budgets.budget)`);
    },

    releaseBefore: (key: BudgetKey, beforeMs: number): void => void deleteReleased.run({ ...key, beforeMs }),

    /** Returns the units of all slots of a budget. */
    occupied: (key: BudgetKey): number => present(selectUnits.get(key), 'a sum'),

    /** Returns the stamp by which so many units are free, in the order of stamps; null if none is known. */
    stampFreeing: (key: BudgetKey, units: number): number | null =>
      selectStamp.get({ ...key, units }) ?? null,

    /** Returns slots without a stamp that have another owner. */
    unstampedOfOthers: (key: BudgetKey, owner: string): readonly OpenSlotRow[] =>
      selectUnstamped.all({ ...key, owner }),

    insert: (key: BudgetKey, slot: NewSlot): number =>
      Number(insertSlot.run({ ...key, ...slot }).lastInsertRowid),

    stamp: (id: number, stampMs: number): void => void updateStamp.run(stampMs, id),

    /** Returns requests of a budget that ended without an answer and that no later answer has followed. */
    doubts: (key: BudgetKey): readonly Doubt[] =>
      selectDoubts.all(key).map((row) => ({ ...row, isFollowed: false })),

    /** Returns the admission times of all requests of a budget in flight, of any sender. */
    inFlight: (key: BudgetKey): readonly number[] => selectInFlight.all(key),

    /** Marks the request of a slot as ended without an answer. */
    end: (id: number, endedAtMs: number): void => void updateEnd.run(endedAtMs, id),

    /** Applies an answer to doubts, by `follows`, `stampByAnswer` and `stampByAnyAnswer`. */
    endDoubts(key: BudgetKey, answer: Answer): void {
      if (!hasDoubt()) return;
      stampOldDoubts.run(answer);
      followDoubtsOfBudget.run({ ...key, ...answer });
    },

    /** Stamps doubts of the longest possible age. */
    endOldestDoubts(nowMs: number): void {
      if (hasDoubt()) stampOldestDoubts.run(nowMs);
    },

    delete: (id: number): void => void deleteSlot.run(id),

    /** Returns true if the slot exists, and is neither stamped nor in doubt. */
    isOpen: (id: number): boolean => selectOpen.get(id) !== undefined,

    /** Deletes every slot, and the marks of windows that count as full because they grew. */
    deleteAll(): void {
      database.exec('DELETE FROM slots; UPDATE budgets SET full_since_ms = NULL');
    },
  };
}

export type SlotRows = ReturnType<typeof slotRows>;

/** Access to lowered limits in the ledger's file, for all processes and restarts: a row for each budget. */
export function namedLimitRows(database: Database.Database) {
  const select = database.prepare<[BudgetKey], NamedLimit>(
    `SELECT request_limit AS "limit", at_ms AS atMs FROM named_limits WHERE ${OF_BUDGET}`,
  );
  const upsert = database.prepare<[BudgetKey & NamedLimit]>(
    'INSERT OR REPLACE INTO named_limits VALUES (@subject, @budget, @limit, @atMs)',
  );
  const remove = database.prepare<[BudgetKey]>(`DELETE FROM named_limits WHERE ${OF_BUDGET}`);
  const deleteOld = database.prepare<[number]>(`DELETE FROM named_limits WHERE at_ms + ${QUIET_MS} < ?`);
  const updateAll = database.prepare<[number]>('UPDATE named_limits SET at_ms = ?');
  return {
    of: (key: BudgetKey): NamedLimit | null => select.get(key) ?? null,

    save(key: BudgetKey, named: NamedLimit | null): void {
      if (named === null) remove.run(key);
      else upsert.run({ ...key, ...named });
    },

    /** Deletes limits that have expired, also those of former tokens. */
    forgetOld: (nowMs: number): void => void deleteOld.run(nowMs),

    /** Restarts the quiet hours after a restart of the machine, as times of its old clock mean nothing. */
    carryOver: (nowMs: number): void => void updateAll.run(nowMs),
  };
}

export type NamedLimitRows = ReturnType<typeof namedLimitRows>;

/** Access to the one row with the boot of the file's times, and since when its knowledge is complete. */
export function clockRow(database: Database.Database) {
  const select = database.prepare<
    [],
    { readonly bootId: string; readonly fullSinceMs: number | null; readonly heardAtMs: number | null }
  >('SELECT boot_id AS bootId, full_since_ms AS fullSinceMs, heard_at_ms AS heardAtMs FROM clock');
  const updateHeard = database.prepare<[Answer]>(
    'UPDATE clock SET heard_at_ms = @atMs WHERE heard_at_ms IS NULL AND full_since_ms <= @admittedAtMs',
  );
  const insert = database.prepare<[string, number | null]>(
    'INSERT OR REPLACE INTO clock (id, boot_id, full_since_ms) VALUES (1, ?, ?)',
  );
  return {
    /** Sets the boot of all times; `fullSinceMs`: time before which requests are unknown; null if known. */
    begin: (bootId: string, fullSinceMs: number | null): void => void insert.run(bootId, fullSinceMs),

    isOf: (bootId: string): boolean => select.get()?.bootId === bootId,

    /** Returns what the file does not know; null if it knows everything. */
    past(): UnknownPast | null {
      const { fullSinceMs = null, heardAtMs = null } = select.get() ?? {};
      return fullSinceMs === null ? null : { sinceMs: fullSinceMs, heardAtMs };
    },

    /** Records an answer to a request that was sent after all unknown ones. */
    heard: (answer: Answer): void => void updateHeard.run(answer),
  };
}

export type ClockRow = ReturnType<typeof clockRow>;
