import type { Candle } from '../domain/candle.ts';
import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { barStartMs, timeframeMs, type Timeframe } from '../domain/timeframe.ts';
import type { Catalogue } from './catalogue.ts';
import type { TimeRange } from './records.ts';
import { roundedDecimal } from './rounded-decimal.ts';
import { SETTLE_MS } from './bar-builder.ts';
import { isoText } from '../domain/time-text.ts';

/** Bars that the exchange gives at once. */
const PAGE_BARS = 500;
/** Pages that are gathered before they are written: what a kill can lose. */
const PAGES_A_WRITE = 10;

/** Asks the exchange for a page: the last `count` bars that begin before `toMs`, in any order. */
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
  /** The wall clock. */
  readonly nowMs: () => number;
  readonly onProgress?: (progress: DownloadProgress) => void;
}

/** How far a download is. */
export interface DownloadProgress {
  readonly candles: number;
  readonly requests: number;
  /** From 0 to 1: how much of the time that was missing is there. */
  readonly share: number;
}

/** What a download has brought. */
export interface DownloadReport {
  readonly added: number;
  /** Candles that were asked for again beside those that were missing. */
  readonly known: number;
  readonly requests: number;
  /** What was missing at the start. */
  readonly missing: readonly TimeRange[];
}

/**
 * Brings the candles of a stretch of time into the catalogue. Only what no download has covered yet is asked
 * for, from the newest to the oldest, and what came is written every ten pages, so that one that was ended
 * goes on where it was. Bars that have not ended are left for the next. Throws `INVALID_OPTIONS` for an empty
 * stretch, `DATA_UNUSABLE` where the exchange tells another candle than is there; what was written before
 * stays.
 */
export async function downloadCandles(options: DownloadOptions): Promise<DownloadReport> {
  const missing = missingRanges(options);
  const totalMs = missing.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const job = new Download(options, totalMs);
  for (const range of missing.toReversed()) await job.fetch(range);
  return { ...job.report, missing };
}

/** What is asked for: whole bars that have ended, less what was covered before. */
function missingRanges({ catalogue, market, timeframe, range, nowMs }: DownloadOptions): TimeRange[] {
  const lengthMs = timeframeMs(timeframe);
  const endedMs = barStartMs(nowMs() - SETTLE_MS, timeframe);
  const fromMs = Math.ceil(range.fromMs / lengthMs) * lengthMs;
  const toMs = Math.min(Math.ceil(range.toMs / lengthMs) * lengthMs, endedMs);
  if (fromMs >= toMs) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a stretch of time with at least one ended candle of ${timeframe}, was ${isoText(range.fromMs)} to ${isoText(range.toMs)}`,
    );
  }
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
  readonly report = { added: 0, known: 0, requests: 0 };
  private readonly options: DownloadOptions;
  private readonly totalMs: number;
  private doneMs = 0;

  constructor(options: DownloadOptions, totalMs: number) {
    this.options = options;
    this.totalMs = totalMs;
  }

  /** Fetches a stretch from its end to its beginning. Where it is ended before, what has come is written. */
  async fetch(range: TimeRange): Promise<void> {
    let toMs = range.toMs;
    while (toMs > range.fromMs) toMs = await this.fetchSome({ fromMs: range.fromMs, toMs });
  }

  /** Fetches some pages and writes them; answers from when on the stretch is covered now. */
  private async fetchSome(range: TimeRange): Promise<number> {
    const candles: Candle[] = [];
    let reachedMs = range.toMs;
    try {
      for (let pages = 0; pages < PAGES_A_WRITE && reachedMs > range.fromMs; pages += 1) {
        const beforeMs = reachedMs;
        reachedMs = await this.page(beforeMs, range, candles);
        this.progress(beforeMs - reachedMs, candles.length);
      }
    } finally {
      if (reachedMs < range.toMs) await this.write(candles, { fromMs: reachedMs, toMs: range.toMs });
    }
    return reachedMs;
  }

  /** Asks for one page, adds what is wanted of it, and answers from when on the stretch is known now. */
  private async page(toMs: number, range: TimeRange, into: Candle[]): Promise<number> {
    const lengthMs = timeframeMs(this.options.timeframe);
    const count = Math.min(PAGE_BARS, (toMs - range.fromMs) / lengthMs);
    const answer = await this.options.fetchPage({ toMs, count });
    this.report.requests += 1;
    const before = answer.filter(({ openTimeMs }) => openTimeMs < toMs);
    into.push(...before.filter(({ openTimeMs }) => openTimeMs >= range.fromMs));
    const oldestMs = before.reduce((oldest, { openTimeMs }) => Math.min(oldest, openTimeMs), toMs);
    // Nothing before: the market has no earlier candles.
    return oldestMs === toMs ? range.fromMs : Math.max(range.fromMs, oldestMs);
  }

  private async write(candles: readonly Candle[], covered: TimeRange): Promise<void> {
    const { catalogue, market, timeframe, source } = this.options;
    // As a recorder does: some exchanges add volumes up as floats.
    const rounded = candles.map((candle) => ({ ...candle, volume: roundedDecimal(candle.volume) }));
    const outcome = await catalogue.appendCandles({ market, timeframe, source, candles: [rounded], covered });
    if (outcome.kind === 'added') {
      this.report.added += outcome.added;
      this.report.known += outcome.known;
      return;
    }
    const first = outcome.kind === 'conflict' ? outcome.conflicts[0] : undefined;
    throw new SarrafError(
      'DATA_UNUSABLE',
      `expected the exchange to have the same candles of ${market} as the catalogue, found another for ${isoText(first?.timeMs ?? 0)}: the exchange has ${first?.given}, the catalogue ${first?.there}. Move the folder away to download it again`,
    );
  }

  private progress(coveredMs: number, waiting: number): void {
    this.doneMs += coveredMs;
    const { added, known, requests } = this.report;
    const share = this.totalMs === 0 ? 1 : this.doneMs / this.totalMs;
    this.options.onProgress?.({ candles: added + known + waiting, requests, share });
  }
}
