import { tryDecimalText } from '../domain/decimal-text.ts';
import { EXIT_KINDS, ORDER_STATES, SIDES } from '../domain/order.ts';
import { isFigureValue } from '../domain/figure-name.ts';
import { parseUnits } from '../domain/money.ts';
import { storedProblem } from '../domain/stored-json.ts';
import { recordProblem } from '../engine/stored-records.ts';
import { POSITION_ACTS } from '../engine/engine-event.ts';
import { storedLogLine } from '../engine/mirror-change.ts';
import { storedInstance } from '../engine/strategy-instance-record.ts';
import { type FieldKind, INTENT_STATUSES, STRATEGY_STATUSES } from '../records/field.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { storedAlgorithm } from '../engine/algorithm-json.ts';
import {
  FILL_ROWS,
  ORDER_ROWS,
  INTENT_ROWS,
  ALGORITHM_ROWS,
  STRATEGY_ROWS,
  BALANCE_ROWS,
} from './record-tables.ts';

/**
 * Requirement for a column, as SQL that is true of a good value of it; and the same in words. The SQL may
 * name other columns of the row.
 */
interface ColumnCheck {
  readonly sql: (column: string) => string;
  readonly expected: string;
  /** Returns the issue in a row that is not good, if there is more to report than that. */
  readonly problemOf?: (row: Readonly<Record<string, unknown>>) => string | null;
}

const INSTANCE = storedInstance(MARKET_NAMES);

const LARGEST = 2 ** 53 - 1;
const LATEST_MS = 8_640_000_000_000_000;

/** JSON of which no reader needs more. For invalid JSON `json_type` would be an error. */
const jsonOf = (type: 'object' | 'array'): ColumnCheck => ({
  sql: (column) => `CASE WHEN json_valid(${column}) THEN json_type(${column}) = '${type}' ELSE 0 END`,
  expected: `a JSON ${type}`,
});
/**
 * JSON that is read again: `sql` calls a function of `CHECK_FUNCTIONS`, and `problemOf` says what that found.
 */
const record = (sql: string, problemOf: NonNullable<ColumnCheck['problemOf']>): ColumnCheck => ({
  sql: () => sql,
  expected: 'JSON as sarraf writes it',
  problemOf,
});
/** Read again as units of 1e-10. */
const DECIMAL: ColumnCheck = { sql: (column) => `is_decimal(${column})`, expected: 'a decimal' };
/** The same of what an order, a trade or a market's rules can not have less than none of. */
const NOT_NEGATIVE: ColumnCheck = {
  sql: (column) => `(is_decimal(${column}) AND ${column} NOT LIKE '-%')`,
  expected: 'a decimal from 0',
};
/** As the exchange wrote it, which may be finer than any money. */
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
  strategyStatus: oneOf(...STRATEGY_STATUSES),
  json: null,
};

/** Columns that mean something else in one table than in the others. */
const OF_TABLE: Readonly<Record<string, ColumnCheck | null>> = {
  ...Object.fromEntries(
    [ORDER_ROWS, FILL_ROWS, INTENT_ROWS, ALGORITHM_ROWS, STRATEGY_ROWS, BALANCE_ROWS].flatMap(
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

/** Tables of numbers that nothing is worked out with again. */
const FINE_TABLES: ReadonlySet<string> = new Set(['stats', 'candles', 'public_trades']);

/** Tables of what the bot itself did, and by which rules. */
const OWN_TABLES: ReadonlySet<string> = new Set(['orders', 'fills', 'position_moves', 'market_versions']);

/** Returns the requirement for a column of a table; null if any value of its type is good. */
export function checkOf(table: string, column: string): ColumnCheck | null {
  const check = OF_TABLE[`${table}.${column}`] ?? BY_NAME[column] ?? (column.endsWith('_ms') ? TIME : null);
  if (check !== DECIMAL) return check;
  if (OWN_TABLES.has(table)) return NOT_NEGATIVE;
  return FINE_TABLES.has(table) ? FINE_DECIMAL : DECIMAL;
}

/** Functions that the SQL calls, which answer 1 for a good value. */
export const CHECK_FUNCTIONS: Readonly<Record<string, (...values: readonly unknown[]) => 0 | 1>> = {
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
