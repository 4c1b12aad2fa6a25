import { tryDecimalText, type DecimalText } from '../../domain/decimal-text.ts';
import type { ReplayRow } from '../../simulator/flow/replay-row.ts';
import { badLine, type FileLine } from './replay-lines.ts';

/** Names that a column may have, by what it is; the first one found counts. */
const COLUMNS = {
  time: ['time_ms', 'time_ms_utc', 'timestamp', 'open_time', 'time', 'date'],
  open: ['open'],
  high: ['high'],
  low: ['low'],
  close: ['close'],
  volume: ['volume'],
  price: ['price'],
  amount: ['amount', 'quantity', 'qty', 'size'],
  side: ['side', 'type'],
} as const;

type Column = keyof typeof COLUMNS;

/** Before the first a number is seconds, before the second milliseconds, else microseconds: 1e11 ms is in 1973, 1e14 ms in the year 5138. */
const FIRST_MS = 1e11;
const FIRST_MICROSECONDS = 1e14;

/** Reads the rows of a CSV: candles or trades, as its header says. */
export class CsvReader {
  readonly kind: 'candles' | 'trades';
  private readonly path: string;
  private readonly places: ReadonlyMap<Column, number>;

  /** Throws `INVALID_FILE` when the header names columns of neither kind. */
  constructor(path: string, header: FileLine) {
    this.path = path;
    const names = header.text.split(',').map((name) => name.trim().toLowerCase());
    this.places = new Map(
      (Object.entries(COLUMNS) as [Column, readonly string[]][]).flatMap(([column, known]) => {
        const place = names.findIndex((name) => known.includes(name));
        return place === -1 ? [] : [[column, place] as const];
      }),
    );
    const has = (...columns: readonly Column[]): boolean => columns.every((column) => this.places.has(column));
    if (has('time', 'open', 'high', 'low', 'close', 'volume')) this.kind = 'candles';
    else if (has('time', 'price', 'amount', 'side')) this.kind = 'trades';
    else {
      throw badLine(
        path,
        header,
        `expected columns time_ms,open,high,low,close,volume or time_ms,price,amount,side, found ${JSON.stringify(header.text.slice(0, 80))}`,
      );
    }
  }

  /** One row. The length of a candle is not known from one row: it is 0 here. Throws `INVALID_FILE` naming file and line. */
  read(line: FileLine): ReplayRow {
    const fields = line.text.split(',');
    const timeMs = this.time(line, fields);
    if (this.kind === 'trades') {
      const side = this.text(fields, 'side').toLowerCase();
      if (side !== 'buy' && side !== 'sell')
        throw badLine(this.path, line, `expected side buy or sell, found "${side}"`);
      return {
        kind: 'trade',
        timeMs,
        price: this.positive(line, fields, 'price'),
        amount: this.positive(line, fields, 'amount'),
        side,
      };
    }
    const open = this.positive(line, fields, 'open');
    const high = this.positive(line, fields, 'high');
    const low = this.positive(line, fields, 'low');
    const close = this.positive(line, fields, 'close');
    const [lowest, highest] = [Number(low), Number(high)];
    if ([open, close].some((price) => Number(price) < lowest || Number(price) > highest)) {
      throw badLine(this.path, line, `expected low <= open, close <= high, found ${open}, ${high}, ${low}, ${close}`);
    }
    return {
      kind: 'candle',
      openTimeMs: timeMs,
      lengthMs: 0,
      open,
      high,
      low,
      close,
      volume: this.decimal(line, fields, 'volume'),
    };
  }

  private text(fields: readonly string[], column: Column): string {
    return fields[this.places.get(column) ?? -1]?.trim() ?? '';
  }

  private time(line: FileLine, fields: readonly string[]): number {
    const text = this.text(fields, 'time');
    const time = /^\d+$/.test(text) ? numberMs(Number(text)) : isoMs(text);
    if (Number.isSafeInteger(time) && time >= 0) return time;
    throw badLine(this.path, line, `expected a time in s, ms or microseconds, or as ISO 8601, found "${text}"`);
  }

  private decimal(line: FileLine, fields: readonly string[], column: Column): DecimalText {
    const text = this.text(fields, column);
    const decimal = tryDecimalText(text);
    if (decimal === null || decimal.startsWith('-')) {
      throw badLine(this.path, line, `expected a decimal number for ${column} that is not negative, found "${text}"`);
    }
    return decimal;
  }

  private positive(line: FileLine, fields: readonly string[], column: Column): DecimalText {
    const decimal = this.decimal(line, fields, column);
    if (decimal === '0') throw badLine(this.path, line, `expected a positive ${column}, found 0`);
    return decimal;
  }
}

function numberMs(time: number): number {
  if (time < FIRST_MS) return time * 1_000;
  return time < FIRST_MICROSECONDS ? time : Math.floor(time / 1_000);
}

/** A date and time without a zone is UTC here, on every machine; NaN for anything else than ISO 8601. */
function isoMs(text: string): number {
  const [, date, time, zone] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time ?? '00:00'}${zone ?? 'Z'}`);
}
