/**
 * The ledger's schema, one step a version. A released step is never changed; a change is a new step. Times
 * are monotonic but for those of the wall.
 */
export const LEDGER_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    boot_id TEXT NOT NULL,
    -- From when on nothing is known of earlier requests; null when there were none.
    full_since_ms INTEGER
  ) STRICT;

  CREATE TABLE budgets (
    subject TEXT NOT NULL,
    budget TEXT NOT NULL,
    request_limit INTEGER NOT NULL,
    window_ms INTEGER NOT NULL,
    reserve INTEGER NOT NULL,
    assumed INTEGER NOT NULL,
    full_since_ms INTEGER,
    PRIMARY KEY (subject, budget)
  ) STRICT;

  -- AUTOINCREMENT: an id that was given back must not come again, or a late stamp would hit another's slot.
  CREATE TABLE slots (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    budget TEXT NOT NULL,
    owner TEXT NOT NULL,
    admitted_at_ms INTEGER NOT NULL,
    stamped_at_ms INTEGER
  ) STRICT;
  CREATE INDEX slots_by_budget ON slots (subject, budget, stamped_at_ms);

  CREATE TABLE lockouts (
    subject TEXT NOT NULL,
    budget TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('open', 'trial')),
    strikes INTEGER NOT NULL,
    -- Until when it is open, or since when its canary is on its way.
    at_ms INTEGER NOT NULL,
    length_ms INTEGER NOT NULL,
    until_wall_ms INTEGER NOT NULL,
    PRIMARY KEY (subject, budget)
  ) STRICT;

  CREATE TABLE credential_stops (
    subject TEXT PRIMARY KEY,
    log_ins_left INTEGER NOT NULL,
    probe_at_ms INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- When it ended without an answer.
  ALTER TABLE slots ADD COLUMN ended_at_ms INTEGER;
  -- Whether a request that was sent after its end was answered.
  ALTER TABLE slots ADD COLUMN is_followed INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX slots_in_doubt ON slots (subject, budget, ended_at_ms) WHERE ended_at_ms IS NOT NULL AND stamped_at_ms IS NULL;
  `,
  `
  -- When the first request was answered that was sent after full_since_ms.
  ALTER TABLE clock ADD COLUMN heard_at_ms INTEGER;
  -- What the exchange itself allows; null: request_limit.
  ALTER TABLE budgets ADD COLUMN stated_limit INTEGER;
  `,
  `
  -- Limits below ours that the exchange has named.
  CREATE TABLE named_limits (
    subject TEXT NOT NULL,
    budget TEXT NOT NULL,
    request_limit INTEGER NOT NULL CHECK (request_limit >= 1),
    -- When the last limit reply came.
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (subject, budget)
  ) STRICT;
  `,
];
