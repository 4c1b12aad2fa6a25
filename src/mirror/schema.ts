import type Database from 'better-sqlite3';
import {
  englishParts,
  PLACE_PATTERNS,
  SENTENCE_CODES,
  stored,
  type SentenceCode,
  type SentenceFacts,
} from '../language/sentence.ts';

/** Tables of the first version: everything that the engine stored then. */
const VERSION_1 = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    order_key TEXT NOT NULL UNIQUE,
    client_order_id TEXT,
    intent_id TEXT NOT NULL,
    strategy TEXT NOT NULL,
    tag TEXT,
    exit_kind TEXT,
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
    venue_id TEXT,
    venue_status TEXT,
    matched TEXT NOT NULL,
    filled TEXT NOT NULL,
    filled_total TEXT NOT NULL,
    fee TEXT NOT NULL,
    reason TEXT,
    closed_at_ms INTEGER,
    order_floor INTEGER NOT NULL,
    trade_floor INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE fills (
    id INTEGER PRIMARY KEY,
    trade_id TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    venue_order_id TEXT,
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

  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    json TEXT NOT NULL
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

  CREATE TABLE balances (
    currency TEXT PRIMARY KEY,
    wallet_id TEXT,
    total TEXT NOT NULL,
    held TEXT NOT NULL,
    seen_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE transactions (
    ordinal INTEGER PRIMARY KEY,
    currency TEXT NOT NULL,
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    amount TEXT NOT NULL,
    description TEXT NOT NULL,
    UNIQUE (currency, id)
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
    is_closed INTEGER NOT NULL,
    closed_reason TEXT,
    best_sell TEXT,
    best_buy TEXT,
    base_volume TEXT,
    quote_volume TEXT,
    latest TEXT,
    mark TEXT,
    day_low TEXT,
    day_high TEXT,
    day_open TEXT,
    day_close TEXT,
    day_change TEXT,
    seen_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE candles (
    market TEXT NOT NULL,
    timeframe TEXT NOT NULL,
    open_time_ms INTEGER NOT NULL,
    open TEXT NOT NULL,
    high TEXT NOT NULL,
    low TEXT NOT NULL,
    close TEXT NOT NULL,
    volume TEXT NOT NULL,
    PRIMARY KEY (market, timeframe, open_time_ms)
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

  CREATE INDEX orders_unfinished ON orders (state) WHERE state NOT IN ('filled', 'cancelled', 'rejected');
  CREATE INDEX orders_refused ON orders (id) WHERE state = 'rejected' AND attempts > 0;
  CREATE INDEX orders_by_venue_id ON orders (venue_id);
  CREATE INDEX orders_by_strategy ON orders (strategy);
  CREATE INDEX journal_by_subject ON journal (subject);
  CREATE UNIQUE INDEX fills_by_trade ON fills (trade_id, ifnull(venue_order_id, ''), side);
  CREATE INDEX fills_by_cursor ON fills (cursor);
  CREATE INDEX fills_by_order ON fills (order_key);
`;

/** Adds series of values for pages and alerts (figure-name.ts); the bot itself reads none of them. */
const VERSION_2 = `
  CREATE TABLE figures (
    name TEXT,
    at_ms INTEGER,
    value TEXT,
    PRIMARY KEY (name, at_ms)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Adds the exchange's unchanged replies on an order: for each kind of request the last reply that was used,
 * and the last that was not, with the reason in `problem`. They are deleted with their order.
 */
const VERSION_3 = `
  CREATE TABLE replies (
    order_key TEXT NOT NULL,
    step TEXT NOT NULL CHECK (step IN ('place', 'look-up', 'cancel')),
    is_used INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    http_status INTEGER NOT NULL,
    body TEXT NOT NULL,
    body_length INTEGER NOT NULL,
    problem TEXT,
    PRIMARY KEY (order_key, step, is_used)
  ) STRICT;

  CREATE TRIGGER replies_of_order AFTER DELETE ON orders BEGIN
    DELETE FROM replies WHERE order_key = old.order_key;
  END;
`;

/** Adds manual changes to coins in the books of strategies, so that statements do not need the journal. */
const VERSION_4 = `
  CREATE TABLE position_moves (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    act TEXT NOT NULL CHECK (act IN ('adopt', 'write-off', 'move')),
    at_ms INTEGER NOT NULL,
    from_strategy TEXT,
    to_strategy TEXT,
    asset TEXT NOT NULL,
    amount TEXT NOT NULL,
    price TEXT NOT NULL,
    market TEXT NOT NULL,
    by TEXT
  ) STRICT;
`;

/**
 * Turns reasons into codes with their figures. The functions read the English sentences of earlier versions,
 * alone and in the named fields of JSON; foreign texts stay.
 */
const VERSION_5 = `
  UPDATE orders SET reason = read_english(reason) WHERE reason IS NOT NULL;
  UPDATE intents SET reason = read_english(reason) WHERE reason IS NOT NULL;
  UPDATE strategies SET reason = read_english(reason) WHERE reason IS NOT NULL;
  UPDATE algorithms SET json = read_english_in(json);
  UPDATE kept SET json = read_english_in(json);
  UPDATE journal SET json = read_english_in(json)
    WHERE kind IN ('order', 'intent', 'control', 'reconciliation', 'strategy', 'transfer');
`;

/** Adds the best prices that the bot knew when it planned an order; null for earlier orders. */
const VERSION_6 = `
  ALTER TABLE orders ADD COLUMN arrival_bid TEXT;
  ALTER TABLE orders ADD COLUMN arrival_ask TEXT;
`;

/** Adds the approval of entries to intents; null for earlier ones. */
const VERSION_7 = `
  ALTER TABLE intents ADD COLUMN approval TEXT;
  ALTER TABLE intents ADD COLUMN expires_at_ms INTEGER;
  ALTER TABLE intents ADD COLUMN bound TEXT;
  ALTER TABLE intents ADD COLUMN best TEXT;
  ALTER TABLE intents ADD COLUMN value TEXT;
  ALTER TABLE intents ADD COLUMN decided_by TEXT;
  CREATE INDEX intents_waiting ON intents (id) WHERE approval = 'waiting';
`;

/** Adds what people note on trades. A note stays while the fills of its purchase are booked again. */
const VERSION_8 = `
  CREATE TABLE trip_notes (
    entry TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    tags TEXT NOT NULL,
    by TEXT,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** Adds the order in which fills are listed: cursors of two lists say nothing about it. */
const VERSION_9 = `
  CREATE INDEX fills_by_time ON fills (at_ms);
`;

/** Adds the currency of fees that were not taken from what a trade brought, and what these were worth. */
const VERSION_10 = `
  ALTER TABLE fills ADD COLUMN fee_currency TEXT;
  ALTER TABLE fills ADD COLUMN fee_value TEXT;
`;

/**
 * The mirror's schema as steps: the first makes the tables, each later one migrates a mirror of the version
 * before. The number of steps is the schema's version. Files of each version exist, so a step never changes
 * once it is written; a later version adds one.
 */
export const MIRROR_STEPS: readonly string[] = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_5,
  VERSION_6,
  VERSION_7,
  VERSION_8,
  VERSION_9,
  VERSION_10,
];

/** Schema version that this sarraf writes; a mirror states its version in `user_version`. */
export const SCHEMA_VERSION = MIRROR_STEPS.length;

/** Runs steps on a mirror. */
export function applySteps(database: Database.Database, steps: readonly string[]): void {
  database.function('read_english', { deterministic: true }, (text) => readEnglish(String(text)));
  database.function('read_english_in', { deterministic: true }, (json) => readEnglishIn(String(json)));
  for (const step of steps) database.exec(step);
}

/** Fields of stored JSON that held a sentence before version 5. */
const SENTENCE_FIELDS: ReadonlySet<string> = new Set([
  'reason',
  'why',
  'blockedBy',
  'name',
  'advice',
  'message',
  'end',
  'done',
]);

function readEnglishIn(json: string): string {
  let isChanged = false;
  const read = (field: string, value: unknown): unknown => {
    // A name of one word is that of a lock or a strategy.
    if (
      typeof value !== 'string' ||
      !SENTENCE_FIELDS.has(field) ||
      (field === 'name' && !value.includes(' '))
    )
      return value;
    const sentence = readEnglish(value);
    isChanged ||= sentence !== value;
    return sentence;
  };
  try {
    const value: unknown = JSON.parse(json, read);
    return isChanged ? JSON.stringify(value) : json;
  } catch {
    // The reader of the row reports the damage.
    return json;
  }
}

/** Maximum number of characters of a sentence of the bot; longer texts are foreign. */
const LONGEST = 2_000;
/** Deepest nesting of sentences: a halt within a refusal within a close, and some more. */
const DEEPEST = 12;
/** Maximum number of positions that are tried as the end of a sentence in a list. */
const MOST_CUTS = 20;

/** Reads an English text into a sentence of the bot; a foreign text stays. */
function readEnglish(text: string): string {
  const facts = text.length > LONGEST ? null : readWithin(text, DEEPEST);
  return facts === null ? text : (stored(facts) as string);
}

function readWithin(text: string, depth: number): SentenceFacts | null {
  return (
    readOne(text, depth) ?? readListed(text, depth, 'both', '; ') ?? readListed(text, depth, 'listed', ', ')
  );
}

function readOne(text: string, depth: number): SentenceFacts | null {
  if (depth <= 0) return null;
  templates ??= SENTENCE_CODES.filter((code) => !UNREAD.test(code))
    .map(templateOf)
    .toSorted((left, right) => right.weight - left.weight);
  for (const { code, begin, pattern, places } of templates) {
    const match = text.startsWith(begin) ? pattern.exec(text) : null;
    if (match === null) continue;
    const read = places.map(({ name, kind }, index) => {
      const value = match[index + 1] ?? '';
      const inner = kind === 'said' || kind === 'sentence' ? readWithin(value, depth - 1) : null;
      return [name, inner ?? (kind === 'sentence' ? null : value)] as const;
    });
    // A place that has to be a sentence may be none.
    if (read.every((entry): entry is [string, string | SentenceFacts] => entry[1] !== null))
      return { code, facts: Object.fromEntries(read) };
  }
  return null;
}

/** Codes that are no pattern: lists are read apart; rules and names of locks are younger than the texts. */
const UNREAD = /^(?:both|listed|(?:rules?|lock-name)-.*)$/;

/** Patterns of all sentences, the surest first. Made at first use: most mirrors need none. */
let templates: readonly ReturnType<typeof templateOf>[] | null = null;

/**
 * Returns an English sentence as a pattern. Most patterns differ in the words before the first placeholder.
 * `weight` counts the letters outside placeholders: the more, the surer a match is.
 */
function templateOf(code: SentenceCode) {
  const parts = englishParts(code);
  const source = parts.map((part) =>
    typeof part === 'string'
      ? part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      : `(${PLACE_PATTERNS[part.kind]})`,
  );
  const [begin] = parts;
  return {
    code,
    begin: typeof begin === 'string' ? begin : '',
    pattern: new RegExp(`^${source.join('')}$`, 's'),
    places: parts.filter((part) => typeof part !== 'string'),
    weight: parts.filter((part) => typeof part === 'string').join('').length,
  };
}

/** Splits a text at a mark between two sentences; the first must be a complete sentence. */
function readListed(
  text: string,
  depth: number,
  code: 'both' | 'listed',
  mark: string,
): SentenceFacts | null {
  let at = text.indexOf(mark);
  for (let cut = 0; at !== -1 && cut < MOST_CUTS; cut += 1) {
    const first = readOne(text.slice(0, at), depth - 1);
    const rest = first === null ? null : readWithin(text.slice(at + mark.length), depth - 1);
    if (first !== null && rest !== null) return { code, facts: { first, rest } };
    at = text.indexOf(mark, at + mark.length);
  }
  return null;
}
