import {
  UNITS_PER_ONE,
  type Units,
  divideHalfEven,
  formatUnits,
  parseUnits,
  separatedName,
} from '../../domain/money.ts';
import { FILL, FILL_RESULT, type FillRecord } from '../../records/fill.ts';
import type { LockRecord } from '../../engine/lock.ts';
import type { MemberRecord } from '../../engine/universe-manager.ts';
import { outText } from '../../strategy/rank-markets.ts';
import { ORDER_RESULT, SHOWN_ORDER, type OrderRecord } from '../../records/order.ts';
import type { RoundTrip } from '../../portfolio/round-trips.ts';
import { tripReturn } from '../metrics/run-metrics.ts';
import type {
  FillRow,
  LockRow,
  MemberRow,
  OrderRow,
  RefusalRow,
  ResultHead,
  TripRow,
} from '../result-schema.ts';
import { english, type Sentence } from '../../language/sentence.ts';
import type { EquityCurve } from '../backtest-run.ts';
import { DrawdownMeter } from '../metrics/equity-metrics.ts';
import { numberOf } from '../statistics.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { csvCell, type CsvValue } from '../../domain/csv.ts';
import { present } from '../../domain/errors.ts';
import type { FieldKind, RecordFields } from '../../records/field.ts';

/** Field of a table: how to get its value from a row, and how to write it in JSON. */
interface TableField<Source, Value> {
  readonly valueOf: (source: Source) => Value;
  readonly writeJson: (source: Source, out: ByteWriter) => void;
}

/** All fields of a row, in their order in JSON. */
type TableFields<Source, Row> = { readonly [Name in keyof Row]: TableField<Source, Row[Name]> };

/** Table as one list of values for each field; all lists have the same length. */
type ColumnsOf<Row> = { [Name in keyof Row]: Row[Name][] };

/** Format of a result table: columns for programs, or JSON without them. `Source`: a row's record. */
export class TableFormat<Source, Row> {
  readonly #fields: TableFields<Source, Row>;

  constructor(fields: TableFields<Source, Row>) {
    this.#fields = fields;
  }

  /** Returns a list of values for each field. */
  columns(sources: readonly Source[]): ColumnsOf<Row> {
    return Object.fromEntries(
      entriesOf(this.#fields).map(([name, { valueOf }]) => [name, sources.map((source) => valueOf(source))]),
    ) as ColumnsOf<Row>;
  }

  /** Writes the columns as a JSON object. `before` precedes each column name, `after` the closing brace. */
  writeJson(
    sources: readonly Source[],
    { before, after }: { readonly before: string; readonly after: string },
    out: ByteWriter,
  ): void {
    let start = '{';
    for (const [name, { writeJson }] of entriesOf(this.#fields)) {
      out.text(`${start}${before}${JSON.stringify(name)}:[`);
      for (let index = 0; index < sources.length; index += 1) {
        if (index > 0) out.text(',');
        writeJson(present(sources[index], 'a row at each place'), out);
      }
      out.text(']');
      start = ',';
    }
    out.text(`${after}}`);
  }

  get names(): readonly (keyof Row & string)[] {
    return Object.keys(this.#fields) as (keyof Row & string)[];
  }
}

function entriesOf<Source, Row>(fields: TableFields<Source, Row>): [string, TableField<Source, unknown>][] {
  return Object.entries(fields);
}

export function textCell<Source, Value extends string | null>(
  valueOf: (source: Source) => Value,
): TableField<Source, Value> {
  return { valueOf, writeJson: (source, out) => writeJsonText(valueOf(source), out) };
}

/** Cell of money or an amount: text of an exact decimal. */
export function decimalCell<Source>(unitsOf: (source: Source) => Units): TableField<Source, string>;
export function decimalCell<Source>(
  unitsOf: (source: Source) => Units | null,
): TableField<Source, string | null>;
export function decimalCell<Source>(
  unitsOf: (source: Source) => Units | null,
): TableField<Source, string | null> {
  return {
    valueOf: (source) => {
      const units = unitsOf(source);
      return units === null ? null : formatUnits(units);
    },
    writeJson: (source, out) => {
      const units = unitsOf(source);
      if (units === null) {
        out.text('null');
        return;
      }
      out.text('"');
      out.units(units);
      out.text('"');
    },
  };
}

/** Cell of a finite number, such as a time in ms since 1970. */
export function numberCell<Source, Value extends number | null>(
  valueOf: (source: Source) => Value,
): TableField<Source, Value> {
  return {
    valueOf,
    writeJson: (source, out) => {
      const value: number | null = valueOf(source);
      if (value === null) out.text('null');
      else out.number(value);
    },
  };
}

/** Cell of true or false. */
export function flagCell<Source>(valueOf: (source: Source) => boolean): TableField<Source, boolean> {
  return { valueOf, writeJson: (source, out) => out.text(valueOf(source) ? 'true' : 'false') };
}

/** Cell of a reason, in English. */
function reasonCell<Source>(valueOf: (source: Source) => Sentence | null): TableField<Source, string | null> {
  return textCell((source) => english(valueOf(source)));
}

/** Cell types of the field kinds that are not plain text. */
const CELLS: Readonly<
  Partial<Record<FieldKind, typeof reasonCell | typeof decimalCell | typeof numberCell>>
> = {
  reason: reasonCell,
  money: decimalCell,
  amount: decimalCell,
  time: numberCell,
  count: numberCell,
  cursor: numberCell,
};

/** Returns the cells of fields that a row has as its source has them. */
function cells<Name extends string>(cell: (typeof CELLS)[FieldKind], ...names: readonly Name[]) {
  const cellOf = (cell ?? textCell) as typeof textCell<
    Readonly<Record<string, string | null>>,
    string | null
  >;
  return Object.fromEntries(
    names.map((name) => [name, cellOf((source) => source[name] ?? null)]),
  ) as unknown as Readonly<Record<Name, TableField<unknown, never>>>;
}

/** Returns the cells for some fields of a record, by their kinds. */
function recordCells<Source, Row>(
  fields: RecordFields,
  names: readonly (keyof Row & string)[],
): TableFields<Source, Row> {
  const ofRow = names.map((name) => cells(CELLS[present(fields[name], 'a field of each name').kind], name));
  return Object.assign({}, ...ofRow) as TableFields<Source, Row>;
}

/** Marks the printable ASCII characters that JSON does not escape with 1. */
const PLAIN_IN_JSON = Uint8Array.from({ length: 127 }, (_, code) =>
  code < 32 || '"\\'.includes(String.fromCharCode(code)) ? 0 : 1,
);

function writeJsonText(value: string | null, out: ByteWriter): void {
  if (value === null) {
    out.text('null');
    return;
  }
  out.text('"');
  if (out.plain(value, PLAIN_IN_JSON)) out.text('"');
  else out.text(JSON.stringify(value).slice(1));
}

/** Table of round trips, with money as text. */
export const TRIP_TABLE = new TableFormat<RoundTrip, TripRow>({
  ...cells(numberCell, 'number'),
  ...cells(textCell, 'market', 'strategy', 'entryOrder', 'exitOrder'),
  ...cells(numberCell, 'openedAtMs', 'closedAtMs'),
  ...cells(decimalCell, 'amount', 'entryPrice', 'exitPrice', 'cost', 'proceeds', 'fees', 'profit'),
  change: numberCell(tripReturn),
  isOpen: flagCell(({ isOpen }) => isOpen),
});

/** Table of orders, with money as text. */
export const ORDER_TABLE = new TableFormat<OrderRecord, OrderRow>({
  ...recordCells<OrderRecord, OrderRow>(SHOWN_ORDER, ORDER_RESULT),
  averagePrice: decimalCell(averagePrice),
});

function averagePrice({ filled, filledTotal }: OrderRecord): Units | null {
  return filled > 0n ? (divideHalfEven(filledTotal * UNITS_PER_ONE, filled) as Units) : null;
}

/** Table of fills, with money as text. */
export const FILL_TABLE = new TableFormat<FillRecord, FillRow>(recordCells(FILL, FILL_RESULT));

/** Table of locks, with the number of orders they refused. */
export const LOCK_TABLE = new TableFormat<LockRecord, LockRow>({
  name: textCell(({ lock }) => lock.name),
  strategy: textCell(({ lock }) => lock.strategy),
  market: textCell(({ lock }) => lock.market),
  reason: textCell(({ lock }) => english(lock.reason)),
  entries: textCell(({ lock }) => lock.entries),
  beganAtMs: numberCell(({ lock }) => lock.beganAtMs),
  endedAtMs: numberCell(({ endedAtMs }) => endedAtMs),
  refused: numberCell(({ refused }) => refused),
});

/** Table of markets that entered and left universes. */
export const MEMBER_TABLE = new TableFormat<MemberRecord, MemberRow>({
  ...cells(numberCell, 'atMs'),
  ...cells(textCell, 'strategy', 'universe', 'market', 'kind'),
  ...cells(numberCell, 'rank'),
  reason: textCell(({ reason, rankBy }) => outText(reason, rankBy)),
});

/** Table as it is stored: a list for each field, without those that are newer than the run. */
type StoredTable<Row> = { readonly [Name in keyof Row]?: readonly Row[Name][] | undefined };

/** Tables of a stored run: those of its result, its refusals, and its whole equity curve. */
export interface StoredTables extends Pick<ResultHead, 'refusals' | 'summary'> {
  readonly trades: StoredTable<TripRow>;
  readonly orders: StoredTable<OrderRow>;
  readonly lockSpans: StoredTable<LockRow>;
  readonly members: StoredTable<MemberRow>;
  readonly curve: EquityCurve;
}

const TRADES: readonly (keyof TripRow)[] = [
  'number',
  'market',
  'strategy',
  'openedAtMs',
  'closedAtMs',
  'amount',
  'entryPrice',
  'exitPrice',
  'cost',
  'proceeds',
  'fees',
  'profit',
  'change',
  'isOpen',
  'entryOrder',
  'exitOrder',
];
const ORDERS = ORDER_TABLE.names.filter((name) => name !== 'clientOrderId' && name !== 'sentAtMs');
const REFUSALS: readonly (keyof RefusalRow)[] = [
  'strategy',
  'code',
  'what',
  'count',
  'meaning',
  'example',
  'firstAtMs',
  'lastAtMs',
];
const LOCKS: readonly (keyof LockRow)[] = [
  'name',
  'strategy',
  'market',
  'beganAtMs',
  'endedAtMs',
  'entries',
  'refused',
  'reason',
];

/** Writers of the CSV files of a run, by file name. Times are UTC; money is exact, in the quote currency. */
export const CSV_FILES = {
  'trades.csv': ({ trades }, out) => writeCsv(TRADES, trades, out),
  'orders.csv': ({ orders }, out) => writeCsv(ORDERS, orders, out),
  'refusals.csv': ({ refusals }, out) =>
    writeCsv(
      REFUSALS,
      Object.fromEntries(REFUSALS.map((name) => [name, refusals.map((row) => row[name])])),
      out,
    ),
  'locks.csv': ({ lockSpans }, out) => writeCsv(LOCKS, lockSpans, out),
  'members.csv': ({ members }, out) => writeCsv(MEMBER_TABLE.names, members, out),
  'equity.csv': ({ curve, summary }: Pick<StoredTables, 'curve' | 'summary'>, out) =>
    writeEquityCsv(curve, numberOf(parseUnits(summary.initialEquity)), out),
} as const satisfies Readonly<Record<string, (tables: StoredTables, out: ByteWriter) => void>>;

/**
 * Writes columns as a CSV table (RFC 4180) with a title row: `plannedAtMs` becomes `planned_at`, with times
 * in ISO 8601, and `change` becomes `return`. A column that is not there is empty. Expects the first one.
 */
export function writeCsv(
  names: readonly string[],
  columns: Readonly<Record<string, readonly CsvValue[] | undefined>>,
  out: ByteWriter,
): void {
  const titles = names.map((name) =>
    name === 'change' ? 'return' : separatedName(name.replace(/Ms$/, ''), '_'),
  );
  out.text(`${titles.join(',')}\n`);
  const lists = names.map((name) => ({ isTime: name.endsWith('Ms'), values: columns[name] }));
  const { length } = present(lists[0]?.values, 'a first column');
  for (let row = 0; row < length; row += 1) {
    lists.forEach(({ isTime, values }, place) => {
      if (place > 0) out.text(',');
      const value = values?.[row] ?? null;
      if (isTime && value !== null) out.isoTime(Number(value));
      else out.text(csvCell(value));
    });
    out.text('\n');
  }
}

/** Decimals of a drawdown; below `LEAST_PLAIN` units of the last one it is written with an exponent. */
const FRACTION_DIGITS = 8;
const FRACTION = 10 ** FRACTION_DIGITS;
const LEAST_PLAIN = 100;

/** Writes `equity.csv`: a line for each point of the curve, as floats, with the drawdown as a fraction. */
function writeEquityCsv(curve: EquityCurve, initialEquity: number, out: ByteWriter): void {
  const { length, timeMs, equity, isExposed } = curve;
  const drawdown = new DrawdownMeter(initialEquity);
  out.text('time,equity,drawdown,is_exposed\n');
  for (let index = 0; index < length; index += 1) {
    const value = equity[index] ?? 0;
    out.isoTime(timeMs[index] ?? 0);
    out.text(',');
    out.number(value);
    out.text(',');

    const count = Math.round(drawdown.next(value) * FRACTION);
    if (count < LEAST_PLAIN) out.number(count / FRACTION);
    else out.decimal(count, FRACTION_DIGITS);
    out.text(isExposed[index] === 1 ? ',true\n' : ',false\n');
  }
}
