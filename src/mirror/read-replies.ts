import type Database from 'better-sqlite3';
import type { ReplyRecord } from '../engine/mirror-change.ts';
import { schemaVersionOf } from './check-mirror.ts';

/** The version of the schema that has replies. */
const WITH_REPLIES = 3;

/**
 * Returns the exchange's actual replies on an order, oldest first; nothing in a file that an older sarraf
 * wrote, until a bot brings it up to date.
 */
export function readReplies(database: Database.Database, orderKey: string): readonly ReplyRecord[] {
  if (schemaVersionOf(database) < WITH_REPLIES) return [];
  return database
    .prepare<[string], ReplyRecord>(
      `SELECT order_key AS orderKey, step, at_ms AS atMs, endpoint, http_status AS httpStatus, body,
         body_length AS bodyLength, problem
       FROM replies WHERE order_key = ? ORDER BY at_ms, is_used, step`,
    )
    .all(orderKey);
}
