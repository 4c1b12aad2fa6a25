/**
 * Version 2: everything that the engine writes down. What version 1 knew is carried over: an order that was on its way there counts as unknown
 * here, its fills are added up exactly, and every change of it becomes a line of the journal.
 */
export const SECOND_STEP = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  ALTER TABLE orders RENAME TO orders_1;
  ALTER TABLE candles RENAME TO candles_1;

  CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    order_key TEXT NOT NULL UNIQUE,
    client_order_id TEXT,
    intent_id TEXT NOT NULL,
    strategy TEXT NOT NULL,
    tag TEXT,
    market TEXT NOT NULL,
    market_version INTEGER NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
    execution TEXT NOT NULL,
    price TEXT,
    stop_price TEXT,
    amount TEXT NOT NULL,
    pair_key TEXT,
    planned_at_ms INTEGER NOT NULL,
    sent_at_ms INTEGER,
    attempts INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN
      ('planned', 'sending', 'unknown', 'open', 'cancelling', 'settling', 'filled', 'cancelled', 'rejected')),
    venue_id INTEGER,
    venue_status TEXT,
    matched TEXT NOT NULL,
    filled TEXT NOT NULL,
    filled_total TEXT NOT NULL,
    fee TEXT NOT NULL,
    reason TEXT,
    closed_at_ms INTEGER,
    order_id_floor INTEGER NOT NULL,
    trade_id_floor INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;

  CREATE TABLE fills (
    id INTEGER PRIMARY KEY,
    trade_id INTEGER NOT NULL,
    venue_order_id INTEGER,
    order_key TEXT,
    strategy TEXT,
    market TEXT NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
    at_ms INTEGER NOT NULL,
    price TEXT NOT NULL,
    amount TEXT NOT NULL,
    total TEXT NOT NULL,
    fee TEXT NOT NULL
  ) STRICT;

  CREATE TABLE intents (
    id INTEGER PRIMARY KEY,
    intent_id TEXT NOT NULL UNIQUE,
    strategy TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    market TEXT,
    json TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('working', 'done', 'refused')),
    reason TEXT
  ) STRICT;

  CREATE TABLE algorithms (
    intent_id TEXT PRIMARY KEY,
    strategy TEXT NOT NULL,
    market TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE strategies (
    name TEXT PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('running', 'paused', 'stopped')),
    reason TEXT,
    json TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE market_versions (
    symbol TEXT NOT NULL,
    version INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    price_step TEXT NOT NULL,
    amount_step TEXT NOT NULL,
    min_order_value TEXT NOT NULL,
    PRIMARY KEY (symbol, version)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE transactions (
    currency TEXT NOT NULL,
    id INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    amount TEXT NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (currency, id)
  ) STRICT, WITHOUT ROWID;

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
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE public_trades (
    market TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    price TEXT NOT NULL,
    amount TEXT NOT NULL,
    side TEXT NOT NULL,
    PRIMARY KEY (market, ordinal)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE kept (name TEXT PRIMARY KEY, json TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  ALTER TABLE balances ADD COLUMN wallet_id INTEGER;
  ALTER TABLE stats ADD COLUMN is_closed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE stats ADD COLUMN closed_reason TEXT;
  ALTER TABLE stats ADD COLUMN volume_src TEXT;
  ALTER TABLE stats ADD COLUMN volume_dst TEXT;
  ALTER TABLE stats ADD COLUMN mark TEXT;
  ALTER TABLE stats ADD COLUMN day_low TEXT;
  ALTER TABLE stats ADD COLUMN day_high TEXT;
  ALTER TABLE stats ADD COLUMN day_open TEXT;
  ALTER TABLE stats ADD COLUMN day_close TEXT;

  INSERT INTO orders (order_key, client_order_id, intent_id, strategy, market, market_version, side, execution, price, amount, planned_at_ms,
    sent_at_ms, attempts, state, venue_id, venue_status, matched, filled, filled_total, fee, closed_at_ms, order_id_floor, trade_id_floor,
    updated_at_ms)
  SELECT client_order_id, client_order_id, client_order_id, strategy, market, 0, side, execution, price, amount, planned_at_ms, planned_at_ms, 1,
    CASE stage
      WHEN 'open' THEN 'open'
      WHEN 'settling' THEN 'settling'
      WHEN 'refused' THEN 'rejected'
      WHEN 'ended' THEN iif(status = 'Done', 'filled', 'cancelled')
      ELSE 'unknown'
    END,
    venue_id, status, matched,
    (SELECT decimal_sum(amount) FROM trades WHERE trades.client_order_id = orders_1.client_order_id),
    (SELECT decimal_sum(total) FROM trades WHERE trades.client_order_id = orders_1.client_order_id),
    (SELECT decimal_sum(fee) FROM trades WHERE trades.client_order_id = orders_1.client_order_id),
    iif(stage IN ('ended', 'refused'), ifnull(
      (SELECT max(at_ms) FROM order_changes WHERE order_changes.client_order_id = orders_1.client_order_id), planned_at_ms), NULL),
    0, 0,
    ifnull((SELECT max(at_ms) FROM order_changes WHERE order_changes.client_order_id = orders_1.client_order_id), planned_at_ms)
  FROM orders_1 ORDER BY planned_at_ms, client_order_id;

  INSERT INTO fills (trade_id, venue_order_id, order_key, strategy, market, side, at_ms, price, amount, total, fee)
  SELECT trades.venue_id, orders_1.venue_id, trades.client_order_id, orders_1.strategy, trades.market, trades.side, at_ms, trades.price,
    trades.amount, total, fee
  FROM trades JOIN orders_1 USING (client_order_id) ORDER BY trades.venue_id, trades.side;

  INSERT INTO journal (at_ms, kind, subject, json)
  SELECT at_ms, 'order', client_order_id, json_object('stage', stage, 'status', status, 'matched', matched)
  FROM order_changes ORDER BY id;

  INSERT INTO candles SELECT * FROM candles_1;

  DROP TABLE order_changes;
  DROP TABLE trades;
  DROP TABLE orders_1;
  DROP TABLE candles_1;

  CREATE INDEX orders_unfinished ON orders (state) WHERE state NOT IN ('filled', 'cancelled', 'rejected');
  CREATE INDEX orders_by_venue_id ON orders (venue_id);
  CREATE INDEX orders_by_strategy ON orders (strategy);
  CREATE INDEX journal_by_subject ON journal (subject);
  CREATE UNIQUE INDEX fills_by_trade ON fills (trade_id, ifnull(venue_order_id, -1), side);
  CREATE INDEX fills_by_order ON fills (order_key);
`;
