import {
  type Candle,
  anchorText,
  gridOf,
  shownAnchors,
  type BarAnchors,
  type BarGrid,
  type Timeframe,
} from '../domain/candle.ts';
import { SarrafError, dataUnusable, invalidOptions } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { HISTORY_ANCHORS } from '../exchange/market-names.ts';
import type { Catalogue } from './catalogue.ts';
import { type TimeRange, roundedDecimal } from './records.ts';
import { SETTLE_MS } from './resample.ts';
import { anchorsOf } from './manifest.ts';
import { isoText } from '../domain/time-text.ts';

/** Maximum number of bars in one page of the exchange. */
const PAGE_BARS = 500;
/** Pages that are collected before they are written; a kill loses at most these. */
const PAGES_A_WRITE = 10;

/** Requests a page from the exchange: the last `count` bars that open before `toMs`, in any order. */
export type FetchPage = (question: {
  readonly toMs: number;
  readonly count: number;
}) => Promise<readonly Candle[]>;

export interface DownloadOptions {
  readonly catalogue: Catalogue;
  readonly market: MarketSymbol;
  readonly timeframe: Timeframe;
  readonly range: TimeRange;
  readonly source: string;
  readonly fetchPage: FetchPage;
  /** Returns the exchange's time, as far as it is known; each answer makes it more exact. */
  readonly nowMs: () => number;
  readonly onProgress?: (progress: DownloadProgress) => void;
}

interface DownloadProgress {
  readonly candles: number;
  readonly requests: number;
  /** Share of the missing time range that is done, 0 to 1. */
  readonly share: number;
}

/** Result of a download. */
interface DownloadReport {
  readonly added: number;
  /** Candles that were received again although the catalogue had them. */
  readonly known: number;
  readonly requests: number;
  /** Ranges that were missing at the start. */
  readonly missing: readonly TimeRange[];
}

/**
 * Downloads the candles of a time range into the catalogue. Only ranges without an earlier download are
 * requested, from the newest to the oldest, and candles are written every ten pages, so that a stopped
 * download continues later. Bars that have not ended are left for the next download. Their grid is that of
 * the catalogue, else the usual one of the exchange, until its answers show another. Throws `INVALID_OPTIONS`
 * for an empty range, `DATA_UNUSABLE` where the exchange has another candle than the catalogue; candles
 * written before stay.
 */
export async function downloadCandles(options: DownloadOptions): Promise<DownloadReport> {
  const { catalogue, market, timeframe } = options;
  const there = catalogue.manifest({ market, kind: 'candles', timeframe });
  const report = { added: 0, known: 0, requests: 0 };
  let anchors = there !== null && there.partitions.length > 0 ? anchorsOf(there, timeframe) : HISTORY_ANCHORS;
  for (let shown = 0; ; shown += 1) {
    const missing = missingRanges(options, gridOf(timeframe, anchors));
    const job = new Download(options, { missing, anchors, report });
    try {
      for (const range of missing.toReversed()) await job.fetch(range);
      return { ...report, missing };
    } catch (error) {
      if (!(error instanceof OtherAnchors) || shown >= MOST_OTHERS) throw error;
      ({ anchors } = error);
    }
  }
}

/** Maximum number of restarts because the answers of the exchange show another grid of bars. */
const MOST_OTHERS = 2;

/** Thrown if the bars of an answer begin at other times than expected. */
class OtherAnchors extends SarrafError {
  readonly anchors: BarAnchors;

  constructor(anchors: BarAnchors, { anchor, timeframe }: BarGrid) {
    super(
      'DATA_UNUSABLE',
      `expected the exchange to begin its candles of ${timeframe} at ${anchorText(anchor)}, as it did before, found others`,
    );
    this.anchors = anchors;
  }
}

/** Returns the ranges to request: ended whole bars, without those that were covered before. */
function missingRanges(options: DownloadOptions, grid: BarGrid): TimeRange[] {
  const { catalogue, market, timeframe, range, nowMs } = options;
  const fromMs = grid.startFrom(range.fromMs);
  const toMs = Math.min(grid.startFrom(range.toMs), grid.startOf(nowMs() - SETTLE_MS));
  if (fromMs >= toMs)
    throw invalidOptions(
      `expected a range of time with at least one ended candle of ${timeframe}, was ${isoText(range.fromMs)} to ${isoText(range.toMs)}`,
    );
  const covered = catalogue.manifest({ market, kind: 'candles', timeframe })?.covered ?? [];
  const missing: TimeRange[] = [];
  let at = fromMs;
  for (const known of covered) {
    if (known.toMs <= at || known.fromMs >= toMs) continue;
    if (known.fromMs > at) missing.push({ fromMs: at, toMs: known.fromMs });
    at = Math.max(at, known.toMs);
  }
  if (at < toMs) missing.push({ fromMs: at, toMs });
  return missing;
}

class Download {
  private readonly options: DownloadOptions;
  private readonly report: { added: number; known: number; requests: number };
  private readonly anchors: BarAnchors;
  private readonly grid: BarGrid;
  private readonly totalMs: number;
  private doneMs = 0;

  constructor(
    options: DownloadOptions,
    of: {
      readonly missing: readonly TimeRange[];
      readonly anchors: BarAnchors;
      readonly report: Download['report'];
    },
  ) {
    this.options = options;
    this.report = of.report;
    this.anchors = of.anchors;
    this.grid = gridOf(options.timeframe, of.anchors);
    this.totalMs = of.missing.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  }

  /** Fetches a range from its end to its start. If it is interrupted, the received candles are written. */
  async fetch(range: TimeRange): Promise<void> {
    let toMs = range.toMs;
    while (toMs > range.fromMs) toMs = await this.fetchSome({ fromMs: range.fromMs, toMs });
  }

  /** Fetches some pages and writes them. Returns the start of the range that is covered now. */
  private async fetchSome(range: TimeRange): Promise<number> {
    const candles: Candle[] = [];
    let reachedMs = range.toMs;
    try {
      for (let pages = 0; pages < PAGES_A_WRITE && reachedMs > range.fromMs; pages += 1) {
        const beforeMs = reachedMs;
        reachedMs = await this.page(beforeMs, range, candles);

        this.doneMs += beforeMs - reachedMs;
        const { added, known, requests } = this.report;
        const share = this.totalMs === 0 ? 1 : this.doneMs / this.totalMs;
        this.options.onProgress?.({ candles: added + known + candles.length, requests, share });
      }
    } finally {
      // The answer may have shown that the exchange's clock is behind ours.
      const toMs = Math.min(range.toMs, this.grid.startOf(this.options.nowMs() - SETTLE_MS));
      const ended = candles.filter(({ openTimeMs }) => openTimeMs < toMs);
      if (reachedMs < toMs) await this.write(ended, { fromMs: reachedMs, toMs });
    }
    return reachedMs;
  }

  /** Requests a page and adds its candles within the range. Returns the start of the range known now. */
  private async page(toMs: number, range: TimeRange, into: Candle[]): Promise<number> {
    const { grid, anchors } = this;
    const count = Math.min(PAGE_BARS, grid.count(range.fromMs, toMs));
    const answer = await this.options.fetchPage({ toMs, count });
    this.report.requests += 1;
    const shown = shownAnchors(this.options.timeframe, answer, anchors);
    if (shown !== anchors) throw new OtherAnchors(shown, grid);
    const odd = answer.find(({ openTimeMs }) => !grid.isStart(openTimeMs));
    if (odd !== undefined)
      throw dataUnusable(
        `expected candles of ${grid.timeframe} that all begin after the same time, found one of ${isoText(odd.openTimeMs)} among those at ${anchorText(grid.anchor)}: the exchange answers with bars of another kind`,
      );
    const before = answer.filter(({ openTimeMs }) => openTimeMs < toMs);
    into.push(...before.filter(({ openTimeMs }) => openTimeMs >= range.fromMs));
    const oldestMs = before.reduce((oldest, { openTimeMs }) => Math.min(oldest, openTimeMs), toMs);
    // No candle before: the market has no earlier ones.
    return oldestMs === toMs ? range.fromMs : Math.max(range.fromMs, oldestMs);
  }

  private async write(candles: readonly Candle[], covered: TimeRange): Promise<void> {
    const { catalogue, market, timeframe, source } = this.options;
    // Volumes are rounded as a recorder does, since some exchanges add them up as floats.
    const rounded = candles.map((candle) => ({ ...candle, volume: roundedDecimal(candle.volume) }));
    const outcome = await catalogue.appendCandles({
      market,
      timeframe,
      source,
      candles: [rounded],
      anchors: this.anchors,
      covered,
    });
    if (outcome.kind === 'added') {
      this.report.added += outcome.added;
      this.report.known += outcome.known;
      return;
    }
    const first = outcome.kind === 'conflict' ? outcome.conflicts[0] : undefined;
    throw dataUnusable(
      `expected the exchange to have the same candles of ${market} as the catalogue, found another for ${isoText(first?.timeMs ?? 0)}: the exchange has ${first?.given}, the catalogue ${first?.there}. Move the folder away to download it again`,
    );
  }
}
