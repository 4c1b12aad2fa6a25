import { z } from 'zod';
import { backtestResultSchema } from '../backtest/result-schema.ts';
import { separatedName } from '../domain/separated-name.ts';
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

/** Type of a result's field by its schema. An exact decimal has a pattern, a moment is known by its name. */
function typeOf(name: string, schema: z.core.$ZodType): FieldType {
  if (schema instanceof z.ZodArray || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return typeOf(name, schema.unwrap());
  if (schema instanceof z.ZodBoolean) return 'flag';
  if (schema instanceof z.ZodNumber) {
    if (schema.format !== 'safeint') return 'float';
    return /(?:^at|At)Ms$/.test(name) ? 'moment' : 'count';
  }
  return schema instanceof z.ZodString && schema.def.checks !== undefined ? 'money' : 'text';
}

function typesIn({ shape }: z.ZodObject): FieldTypes {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, typeOf(name, schema)]));
}

const { orders, fills, trades, summary } = backtestResultSchema.shape;
export const ORDER_FIELDS = typesIn(orders);
export const FILL_FIELDS = typesIn(fills);
export const TRIP_FIELDS = typesIn(trades);

/** The figures of a run; docs/metrics.md explains each. */
export const FIGURE_FIELDS = typesIn(summary.omit({ quote: true }));

/** A study keeps the figures of a trial as floats, money too. */
export const TRIAL_FIGURE_FIELDS: FieldTypes = Object.fromEntries(
  Object.keys(FIGURE_FIELDS).map((name) => [name, 'float']),
);

/** The name of a field as a column: `plannedAtMs` is `planned_at`, a time without another name `time`. */
export function columnName(field: string, type: FieldType): string {
  const base = type === 'moment' ? field.replace(/Ms$/, '') : field;
  if (base === 'at') return 'time';
  return separatedName(base, '_');
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
