import { type SarrafError, invalidFile } from '../domain/errors.ts';
import type { FileRow } from '../domain/csv.ts';
import { oneLine } from '../domain/money.ts';
import { asciiDigits, type RowFile } from './open-text.ts';

/** Possible contents of a column. */
export const FIELDS = [
  'time',
  'clock',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'price',
  'amount',
  'side',
  'maker',
  'id',
] as const;

export type Field = (typeof FIELDS)[number];

/** Index of the volume column if a file has none; its volumes are 0. */
export const NO_COLUMN = -1;

/** Index of the column of each field, from 0, or `NO_COLUMN`. */
export type ColumnPlaces = ReadonlyMap<Field, number>;

/** Known column titles of each field; the first one found counts. */
const TITLES: Readonly<Record<Field, readonly string[]>> = {
  time: [
    'time_ms',
    'time_ms_utc',
    'timestamp',
    'open_time',
    'opentime',
    'open time',
    'time',
    'transact_time',
    'unix',
    'unix timestamp',
    'datetime',
    'date',
    't',
  ],
  clock: [],
  open: ['open', 'o'],
  high: ['high', 'h'],
  low: ['low', 'l'],
  close: ['close', 'c'],
  volume: ['volume', 'volume_src', 'base_volume', 'vol', 'v', 'volume btc', 'volume_(btc)'],
  price: ['price', 'rate', 'p'],
  amount: ['amount', 'quantity', 'qty', 'size', 'q'],
  side: ['side', 'type', 'taker_side'],
  maker: ['is_buyer_maker', 'isbuyermaker', 'buyer_maker'],
  id: ['trade_id', 'tradeid', 'id', 'agg_trade_id'],
};

/** Column orders of well-known file formats; a dash is an unused column. */
const PRESETS = {
  ohlcv: 'time,open,high,low,close,volume',
  'binance-klines': 'time,open,high,low,close,volume,-,-,-,-,-,-',
  'binance-trades': 'id,price,amount,-,time,maker,-',
  'binance-aggtrades': 'id,price,amount,-,-,time,maker,-',
  coinbase: 'time,low,high,open,close,volume',
  trades: 'time,price,amount,side',
  metatrader: 'time,clock,open,high,low,close,volume',
} as const;

export type Preset = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly Preset[];

interface PlacesQuestion {
  readonly path: string;
  readonly market: string;
  readonly header: readonly string[] | null;
  /** Values of the first row. */
  readonly firstRow: readonly string[];
  readonly preset: Preset | null;
  /**
   * Title or number (from 1) of the column of some fields; they override the columns found otherwise. A dash
   * for the volume means that there is none.
   */
  readonly columns: ReadonlyMap<Field, string>;
}

/** Finds the column of each field. Throws `INVALID_FILE` if one is missing, or a title is there twice. */
function findPlaces(question: PlacesQuestion): ColumnPlaces {
  const { path, header, firstRow, preset, columns } = question;
  const named = header?.map((title) => plainTitle(title, question.market)) ?? null;
  const places =
    named !== null && preset !== 'coinbase'
      ? asBars(withClock(byTitles(named, preset), named, firstRow))
      : byPreset(preset ?? presetOf(firstRow) ?? 'ohlcv');
  const twice =
    named === null
      ? undefined
      : [...places].find(([field, at]) => named.lastIndexOf(named[at] ?? '') !== at && !columns.has(field));
  if (twice !== undefined) {
    const [field, at] = twice;
    throw invalidFile(
      `expected one column "${header?.[at]}" in ${path}, found several: say by its number which it is, such as --columns ${field}=${at + 1}`,
    );
  }
  const laid = new Map(places);
  for (const [field, column] of columns) laid.set(field, placeOf(question, [field, column]));
  return laid;
}

/** Simplifies titles of other programs: `<CLOSE>`, `Vol.`, and `Volume BTC` for a market of BTC. */
function plainTitle(title: string, market: string): string {
  const plain = title
    .toLowerCase()
    .replace(/^<(.*)>$/, '$1')
    .replace(/\.$/, '');
  const [, unit] = /^volume[ _(]+([a-z0-9]+)\)?$/.exec(plain) ?? [];
  return unit !== undefined && market.startsWith(unit.toUpperCase()) ? 'volume' : plain;
}

/** True if a field is a time of the day by itself. */
const isClock = (text: string | undefined): boolean =>
  /^\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[AP]M)?$/i.test(asciiDigits(text ?? ''));

/** Returns date and time of day as separate columns, if the file has them so. */
function withClock(
  places: Map<Field, number>,
  titles: readonly string[],
  firstRow: readonly string[],
): Map<Field, number> {
  const [date, time] = [titles.indexOf('date'), titles.indexOf('time')];
  if (date === -1 || time === -1) return places;
  // MetaTrader may omit the colons.
  const isApart = isClock(firstRow[time]) || /^(?:[01]\d|2[0-3])[0-5]\d[0-5]\d$/.test(firstRow[time] ?? '');
  return isApart ? new Map([...places, ['time', date], ['clock', time]]) : places;
}

/** Uses a price column as the close if the file has the other prices of bars. */
function asBars(places: Map<Field, number>): Map<Field, number> {
  const price = places.get('price');
  const isBar = (['open', 'high', 'low'] as const).every((field) => places.has(field));
  if (!isBar || price === undefined || places.has('close')) return places;
  const bars = new Map([...places, ['close' as const, price]]);
  bars.delete('price');
  return bars;
}

/** Finds columns by title; if the titles are not enough, uses the order of a named preset. */
function byTitles(titles: readonly string[], preset: Preset | null): Map<Field, number> {
  const places = new Map(
    FIELDS.flatMap((field) => {
      const place = TITLES[field].map((title) => titles.indexOf(title)).find((index) => index !== -1);
      return place === undefined ? [] : [[field, place] as const];
    }),
  );
  if (preset === null) return places;
  const isEnough = missingColumns(places, 'candles') === null || missingColumns(places, 'trades') === null;
  return isEnough ? places : byPreset(preset);
}

function byPreset(preset: Preset): Map<Field, number> {
  return new Map(
    PRESETS[preset].split(',').flatMap((name, index) => {
      const field = FIELDS.find((known) => known === name);
      return field === undefined ? [] : [[field, index] as const];
    }),
  );
}

const isTruth = (text: string | undefined): boolean => /^(?:true|false)$/i.test(text ?? '');

/** Returns the preset that fits a first row without titles; null if none does. */
function presetOf(row: readonly string[]): Preset | null {
  if (row.length >= 7 && isClock(row[1])) return 'metatrader';
  if (row.length >= 6 && isTruth(row[5])) return 'binance-trades';
  if (row.length >= 7 && isTruth(row[6])) return 'binance-aggtrades';
  if (/^(?:buy|sell)$/i.test(row[3] ?? '')) return 'trades';
  if (row.length >= 11) return 'binance-klines';
  return row.length >= 6 ? 'ohlcv' : null;
}

function placeOf(
  { path, header, firstRow }: PlacesQuestion,
  [field, column]: readonly [Field, string],
): number {
  if (field === 'volume' && column === '-') return NO_COLUMN;
  const titled = header?.findIndex((title) => title.toLowerCase() === column.toLowerCase()) ?? -1;
  if (titled !== -1) return titled;
  const number = /^\d{1,4}$/.test(column) ? Number(column) : 0;
  if (number >= 1 && number <= firstRow.length) return number - 1;
  const found = header === null ? `${firstRow.length} without titles` : header.join(', ');
  throw invalidFile(`expected a column "${column}" in ${path}, found ${found}`);
}

/** Returns the required columns that are missing, as the end of a message; null if none is. */
export function missingColumns(places: ColumnPlaces, kind: 'candles' | 'trades'): string | null {
  const wanted: readonly Field[] =
    kind === 'candles' ? ['time', 'open', 'high', 'low', 'close', 'volume'] : ['time', 'price', 'amount'];
  const missing = wanted.filter((field) => !places.has(field)) as string[];
  if (kind === 'trades' && !places.has('side') && !places.has('maker')) missing.push('side');
  return missing.length === 0 ? null : missing.join(', ');
}

/** Returns the column of each field of a file. Throws `INVALID_FILE` for a file without rows. */
export function placesOf(
  options: Omit<PlacesQuestion, 'header' | 'firstRow'>,
  file: RowFile,
  rows: readonly FileRow[],
): ColumnPlaces {
  const [first] = rows;
  if (first === undefined) throw invalidFile(`expected rows in ${options.path}, found none`);
  const { path, market, preset, columns } = options;
  return findPlaces({ path, market, header: file.header, firstRow: first.fields, preset, columns });
}

/** Returns the number of columns, without the empty ones at the end that some programs write. */
export function widthOf({ header }: RowFile, rows: readonly FileRow[]): number {
  const fields = header ?? rows[0]?.fields ?? [];
  return fields.findLastIndex((field) => field !== '') + 1;
}

/** Returns the kind of a file by its columns. If both kinds lack some, its price columns decide. */
export function kindOf(places: ColumnPlaces): 'candles' | 'trades' {
  const [candles, trades] = (['candles', 'trades'] as const).map(
    (kind) => missingColumns(places, kind)?.split(',').length ?? 0,
  );
  if (candles === 0 || trades === 0) return candles === 0 ? 'candles' : 'trades';
  const hasBarPrice = (['open', 'high', 'low', 'close'] as const).some((field) => places.has(field));
  return hasBarPrice && !places.has('price') ? 'candles' : 'trades';
}

/** Returns the error for a file that lacks a column. */
export function shortfall(
  { path }: Pick<PlacesQuestion, 'path'>,
  what: { readonly kind: string; readonly missing: string; readonly file: RowFile },
): SarrafError {
  const { kind, missing, file } = what;
  const found =
    file.header === null ? 'columns without titles' : `the columns ${file.header.map(oneLine).join(', ')}`;
  return invalidFile(
    `expected a column for ${missing} of ${kind} in ${path}, found ${found}: say which it is, such as --columns ${missing.split(',')[0]}=NAME`,
  );
}
