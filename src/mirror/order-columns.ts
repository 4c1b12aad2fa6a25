import type Database from 'better-sqlite3';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import { separatedName } from '../domain/separated-name.ts';
import { unsentOrder, type OrderRecord } from '../engine/order-record.ts';

/** Value bound to a condition. */
export type SqlValue = string | number | null;

/** An order as its table stores it: units as decimal texts, everything else as it is. */
type StoredOrder = {
  readonly [Key in keyof OrderRecord]: OrderRecord[Key] extends Units | null
    ? string | Extract<OrderRecord[Key], null>
    : OrderRecord[Key];
};

/** Columns with other names than their fields. */
const RENAMED: Readonly<Record<string, string>> = { key: 'order_key', exit: 'exit_kind' };

/** Each field of an order, as one that has no plan yet shows them, and its column. */
const PAIRS = Object.keys(unsentOrder({} as OrderRecord)).map(
  (field) => [field, RENAMED[field] ?? separatedName(field, '_')] as const,
);

/** Writes an order as it now is, over what it was. */
export const UPSERT_ORDER = `
  INSERT INTO orders (${PAIRS.map(([, column]) => column).join(', ')}, updated_at_ms)
  VALUES (${PAIRS.map(([field]) => `@${field}`).join(', ')}, @atMs)
  ON CONFLICT (order_key) DO UPDATE SET
    ${PAIRS.map(([, column]) => `${column} = excluded.${column}`).join(', ')}, updated_at_ms = excluded.updated_at_ms`;

/** Of orders that were sent, and count as never placed. */
export const REFUSED = `state = 'rejected' AND attempts > 0`;

/** The states after which nothing about an order changes any more, as SQL has them. */
export const FINAL_STATES = `('filled', 'cancelled', 'rejected')`;

/**
 * Ids of the orders that are not final, by their own index: SQLite would look through all orders for them
 * where the newest are asked for, and a mirror has up to a million.
 */
export const UNFINISHED_IDS = `(SELECT id FROM orders INDEXED BY orders_unfinished WHERE state NOT IN ${FINAL_STATES})`;

const textOf = (units: Units | null): string | null => (units === null ? null : formatUnits(units));
const unitsIn = (text: string | null): Units | null => (text === null ? null : parseUnits(text));

export function storedOrder(order: OrderRecord): StoredOrder {
  return {
    ...order,
    price: textOf(order.price),
    stopPrice: textOf(order.stopPrice),
    amount: formatUnits(order.amount),
    matched: formatUnits(order.matched),
    filled: formatUnits(order.filled),
    filledTotal: formatUnits(order.filledTotal),
    fee: formatUnits(order.fee),
  };
}

/** Throws `INVALID_DECIMAL` for a row whose decimals somebody spoiled. */
function orderOf(row: StoredOrder): OrderRecord {
  return {
    ...row,
    price: unitsIn(row.price),
    stopPrice: unitsIn(row.stopPrice),
    amount: parseUnits(row.amount),
    matched: parseUnits(row.matched),
    filled: parseUnits(row.filled),
    filledTotal: parseUnits(row.filledTotal),
    fee: parseUnits(row.fee),
  };
}

/**
 * Reads orders with what follows `FROM orders`, such as a condition and an order. A column that the mirror of
 * an older sarraf lacks is null.
 */
export function selectOrders(
  database: Database.Database,
  rest: string,
): (...parameters: readonly SqlValue[]) => readonly OrderRecord[] {
  const names = database.prepare<[], string>("SELECT name FROM pragma_table_info('orders')").pluck().all();
  const fields = PAIRS.map(([field, column]) => `${names.includes(column) ? column : 'NULL'} AS ${field}`);
  const statement = database.prepare<SqlValue[], StoredOrder>(
    `SELECT ${fields.join(', ')} FROM orders ${rest}`,
  );
  return (...parameters) => Array.from(statement.iterate(...parameters), orderOf);
}
