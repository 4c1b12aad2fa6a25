import { createWriteStream, existsSync } from 'node:fs';
import { asWholeFile } from './durable-file.ts';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { invalidOptions } from '../domain/errors.ts';
import type { Catalogue } from './catalogue.ts';
import { openDatabase, queryRows, runSql, sqlFiles, sqlText } from './duckdb.ts';
import {
  folderPath,
  type FolderKey,
  type TimeRange,
  BOOK_LEVELS,
  type RecordedBook,
  type RecordedStats,
  type RecordedTrade,
} from './records.ts';
import { noneThere, partitionsOfData } from './read-rows.ts';
import { BOOK_SHAPE, CANDLE_SHAPE, STATS_SHAPE, TRADE_SHAPE, STATS_COLUMNS } from './table-shape.ts';
import { candleAt } from '../domain/candle-columns.ts';
import type { Candle } from '../domain/candle.ts';
import { csvLine, type CsvValue } from '../domain/csv.ts';

interface ExportOptions {
  readonly key: FolderKey;
  readonly range: TimeRange;
  /** Path of the file; its ending is the format: `.csv` or `.jsonl`, either with `.gz`, or `.parquet`. */
  readonly path: string;
  /** True if an existing file is replaced. */
  readonly mayReplace: boolean;
  readonly onProgress?: (rows: number) => void;
}

const SHAPES = { candles: CANDLE_SHAPE, trades: TRADE_SHAPE, books: BOOK_SHAPE, stats: STATS_SHAPE } as const;

/** Adds a float column beside each exact decimal: pandas and others load decimals as slow objects. */
const floatTwins = (kind: keyof typeof SHAPES): string =>
  SHAPES[kind].columns
    .filter(({ type }) => type === 'money' || type === 'moneys')
    .map(({ name, type }) => `, ${name}::DOUBLE${type === 'moneys' ? '[]' : ''} AS ${name}_f`)
    .join('');

/**
 * Writes the records of a time range to a file and returns their number. The file appears only when it is
 * complete. Throws `INVALID_OPTIONS` for a name without a known format, an existing file, a missing folder,
 * and an empty range.
 */
export async function exportFile(catalogue: Catalogue, options: ExportOptions): Promise<number> {
  const { path, mayReplace } = options;
  const [, format, packed] = /\.(csv|jsonl|parquet)(\.gz)?$/.exec(path) ?? [];
  if (format === undefined || (format === 'parquet' && packed !== undefined))
    throw invalidOptions(
      `expected a file name that ends in .csv, .csv.gz, .jsonl, .jsonl.gz or .parquet, was "${path}"`,
    );
  if (existsSync(path) && !mayReplace)
    throw invalidOptions(`expected no file at ${path} yet, found one: name another, or add --force`);
  if (!existsSync(dirname(path)))
    throw invalidOptions(`expected a folder ${dirname(path)} to write ${path} into, found none: make it`);
  return asWholeFile(path, async (draft) => {
    const rows =
      format === 'parquet'
        ? await writeParquet(catalogue, options, draft)
        : await writeText(
            catalogue,
            options,
            draft,
            format === 'csv' ? 'csv' : 'jsonl',
            packed !== undefined,
          );
    if (rows === 0) throw noneThere(catalogue.root, options.key, options.range);
    return rows;
  });
}

async function writeText(
  catalogue: Catalogue,
  { key, range, onProgress }: ExportOptions,
  draft: string,
  format: 'csv' | 'jsonl',
  isPacked: boolean,
): Promise<number> {
  let rows = 0;
  const texts = async function* (): AsyncGenerator<string> {
    for await (const part of exportLines(catalogue, { key, range, format })) {
      rows += part.rows;
      onProgress?.(rows);
      yield part.text;
    }
  };
  const file = createWriteStream(draft);
  if (isPacked) await pipeline(Readable.from(texts()), createGzip(), file);
  else await pipeline(Readable.from(texts()), file);
  return rows;
}

async function writeParquet(
  catalogue: Catalogue,
  { key, range }: ExportOptions,
  draft: string,
): Promise<number> {
  const folder = folderPath(catalogue.root, key);
  const files = partitionsOfData(catalogue.root, key, range).map(({ file }) => join(folder, file));
  const { timeSql } = SHAPES[key.kind];
  using database = await openDatabase();
  await runSql(
    database,
    `COPY (SELECT *${floatTwins(key.kind)} FROM read_parquet(${sqlFiles(files)}) WHERE ${timeSql} >= ${range.fromMs} AND ${timeSql} < ${range.toMs})
       TO ${sqlText(draft)} (FORMAT parquet, COMPRESSION zstd)`,
    `write ${draft}`,
  );
  const [row] = await queryRows(
    database,
    `SELECT count(*) FROM read_parquet(${sqlFiles([draft])})`,
    `read ${draft}`,
  );
  return Number(row?.[0] ?? 0);
}

/** Number of records that are converted to text at once. */
const PART_ROWS = 5_000;

/** Text form of the records of a folder: titles and values for CSV, an object for JSON lines. */
interface TextForm {
  readonly titles: readonly string[];
  readonly parts: AsyncIterable<readonly { readonly values: readonly CsvValue[]; readonly json: unknown }[]>;
}

/** Yields the records of a time range as lines, in parts, with line ends. Throws as reading does. */
async function* exportLines(
  catalogue: Catalogue,
  of: { readonly key: FolderKey; readonly range: TimeRange; readonly format: 'csv' | 'jsonl' },
): AsyncGenerator<{ readonly text: string; readonly rows: number }> {
  const form = formOf(catalogue, of.key, of.range);
  let isFirst = true;
  for await (const part of form.parts) {
    const lines = part.map(({ values, json }) =>
      of.format === 'csv' ? csvLine(values) : `${JSON.stringify(json)}\n`,
    );
    if (isFirst && of.format === 'csv') lines.unshift(csvLine(form.titles));
    isFirst = false;
    yield { text: lines.join(''), rows: part.length };
  }
}

function formOf(catalogue: Catalogue, key: FolderKey, range: TimeRange): TextForm {
  const question = { market: key.market, ...range };
  switch (key.kind) {
    case 'candles': {
      const titles = ['time_ms', 'open', 'high', 'low', 'close', 'volume'];
      const candles = candleParts(catalogue, { ...question, timeframe: key.timeframe });
      return { titles, parts: mapped(candles, candleText) };
    }
    case 'trades': {
      const titles = ['time_ms', 'seen_ms', 'price', 'amount', 'side', 'trade_id'];
      return { titles, parts: mapped(catalogue.readTrades(question), tradeText) };
    }
    case 'books':
      return { titles: bookTitles(), parts: mapped(catalogue.readBooks(question), bookText) };
    case 'stats': {
      const titles = ['seen_ms', 'is_closed', 'closed_reason', ...STATS_FIELDS.map(([title]) => title)];
      return { titles, parts: mapped(catalogue.readStats(question), statsText) };
    }
  }
}

interface RowText {
  readonly values: readonly CsvValue[];
  readonly json: unknown;
}

async function* mapped<Row>(
  parts: AsyncIterable<readonly Row[]>,
  text: (row: Row) => RowText,
): AsyncGenerator<readonly RowText[]> {
  for await (const part of parts) yield part.map(text);
}

async function* candleParts(
  catalogue: Catalogue,
  question: Parameters<Catalogue['readCandles']>[0],
): AsyncGenerator<readonly Candle[]> {
  const columns = await catalogue.readCandles(question);
  for (let at = 0; at < columns.length; at += PART_ROWS) {
    const length = Math.min(PART_ROWS, columns.length - at);
    yield Array.from({ length }, (_, index) => candleAt(columns, at + index));
  }
}

function candleText({ openTimeMs, open, high, low, close, volume }: Candle): RowText {
  const values = [openTimeMs, open, high, low, close, volume];
  return { values, json: { time_ms: openTimeMs, open, high, low, close, volume } };
}

function tradeText({ timeMs, seenMs, price, amount, side, id }: RecordedTrade): RowText {
  const values = [timeMs, seenMs, price, amount, side, id];
  return { values, json: { time_ms: timeMs, seen_ms: seenMs, price, amount, side, trade_id: id } };
}

function bookTitles(): string[] {
  const levels = Array.from({ length: BOOK_LEVELS }, (_, index) => index + 1);
  const side = (name: string): string[] =>
    levels.flatMap((level) => [`${name}_price_${level}`, `${name}_amount_${level}`]);
  return ['venue_time_ms', 'seen_ms', ...side('bid'), ...side('ask')];
}

const levelCells = (levels: RecordedBook['bids']): CsvValue[] =>
  Array.from({ length: BOOK_LEVELS }, (_, index) => levels[index] ?? [null, null]).flat();

function bookText({ venueTimeMs, seenMs, bids, asks }: RecordedBook): RowText {
  const values = [venueTimeMs, seenMs, ...levelCells(bids), ...levelCells(asks)];
  return { values, json: { venue_time_ms: venueTimeMs, seen_ms: seenMs, bids, asks } };
}

const STATS_FIELDS = Object.entries(STATS_COLUMNS);

function statsText({ seenMs, stats }: RecordedStats): RowText {
  const numbers = STATS_FIELDS.map(([title, field]) => [title, stats[field]] as const);
  const values = [seenMs, stats.isClosed, stats.closedReason, ...numbers.map(([, value]) => value)];
  const { isClosed: is_closed, closedReason: closed_reason } = stats;
  return { values, json: { seen_ms: seenMs, is_closed, closed_reason, ...Object.fromEntries(numbers) } };
}
