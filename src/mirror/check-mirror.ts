import Database from 'better-sqlite3';
import { CHECK_FUNCTIONS, checkOf } from './row-checks.ts';
import { MIRROR_STEPS, applySteps } from './schema.ts';
import { DAMAGED_ADVICE, unusable } from './unusable.ts';

/**
 * Rows of a table that are looked at, the newest first: what a restart and the commands read is among them.
 */
const MOST_ROWS = 20_000;

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  /** The place in the primary key, from 1; 0 for none. */
  readonly pk: number;
}

type Tables = ReadonlyMap<string, readonly ColumnInfo[]>;

/** The shape of each version, by making it once. As many as there are versions. */
const expectedTables = new Map<number, Tables>();

/** The version that a mirror says of itself; 0 for one without tables. */
export function schemaVersionOf(database: Database.Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}

/**
 * Looks whether the tables are those of the mirror's version and their rows hold what can be read. Throws
 * `DATA_UNUSABLE` with the file, the table and the row of the first one that is damaged: half a state is
 * worse than none, and a raw error would not name it.
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
  const database = new Database(':memory:');
  try {
    applySteps(database, MIRROR_STEPS.slice(0, version));
    const tables = tablesOf(database);
    expectedTables.set(version, tables);
    return tables;
  } finally {
    database.close();
  }
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
    const isRight = rightType(column);
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

function rightType({ name, type }: ColumnInfo): string {
  return `typeof(${name}) = '${type.toLowerCase()}'`;
}

/**
 * The legs of a pair name each other: one that names itself or leads on to a third would be followed for
 * ever.
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
