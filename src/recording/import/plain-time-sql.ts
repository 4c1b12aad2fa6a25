/** Numbers below each of these, and not below the one before, are seconds, milliseconds, microseconds and nanoseconds since 1970. As in `TimeReader`. */
const UNITS = [
  { below: 1e11, toMs: (time: string) => `${time} * 1000` },
  { below: 1e14, toMs: (time: string) => time },
  { below: 1e17, toMs: (time: string) => `${time} // 1000` },
  { below: 1e18, toMs: (time: string) => `${time} // 1000000` },
] as const;

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]';
const ISO = new RegExp(`^${DATE}(?:[ T]${CLOCK}(Z| UTC|[+]00:00)?)?$`);

/**
 * SQL that makes ms since 1970 of a column of texts, and fails for a text of another form or unit than the first one. Null where the first one is of a form that only
 * `TimeReader` reads.
 */
export function plainTimeSql(text: string, first: string): string | null {
  if (/^\d{1,18}$/.test(first)) return numberSql(text, Number(first));
  const found = ISO.exec(first);
  if (found === null) return null;
  const [whole, , zone = ''] = found;
  const form = whole.length === 10 ? DATE : `${DATE}[ T]${CLOCK}${zone.replace('+', '[+]')}`;
  return `CASE WHEN regexp_full_match(${text}, '${form}') THEN epoch_ms(left(${text}, 19)::TIMESTAMP) ELSE error('not plain') END`;
}

function numberSql(text: string, first: number): string | null {
  const index = UNITS.findIndex(({ below }) => first < below);
  const unit = UNITS[index];
  if (unit === undefined) return null;
  const from = UNITS[index - 1]?.below ?? 0;
  const number = `${text}::BIGINT`;
  return `CASE WHEN regexp_full_match(${text}, '[0-9]{1,18}') AND ${number} >= ${from} AND ${number} < ${unit.below}
    THEN ${unit.toMs(number)} ELSE error('not plain') END`;
}
