import { countText } from '../domain/money.ts';
import {
  type ImportTableOptions,
  Rejects,
  type ImportPart,
  type ImportReport,
  type Reject,
} from './import-report.ts';
import { createInterface } from 'node:readline';
import { type SarrafError, invalidFile } from '../domain/errors.ts';
import { joinTrades, type PublicTrade } from '../domain/trade.ts';
import type { AppendOutcome } from './staging-table.ts';
import type { Catalogue } from './catalogue.ts';
import { folderPath, type RecordedBook, type RecordedTrade } from './records.ts';
import { FeedBook, type FeedTail, readFeedMessage, type FeedMessage } from './feed-message.ts';
import { openText, unreadable, type ReadProgress } from './open-text.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { DecimalText } from '../domain/decimal-text.ts';
import { checksum, replaceFile } from './durable-file.ts';
import type { Manifest } from './manifest.ts';
import { bothSides } from '../domain/order-book.ts';

/** Number of records that are passed on together. */
const PART_RECORDS = 500;

interface ImportFeedOptions extends Pick<ImportTableOptions, 'path' | 'market' | 'skipBadRows' | 'source'> {
  readonly catalogue: Catalogue;
  /** Length of the period in ms of which at most one book is kept. */
  readonly everyMs: number;
  readonly onProgress?: (rows: number, progress: ReadProgress) => void;
}

/** Thrown to stop an append because of unreadable lines. */
class BadRows extends Error {}

/** Counts of a pass over the file. */
interface FeedCounts {
  rows: number;
  firstBad: Reject | null;
  /** Messages that contain a book, a change or trades. */
  used: number;
  others: number;
  isContinued: boolean;
}

/**
 * Imports a feed of depth and trades in JSON lines as books of 24 levels and trades, all or nothing. The
 * manifest of the books is written after that of the trades; after a crash between the two, importing the
 * file again completes it. Unusable depth changes are rejected without rejecting the file. Throws
 * `INVALID_FILE` if the file is missing or contains no feed.
 */
export async function importFeed(options: ImportFeedOptions): Promise<ImportReport> {
  const { catalogue, market, path, source } = options;
  const folder = folderPath(catalogue.root, { market, kind: 'books' });
  const tails = await readTails(folder, catalogue.manifest({ market, kind: 'books' }));
  const book = new FeedBook({ everyMs: options.everyMs, tails });
  const rejects = new Rejects();
  const counts: FeedCounts = { rows: 0, firstBad: null, used: 0, others: 0, isContinued: false };
  const tape = new FeedTape();
  let trades: AppendOutcome | null = null;
  let books: AppendOutcome | null = null;
  try {
    books = await catalogue.appendBooks({
      market,
      source,
      books: readBooks(options, book, rejects, counts),
      async writeTail(into, generation) {
        const tail = book.tail();
        if (tail === null) return null;
        return writeTails(into, generation, tails, tail);
      },
      async confirm() {
        trades = await catalogue.appendTrades({ market, source, trades: readTrades(options, tape) });
        return trades.kind === 'added';
      },
    });
  } catch (error) {
    if (!(error instanceof BadRows)) throw unreadable(path, error);
  }
  const parts: ImportPart[] = [];
  if (trades !== null) parts.push({ kind: 'trades', timeframe: null, outcome: trades });
  if (books !== null) parts.push({ kind: 'books', timeframe: null, outcome: books });
  const isConflict = parts.some(({ outcome }) => outcome.kind === 'conflict');
  if (books !== null && !isConflict && rejects.count === 0 && parts.every(isEmpty))
    throw invalidFile(
      `expected books or trades in ${path}, found ${countText(counts.rows, 'line')} without one`,
    );
  return {
    file: path,
    market,
    result: books === null ? 'bad-rows' : isConflict ? 'conflict' : 'imported',
    rows: counts.rows,
    parts,
    rejects,
    firstBad: books === null ? counts.firstBad : null,
    notes: [
      ...(book.isContinued ? ['it continues a feed that was imported before'] : []),
      ...(counts.others > 0
        ? [`${countText(counts.others, 'message')} of other kinds, such as best prices, left out`]
        : []),
      ...(tape.gaps > 0
        ? [
            `${countText(tape.gaps, 'page of trades does', 'pages of trades do')} not overlap with the one before: trades between may be missing`,
          ]
        : []),
    ],
  };
}

const isEmpty = ({ outcome }: ImportPart): boolean =>
  outcome.kind === 'added' && outcome.added + outcome.known === 0;

async function* readBooks(
  options: ImportFeedOptions,
  book: FeedBook,
  rejects: Rejects,
  counts: FeedCounts,
): AsyncGenerator<readonly RecordedBook[]> {
  let part: RecordedBook[] = [];
  for await (const text of linesOf(options)) {
    counts.rows += 1;
    const reject = (problem: string): void => rejects.add({ line: counts.rows, problem, text });
    const message = readFeedMessage(text);
    if (message.kind !== 'other' && message.kind !== 'bad') counts.used += 1;
    if (message.kind === 'snapshot') book.snapshot(message);
    else if (message.kind === 'other') counts.others += 1;
    else if (message.kind === 'bad') {
      counts.firstBad ??= { line: counts.rows, problem: message.problem, text };
      reject(message.problem);
    } else if (message.kind === 'depth' || message.kind === 'book') {
      const step = message.kind === 'book' ? book.whole(message.book) : book.depth(message);
      if (step.kind === 'rejected') reject(step.problem);
      else if (step.kind === 'book') part.push(step.book);
    }
    if (part.length < PART_RECORDS) continue;
    yield part;
    part = [];
  }
  if (counts.firstBad !== null && !options.skipBadRows) throw new BadRows();
  if (counts.used === 0) throw nothingIn(options.path, counts);
  yield part;
}

function nothingIn(path: string, { rows, others }: FeedCounts): SarrafError {
  const found = rows === 0 ? 'no line' : `${countText(rows, 'line')}, ${others} of them of other kinds`;
  return invalidFile(
    `expected a depth feed with changes, snapshots, books or trades in ${path}, found ${found}: candles and trades come as CSV, Parquet, or JSON with titles such as time_ms, open and close`,
  );
}

async function* readTrades(
  options: ImportFeedOptions,
  tape: FeedTape,
): AsyncGenerator<readonly RecordedTrade[]> {
  let part: RecordedTrade[] = [];
  for await (const text of linesOf(options)) {
    part.push(...tape.tradesOf(readFeedMessage(text)));
    if (part.length < PART_RECORDS) continue;
    yield part;
    part = [];
  }
  yield part;
}

/**
 * Passes on the trades of a feed and returns the market that its first trade names; null if it names none.
 * Throws `INVALID_FILE` for an unreadable line, and for a file without trades.
 */
export async function readFeedTrades(
  path: string,
  onTrades: (trades: readonly RecordedTrade[]) => void,
): Promise<string | null> {
  let line = 0;
  let first: { readonly symbol: string | null } | null = null;
  const tape = new FeedTape();
  for await (const text of linesOf({ path })) {
    line += 1;
    const message = readFeedMessage(text);
    if (message.kind === 'bad') throw invalidFile(`${path}:${line}: ${message.problem}`);
    const trades = tape.tradesOf(message);
    if (trades.length === 0) continue;
    first ??= { symbol: message.kind === 'trade' ? message.symbol : null };
    onTrades(trades);
  }
  if (first !== null) return first.symbol;
  throw invalidFile(`expected trades in ${path}, found ${countText(line, 'line')} without one`);
}

/** Trades of a feed; trades of overlapping pages count once. */
class FeedTape {
  private page: readonly PublicTrade[] | null = null;
  /** Number of pages that do not overlap with the one before: trades may be missing there. */
  gaps = 0;

  tradesOf(message: FeedMessage): readonly RecordedTrade[] {
    if (message.kind === 'trade') return [message.trade];
    if (message.kind !== 'page' || message.trades.length === 0) return [];
    const { fresh, hasGap } = joinTrades(this.page, message.trades);
    this.page = message.trades;
    if (hasGap) this.gaps += 1;
    return fresh.map((trade) => {
      const { timeMs, price, amount, side } = trade;
      return { timeMs, seenMs: message.seenMs ?? timeMs, price, amount, side, id: null };
    });
  }
}

async function* linesOf({
  path,
  onProgress,
}: Pick<ImportFeedOptions, 'path' | 'onProgress'>): AsyncGenerator<string> {
  const { stream, progress } = openText(path);
  let lines = 0;
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      lines += 1;
      if (lines % PART_RECORDS === 0) onProgress?.(lines, progress());
      yield text;
    }
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

/** Maximum number of ends of feeds that are stored; older ones are dropped. */
const MOST_TAILS = 5;

const level = z
  .tuple([z.string(), z.string()])
  .transform(([price, amount]) => [price, amount] as [DecimalText, DecimalText]);
const stored = z.array(z.strictObject({ lastId: z.int(), ...bothSides(z.array(level)) }));

/** Returns the ends of the feeds imported last; empty if unreadable: then a file continues nothing. */
async function readTails(folder: string, manifest: Manifest | null): Promise<readonly FeedTail[]> {
  const tail = manifest?.tail ?? null;
  if (tail === null) return [];
  const path = join(folder, tail.file);
  try {
    if ((await checksum(path)) !== tail.sha256) return [];
    const parsed = stored.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

/** Writes the ends of feeds with one more, to a file for the manifest to name. */
async function writeTails(
  folder: string,
  generation: number,
  before: readonly FeedTail[],
  tail: FeedTail,
): Promise<NonNullable<Manifest['tail']>> {
  const tails = [...before.filter(({ lastId }) => lastId !== tail.lastId), tail].slice(-MOST_TAILS);
  const file = `tail.${generation}.json`;
  replaceFile(join(folder, file), JSON.stringify(tails));
  return { file, sha256: await checksum(join(folder, file)) };
}
