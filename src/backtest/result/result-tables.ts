import { UNITS_PER_ONE, type Units, divideHalfEven, formatUnits, separatedName } from '../../domain/money.ts';
import { FILL, FILL_RESULT, type FillRecord } from '../../records/fill.ts';
import type { LockRecord } from '../../engine/lock-records.ts';
import type { MemberRecord } from '../../engine/member-records.ts';
import { outText } from '../../strategy/rank-markets.ts';
import { ORDER_RESULT, SHOWN_ORDER, type OrderRecord } from '../../records/order.ts';
import type { RoundTrip } from '../round-trips.ts';
import { tripReturn } from '../metrics/run-metrics.ts';
import type { FillRow, OrderRow, LockRow, MemberRow, RefusalRow, TripRow } from '../result-schema.ts';
import { english, type Sentence } from '../../language/sentence.ts';
import type { BacktestRun } from '../backtest-run.ts';
import { DrawdownMeter } from '../metrics/equity-metrics.ts';
import { numberOf } from '../statistics.ts';
import type { ByteWriter } from '../byte-writer.ts';
import type { FinishedRun } from '../finish-run.ts';
import { csvCell } from '../../domain/csv.ts';
import { present } from '../../domain/errors.ts';
import type { FieldKind, RecordFields } from '../../records/field.ts';

/** One field of a table: its value in a row, and how JSON and CSV have it. */
interface TableField<Source, Value> {
  readonly valueOf: (source: Source) => Value;
  readonly writeJson: (source: Source, out: ByteWriter) => void;
  readonly writeCsv: (source: Source, out: ByteWriter) => void;
}

/** Every field of a row, in the order in which JSON has them. */
type TableFields<Source, Row> = { readonly [Name in keyof Row]: TableField<Source, Row[Name]> };

/** A table as one list of values for each field, all of one length. */
type ColumnsOf<Row> = { [Name in keyof Row]: Row[Name][] };

/** Columns of a CSV file: their titles, and the fields that they have. */
type CsvColumns<Row> = readonly (readonly [title: string, field: keyof Row & string])[];

/**
 * A table of a result: made as columns for a program, and written without them. `Source` is what a row is
 * made of.
 */
export class TableFormat<Source, Row> {
  readonly #fields: TableFields<Source, Row>;

  constructor(fields: TableFields<Source, Row>) {
    this.#fields = fields;
  }

  /** A list of values for each field. */
  columns(sources: readonly Source[]): ColumnsOf<Row> {
    return Object.fromEntries(
      entriesOf(this.#fields).map(([name, { valueOf }]) => [name, sources.map((source) => valueOf(source))]),
    ) as ColumnsOf<Row>;
  }

  /** The same as a JSON object. `before` stands before the name of each column, `after` before the end. */
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

  /** A CSV table by RFC 4180, its titles first. */
  writeCsv(columns: CsvColumns<Row>, sources: Iterable<Source>, out: ByteWriter): void {
    out.text(`${columns.map(([title]) => title).join(',')}\n`);
    const writes = columns.map(([, name]) => this.#fields[name].writeCsv);
    for (const source of sources) {
      for (let index = 0; index < writes.length; index += 1) {
        if (index > 0) out.text(',');
        writes[index]?.(source, out);
      }
      out.text('\n');
    }
  }
}

/** Columns of a CSV file by their fields: `plannedAtMs` is `planned_at`; `return` is no name of a field. */
function csvColumns<Row>(names: readonly (keyof Row & string)[]): CsvColumns<Row> {
  return names.map((name) => [
    name === 'change' ? 'return' : separatedName(name.replace(/Ms$/, ''), '_'),
    name,
  ]);
}

function entriesOf<Source, Row>(fields: TableFields<Source, Row>): [string, TableField<Source, unknown>][] {
  return Object.entries(fields);
}

export function textCell<Source, Value extends string | null>(
  valueOf: (source: Source) => Value,
): TableField<Source, Value> {
  // Quoted where a comma, a quote or a line break is in it.
  return {
    valueOf,
    writeJson: (source, out) => writeJsonText(valueOf(source), out),
    writeCsv: (source, out) => {
      const value = valueOf(source);
      if (value === null || out.plain(value, PLAIN_IN_CSV)) return;
      out.text(csvCell(value));
    },
  };
}

/** Money or an amount: a text that is an exact decimal. */
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
    writeCsv: (source, out) => {
      const units = unitsOf(source);
      if (units !== null) out.units(units);
    },
  };
}

/** A finite number. */
export function numberCell<Source, Value extends number | null>(
  valueOf: (source: Source) => Value,
): TableField<Source, Value> {
  return {
    valueOf,
    writeJson: (source, out) => writeNumber(valueOf(source), 'null', out),
    writeCsv: (source, out) => writeNumber(valueOf(source), '', out),
  };
}

/** A moment in ms since 1970, which CSV has as ISO 8601. */
export function momentCell<Source, Value extends number | null>(
  valueOf: (source: Source) => Value,
): TableField<Source, Value> {
  return {
    ...numberCell(valueOf),
    writeCsv: (source, out) => {
      const value: number | null = valueOf(source);
      if (value !== null) out.isoTime(value);
    },
  };
}

/** True or false. */
export function flagCell<Source>(valueOf: (source: Source) => boolean): TableField<Source, boolean> {
  const write = (source: Source, out: ByteWriter): void => out.text(valueOf(source) ? 'true' : 'false');
  return { valueOf, writeJson: write, writeCsv: write };
}

/** A reason, in English. */
function reasonCell<Source>(valueOf: (source: Source) => Sentence | null): TableField<Source, string | null> {
  return textCell((source) => english(valueOf(source)));
}

/** Writers of the cells of the kinds of fields that are no plain texts. */
const CELLS: Readonly<
  Partial<Record<FieldKind, typeof reasonCell | typeof decimalCell | typeof numberCell>>
> = {
  reason: reasonCell,
  money: decimalCell,
  amount: decimalCell,
  time: momentCell,
  count: numberCell,
  cursor: numberCell,
};

/** Cells of some fields of a record, by their kinds. */
function recordCells<Source, Row>(
  fields: RecordFields,
  names: readonly (keyof Row & string)[],
): TableFields<Source, Row> {
  const cellOf = (name: keyof Row & string): unknown => {
    const { kind } = present(fields[name], 'a field of each name');
    const cell = (CELLS[kind] ?? textCell) as typeof textCell;
    return cell((source: Source) => (source as Readonly<Record<string, string | null>>)[name] ?? null);
  };
  return Object.fromEntries(names.map((name) => [name, cellOf(name)])) as unknown as TableFields<Source, Row>;
}

function writeNumber(value: number | null, nothing: string, out: ByteWriter): void {
  if (value === null) out.text(nothing);
  else out.number(value);
}

/** The printable characters of one byte but these. */
function charactersBut(others: string): Uint8Array {
  return Uint8Array.from({ length: 127 }, (_, code) =>
    code < 32 || others.includes(String.fromCharCode(code)) ? 0 : 1,
  );
}

const PLAIN_IN_JSON = charactersBut('"\\');
const PLAIN_IN_CSV = charactersBut('",');

function writeJsonText(value: string | null, out: ByteWriter): void {
  if (value === null) {
    out.text('null');
    return;
  }
  out.text('"');
  if (out.plain(value, PLAIN_IN_JSON)) out.text('"');
  else out.text(JSON.stringify(value).slice(1));
}

/** Round trips, with their money as text. */
export const TRIP_TABLE = new TableFormat<RoundTrip, TripRow>({
  number: numberCell((trip) => trip.number),
  market: textCell(({ market }) => market),
  strategy: textCell(({ strategy }) => strategy),
  entryOrder: textCell(({ entryOrder }) => entryOrder),
  exitOrder: textCell(({ exitOrder }) => exitOrder),
  openedAtMs: momentCell(({ openedAtMs }) => openedAtMs),
  closedAtMs: momentCell(({ closedAtMs }) => closedAtMs),
  amount: decimalCell(({ amount }) => amount),
  entryPrice: decimalCell(({ entryPrice }) => entryPrice),
  exitPrice: decimalCell(({ exitPrice }) => exitPrice),
  cost: decimalCell(({ cost }) => cost),
  proceeds: decimalCell(({ proceeds }) => proceeds),
  fees: decimalCell(({ fees }) => fees),
  profit: decimalCell(({ profit }) => profit),
  change: numberCell(tripReturn),
  isOpen: flagCell(({ isOpen }) => isOpen),
});

/** Columns of orders for readers of a result, with money as text. */
export const ORDER_TABLE = new TableFormat<OrderRecord, OrderRow>({
  ...recordCells<OrderRecord, OrderRow>(SHOWN_ORDER, ORDER_RESULT),
  averagePrice: decimalCell(averagePrice),
});

function averagePrice({ filled, filledTotal }: OrderRecord): Units | null {
  return filled > 0n ? (divideHalfEven(filledTotal * UNITS_PER_ONE, filled) as Units) : null;
}

/** Fills, with their money as text. */
export const FILL_TABLE = new TableFormat<FillRecord, FillRow>(recordCells(FILL, FILL_RESULT));

/** Locks, with the orders that they refused. */
export const LOCK_TABLE = new TableFormat<LockRecord, LockRow>({
  name: textCell(({ lock }) => lock.name),
  strategy: textCell(({ lock }) => lock.strategy),
  market: textCell(({ lock }) => lock.market),
  reason: textCell(({ lock }) => english(lock.reason)),
  entries: textCell(({ lock }) => lock.entries),
  beganAtMs: momentCell(({ lock }) => lock.beganAtMs),
  endedAtMs: momentCell(({ endedAtMs }) => endedAtMs),
  refused: numberCell(({ refused }) => refused),
});

/** Markets that entered and left universes. */
export const MEMBER_TABLE = new TableFormat<MemberRecord, MemberRow>({
  atMs: momentCell(({ atMs }) => atMs),
  strategy: textCell(({ strategy }) => strategy),
  universe: textCell(({ universe }) => universe),
  market: textCell(({ market }) => market),
  kind: textCell(({ kind }) => kind),
  rank: numberCell(({ rank }) => rank),
  reason: textCell(({ reason, rankBy }) => outText(reason, rankBy)),
});

/** Reasons for which something was refused, as they are. */
const REFUSED_TABLE = new TableFormat<RefusalRow, RefusalRow>({
  strategy: textCell(({ strategy }) => strategy),
  what: textCell(({ what }) => what),
  code: textCell(({ code }) => code),
  count: numberCell(({ count }) => count),
  meaning: textCell(({ meaning }) => meaning),
  example: textCell(({ example }) => example),
  firstAtMs: momentCell(({ firstAtMs }) => firstAtMs),
  lastAtMs: momentCell(({ lastAtMs }) => lastAtMs),
});

const TRADES = csvColumns<TripRow>([
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
]);
const ORDERS = csvColumns(
  ORDER_TABLE.names.filter((name) => name !== 'clientOrderId' && name !== 'sentAtMs'),
);
const REFUSALS = csvColumns<RefusalRow>([
  'strategy',
  'code',
  'what',
  'count',
  'meaning',
  'example',
  'firstAtMs',
  'lastAtMs',
]);
const LOCKS = csvColumns<LockRow>([
  'name',
  'strategy',
  'market',
  'beganAtMs',
  'endedAtMs',
  'entries',
  'refused',
  'reason',
]);
const MEMBERS = csvColumns(MEMBER_TABLE.names);

/**
 * The tables of a run as CSV, by the names of their files. Times are UTC, money in the quote currency and
 * exact.
 */
export const CSV_FILES = {
  'trades.csv': ({ trips }, out) => TRIP_TABLE.writeCsv(TRADES, trips, out),
  'orders.csv': ({ run }, out) => ORDER_TABLE.writeCsv(ORDERS, run.orders, out),
  'refusals.csv': ({ head }, out) => REFUSED_TABLE.writeCsv(REFUSALS, head.refusals, out),
  'locks.csv': ({ run }, out) => LOCK_TABLE.writeCsv(LOCKS, run.locks.records, out),
  'members.csv': ({ run }, out) => MEMBER_TABLE.writeCsv(MEMBERS, run.members.records, out),
  'equity.csv': ({ run }, out) => writeEquityCsv(run, out),
} as const satisfies Readonly<Record<string, (finished: FinishedRun, out: ByteWriter) => void>>;

/** Digits of a drawdown after the point, and from how many of the last one on it is written without `e`. */
const FRACTION_DIGITS = 8;
const FRACTION = 10 ** FRACTION_DIGITS;
const LEAST_PLAIN = 100;

/** `equity.csv`: a line for each point of the curve, as floats, with the drawdown as a fraction. */
function writeEquityCsv({ curve, initialEquity }: BacktestRun, out: ByteWriter): void {
  const { length, timeMs, equity, isExposed } = curve;
  const drawdown = new DrawdownMeter(numberOf(initialEquity));
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
