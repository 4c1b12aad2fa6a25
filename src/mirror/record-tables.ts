import type Database from 'better-sqlite3';
import { formatUnits, parseUnits, separatedName } from '../domain/money.ts';
import type { FieldKind, RecordFields, RecordOf, TextsOf } from '../records/field.ts';
import { FILL } from '../records/fill.ts';
import { ORDER } from '../records/order.ts';
import { ALGORITHM, BALANCE, INTENT, NOTE, STRATEGY } from '../records/rows.ts';

/** A value for a placeholder of an SQL condition. */
export type SqlValue = string | number | null;

/** Table of a record: units are stored as decimal texts, everything else unchanged. */
class RecordTable<Of extends RecordFields> {
  readonly columns: readonly { readonly field: string; readonly column: string; readonly kind: FieldKind }[];
  readonly table: string;
  private readonly decimals: readonly string[];
  private readonly empty: object;

  /** `renamed`: column names of fields whose column has another name. */
  constructor(table: string, fields: Of, renamed: Readonly<Record<string, string>> = {}) {
    this.table = table;
    this.columns = Object.entries(fields).map(([field, { kind }]) => ({
      field,
      column: renamed[field] ?? separatedName(field, '_'),
      kind,
    }));
    this.decimals = this.columns
      .filter(({ kind }) => kind === 'money' || kind === 'amount')
      .map(({ field }) => field);
    // An object of JSON has its fields at fixed places, and so have its copies: they take half the room.
    this.empty = JSON.parse(JSON.stringify(fields, (name, value) => (name === '' ? value : null))) as object;
  }

  /** Returns SQL that writes a record over one with the same `key`. `more` are columns without a field. */
  upsert(key: string, more: Readonly<Record<string, string>> = {}): string {
    const all = [...this.columns.map(({ field, column }) => [field, column]), ...Object.entries(more)];
    const columns = all.map(([, column]) => column);
    return `
      INSERT INTO ${this.table} (${columns.join(', ')}) VALUES (${all.map(([name]) => `@${name}`).join(', ')})
      ON CONFLICT (${key}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  }

  stored(record: RecordOf<Of>): TextsOf<Of> {
    const row: Record<string, unknown> = { ...record };
    for (const name of this.decimals) {
      const units = row[name] as bigint | null;
      if (units !== null) row[name] = formatUnits(units);
    }
    return row as TextsOf<Of>;
  }

  /**
   * Prepares a query for records; its argument is the SQL after `FROM table`, such as a condition and an
   * order. Records are read one after another, so only one is in memory. In the mirror of an older sarraf, a
   * missing column is null, and a missing table has no rows. Throws `INVALID_DECIMAL` at a damaged decimal.
   */
  iterate(
    database: Database.Database,
    rest: string,
  ): (...parameters: readonly SqlValue[]) => Iterable<RecordOf<Of>> {
    const names = database
      .prepare<[], string>(`SELECT name FROM pragma_table_info('${this.table}')`)
      .pluck()
      .all();
    if (names.length === 0) return () => [];
    const fields = this.columns.map(
      ({ field, column }) => `${names.includes(column) ? column : 'NULL'} AS ${field}`,
    );
    const statement = database.prepare<SqlValue[], Readonly<Record<string, SqlValue>>>(
      `SELECT ${fields.join(', ')} FROM ${this.table} ${rest}`,
    );
    const read = this.read.bind(this);
    return function* iterate(...parameters) {
      for (const row of statement.iterate(...parameters)) yield read(row);
    };
  }

  /** Prepares the same query as `iterate`, but returns all records at once. */
  select(
    database: Database.Database,
    rest: string,
  ): (...parameters: readonly SqlValue[]) => readonly RecordOf<Of>[] {
    const iterate = this.iterate(database, rest);
    return (...parameters) => Array.from(iterate(...parameters));
  }

  private read(row: Readonly<Record<string, SqlValue>>): RecordOf<Of> {
    const record: Record<string, unknown> = Object.assign({ ...this.empty }, row);
    for (const name of this.decimals) {
      const text = row[name];
      if (typeof text === 'string') record[name] = parseUnits(text);
    }
    return record as RecordOf<Of>;
  }
}

export const ORDER_ROWS = new RecordTable('orders', ORDER, { key: 'order_key', exit: 'exit_kind' });
export const FILL_ROWS = new RecordTable('fills', FILL);
export const INTENT_ROWS = new RecordTable('intents', INTENT, { id: 'intent_id' });
export const ALGORITHM_ROWS = new RecordTable('algorithms', ALGORITHM);
export const STRATEGY_ROWS = new RecordTable('strategies', STRATEGY);
export const BALANCE_ROWS = new RecordTable('balances', BALANCE);
export const NOTE_ROWS = new RecordTable('trip_notes', NOTE);

/** SQL for orders that were sent and count as never placed. */
export const REFUSED = `state = 'rejected' AND attempts > 0`;

/** SQL list of the states after which nothing about an order changes any more. */
export const FINAL_STATES = `('filled', 'cancelled', 'rejected')`;

/**
 * SQL for the ids of orders that are not final, by their own index: SQLite would search all orders, up to a
 * million, when the newest are wanted.
 */
export const UNFINISHED_IDS = `(SELECT id FROM orders INDEXED BY orders_unfinished WHERE state NOT IN ${FINAL_STATES})`;
