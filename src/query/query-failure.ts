import { nearestWord } from '../configuration/nearest-word.ts';
import { messageOf, SarrafError } from '../domain/errors.ts';
import { VIEW_NAMES, VIEWS, viewsNamedIn } from './views.ts';

/** DuckDB's message for a Parquet file that it can not read. */
const DAMAGED = /^Invalid Input Error: (?:Failed to read file|No magic bytes)/;

/** Failures that no other query fixes, by the start of DuckDB's message. */
const NOT_OF_THE_QUERY = /^(?:IO|Out of Memory|Internal|FATAL|INTERNAL|Interrupt)/;

const NO_TABLE = /Table with name "?(.+?)"? does not exist/;
const NO_COLUMN = /Referenced column "(.+?)" (?:was )?not found|does not have a column named "(.+?)"/;
/** Message of the library for a text without a statement. */
const NOTHING_THERE = 'Error in native callback';

const PLACE = /^LINE (\d+): /m;

/** Returns DuckDB's error for a query, as one line with the existing names. */
export function queryFailure(error: unknown, sql: string): SarrafError {
  if (error instanceof SarrafError) return error;
  const message = messageOf(error);
  const isOfQuery = !NOT_OF_THE_QUERY.test(message) && !DAMAGED.test(message);
  return new SarrafError(isOfQuery ? 'INVALID_OPTIONS' : 'DATA_UNUSABLE', sentenceOf(message, sql), {
    cause: error,
  });
}

function sentenceOf(message: string, sql: string): string {
  const [, table] = NO_TABLE.exec(message) ?? [];
  if (table !== undefined) return unknownName('a view', { name: table, known: VIEW_NAMES });
  const [, column, ofTable] = NO_COLUMN.exec(message) ?? [];
  const name = column ?? ofTable;
  const views = viewsNamedIn(sql);
  if (name !== undefined && views.length > 0) {
    const known = [...new Set(views.flatMap((view) => VIEWS[view].columns.map((each) => each.name)))];
    return unknownName(`a column of ${views.join(', ')}`, { name, known });
  }
  if (message.startsWith('Permission Error') || message.startsWith('Extension'))
    return `expected a query of views alone, found one that reaches beyond them: ask ${VIEW_NAMES.join(', ')}`;
  if (message.startsWith('Out of Memory'))
    return `expected a query that fits into memory and 4 GB of temporary files (${firstLine(message)}): ask for fewer rows`;
  if (DAMAGED.test(message))
    return `expected recordings that can be read, found a damaged file (${firstLine(message)}): restore a copy of it, or move its folder away and import again`;
  if (message.startsWith('IO Error'))
    return `expected to be able to read the data (${firstLine(message)}): ask again, since a recorder replaces files`;
  if (message === NOTHING_THERE) return 'expected one SELECT, found nothing to run';
  const [, line] = PLACE.exec(message) ?? [];
  const place = line === undefined || !sql.trim().includes('\n') ? '' : ` in line ${line}`;
  return `expected a query that DuckDB can run, found${place}: ${firstLine(message)}`;
}

function unknownName(
  what: string,
  { name, known }: { readonly name: string; readonly known: readonly string[] },
): string {
  const near = nearestWord(name, known);
  const advice = near === null ? '' : `did you mean ${near}? `;
  return `expected ${what}, found ${JSON.stringify(name)}: ${advice}there are ${known.join(', ')}`;
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/^Failed to extract statements: /, '');
}
