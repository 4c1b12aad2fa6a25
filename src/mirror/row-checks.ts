import { parseUnits } from '../domain/money.ts';

/** What a column has to hold, as SQL that is true of a good value of it; and the same in words. */
export interface ColumnCheck {
  readonly sql: (column: string) => string;
  readonly expected: string;
}

const LARGEST = 2 ** 53 - 1;
const LATEST_MS = 8_640_000_000_000_000;

const JSON_TEXT: ColumnCheck = { sql: (column) => `json_valid(${column})`, expected: 'JSON' };
const DECIMAL: ColumnCheck = { sql: (column) => `is_decimal(${column})`, expected: 'a decimal' };
const TIME: ColumnCheck = { sql: (column) => `${column} BETWEEN 0 AND ${LATEST_MS}`, expected: 'a time in ms' };
const NUMBER: ColumnCheck = { sql: (column) => `${column} BETWEEN 0 AND ${LARGEST}`, expected: 'a number from 0' };
const WORD: ColumnCheck = { sql: (column) => `length(${column}) > 0`, expected: 'a text' };

const oneOf = (...words: readonly string[]): ColumnCheck => ({
  sql: (column) => `${column} IN (${words.map((word) => `'${word}'`).join(', ')})`,
  expected: `one of ${words.join(', ')}`,
});

const SIDE = oneOf('buy', 'sell');
const ORDER_STATE = oneOf(
  'planned',
  'sending',
  'unknown',
  'open',
  'cancelling',
  'settling',
  'filled',
  'cancelled',
  'rejected',
);

/** Columns that mean something else in one table than in the others. */
const OF_TABLE: Readonly<Record<string, ColumnCheck>> = {
  'orders.state': ORDER_STATE,
  'intents.status': oneOf('working', 'done', 'refused'),
  'strategies.status': oneOf('running', 'paused', 'stopped'),
  'orders.execution': WORD,
};

const DECIMALS =
  'price stop_price amount matched filled filled_total fee total held open high low close volume latest best_buy best_sell mark volume_src volume_dst ' +
  'day_low day_high day_open day_close day_change price_step amount_step min_order_value';

/** Checks by the name of a column. */
const BY_NAME: Readonly<Record<string, ColumnCheck>> = {
  json: JSON_TEXT,
  bids: JSON_TEXT,
  asks: JSON_TEXT,
  side: SIDE,
  market: WORD,
  symbol: WORD,
  ...Object.fromEntries(DECIMALS.split(' ').map((name) => [name, DECIMAL])),
  ...Object.fromEntries(
    [
      'attempts',
      'venue_id',
      'venue_order_id',
      'trade_id',
      'order_id_floor',
      'trade_id_floor',
      'market_version',
      'version',
    ].map((name) => [name, NUMBER]),
  ),
  ...Object.fromEntries(
    ['order_key', 'intent_id', 'strategy', 'kind', 'currency', 'resolution', 'name'].map((name) => [name, WORD]),
  ),
};

/** What a column of a table has to hold; null where any value of its type will do. */
export function checkOf(table: string, column: string): ColumnCheck | null {
  return OF_TABLE[`${table}.${column}`] ?? BY_NAME[column] ?? (column.endsWith('_ms') ? TIME : null);
}

/** Whether reading works, as SQL has it. */
export const CHECK_FUNCTIONS: Readonly<Record<string, (value: unknown) => 0 | 1>> = {
  is_decimal: (value) => works(() => parseUnits(String(value))),
};

function works(read: () => unknown): 0 | 1 {
  try {
    read();
    return 1;
  } catch {
    return 0;
  }
}
