/** How the times of a file are written, where DuckDB can read them. */
export interface TimeForm {
  /** An expression that a time of this form and unit matches whole. */
  readonly pattern: string;
  /** What DuckDB reads the column as. */
  readonly type: 'BIGINT' | 'VARCHAR';
  /** SQL that makes ms since 1970 of such a column. */
  toMsSql(column: string): string;
}

/** Seconds, milliseconds, microseconds and nanoseconds since 1970, by their digits. As in `TimeReader`. */
const NUMBERS: readonly TimeForm[] = [
  { pattern: '[0-9]{1,11}', type: 'BIGINT', toMsSql: (column) => `${column} * 1000` },
  { pattern: '[1-9][0-9]{11,13}', type: 'BIGINT', toMsSql: (column) => column },
  { pattern: '[1-9][0-9]{14,16}', type: 'BIGINT', toMsSql: (column) => `${column} // 1000` },
  { pattern: '[1-9][0-9]{17}', type: 'BIGINT', toMsSql: (column) => `${column} // 1000000` },
];

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const CLOCK = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]';
const ISO = new RegExp(`^${DATE}(?:[ T]${CLOCK}(Z| UTC|[+]00:00)?)?$`);
const DATE_LENGTH = 'yyyy-mm-dd'.length;

/** The form of a file's times by the first one; null where it is of a form that only `TimeReader` reads. */
export function timeForm(first: string): TimeForm | null {
  const number = NUMBERS.find(({ pattern }) => new RegExp(`^${pattern}$`).test(first));
  if (number !== undefined) return number;
  const found = ISO.exec(first);
  if (found === null) return null;
  const [whole, zone = ''] = found;
  return {
    pattern: whole.length === DATE_LENGTH ? DATE : `${DATE}[ T]${CLOCK}${zone.replace('+', '[+]')}`,
    type: 'VARCHAR',
    toMsSql: (column) => `epoch_ms(left(${column}, 19)::TIMESTAMP)`,
  };
}
