import { candleAt } from '../domain/candle-columns.ts';
import type { Candle } from '../domain/candle.ts';
import type { Catalogue } from './catalogue.ts';
import type { FolderKey } from './folder-key.ts';
import {
  BOOK_LEVELS,
  type RecordedBook,
  type RecordedStats,
  type RecordedTrade,
  type TimeRange,
} from './records.ts';
import { STATS_COLUMNS } from './table-shapes.ts';

/** Records that are turned to text at once. */
const PART_ROWS = 5_000;

type Value = string | number | boolean | null;

/** Text form of the records of a folder: titles and values for CSV, an object for JSON lines. */
interface TextForm {
  readonly titles: readonly string[];
  readonly parts: AsyncIterable<readonly { readonly values: readonly Value[]; readonly json: unknown }[]>;
}

/**
 * The records of a stretch of time as lines, in parts, each part with its line ends. Throws as reading does.
 */
export async function* exportLines(
  catalogue: Catalogue,
  of: { readonly key: FolderKey; readonly range: TimeRange; readonly format: 'csv' | 'jsonl' },
): AsyncGenerator<{ readonly text: string; readonly rows: number }> {
  const form = formOf(catalogue, of.key, of.range);
  let isFirst = true;
  for await (const part of form.parts) {
    const lines = part.map(({ values, json }) =>
      of.format === 'csv' ? values.map(csvText).join(',') : JSON.stringify(json),
    );
    if (isFirst && of.format === 'csv') lines.unshift(form.titles.join(','));
    isFirst = false;
    yield { text: `${lines.join('\n')}\n`, rows: part.length };
  }
}

/** A cell of a CSV file; null is an empty one. */
export function csvText(value: Value): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
  readonly values: readonly Value[];
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

function levelCells(levels: RecordedBook['bids']): Value[] {
  return Array.from({ length: BOOK_LEVELS }, (_, index) => levels[index] ?? [null, null]).flat();
}

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
