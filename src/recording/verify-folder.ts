import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gridOf } from '../domain/candle.ts';
import { SarrafError } from '../domain/errors.ts';
import { countText, type Units, unitsOf } from '../domain/money.ts';
import type { Catalogue } from './catalogue.ts';
import { openDatabase } from './duckdb.ts';
import { checksum } from './durable-file.ts';
import {
  folderPath,
  type FolderKey,
  type TimeRange,
  BOOK_LEVELS,
  type RecordedBook,
  type RecordedTrade,
} from './records.ts';
import { anchorsOf, type Manifest, type Partition, leftOvers, unknownFiles } from './manifest.ts';
import { timeText } from './read-rows.ts';
import { checkCandles, Findings } from './verify/check-candles.ts';
import type { BookLevel } from '../domain/order-book.ts';
import { durationText } from '../domain/time-text.ts';

export interface VerifyOptions {
  readonly range: TimeRange;
  /** Price step; null: found from the decimals that nearly all prices of candles have. */
  readonly priceStep: Units | null;
  /** Longest permitted time without a book, in ms. */
  readonly gapMs: number;
}

export interface VerifyReport {
  readonly key: FolderKey;
  readonly rows: number;
  readonly findings: Findings;
  /** Files that a killed writer has left; the next writer removes them. */
  readonly leftOvers: readonly string[];
}

/** Verifies everything in a folder, without changing anything. */
export async function verifyFolder(
  catalogue: Catalogue,
  key: FolderKey,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const findings = new Findings();
  const manifest = manifestOf(catalogue, key, findings);
  if (manifest === null) return { key, rows: 0, findings, leftOvers: [] };
  const { sound, leftOvers } = await checkFiles(catalogue.root, { key, manifest, findings });
  const { range } = options;
  const within = sound.filter(({ fromMs, toMs }) => fromMs < range.toMs && toMs >= range.fromMs);
  const gaps = manifest.gaps.filter(({ fromMs, toMs }) => fromMs < range.toMs && toMs > range.fromMs);
  const rows = await checkRows(catalogue, {
    key,
    within,
    findings,
    options,
    gaps,
    watched: manifest.covered,
  });
  return { key, rows, findings, leftOvers };
}

/** Returns the manifest; null if it is missing or unreadable, which becomes a finding. */
function manifestOf(catalogue: Catalogue, key: FolderKey, findings: Findings): Manifest | null {
  try {
    return catalogue.manifest(key);
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
    findings.add('file', null, error.message);
    return null;
  }
}

/** Checks the rows and returns their number; rows that need no check are only counted. */
async function checkRows(
  catalogue: Catalogue,
  of: {
    readonly key: FolderKey;
    readonly within: readonly Partition[];
    readonly findings: Findings;
    readonly options: VerifyOptions;
    readonly gaps: readonly TimeRange[];
    readonly watched: readonly TimeRange[];
  },
): Promise<number> {
  const { key, within, findings, options, gaps, watched } = of;
  const { range, priceStep, gapMs } = options;
  if (within.length === 0) return 0;
  if (key.kind === 'candles') {
    using database = await openDatabase();
    return await checkCandles(database, {
      root: catalogue.root,
      key,
      partitions: within,
      grid: gridOf(key.timeframe, anchorsOf(catalogue.manifest(key), key.timeframe)),
      range,
      priceStep,
      findings,
    });
  }
  const rows = within.reduce((sum, partition) => sum + partition.rows, 0);
  if (key.kind === 'stats') {
    for (const { fromMs, toMs } of gaps) {
      findings.add(
        'gap',
        fromMs,
        `no statistics were asked for from ${timeText(fromMs)} to ${timeText(toMs)}`,
      );
    }
    return rows;
  }
  // Reading would stop at a damaged partition, which is a finding already.
  if (findings.byKind().file !== undefined) return rows;
  const question = { market: key.market, ...range };
  if (key.kind === 'trades')
    return checkEach(catalogue.readTrades(question), new TradeCheck(findings, { priceStep, gaps }));
  return checkEach(
    catalogue.readBooks(question),
    new BookCheck(findings, { priceStep, gapMs, watched, gaps }),
  );
}

async function checkEach<Row>(
  parts: AsyncIterable<readonly Row[]>,
  check: { readonly check: (row: Row) => void },
): Promise<number> {
  let rows = 0;
  for await (const part of parts) {
    for (const row of part) check.check(row);
    rows += part.length;
  }
  return rows;
}

/**
 * Compares the files of a folder with its manifest, and returns the readable partitions. Left-overs of a
 * killed writer are no finding, since the next writer removes them.
 */
async function checkFiles(
  root: string,
  of: { readonly key: FolderKey; readonly manifest: Manifest; readonly findings: Findings },
): Promise<{ readonly sound: readonly Partition[]; readonly leftOvers: readonly string[] }> {
  const { key, manifest, findings } = of;
  const folder = folderPath(root, key);
  const sound: Partition[] = [];
  for (const partition of manifest.partitions) {
    const path = join(folder, partition.file);
    if (!existsSync(path)) findings.add('file', partition.fromMs, `${path} is missing`);
    else if (statSync(path).size !== partition.bytes || (await checksum(path)) !== partition.sha256) {
      findings.add('file', partition.fromMs, `${path} is not what was written: its checksum is wrong`);
    } else sound.push(partition);
  }
  for (const name of unknownFiles(folder, manifest))
    findings.add('file', null, `${join(folder, name)} is there, and the manifest does not know of it`);
  return { sound, leftOvers: leftOvers(folder, manifest) };
}

/** Maximum number of trade ids remembered to find duplicates: equal trades are neighbours. */
const MOST_IDS = 10_000;

/** Checks trades in the order in which they are stored. */
class TradeCheck {
  private readonly findings: Findings;
  private readonly priceStep: Units | null;
  private beforeMs = Number.NEGATIVE_INFINITY;
  private lastId: number | null = null;
  private readonly ids = new Set<number>();

  constructor(
    findings: Findings,
    options: { readonly priceStep: Units | null; readonly gaps: readonly TimeRange[] },
  ) {
    this.findings = findings;
    this.priceStep = options.priceStep;
    for (const { fromMs, toMs } of options.gaps) {
      findings.add(
        'gap',
        fromMs,
        `trades may be missing from ${timeText(fromMs)} to ${timeText(toMs)}, by the recorder`,
      );
    }
  }

  check(trade: RecordedTrade): void {
    const timeMs = trade.timeMs ?? trade.seenMs;
    const when = timeText(timeMs);
    if (timeMs < this.beforeMs)
      this.findings.add('order', timeMs, `a trade of ${when} comes after ${timeText(this.beforeMs)}`);
    this.beforeMs = Math.max(this.beforeMs, timeMs);
    const price = unitsOf(trade.price);
    if (price <= 0n || unitsOf(trade.amount) <= 0n)
      this.findings.add('negative', timeMs, `a trade of ${when} has a price or amount that is not positive`);
    if (this.priceStep !== null && price % this.priceStep !== 0n)
      this.findings.add('off-step', timeMs, `a trade of ${when} has the price ${trade.price}, off the step`);
    if (trade.id !== null) this.number(trade.id, timeMs);
  }

  private number(id: number, timeMs: number): void {
    if (this.ids.has(id)) this.findings.add('duplicate', timeMs, `trade ${id} is there twice`);
    else if (this.lastId !== null && id > this.lastId + 1) {
      this.findings.add(
        'gap',
        timeMs,
        `${countText(id - this.lastId - 1, 'trade is', 'trades are')} missing before trade ${id} of ${timeText(timeMs)}`,
      );
    }
    this.lastId = Math.max(id, this.lastId ?? id);
    this.ids.add(id);
    if (this.ids.size > MOST_IDS) this.ids.clear();
  }
}

/** Checks books in the order in which they are stored. */
class BookCheck {
  private readonly findings: Findings;
  private readonly options: {
    readonly priceStep: Units | null;
    readonly gapMs: number;
    /** Ranges in which a recorder polled, except gaps, by time: without a book there nothing changed. */
    readonly watched: readonly TimeRange[];
    readonly gaps: readonly TimeRange[];
  };
  private beforeMs: number | null = null;
  private seenBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(findings: Findings, options: BookCheck['options']) {
    this.findings = findings;
    this.options = options;
  }

  check(book: RecordedBook): void {
    const timeMs = book.venueTimeMs ?? book.seenMs;
    const { beforeMs } = this;
    if (beforeMs !== null && timeMs < beforeMs) {
      this.findings.add('order', timeMs, `a book of ${timeText(timeMs)} comes after ${timeText(beforeMs)}`);
    } else if (beforeMs !== null && timeMs - beforeMs > this.options.gapMs && !this.isWatched(book.seenMs)) {
      this.findings.add(
        'gap',
        beforeMs,
        `no book for ${durationText(timeMs - beforeMs)} from ${timeText(beforeMs)} on`,
      );
    }
    this.beforeMs = Math.max(beforeMs ?? timeMs, timeMs);
    this.seenBeforeMs = book.seenMs;
    const problem = bookProblem(book);
    if (problem !== null) this.findings.add('shape', timeMs, `the book of ${timeText(timeMs)} ${problem}`);
    this.steps(book, timeMs);
  }

  private steps({ bids, asks }: RecordedBook, timeMs: number): void {
    const { priceStep } = this.options;
    if (priceStep === null) return;
    const off = [...bids, ...asks].find(([price]) => unitsOf(price) % priceStep !== 0n);
    if (off === undefined) return;
    this.findings.add(
      'off-step',
      timeMs,
      `the book of ${timeText(timeMs)} has the price ${off[0]}, off the step`,
    );
  }

  /**
   * True if a recorder polled since the book before was seen, without a pause longer than a gap. That book
   * may have been seen long after it changed, and a recorder's files end and begin anew.
   */
  private isWatched(toMs: number): boolean {
    const { watched, gaps, gapMs } = this.options;
    const { seenBeforeMs } = this;
    if (gaps.some((range) => range.fromMs < toMs && range.toMs > seenBeforeMs)) return false;
    let untilMs = seenBeforeMs;
    let isSeen = false;
    for (const range of watched) {
      if (range.toMs <= untilMs || range.fromMs >= toMs) continue;
      if (range.fromMs - untilMs > gapMs) return false;
      untilMs = range.toMs;
      isSeen = true;
    }
    return isSeen && toMs - untilMs <= gapMs;
  }
}

function bookProblem({ bids, asks }: RecordedBook): string | null {
  if (bids.length > BOOK_LEVELS || asks.length > BOOK_LEVELS) return `has more than ${BOOK_LEVELS} levels`;
  if (!isSorted(bids, -1) || !isSorted(asks, 1)) return 'has levels out of order';
  const [bid, ask] = [bids[0], asks[0]];
  if (bid !== undefined && ask !== undefined && unitsOf(bid[0]) >= unitsOf(ask[0]))
    return `crosses: ${bid[0]} is bid, ${ask[0]} asked`;
  return [...bids, ...asks].some(([, amount]) => unitsOf(amount) <= 0n)
    ? 'has an amount that is not positive'
    : null;
}

function isSorted(levels: readonly BookLevel[], direction: 1 | -1): boolean {
  return levels.every((level, index) => {
    const before = levels[index - 1];
    if (before === undefined) return true;
    const [near, far] = [unitsOf(before[0]), unitsOf(level[0])];
    return direction === 1 ? near < far : near > far;
  });
}
