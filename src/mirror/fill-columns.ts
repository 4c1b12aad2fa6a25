import type Database from 'better-sqlite3';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import type { FillRecord } from '../engine/fill-record.ts';
import type { SqlValue } from './order-columns.ts';

/** A fill as its table stores it: units as decimal texts. */
type StoredFill = {
  readonly [Key in keyof FillRecord]: FillRecord[Key] extends Units ? string : FillRecord[Key];
};

const COLUMNS: { readonly [Key in keyof FillRecord]: string } = {
  tradeId: 'trade_id',
  cursor: 'cursor',
  venueOrderId: 'venue_order_id',
  orderKey: 'order_key',
  strategy: 'strategy',
  market: 'market',
  side: 'side',
  atMs: 'at_ms',
  price: 'price',
  amount: 'amount',
  total: 'total',
  fee: 'fee',
};

const PAIRS = Object.entries(COLUMNS);

/** Writes a fill. One that exists is overwritten, as when its order is found later. */
export const UPSERT_FILL = `
  INSERT INTO fills (${PAIRS.map(([, column]) => column).join(', ')}) VALUES (${PAIRS.map(([field]) => `@${field}`).join(', ')})
  ON CONFLICT (trade_id, ifnull(venue_order_id, ''), side) DO UPDATE SET
    ${PAIRS.map(([, column]) => `${column} = excluded.${column}`).join(', ')}`;

export const DELETE_FILL =
  "DELETE FROM fills WHERE trade_id = @tradeId AND ifnull(venue_order_id, '') = ifnull(@venueOrderId, '') AND side = @side";

export function storedFill(fill: FillRecord): StoredFill {
  return {
    ...fill,
    price: formatUnits(fill.price),
    amount: formatUnits(fill.amount),
    total: formatUnits(fill.total),
    fee: formatUnits(fill.fee),
  };
}

const FIELDS = PAIRS.map(([field, column]) => `${column} AS ${field}`).join(', ');

/**
 * Reads fills with what follows `FROM fills`. Throws `INVALID_DECIMAL` for a row whose decimals somebody
 * spoiled.
 */
export function selectFills(
  database: Database.Database,
  rest: string,
): (...parameters: readonly SqlValue[]) => readonly FillRecord[] {
  const statement = prepareFills(database, rest);
  return (...parameters) => Array.from(statement.iterate(...parameters), fillOf);
}

/** The same, one after another: memory is that of one. */
export function* iterateFills(database: Database.Database, rest: string): Generator<FillRecord> {
  for (const row of prepareFills(database, rest).iterate()) yield fillOf(row);
}

function prepareFills(database: Database.Database, rest: string): Database.Statement<SqlValue[], StoredFill> {
  return database.prepare<SqlValue[], StoredFill>(`SELECT ${FIELDS} FROM fills ${rest}`);
}

/** Each field by itself: of a hundred thousand, objects that are spread take twice the room. */
function fillOf(row: StoredFill): FillRecord {
  return {
    tradeId: row.tradeId,
    cursor: row.cursor,
    venueOrderId: row.venueOrderId,
    orderKey: row.orderKey,
    strategy: row.strategy,
    market: row.market,
    side: row.side,
    atMs: row.atMs,
    price: parseUnits(row.price),
    amount: parseUnits(row.amount),
    total: parseUnits(row.total),
    fee: parseUnits(row.fee),
  };
}
