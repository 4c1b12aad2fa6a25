import { formatUnits, type Units } from '../../domain/money.ts';
import type { ByteWriter } from './byte-writer.ts';

/** One field of the rows of a list: its value in a row, and how JSON and CSV have it. */
export interface RowField<Source, Value> {
  readonly valueOf: (source: Source) => Value;
  readonly writeJson: (source: Source, out: ByteWriter) => void;
  readonly writeCsv: (source: Source, out: ByteWriter) => void;
}

/** Every field of a row, in the order in which JSON has them. */
export type RowFields<Source, Row> = { readonly [Name in keyof Row]: RowField<Source, Row[Name]> };

/** Columns of a CSV file: their titles, and the fields that they have. */
export type CsvColumns<Row> = readonly (readonly [title: string, field: keyof Row & string])[];

/**
 * The rows of a list: made as objects for a program, and written without them. `Source` is what a row is made
 * of.
 */
export class RowFormat<Source, Row> {
  readonly #fields: RowFields<Source, Row>;
  readonly #json: readonly {
    readonly before: string;
    readonly write: RowField<Source, unknown>['writeJson'];
  }[];

  constructor(fields: RowFields<Source, Row>) {
    this.#fields = fields;
    this.#json = entriesOf(fields).map(([name, field], index) => ({
      before: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
      write: field.writeJson,
    }));
  }

  /** The rows as objects. */
  rows(sources: readonly Source[]): Row[] {
    const entries = entriesOf(this.#fields);
    return sources.map(
      (source) => Object.fromEntries(entries.map(([name, { valueOf }]) => [name, valueOf(source)])) as Row,
    );
  }

  /** A row as a JSON object. */
  writeJson(source: Source, out: ByteWriter): void {
    for (const { before, write } of this.#json) {
      out.text(before);
      write(source, out);
    }
    out.text('}');
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

function entriesOf<Source, Row>(fields: RowFields<Source, Row>): [string, RowField<Source, unknown>][] {
  return Object.entries(fields);
}

/** A text. */
export function textCell<Source, Value extends string | null>(
  valueOf: (source: Source) => Value,
): RowField<Source, Value> {
  return {
    valueOf,
    writeJson: (source, out) => writeJsonText(valueOf(source), out),
    writeCsv: (source, out) => writeCell(valueOf(source), out),
  };
}

/** Money or an amount: a text that is an exact decimal. */
export function decimalCell<Source>(unitsOf: (source: Source) => Units): RowField<Source, string>;
export function decimalCell<Source>(
  unitsOf: (source: Source) => Units | null,
): RowField<Source, string | null>;
export function decimalCell<Source>(
  unitsOf: (source: Source) => Units | null,
): RowField<Source, string | null> {
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
): RowField<Source, Value> {
  return {
    valueOf,
    writeJson: (source, out) => writeNumber(valueOf(source), 'null', out),
    writeCsv: (source, out) => writeNumber(valueOf(source), '', out),
  };
}

/** A moment in ms since 1970, which CSV has as ISO 8601. */
export function momentCell<Source, Value extends number | null>(
  valueOf: (source: Source) => Value,
): RowField<Source, Value> {
  return {
    ...numberCell(valueOf),
    writeCsv: (source, out) => {
      const value: number | null = valueOf(source);
      if (value !== null) out.isoTime(value);
    },
  };
}

/** True or false. */
export function flagCell<Source>(valueOf: (source: Source) => boolean): RowField<Source, boolean> {
  const write = (source: Source, out: ByteWriter): void => out.text(valueOf(source) ? 'true' : 'false');
  return { valueOf, writeJson: write, writeCsv: write };
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

/** Quoted where a comma, a quote or a line break is in it. */
function writeCell(value: string | null, out: ByteWriter): void {
  if (value === null || out.plain(value, PLAIN_IN_CSV)) return;
  out.text(/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
}
