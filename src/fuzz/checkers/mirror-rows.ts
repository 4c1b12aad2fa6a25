import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface MirrorOrder {
  readonly key: string;
  readonly clientOrderId: string | null;
  readonly intentId: string;
  /** By the bot's own clock. */
  readonly plannedAtMs: number;
  readonly state: string;
  readonly attempts: number;
  readonly venueId: string | null;
  readonly pairKey: string | null;
  readonly amount: string;
  readonly matched: string;
  readonly filled: string;
  readonly filledTotal: string;
  readonly fee: string;
}

export interface MirrorFill {
  readonly tradeId: string;
  readonly venueOrderId: string | null;
  readonly orderKey: string | null;
  readonly side: string;
  readonly amount: string;
  readonly total: string;
  readonly fee: string;
}

interface IntentRow {
  readonly id: string;
  readonly kind: string;
  readonly json: string;
  /** Time the bot accepted it, by its own clock. */
  readonly atMs: number;
}

interface BalanceRow {
  readonly currency: string;
  readonly total: string;
  readonly held: string;
}

/** The rows of a mirror that are held against the exchange, read with its own statements from the file. */
export interface MirrorRows {
  readonly orders: readonly MirrorOrder[];
  readonly fills: readonly MirrorFill[];
  readonly intents: readonly IntentRow[];
  readonly balances: readonly BalanceRow[];
}

/** Intents whose algorithms are at work by the mirror; none where there is no mirror yet. */
export function readAlgorithmsAtWork(path: string): ReadonlySet<string> {
  if (!existsSync(path)) return new Set();
  const database = new Database(path, { readonly: true });
  try {
    const rows = database.prepare<[], string>('SELECT intent_id FROM algorithms').pluck().all();
    return new Set(rows);
  } finally {
    database.close();
  }
}

/** Reads a mirror while its bot may still have it open. */
export function readMirrorRows(path: string): MirrorRows {
  const database = new Database(path, { readonly: true });
  try {
    return {
      orders: database
        .prepare<[], MirrorOrder>(
          `SELECT order_key AS key, client_order_id AS clientOrderId, intent_id AS intentId, planned_at_ms AS plannedAtMs, state, attempts, venue_id AS venueId,
             pair_key AS pairKey, amount, matched, filled, filled_total AS filledTotal, fee FROM orders ORDER BY id`,
        )
        .all(),
      fills: database
        .prepare<[], MirrorFill>(
          `SELECT trade_id AS tradeId, venue_order_id AS venueOrderId, order_key AS orderKey, side, amount, total, fee
           FROM fills ORDER BY cursor, venue_order_id`,
        )
        .all(),
      intents: database
        .prepare<[], IntentRow>('SELECT intent_id AS id, kind, json, at_ms AS atMs FROM intents ORDER BY id')
        .all(),
      balances: database
        .prepare<[], BalanceRow>('SELECT currency, total, held FROM balances ORDER BY currency')
        .all(),
    };
  } finally {
    database.close();
  }
}
