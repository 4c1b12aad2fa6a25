import Database from 'better-sqlite3';
import { closing } from '../domain/closing.ts';
import { MIRROR_STEPS, applySteps } from './schema.ts';
import { DAMAGED_ADVICE, unusable } from './unusable.ts';
import { tryDecimalText } from '../domain/decimal-text.ts';
import { EXIT_KINDS, ORDER_STATES, SIDES } from '../domain/order.ts';
import { isFigureValue } from '../domain/figure-name.ts';
import { parseUnits } from '../domain/money.ts';
import { storedProblem } from '../domain/stored-json.ts';
import { recordProblem } from '../engine/stored-records.ts';
import { POSITION_ACTS } from '../engine/engine-event.ts';
import { storedLogLine } from '../engine/mirror-change.ts';
import { storedInstance } from '../engine/strategy-instance-record.ts';
import { APPROVALS, type FieldKind, INTENT_STATUSES, STRATEGY_STATUSES } from '../records/field.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { storedAlgorithm } from '../engine/algorithm-json.ts';
import {
  FILL_ROWS,
  ORDER_ROWS,
  INTENT_ROWS,
  ALGORITHM_ROWS,
  STRATEGY_ROWS,
  BALANCE_ROWS,
  NOTE_ROWS,
} from './record-tables.ts';

/**
 * Maximum number of rows of a table that are checked, the newest: what a restart and the commands read is
 * among them.
 */
const MOST_ROWS = 20_000;

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  /** Position in the primary key, from 1; 0 for a column outside it. */
  readonly pk: number;
}

type Tables = ReadonlyMap<string, readonly ColumnInfo[]>;

/** Expected tables by schema version, made once for each. */
const expectedTables = new Map<number, Tables>();

/** Returns the schema version that a mirror states; 0 for one without tables. */
export function schemaVersionOf(database: Database.Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}

/**
 * Checks that the tables fit the mirror's version and that their rows can be read. Throws `DATA_UNUSABLE`
 * with the file, the table and the first damaged row: half a state is worse than none, and a raw error would
 * not name it.
 */
export function checkMirror(database: Database.Database): void {
  for (const [name, work] of Object.entries(CHECK_FUNCTIONS)) {
    database.function(name, { deterministic: true, varargs: true }, work);
  }
  const found = tablesOf(database);
  for (const [table, columns] of tablesOfVersion(schemaVersionOf(database))) {
    const problem = shapeProblem(table, columns, found.get(table)) ?? rowProblem(database, table, columns);
    if (problem !== null) throw unusable({ path: database.name, found: problem, advice: DAMAGED_ADVICE });
  }
  const loop = pairProblem(database);
  if (loop !== null) throw unusable({ path: database.name, found: loop, advice: DAMAGED_ADVICE });
}

function tablesOfVersion(version: number): Tables {
  const known = expectedTables.get(version);
  if (known !== undefined) return known;
  using database = closing(new Database(':memory:'));
  applySteps(database, MIRROR_STEPS.slice(0, version));
  const tables = tablesOf(database);
  expectedTables.set(version, tables);
  return tables;
}

function tablesOf(database: Database.Database): Tables {
  const names = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all();
  const columns = database.prepare<[string], ColumnInfo>(
    'SELECT name, type, "notnull", pk FROM pragma_table_info(?)',
  );
  return new Map(names.map((name) => [name, columns.all(name)]));
}

function shapeProblem(
  table: string,
  expected: readonly ColumnInfo[],
  found: readonly ColumnInfo[] | undefined,
): string | null {
  if (found === undefined) return `no table ${table}`;
  for (const { name, type } of expected) {
    const column = found.find((other) => other.name === name);
    if (column === undefined) return `a table ${table} without the column ${name}`;
    if (column.type !== type)
      return `a table ${table} with ${column.type} for ${name}, where ${type} is expected`;
  }
  return null;
}

function rowProblem(
  database: Database.Database,
  table: string,
  columns: readonly ColumnInfo[],
): string | null {
  const checks = columns.flatMap((column) => {
    const isRight = `typeof(${column.name}) = '${column.type.toLowerCase()}'`;
    const check = checkOf(table, column.name);
    const good = check === null ? isRight : `(${isRight} AND ${check.sql(column.name)})`;
    const sql = column.notnull === 1 || column.pk > 0 ? good : `(${column.name} IS NULL OR ${good})`;
    const problemOf = check?.problemOf ?? (() => null);
    return [{ name: column.name, sql, expected: check?.expected ?? column.type, problemOf }];
  });
  const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  const order = keys.map((name) => `${name} DESC`).join(', ');
  const bad = database
    .prepare<[], Record<string, unknown>>(
      `SELECT ${columns.map(({ name }) => name).join(', ')}, ${checks.map(({ sql }, index) => `ifnull(${sql}, 0) AS good_${index}`).join(', ')}
       FROM (SELECT * FROM ${table} ORDER BY ${order} LIMIT ${MOST_ROWS})
       WHERE NOT (${checks.map((_, index) => `good_${index}`).join(' AND ')}) LIMIT 1`,
    )
    .get();
  if (bad === undefined) return null;
  const at = checks.findIndex((_, index) => bad[`good_${index}`] === 0);
  const { name = '', expected = '', problemOf } = checks[at] ?? {};
  const row = keys.map((key) => `${key} ${shown(bad[key])}`).join(', ');
  const problem = problemOf?.(bad) ?? null;
  const what = `expected ${expected} for ${name}, was ${shown(bad[name])}${problem === null ? '' : ` (${problem})`}`;
  return `a damaged row in the table ${table} (${row}): ${what}`;
}

/**
 * Checks that the two legs of a pair name each other: a leg that names itself or a third one would be
 * followed in an endless loop.
 */
function pairProblem(database: Database.Database): string | null {
  const bad = database
    .prepare<[], string>(
      `SELECT orders.order_key FROM orders LEFT JOIN orders AS other ON other.order_key = orders.pair_key
       WHERE orders.pair_key = orders.order_key OR (other.pair_key IS NOT NULL AND other.pair_key <> orders.order_key) LIMIT 1`,
    )
    .pluck()
    .get();
  return bad === undefined
    ? null
    : `a damaged row in the table orders (order_key ${shown(bad)}): expected the legs of a pair to name each other`;
}

const LONGEST_SHOWN = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(typeof value === 'bigint' ? String(value) : value) ?? 'nothing';
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/**
 * Requirement for a column: SQL that is true of a good value, and the same in words. The SQL may use other
 * columns of the row.
 */
interface ColumnCheck {
  readonly sql: (column: string) => string;
  readonly expected: string;
  /** Describes the fault in a bad row; null if there is no more to report. */
  readonly problemOf?: (row: Readonly<Record<string, unknown>>) => string | null;
}

const INSTANCE = storedInstance(MARKET_NAMES);

const LARGEST = 2 ** 53 - 1;
const LATEST_MS = 8_640_000_000_000_000;

/** Requirement for JSON that is only shown. For invalid JSON `json_type` would be an error. */
const jsonOf = (type: 'object' | 'array'): ColumnCheck => ({
  sql: (column) => `CASE WHEN json_valid(${column}) THEN json_type(${column}) = '${type}' ELSE 0 END`,
  expected: `a JSON ${type}`,
});
/** Requirement for JSON that is read again: `sql` calls a check function, `problemOf` describes the fault. */
const record = (sql: string, problemOf: NonNullable<ColumnCheck['problemOf']>): ColumnCheck => ({
  sql: () => sql,
  expected: 'JSON as sarraf writes it',
  problemOf,
});
/** Requirement for a column that is read as units of 1e-10. */
const DECIMAL: ColumnCheck = { sql: (column) => `is_decimal(${column})`, expected: 'a decimal' };
/** Requirement for a decimal that can not be negative, as in an order, a trade or a market's rules. */
const NOT_NEGATIVE: ColumnCheck = {
  sql: (column) => `(is_decimal(${column}) AND ${column} NOT LIKE '-%')`,
  expected: 'a decimal from 0',
};
/** Requirement for a decimal as the exchange wrote it, which may be finer than any money. */
const FINE_DECIMAL: ColumnCheck = { sql: (column) => `is_fine_decimal(${column})`, expected: 'a decimal' };
const TIME: ColumnCheck = {
  sql: (column) => `${column} BETWEEN 0 AND ${LATEST_MS}`,
  expected: 'a time in ms',
};
const NUMBER: ColumnCheck = {
  sql: (column) => `${column} BETWEEN 0 AND ${LARGEST}`,
  expected: 'a number from 0',
};
const WORD: ColumnCheck = { sql: (column) => `length(${column}) > 0`, expected: 'a text' };

const oneOf = (...words: readonly string[]): ColumnCheck => ({
  sql: (column) => `${column} IN (${words.map((word) => `'${word}'`).join(', ')})`,
  expected: `one of ${words.join(', ')}`,
});

/** Checks of the columns of records, by the kind of their fields. */
const BY_KIND: Readonly<Record<FieldKind, ColumnCheck | null>> = {
  name: WORD,
  text: null,
  reason: null,
  side: oneOf(...SIDES),
  execution: WORD,
  orderState: oneOf(...ORDER_STATES),
  exit: oneOf(...EXIT_KINDS),
  money: DECIMAL,
  amount: DECIMAL,
  time: TIME,
  count: NUMBER,
  cursor: NUMBER,
  orderId: WORD,
  tradeId: WORD,
  walletId: null,
  intentStatus: oneOf(...INTENT_STATUSES),
  approval: oneOf(...APPROVALS),
  strategyStatus: oneOf(...STRATEGY_STATUSES),
  json: null,
};

/** Columns with a requirement of their own, by `table.column`. */
const OF_TABLE: Readonly<Record<string, ColumnCheck | null>> = {
  ...Object.fromEntries(
    [ORDER_ROWS, FILL_ROWS, INTENT_ROWS, ALGORITHM_ROWS, STRATEGY_ROWS, BALANCE_ROWS, NOTE_ROWS].flatMap(
      ({ table, columns }) => columns.map(({ column, kind }) => [`${table}.${column}`, BY_KIND[kind]]),
    ),
  ),
  'orders.client_order_id': {
    sql: () => 'client_order_id = order_key',
    expected: 'the same as order_key',
  },
  'meta.value': {
    sql: (column) => `(name <> 'epoch' OR (length(${column}) = 4 AND ${column} NOT GLOB '*[^a-z0-9]*'))`,
    expected: 'an epoch of four of [a-z0-9]',
  },
  'books.bids': jsonOf('array'),
  'books.asks': jsonOf('array'),
  'intents.json': jsonOf('object'),
  'journal.json': {
    ...jsonOf('object'),
    sql: (column) => `(${jsonOf('object').sql(column)} AND (kind <> 'log' OR is_log_line(${column})))`,
    problemOf: ({ kind, json }) => (kind === 'log' ? storedProblem(storedLogLine, String(json)) : null),
  },
  'kept.json': record('is_kept(name, json)', ({ name, json }) => recordProblem(String(name), String(json))),
  'algorithms.json': record('is_algorithm(json)', ({ json }) => storedProblem(storedAlgorithm, String(json))),
  'figures.value': {
    sql: () => 'is_figure(name, value)',
    expected: 'a value as the name of its series says',
  },
  'position_moves.act': oneOf(...POSITION_ACTS),
  'trip_notes.tags': jsonOf('array'),
  'replies.step': oneOf('place', 'look-up', 'cancel'),
  'strategies.json': record('is_strategy_instance(json)', ({ json }) =>
    storedProblem(INSTANCE, String(json)),
  ),
};

const DECIMALS =
  'price amount total held open high low close volume latest best_buy best_sell mark base_volume quote_volume ' +
  'day_low day_high day_open day_close day_change price_step amount_step min_order_value';

const BY_NAME: Readonly<Record<string, ColumnCheck | null>> = {
  side: BY_KIND.side,
  market: WORD,
  symbol: WORD,
  ...Object.fromEntries(DECIMALS.split(' ').map((name) => [name, DECIMAL])),
  version: NUMBER,
  ...Object.fromEntries(
    'order_key intent_id strategy kind currency timeframe name'.split(' ').map((name) => [name, WORD]),
  ),
};

/** Tables whose numbers are never used in a calculation again. */
const FINE_TABLES: ReadonlySet<string> = new Set(['stats', 'candles', 'public_trades']);

/** Tables of the bot's own orders, trades and moves, and of the market rules that they followed. */
const OWN_TABLES: ReadonlySet<string> = new Set(['orders', 'fills', 'position_moves', 'market_versions']);

/** Returns the requirement for a column of a table; null if any value of its type is good. */
export function checkOf(table: string, column: string): ColumnCheck | null {
  const check = OF_TABLE[`${table}.${column}`] ?? BY_NAME[column] ?? (column.endsWith('_ms') ? TIME : null);
  if (check !== DECIMAL) return check;
  if (OWN_TABLES.has(table)) return NOT_NEGATIVE;
  return FINE_TABLES.has(table) ? FINE_DECIMAL : DECIMAL;
}

/** Functions that the SQL calls; each returns 1 for a good value. */
const CHECK_FUNCTIONS: Readonly<Record<string, (...values: readonly unknown[]) => 0 | 1>> = {
  is_decimal: (value) => works(() => parseUnits(String(value))),
  is_fine_decimal: (value) => (tryDecimalText(String(value)) === null ? 0 : 1),
  is_kept: (name, json) => isNull(recordProblem(String(name), String(json))),
  is_algorithm: (json) => isNull(storedProblem(storedAlgorithm, String(json))),
  is_strategy_instance: (json) => isNull(storedProblem(INSTANCE, String(json))),
  is_figure: (name, value) => (isFigureValue(String(name), String(value)) ? 1 : 0),
  is_log_line: (json) => isNull(storedProblem(storedLogLine, String(json))),
};

function isNull(problem: string | null): 0 | 1 {
  return problem === null ? 1 : 0;
}

function works(read: () => unknown): 0 | 1 {
  try {
    read();
    return 1;
  } catch {
    return 0;
  }
}
