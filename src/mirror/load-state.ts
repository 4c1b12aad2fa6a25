import type Database from 'better-sqlite3';
import type { MarketVersionRecord, MirrorState } from '../engine/mirror-change.ts';
import { ADOPTED } from '../engine/lost-orders.ts';
import { STORED_NAMES } from '../engine/order-takeover.ts';
import { STORED_CURSOR, MOST_APPLIED } from '../engine/applied-trades.ts';
import { STORED_RECONCILIATION } from '../engine/stored-reconciliation.ts';
import { PLACEHOLDER } from '../records/fill.ts';
import {
  FILL_ROWS,
  FINAL_STATES,
  ORDER_ROWS,
  REFUSED,
  INTENT_ROWS,
  ALGORITHM_ROWS,
  STRATEGY_ROWS,
} from './record-tables.ts';
import { RECENT_MS } from './pruner.ts';

/** Trades that a restart gets at least, so that a page that overlaps what was read brings nothing twice. */
const MOST_TRADES = 2_000;

/** Closed orders that algorithms at work are given back besides. Beyond it the oldest are left out. */
const MOST_ALGORITHM_ORDERS = 5_000;

/**
 * Closed orders that were taken over after the mirror was put back, while more are looked for. Beyond it the
 * oldest are left out.
 */
const MOST_TAKEOVERS = 5_000;

/**
 * Orders that were sent and refused, the newest. A refusal can be wrong, and the order then turns up at any
 * later time.
 */
const MOST_REFUSED = 1_000;

/** True while orders missing in a copy of the mirror are being searched for. */
const IS_SEARCHING = `EXISTS (SELECT 1 FROM kept
  WHERE name = '${STORED_NAMES}' AND json_valid(json) AND json_extract(json, '$.isSearching'))`;

/** Placeholders for trades that may still come. The index of the trades' ids finds them. */
const IS_PLACEHOLDER = `(trade_id >= '${PLACEHOLDER}' AND trade_id < '${PLACEHOLDER}\u{10FFFF}')`;

/** True if a break waits for a person: then what is booked beyond its order may have to be removed. */
const IS_BROKEN = `EXISTS (SELECT 1 FROM kept
  WHERE name = '${STORED_RECONCILIATION}' AND json_valid(json) AND json_extract(json, '$.break') IS NOT NULL)`;

/**
 * Working intents that a restart gets, the oldest first. The others stay working in the file until a later
 * restart.
 */
const MOST_INTENTS = 10_000;

/**
 * Loads the data for a restart: orders that are not final, that closed within the last 15 minutes, that were
 * sent and refused, that belong to a running algorithm (which counts their fills), or that were taken over by
 * a search that is not over (it would take them over again, without their fills), or, while a break waits,
 * that the last trades belong to; the last 2,000 trades of the list, or all that the next reading of it shows
 * again; and everything of algorithms, strategies, markets and the engine's stored data.
 */
export function loadState(
  database: Database.Database,
  options: { epoch: string; nowMs: number },
): MirrorState {
  const orders = ORDER_ROWS.select(
    database,
    `WHERE id IN (
       SELECT id FROM orders WHERE state NOT IN ${FINAL_STATES}
       UNION SELECT id FROM orders WHERE ifnull(closed_at_ms, updated_at_ms) >= ?
       UNION SELECT id FROM (SELECT id FROM orders WHERE ${REFUSED} ORDER BY id DESC LIMIT ${MOST_REFUSED})
       UNION SELECT id FROM (SELECT id FROM orders WHERE intent_id IN (SELECT intent_id FROM algorithms)
         ORDER BY id DESC LIMIT ${MOST_ALGORITHM_ORDERS})
       UNION SELECT id FROM (SELECT id FROM orders WHERE intent_id = '${ADOPTED}' AND ${IS_SEARCHING}
         ORDER BY id DESC LIMIT ${MOST_TAKEOVERS})
       UNION SELECT id FROM orders WHERE order_key IN (SELECT order_key FROM fills WHERE ${IS_PLACEHOLDER})
       UNION SELECT id FROM orders WHERE ${IS_BROKEN} AND order_key IN (SELECT order_key FROM fills
         WHERE cursor >= ${furthestPlaces(MOST_TRADES)}))
     ORDER BY id`,
  );
  const fills = FILL_ROWS.select(
    database,
    `WHERE ${IS_PLACEHOLDER} OR cursor >= max(${furthestPlaces(MOST_APPLIED)}, min(${furthestPlaces(MOST_TRADES)},
       ifnull((SELECT CAST(json AS INTEGER) FROM kept WHERE name = '${STORED_CURSOR}'), ${Number.MAX_SAFE_INTEGER})))
     ORDER BY cursor, trade_id, venue_order_id, side`,
  );
  const markets = database.prepare<[], MarketVersionRecord>(
    `SELECT symbol, version, from_ms AS fromMs, price_step AS priceStep, amount_step AS amountStep, min_order_value AS minOrderValue
     FROM market_versions ORDER BY symbol, version`,
  );
  const stored = database
    .prepare<[], { name: string; json: string }>('SELECT name, json FROM kept ORDER BY name')
    .all();
  const intents = INTENT_ROWS.select(database, `WHERE status = 'working' ORDER BY id LIMIT ${MOST_INTENTS}`);
  return {
    epoch: options.epoch,
    orders: orders(options.nowMs - RECENT_MS),
    fills: fills(),
    algorithms: ALGORITHM_ROWS.select(database, 'ORDER BY intent_id')(),
    strategies: STRATEGY_ROWS.select(database, 'ORDER BY name')(),
    markets: markets.all(),
    stored: Object.fromEntries(stored.map(({ name, json }) => [name, json])),
    intents: intents(),
  };
}

/** The place of the last of so many in the list of trades, counted from its end; 0 where there are fewer. */
function furthestPlaces(count: number): string {
  return `ifnull((SELECT DISTINCT cursor FROM fills ORDER BY cursor DESC LIMIT 1 OFFSET ${count - 1}), 0)`;
}
