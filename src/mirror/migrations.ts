import { SECOND_STEP } from './second-step.ts';

/**
 * The mirror's schema, one step a version. A step is never changed once it has been released; a change is a new step. Steps may call the function
 * `decimal_sum`, which adds decimal texts exactly.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE orders (
    client_order_id TEXT PRIMARY KEY,
    venue_id INTEGER UNIQUE,
    strategy TEXT NOT NULL,
    market TEXT NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
    execution TEXT NOT NULL,
    price TEXT NOT NULL,
    amount TEXT NOT NULL,
    matched TEXT NOT NULL,
    stage TEXT NOT NULL,
    status TEXT,
    planned_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE order_changes (
    id INTEGER PRIMARY KEY,
    client_order_id TEXT NOT NULL REFERENCES orders (client_order_id),
    at_ms INTEGER NOT NULL,
    stage TEXT NOT NULL,
    status TEXT,
    matched TEXT NOT NULL
  ) STRICT;
  CREATE INDEX order_changes_by_order ON order_changes (client_order_id);

  CREATE TABLE trades (
    venue_id INTEGER NOT NULL,
    client_order_id TEXT NOT NULL REFERENCES orders (client_order_id),
    market TEXT NOT NULL,
    side TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    price TEXT NOT NULL,
    amount TEXT NOT NULL,
    total TEXT NOT NULL,
    fee TEXT NOT NULL,
    PRIMARY KEY (venue_id, client_order_id)
  ) STRICT;

  CREATE TABLE balances (
    currency TEXT PRIMARY KEY,
    total TEXT NOT NULL,
    held TEXT NOT NULL,
    seen_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE books (
    market TEXT PRIMARY KEY,
    bids TEXT NOT NULL,
    asks TEXT NOT NULL,
    updated_at_ms INTEGER,
    seen_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE stats (
    market TEXT PRIMARY KEY,
    latest TEXT,
    best_buy TEXT,
    best_sell TEXT,
    day_change TEXT,
    seen_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE candles (
    market TEXT NOT NULL,
    resolution TEXT NOT NULL,
    open_time_ms INTEGER NOT NULL,
    open TEXT NOT NULL,
    high TEXT NOT NULL,
    low TEXT NOT NULL,
    close TEXT NOT NULL,
    volume TEXT NOT NULL,
    PRIMARY KEY (market, resolution, open_time_ms)
  ) STRICT;
  `,
  SECOND_STEP,
];
