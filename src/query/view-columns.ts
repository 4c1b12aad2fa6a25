import type { BacktestSummary, FillRow, OrderRow, TripRow } from '../backtest/result-schema.ts';
import { SQL_TYPES, type ColumnType } from '../recording/table-shape.ts';

/** A column of a view: its name, and its type in SQL. */
export interface ViewColumn {
  readonly name: string;
  readonly sqlType: string;
}

/** Type of a result's field: `moment` is a time in ms since 1970, `float` a figure. */
export type FieldType = 'text' | 'money' | 'moment' | 'count' | 'float' | 'flag' | 'json';

/** SQL type of a field in JSON, and in a view. */
export const FIELD_TYPES: Readonly<Record<FieldType, { readonly stored: string; readonly shown: string }>> = {
  text: { stored: 'VARCHAR', shown: 'VARCHAR' },
  money: { stored: SQL_TYPES.money, shown: SQL_TYPES.money },
  moment: { stored: 'BIGINT', shown: 'TIMESTAMP' },
  count: { stored: 'BIGINT', shown: 'BIGINT' },
  float: { stored: 'DOUBLE', shown: 'DOUBLE' },
  flag: { stored: 'BOOLEAN', shown: 'BOOLEAN' },
  json: { stored: 'JSON', shown: 'JSON' },
};

export type FieldTypes = Readonly<Record<string, FieldType>>;

export const ORDER_FIELDS = {
  key: 'text',
  clientOrderId: 'text',
  pairKey: 'text',
  strategy: 'text',
  tag: 'text',
  market: 'text',
  side: 'text',
  execution: 'text',
  price: 'money',
  stopPrice: 'money',
  amount: 'money',
  filled: 'money',
  filledTotal: 'money',
  averagePrice: 'money',
  fee: 'money',
  state: 'text',
  reason: 'text',
  plannedAtMs: 'moment',
  sentAtMs: 'moment',
  closedAtMs: 'moment',
  exit: 'text',
} as const satisfies Record<keyof OrderRow, FieldType>;

export const FILL_FIELDS = {
  tradeId: 'text',
  orderKey: 'text',
  strategy: 'text',
  market: 'text',
  side: 'text',
  atMs: 'moment',
  price: 'money',
  amount: 'money',
  total: 'money',
  fee: 'money',
} as const satisfies Record<keyof FillRow, FieldType>;

export const TRIP_FIELDS = {
  number: 'count',
  market: 'text',
  strategy: 'text',
  entryOrder: 'text',
  exitOrder: 'text',
  openedAtMs: 'moment',
  closedAtMs: 'moment',
  amount: 'money',
  entryPrice: 'money',
  exitPrice: 'money',
  cost: 'money',
  proceeds: 'money',
  fees: 'money',
  profit: 'money',
  change: 'float',
  isOpen: 'flag',
} as const satisfies Record<keyof TripRow, FieldType>;

/** The figures of a run; docs/metrics.md explains each. */
export const FIGURE_FIELDS = {
  initialEquity: 'money',
  finalEquity: 'money',
  profit: 'money',
  totalReturn: 'float',
  cagr: 'float',
  buyAndHoldReturn: 'float',
  volatility: 'float',
  sharpe: 'float',
  sortino: 'float',
  calmar: 'float',
  omega: 'float',
  maxDrawdown: 'float',
  maxDrawdownMs: 'float',
  longestDrawdownMs: 'float',
  exposure: 'float',
  turnover: 'float',
  tradedValue: 'money',
  fees: 'money',
  intents: 'count',
  orders: 'count',
  refused: 'count',
  fills: 'count',
  requests: 'count',
  requestsPerFill: 'float',
  trades: 'count',
  openTrades: 'count',
  winRate: 'float',
  profitFactor: 'float',
  expectancy: 'float',
  sqn: 'float',
  averageTradeReturn: 'float',
  bestTradeReturn: 'float',
  worstTradeReturn: 'float',
  averageTradeMs: 'float',
  longestTradeMs: 'float',
} as const satisfies Record<Exclude<keyof BacktestSummary, 'quote'>, FieldType>;

/** A study keeps the figures of a trial as floats, money too. */
export const TRIAL_FIGURE_FIELDS: FieldTypes = Object.fromEntries(
  Object.keys(FIGURE_FIELDS).map((name) => [name, 'float']),
);

/** The name of a field as a column: `plannedAtMs` is `planned_at`, a time without another name `time`. */
export function columnName(field: string, type: FieldType): string {
  const base = type === 'moment' ? field.replace(/Ms$/, '') : field;
  if (base === 'at') return 'time';
  return base.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function viewColumnsOf(fields: FieldTypes): readonly ViewColumn[] {
  return Object.entries(fields).map(([name, type]) => ({
    name: columnName(name, type),
    sqlType: FIELD_TYPES[type].shown,
  }));
}

/** Columns of a recording as they lie in its files. */
export function recordedColumns(
  columns: readonly { readonly name: string; readonly type: ColumnType }[],
): readonly ViewColumn[] {
  return columns.map(({ name, type }) => ({ name, sqlType: SQL_TYPES[type] }));
}

/** SQL of a time in ms as a timestamp of UTC. */
export function momentSql(timeMs: string): string {
  return `make_timestamp(${timeMs} * 1000)`;
}

/** A name as SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
