import { existsSync, rmSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { appendRows, type LockFile } from './append-rows.ts';
import { type TimeRange, type FolderKey, roundedDecimal, symbolOf } from './records.ts';
import { type TableShape, BOOK_SHAPE, STATS_SHAPE, TRADE_SHAPE, CANDLE_SHAPE } from './table-shape.ts';
import {
  segmentRows,
  summarizeSegment,
  type Segment,
  type SegmentKind,
  type SegmentRows,
  type SeenBar,
  segmentKind,
} from './read-segment.ts';
import { noteTape } from './recorder/change-detector.ts';
import { gridOf, shownAnchors, type BarGrid, type Candle, type Timeframe } from '../domain/candle.ts';
import { messageOf, SarrafError, dataUnusable } from '../domain/errors.ts';
import { HISTORY_ANCHORS } from '../exchange/market-names.ts';
import { readCandles } from './read-candles.ts';
import { partitionsWithin } from './read-rows.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { After } from './durable-file.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';

export interface FinalizeTarget {
  /** Folder of the catalogue. */
  readonly root: string;
  readonly lockFile: LockFile;
  /** Origin of the data, for the manifest. */
  readonly source: string;
}

/** Kinds of rows that go to one folder unchanged. */
type PlainKind = Exclude<SegmentKind, 'candles'>;

const SHAPES: { readonly [Kind in PlainKind]: TableShape<SegmentRows[Kind]> } = {
  books: BOOK_SHAPE,
  trades: TRADE_SHAPE,
  stats: STATS_SHAPE,
};

/** Outcome of a segment: it was moved into the catalogue, or it stays. */
export type FinalizeReport =
  | {
      readonly kind: 'sealed';
      readonly segment: Segment;
      /** Lines that could not be read. */
      readonly badLines: number;
    }
  | { readonly kind: 'failed'; readonly segment: Segment; readonly reason: string };

/** Finalizes segments and reports on each. Errors of the disk or of other processes are never thrown. */
export type FinalizeSegments = (
  segments: readonly Segment[],
  target: FinalizeTarget,
) => Promise<readonly FinalizeReport[]>;

/** Finalizes segments one after the other, in this process. */
export const finalizeSegments: FinalizeSegments = async (segments, target) => {
  const reports: FinalizeReport[] = [];
  for (const segment of segments) {
    try {
      reports.push({ kind: 'sealed', segment, badLines: await finalizeSegment(segment, target) });
    } catch (error) {
      reports.push({
        kind: 'failed',
        segment,
        reason: messageOf(error),
      });
    }
  }
  return reports;
};

/**
 * Moves a complete segment into the catalogue, removes it, and returns how many of its lines were unreadable.
 * The catalogue accepts a segment only once, so that a crash at any point loses and repeats nothing. Throws
 * as appending does, and then the segment stays.
 */
async function finalizeSegment(segment: Segment, target: FinalizeTarget): Promise<number> {
  const { path } = segment;
  // An earlier process finalized the segment but ended before it could report that.
  if (!existsSync(path)) return 0;
  const { seen, gaps, badLines } = await summarizeSegment(segment);
  if (isOfTrades(segment)) await noteTape(dirname(path), segment);
  if (segment.kind === 'candles') await finalizeBars(segment as Segment<'candles'>, target);
  else if (seen !== null) await finalizeRows(segment as Segment<PlainKind>, target, seen, gaps);
  rmSync(path);
  return badLines;
}

async function finalizeRows<Kind extends PlainKind>(
  segment: Segment<Kind>,
  target: FinalizeTarget,
  covered: TimeRange,
  gaps: readonly TimeRange[],
): Promise<void> {
  const { market, kind, path } = segment;
  await appendRows<SegmentRows[Kind]>({
    ...target,
    key: { market, kind },
    shape: SHAPES[kind],
    rows: segmentRows(segment),
    segment: basename(path),
    covered,
    gaps,
  });
}

/** True for a segment of trades, which the recorder compares with the next page. */
export const isOfTrades = (segment: Segment): segment is Segment<'trades'> => segment.kind === 'trades';

/**
 * Appends the bars of a segment to the catalogue, each timeframe to its own folder. Of a bar seen twice the
 * last version counts; volumes, which some exchanges add up as floats, are rounded to ten decimals. Existing
 * bars stay unchanged, so that neither past bars, which every run sees again, nor a retry cause a conflict.
 * Throws `DATA_UNUSABLE` if another process writes to the folder.
 */
async function finalizeBars(segment: Segment<'candles'>, target: FinalizeTarget): Promise<void> {
  const { market } = segment;
  const seen = new Map<Timeframe, SeenBar[]>();
  for await (const part of segmentRows(segment)) {
    for (const bar of part) {
      const of = seen.get(bar.timeframe) ?? [];
      seen.set(bar.timeframe, of);
      of.push(bar);
    }
  }
  for (const [timeframe, bars] of seen) {
    const key = { market, kind: 'candles', timeframe } as const;
    const there = new Set(await timesThere(target.root, key, bars));
    const anchors = shownAnchors(
      timeframe,
      bars.map(({ candle }) => candle),
      HISTORY_ANCHORS,
    );
    for (const covered of rangesOf(bars, gridOf(timeframe, anchors))) {
      const within = bars.flatMap(({ candle: { openTimeMs }, candle }) =>
        openTimeMs >= covered.fromMs && openTimeMs < covered.toMs && !there.has(openTimeMs)
          ? [[openTimeMs, { ...candle, volume: roundedDecimal(candle.volume) }] as const]
          : [],
      );
      const outcome = await appendRows<Candle>({
        ...target,
        key,
        shape: CANDLE_SHAPE,
        rows: [[...new Map(within).values()]],
        anchors,
        covered,
      });
      if (outcome.kind === 'added') continue;
      throw dataUnusable(`expected to write bars of ${market} alone, another process did too`);
    }
  }
}

/** Returns the time ranges that were read completely; ranges that touch are joined. */
function rangesOf(bars: readonly SeenBar[], grid: BarGrid): readonly TimeRange[] {
  const covered = bars
    .map(({ coveredFromMs, candle }): TimeRange => ({
      fromMs: coveredFromMs,
      toMs: grid.endOf(candle.openTimeMs),
    }))
    .toSorted((left, right) => left.fromMs - right.fromMs || left.toMs - right.toMs);
  const ranges: TimeRange[] = [];
  for (const range of covered) {
    const last = ranges.at(-1);
    if (last === undefined || range.fromMs > last.toMs) ranges.push(range);
    else ranges[ranges.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, range.toMs) };
  }
  return ranges;
}

/** Returns the open times of existing bars in the range of the given bars. */
async function timesThere(
  root: string,
  key: FolderKey & { readonly kind: 'candles' },
  bars: readonly SeenBar[],
): Promise<readonly number[]> {
  const times = bars.map(({ candle }) => candle.openTimeMs);
  const fromMs = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const toMs = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY) + 1;
  if (partitionsWithin(root, key, { fromMs, toMs }).length === 0) return [];
  try {
    const { openTimeMs, length } = await readCandles(root, { ...key, fromMs, toMs });
    return [...openTimeMs.subarray(0, length)];
  } catch (error) {
    // A file that spans the range may have a gap there.
    if (error instanceof SarrafError && error.code === 'INVALID_OPTIONS') return [];
    throw error;
  }
}

/** Delay in ms before a segment is tried again that failed, for example since its folder was locked. */
const AGAIN_AFTER_MS = 60_000;

/** Number of tries for the remaining segments at the end, and the delay between them in ms. */
const LAST_TRIES = 5;
const LAST_TRY_AFTER_MS = 1_000;

interface SegmentCompactorOptions {
  readonly target: FinalizeTarget;
  /** Finalizes segments; default: in this process. */
  readonly finalize?: FinalizeSegments;
  readonly after: After;
  readonly onFinalized: (report: FinalizeReport & { readonly kind: 'sealed' }) => void;
  /** Called at each failure; the segment stays. */
  readonly onFailed: (report: FinalizeReport & { readonly kind: 'failed' }) => void;
}

/** Finalizes segments in the background, together. Segments that fail stay for the next process. */
export class SegmentCompactor {
  private readonly options: SegmentCompactorOptions;
  private waiting: Segment[] = [];
  private failed: Segment[] = [];
  private work: Promise<void> | null = null;
  private cancelAgain: (() => void) | null = null;

  constructor(options: SegmentCompactorOptions) {
    this.options = options;
  }

  add(...segments: readonly Segment[]): void {
    this.waiting.push(...segments);
    if (this.waiting.length > 0) this.work ??= this.finalizeWaiting();
  }

  /** Resolves once every added segment has been tried. */
  async settled(): Promise<void> {
    await this.work;
  }

  /** Tries the remaining segments for the last time. */
  async end(): Promise<void> {
    await this.work;
    for (let tries = 0; tries < LAST_TRIES && this.failed.length > 0; tries += 1) {
      await pause(LAST_TRY_AFTER_MS);
      this.again();
      await this.work;
    }
    this.cancelAgain?.();
  }

  private async finalizeWaiting(): Promise<void> {
    const { finalize = finalizeSegments, target } = this.options;
    while (this.waiting.length > 0) {
      const segments = this.waiting;
      this.waiting = [];
      for (const report of await finalize(segments, target)) this.note(report);
    }
    this.work = null;
  }

  private note(report: FinalizeReport): void {
    const { onFinalized, onFailed, after } = this.options;
    if (report.kind === 'sealed') {
      onFinalized(report);
      return;
    }
    this.failed.push(report.segment);
    onFailed(report);
    this.cancelAgain ??= after(AGAIN_AFTER_MS, () => this.again());
  }

  private again(): void {
    this.cancelAgain?.();
    this.cancelAgain = null;
    const segments = this.failed;
    this.failed = [];
    this.add(...segments);
  }
}

/** Folder of the catalogue that contains segments; no market has this name. */
const SEGMENTS = 'segments';

/** Folder of the segments of one market, locked for one process. */
export interface SegmentFolder extends Disposable {
  readonly market: MarketSymbol;
  readonly path: string;
  /** Returns the complete segments, oldest first for each kind. */
  segments(): readonly Segment[];
}

/** Locks the segment folder of a market. Throws `DATA_UNUSABLE` if another process records it there. */
export function acquireSegmentFolder(root: string, market: MarketSymbol, lockFile: LockFile): SegmentFolder {
  const path = join(root, SEGMENTS, market);
  mkdirSync(path, { recursive: true });
  const lock = lockFile(join(path, '.lock'));
  return {
    market,
    path,
    segments: () =>
      readdirSync(path)
        .toSorted()
        .flatMap((name) => {
          const kind = segmentKind(name);
          return kind === null ? [] : [{ path: join(path, name), kind, market }];
        }),
    [Symbol.dispose]: () => lock[Symbol.dispose](),
  };
}

/** Locks the folders of all other markets in which an ended process has left segments. */
export function acquireLeftFolders(
  root: string,
  others: ReadonlySet<MarketSymbol>,
  lockFile: LockFile,
): readonly SegmentFolder[] {
  const folder = join(root, SEGMENTS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const market = symbolOf(name);
    const isLeft =
      market !== null &&
      !others.has(market) &&
      readdirSync(join(folder, name)).some((file) => segmentKind(file) !== null);
    if (!isLeft) return [];
    try {
      return [acquireSegmentFolder(root, market, lockFile)];
    } catch (error) {
      // The recorder of this market is still running.
      if (error instanceof SarrafError && error.code === 'DATA_UNUSABLE') return [];
      throw error;
    }
  });
}
