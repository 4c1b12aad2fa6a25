import { isObject } from '../../domain/stored-json.ts';
import { tableLines, type TableColumn } from '../table.ts';
import { oneLine } from '../../domain/money-text.ts';
import { isoText } from '../../domain/time-text.ts';

type Plain = Readonly<Record<string, unknown>>;

/** Items of a list that a cell shows; the rest is counted. */
const MOST_IN_CELL = 8;

/** A value of a reply as JSON has it: maps as objects, whole numbers beyond a float as texts. */
export function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Map) return plainOf(Object.fromEntries(value as ReadonlyMap<string, unknown>));
  if (!isObject(value)) return value;
  // A name such as `__proto__` is a field like any other.
  const plain = Object.create(null) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value)) plain[name] = plainOf(inner);
  return plain;
}

/** Without what is empty: a person looks for what is there. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const left = Object.create(null) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value)) {
    const trimmed = withoutEmpty(inner);
    if (trimmed === null || trimmed === undefined || trimmed === '') continue;
    if (isObject(trimmed) && Object.keys(trimmed).length === 0) continue;
    left[name] = trimmed;
  }
  return left;
}

/** A reply for people: a table of a list, names and values of a record. What is empty is left out. */
export function valueLines(value: unknown): readonly string[] {
  const plain = withoutEmpty(plainOf(value));
  if (plain === null || plain === undefined) return ['done'];
  if (Array.isArray(plain)) return listLines(plain);
  if (!isObject(plain)) return [cell('', plain)];
  if (Array.isArray(plain['items']) && 'hasNext' in plain) {
    return [
      ...listLines(plain['items']),
      ...(plain['hasNext'] === true ? ['There are more: page=2 shows the next page, --all shows all.'] : []),
    ];
  }
  return recordLines(plain, '');
}

function listLines(items: readonly unknown[]): readonly string[] {
  if (items.length === 0) return ['nothing'];
  if (items.every(isObject)) return recordTable(items);
  if (items.every(Array.isArray)) {
    return items.map((row) => row.map((value: unknown) => cell('', value)).join('  '));
  }
  return items.map((item) => cell('', item));
}

/** Records of one kind below one another. `keys` are the names that they stand under, where they have any. */
function recordTable(records: readonly Plain[], keys: readonly string[] | null = null): readonly string[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const isNumber = (name: string): boolean =>
    records.every(({ [name]: value }) => value === null || value === undefined || isNumberLike(value));
  const columns = names.map((name): TableColumn => ({
    title: titleOf(name),
    ...(isNumber(name) ? { align: 'right' } : {}),
  }));
  const rows = records.map((record) => names.map((name) => cell(name, record[name])));
  if (keys === null) return tableLines(columns, rows);
  return tableLines(
    ['', ...columns],
    rows.map((row, index) => [keys[index] ?? '', ...row]),
  );
}

function recordLines(record: Plain, indent: string): readonly string[] {
  const entries = Object.entries(record);
  if (entries.length === 0) return [`${indent}nothing`];
  const values = entries.map(([, value]) => value);
  // Records under names, such as wallets by currency, are a table too.
  if (entries.length > 1 && values.every((value) => isObject(value) && isFlat(value))) {
    return recordTable(
      values as Plain[],
      entries.map(([name]) => name),
    ).map((line) => `${indent}${line}`);
  }
  const width = Math.max(
    ...entries.filter(([, value]) => isCell(value)).map(([name]) => titleOf(name).length),
    0,
  );
  return entries.flatMap(([name, value]) => {
    if (isCell(value)) return [`${indent}${titleOf(name).padEnd(width)}  ${cell(name, value)}`.trimEnd()];
    const inner = Array.isArray(value) ? listLines(value) : recordLines(value as Plain, '');
    return [`${indent}${titleOf(name)}`, ...inner.map((line) => `${indent}  ${line}`)];
  });
}

function isFlat(record: Plain): boolean {
  return Object.values(record).every(isCell);
}

/** Returns true if a value fits a line beside its name. */
function isCell(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object');
  return !isObject(value) || marketOf(value) !== null || Object.keys(value).length === 0;
}

/** A market in all its spellings is shown in the one of public paths. */
function marketOf(value: Plain): string | null {
  return typeof value['symbol'] === 'string' && 'statsKey' in value ? value['symbol'] : null;
}

function isNumberLike(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value));
}

/** `createdAtMs` is shown as a time. */
const TIME = /(?:^time|At|Time|Until)Ms$/;

function titleOf(name: string): string {
  return TIME.test(name) ? `${name.slice(0, -2)} (UTC)` : name;
}

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && TIME.test(name)) return isoText(value).replace('T', ' ').replace('Z', '');
  if (typeof value === 'string') return oneLine(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    const more = value.length - MOST_IN_CELL;
    return `${value.slice(0, MOST_IN_CELL).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
  return (isObject(value) ? marketOf(value) : null) ?? JSON.stringify(value);
}
