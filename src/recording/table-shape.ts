import type { DecimalText } from '../domain/decimal-text.ts';

/** Type of a Parquet file's column; `money` is DECIMAL(38,10), `moneys` a list of it. */
export type ColumnType = 'time' | 'number' | 'money' | 'moneys' | 'text' | 'flag';

export const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  time: 'BIGINT',
  number: 'BIGINT',
  money: 'DECIMAL(38,10)',
  moneys: 'DECIMAL(38,10)[]',
  text: 'VARCHAR',
  flag: 'BOOLEAN',
};

/** One value of a row, as a table takes it. */
export type Cell = number | DecimalText | string | boolean | readonly DecimalText[] | null;

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** The decimals that the prices and the amounts of a row have. */
export interface RowDecimals {
  readonly price: number;
  readonly amount: number;
}

/**
 * Layout of the records of one kind in their Parquet files, and the rule by which two of them are the same.
 */
export interface TableShape<Row> {
  /** Name of its rows in messages. */
  readonly noun: string;
  readonly columns: readonly Column[];
  readonly partition: 'month' | 'day';
  cells(row: Row): readonly Cell[];
  decimals(row: Row): RowDecimals;
  /** The time that rows are sorted and partitioned by, in ms. */
  timeMs(row: Row): number;
  /** The same as SQL of the columns. */
  readonly timeSql: string;
  /**
   * Rows with the same key are the same record. `copy` counts equal rows that have no number of their own,
   * from 1.
   */
  readonly keySql: string;
  /** Equal rows, for `copy`; null where the key needs no counting. */
  readonly copySql: string | null;
  /** Content that must be the same if the key is. */
  readonly contentSql: string;
  /** Sort order after the time, before the order in which rows came. */
  readonly tieSql: string;
}

/** The month or day of a time, UTC: the name of its partition. */
export function partitionName(timeMs: number, partition: 'month' | 'day'): string {
  return new Date(timeMs).toISOString().slice(0, partition === 'month' ? 7 : 10);
}

/** The same as SQL of a time in ms. */
function partitionSql(timeSql: string, partition: 'month' | 'day'): string {
  return `strftime(make_timestamp(${timeSql} * 1000), '${partition === 'month' ? '%Y-%m' : '%Y-%m-%d'}')`;
}

/**
 * SQL of the partitions of some rows: its name, how many of them it has, and the first and the last of their
 * times. Days are counted first, since naming each row takes longer.
 */
export function countsSql(of: {
  readonly source: string;
  readonly timeSql: string;
  readonly partition: 'month' | 'day';
}): string {
  const { source, timeSql, partition } = of;
  return `
    SELECT ${partitionSql('from_ms', partition)} AS part, sum(rows)::BIGINT, min(from_ms), max(to_ms)
    FROM (
      SELECT count(*) AS rows, min(${timeSql}) AS from_ms, max(${timeSql}) AS to_ms
      FROM ${source} GROUP BY make_timestamp(${timeSql} * 1000)::DATE)
    GROUP BY 1 ORDER BY 1`;
}

/**
 * The same as a condition, which leaves whole stretches of a table unread: a time in ms that lies in the
 * partition.
 */
export function inPartitionSql(timeSql: string, name: string): string {
  const [year = 0, month = 1, day] = name.split('-').map(Number);
  const fromMs = Date.UTC(year, month - 1, day ?? 1);
  const toMs = day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
  return `${timeSql} >= ${fromMs} AND ${timeSql} < ${toMs}`;
}
