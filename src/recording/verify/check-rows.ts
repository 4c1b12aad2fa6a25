import { unitsOf, type Units } from '../../domain/money.ts';
import type { BookLevel } from '../../domain/order-book.ts';
import { timeText } from '../read-partitions.ts';
import { BOOK_LEVELS, type RecordedBook, type RecordedTrade, type TimeRange } from '../records.ts';
import type { Findings } from './findings.ts';
import { durationText } from '../../domain/time-text.ts';

/**
 * Ids of trades that are remembered, to see one twice: those of some minutes, since equal ones lie side by
 * side.
 */
const MOST_IDS = 10_000;

/** Looks at trades in the order in which they lie. */
export class TradeCheck {
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

  take(trade: RecordedTrade): void {
    const timeMs = trade.timeMs ?? trade.seenMs;
    const when = timeText(timeMs);
    if (timeMs < this.beforeMs)
      this.findings.add('order', timeMs, `a trade of ${when} comes after ${timeText(this.beforeMs)}`);
    this.beforeMs = Math.max(this.beforeMs, timeMs);
    const price = unitsOf(trade.price);
    if (price <= 0n || unitsOf(trade.amount) <= 0n) {
      this.findings.add('negative', timeMs, `a trade of ${when} has a price or amount that is not positive`);
    }
    if (this.priceStep !== null && price % this.priceStep !== 0n) {
      this.findings.add('off-step', timeMs, `a trade of ${when} has the price ${trade.price}, off the step`);
    }
    if (trade.id !== null) this.number(trade.id, timeMs);
  }

  private number(id: number, timeMs: number): void {
    if (this.ids.has(id)) this.findings.add('duplicate', timeMs, `trade ${id} is there twice`);
    else if (this.lastId !== null && id > this.lastId + 1) {
      this.findings.add(
        'gap',
        timeMs,
        `${id - this.lastId - 1} trades are missing before trade ${id} of ${timeText(timeMs)}`,
      );
    }
    this.lastId = Math.max(id, this.lastId ?? id);
    this.ids.add(id);
    if (this.ids.size > MOST_IDS) this.ids.clear();
  }
}

/** Looks at books in the order in which they lie. */
export class BookCheck {
  private readonly findings: Findings;
  private readonly priceStep: Units | null;
  private readonly gapMs: number;
  private readonly watched: readonly TimeRange[];
  private readonly gaps: readonly TimeRange[];
  private beforeMs: number | null = null;
  private seenBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(
    findings: Findings,
    options: {
      readonly priceStep: Units | null;
      readonly gapMs: number;
      /**
       * Stretches in which a recorder looked, but for gaps: without a book nothing changed. In the order of
       * time.
       */
      readonly watched: readonly TimeRange[];
      readonly gaps: readonly TimeRange[];
    },
  ) {
    this.findings = findings;
    this.priceStep = options.priceStep;
    this.gapMs = options.gapMs;
    this.watched = options.watched;
    this.gaps = options.gaps;
  }

  take(book: RecordedBook): void {
    const timeMs = book.venueTimeMs ?? book.seenMs;
    const { beforeMs } = this;
    if (beforeMs !== null && timeMs < beforeMs) {
      this.findings.add('order', timeMs, `a book of ${timeText(timeMs)} comes after ${timeText(beforeMs)}`);
    } else if (beforeMs !== null && timeMs - beforeMs > this.gapMs && !this.isWatched(book.seenMs)) {
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
    const { priceStep } = this;
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
   * True if a recorder watched since the book before was seen, which may be long after it changed, without a
   * longer pause than a gap: files of a recorder end and begin anew.
   */
  private isWatched(toMs: number): boolean {
    const { watched, gaps, gapMs, seenBeforeMs } = this;
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
  if (bid !== undefined && ask !== undefined && unitsOf(bid[0]) >= unitsOf(ask[0])) {
    return `crosses: ${bid[0]} is bid, ${ask[0]} asked`;
  }
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
