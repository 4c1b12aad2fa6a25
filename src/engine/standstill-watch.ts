import { EnginePart } from './engine-settings.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import type { MarketStats, OrderBook } from '../domain/order-book.ts';
import { durationText } from '../domain/time-text.ts';
import { leastLimit, type RiskLimits } from './risk-limits.ts';
import { standstillText, type MarketNews, type MarketStandstill } from './risk/risk-view.ts';
import { statsCall, type VenueProfile } from '../venues/port.ts';
import type { Outbox } from './outbox.ts';
import { restored, type StoredTexts, type StoredValue } from './stored-records.ts';
import { english, type Sentence } from '../language/sentence.ts';

type HeldStandstill = StoredValue<'standstills'>[number];

const POLL_INTERVAL_MS = 5_000;

/**
 * Minimum difference in ms: a sign must be newer than the book's own time by more than this, and the book
 * must be read by more than this after the sign.
 */
const SLACK_MS = 5_000;

/** Tolerance for statistics in ms: the exchange may update them a while after a trade. */
const STATS_SLACK_MS = 30_000;

/** Minimum time between two reports that a market is quiet, in ms. */
const QUIET_REPORT_EVERY_MS = 3_600_000;

/** Maximum age of the list of all books for judging a standstill of the whole exchange, in ms. */
const ALL_BOOKS_AGE_MS = 60_000;

/** Returns the interval of requests for all books and statistics while a book may stand still, in ms. */
export function standstillProbeMs(limitMs: number): number {
  return Math.max(POLL_INTERVAL_MS, Math.ceil(limitMs / 4));
}

interface Pulse {
  /** Last time of the book by the exchange's clock, in ms since 1970; null if it has none. */
  bookAtMs: number | null;
  /** Time of the first reading with that book time, by the bot's clock; for the first book its own time. */
  movedAtMs: number;
  readAtMs: number;
  /** First later sign of activity in the market. `atMs`: its time at the exchange; null for statistics. */
  news: { readonly what: MarketNews; readonly atMs: number | null; readonly seenAtMs: number } | null;
  stats: { readonly text: string; readonly volume: number; readonly readAtMs: number } | null;
  quietLoggedAtMs: number;
}

interface StandstillWatchOptions {
  readonly outbox: Outbox;
  readonly venue: Pick<VenueProfile, 'unserved' | 'marketNames'>;
  /** Limits of all strategies; the smallest `maxStandstillMs` counts. */
  readonly limits: readonly RiskLimits[];
}

/**
 * Detects books that stand still at the exchange while the market goes on: orders would be placed at old
 * prices. A book whose own time does not change may just be of a quiet market. It stands still if something
 * of the market is newer: a trade, its statistics, or its book in the list of all books; or if the times of
 * other, unchanged books move on. If nothing of the exchange is newer, all books stand still. When a book has
 * half its allowed age, all books and statistics are requested, with what the budgets have left.
 *
 * The exchange's clock and the bot's may differ by hours. Their times are never compared, except at a start,
 * before anything has changed.
 */
export class StandstillWatch extends EnginePart<StandstillWatchOptions> {
  private readonly pulses = new Map<string, Pulse>();
  private readonly held = new Map<string, HeldStandstill>();
  /** Newest time in all that was read, by the exchange's clock, in ms since 1970. */
  private newestAtMs: number | null = null;
  /** Time of the last change of any book, by the bot's clock, in ms since 1970; null before the first. */
  private movedAtMs: number | null = null;
  private allBooks: {
    readonly books: Readonly<Record<string, OrderBook>>;
    readonly readAtMs: number;
  } | null = null;
  private readonly limitMs: number | null;
  dueAtMs = 0;
  private probeAtMs = 0;

  constructor(options: StandstillWatchOptions) {
    super(options);
    this.limitMs = leastLimit(options.limits.map(({ maxStandstillMs }) => maxStandstillMs));
  }

  applyBook(symbol: string, { updatedAtMs }: OrderBook): void {
    const pulse = this.pulseOf(symbol);
    const { nowMs } = this.options.outbox;
    pulse.readAtMs = nowMs;
    if (updatedAtMs === pulse.bookAtMs) return;
    pulse.movedAtMs = pulse.bookAtMs === null ? Math.min(updatedAtMs ?? nowMs, nowMs) : nowMs;
    pulse.bookAtMs = updatedAtMs;
    this.saw(updatedAtMs);
    const newsAtMs = pulse.news?.atMs ?? null;
    if (updatedAtMs === null || newsAtMs === null || newsAtMs <= updatedAtMs + SLACK_MS) pulse.news = null;
  }

  /** Applies the books of all markets of the exchange, followed or not. */
  applyAllBooks(books: Readonly<Record<string, OrderBook>>): void {
    const { nowMs } = this.options.outbox;
    const before = this.allBooks?.books ?? {};
    let [restamped, same] = [0, 0];
    for (const [symbol, book] of Object.entries(books)) {
      this.saw(book.updatedAtMs);
      this.applyNews(symbol, 'newer-book', book.updatedAtMs);
      const last = before[symbol];
      if (last === undefined || !isSameSide(last.bids, book.bids) || !isSameSide(last.asks, book.asks))
        continue;
      if (last.updatedAtMs === book.updatedAtMs) same += 1;
      else restamped += 1;
    }
    this.allBooks = { books, readAtMs: nowMs };
    // The exchange stamps books when it reads them: a time that stands still is no quiet market.
    if (restamped >= 2 && restamped > same)
      for (const symbol of this.pulses.keys()) this.applyNews(symbol, 'newer-other-books', this.newestAtMs);
  }

  applyStats({ market, latest, bestBuy, bestSell, baseVolume }: MarketStats): void {
    const pulse = this.pulses.get(market.symbol);
    if (pulse === undefined) return;
    const { nowMs } = this.options.outbox;
    const before = pulse.stats;
    const text = `${latest} ${bestBuy} ${bestSell}`;
    const volume = Number(baseVolume ?? 0);
    pulse.stats = { text, volume, readAtMs: nowMs };
    // The volume of 24 hours falls without a trade, when an old one leaves it: only a rise is a sign.
    if (before === null || (before.text === text && volume <= before.volume)) return;
    this.movedAtMs = nowMs;
    if (before.readAtMs > pulse.movedAtMs + STATS_SLACK_MS)
      pulse.news ??= { what: 'newer-stats', atMs: null, seenAtMs: nowMs };
  }

  applyTrades(symbol: string, newestAtMs: number): void {
    this.saw(newestAtMs);
    this.applyNews(symbol, 'newer-trades', newestAtMs);
  }

  /** Returns the standstill of a market's book; null if none is known. */
  of(symbol: string): MarketStandstill | null {
    const pulse = this.pulses.get(symbol);
    if (pulse === undefined || pulse.bookAtMs === null) return null;
    const { nowMs } = this.options.outbox;
    const { news, bookAtMs, movedAtMs, readAtMs } = pulse;
    const { allBooks, newestAtMs } = this;
    if (news !== null && readAtMs > news.seenAtMs + SLACK_MS) {
      const ageMs = Math.max(nowMs - movedAtMs, (newestAtMs ?? bookAtMs) - bookAtMs);
      return { market: symbol, sinceMs: bookAtMs, ageMs, news: news.what };
    }
    if (allBooks === null || newestAtMs === null || nowMs - allBooks.readAtMs > ALL_BOOKS_AGE_MS) return null;
    // An exchange with a single market may just be quiet.
    if (Object.keys(allBooks.books).length < 2) return null;
    return {
      market: symbol,
      sinceMs: newestAtMs,
      ageMs: allBooks.readAtMs - (this.movedAtMs ?? newestAtMs),
      news: null,
    };
  }

  /** Returns the texts on all books that stand still, one for each market. */
  reasons(): readonly Sentence[] {
    return [...this.held.values()].map(({ reason }) => reason);
  }

  pump(nowMs: number, markets: Iterable<{ readonly market: MarketName }>): void {
    const { limitMs } = this;
    if (limitMs === null || this.pulses.size === 0) return;
    this.dueAtMs = nowMs + POLL_INTERVAL_MS;
    let isAsked = false;
    for (const [symbol, pulse] of this.pulses) {
      const { bookAtMs, movedAtMs, readAtMs } = pulse;
      // A book that is no longer read has left a universe, or is too old to trade on by `maxBookAge`.
      const isRead = bookAtMs !== null && nowMs - readAtMs <= limitMs;
      const standstill = isRead ? this.of(symbol) : null;
      const isStill = standstill !== null && standstill.ageMs > limitMs;
      if (isStill) this.hold(standstill, limitMs);
      else if (this.held.has(symbol)) this.release(symbol, nowMs);
      if (!isRead) continue;
      const ageMs = nowMs - movedAtMs;
      isAsked ||= ageMs > limitMs / 2 && pulse.news === null;
      if (ageMs > limitMs && !isStill && pulse.news === null) this.reportQuiet(symbol, pulse);
    }
    if (isAsked && nowMs >= this.probeAtMs) this.probe(limitMs, markets);
  }

  /** Clears the stored standstills: after a start none is known yet. */
  restore(stored: StoredTexts): void {
    if ((restored(stored, 'standstills') ?? []).length > 0) this.persist();
  }

  private pulseOf(symbol: string): Pulse {
    let pulse = this.pulses.get(symbol);
    if (pulse === undefined) {
      const quietLoggedAtMs = Number.NEGATIVE_INFINITY;
      pulse = { bookAtMs: null, movedAtMs: 0, readAtMs: 0, news: null, stats: null, quietLoggedAtMs };
      this.pulses.set(symbol, pulse);
    }
    return pulse;
  }

  private saw(atMs: number | null): void {
    if (atMs === null) return;
    const { nowMs } = this.options.outbox;
    const knownMs = Math.min(atMs, nowMs);
    if (this.newestAtMs !== null && knownMs > this.newestAtMs) this.movedAtMs = nowMs;
    this.newestAtMs = Math.max(this.newestAtMs ?? knownMs, knownMs);
  }

  /**
   * Notes a sign of activity. Only the first is kept until the book is as new: an active market brings more
   * all the time.
   */
  private applyNews(symbol: string, what: MarketNews, atMs: number | null): void {
    const pulse = this.pulses.get(symbol);
    if (pulse === undefined || pulse.bookAtMs === null || pulse.news !== null || atMs === null) return;
    if (atMs > pulse.bookAtMs + SLACK_MS) pulse.news = { what, atMs, seenAtMs: this.options.outbox.nowMs };
  }

  private probe(limitMs: number, markets: Iterable<{ readonly market: MarketName }>): void {
    const { outbox, venue } = this.options;
    const everyMs = standstillProbeMs(limitMs);
    this.probeAtMs = outbox.nowMs + everyMs;
    const context = (dedupe: string) => ({ requestClass: 'backfill', dedupe, withinMs: everyMs }) as const;
    if (venue.unserved?.has('books') !== true)
      outbox.ask({ kind: 'books' }, context('standstill books'), (answer) => {
        if (answer.outcome === 'value') this.applyAllBooks(answer.value);
      });
    if (venue.unserved?.has('stats') === true) return;
    const names = [...markets].map(({ market }) => market);
    outbox.ask(statsCall(names), context('standstill stats'), (answer) => {
      if (answer.outcome === 'value') for (const one of answer.value) this.applyStats(one);
    });
  }

  private hold(standstill: MarketStandstill, limitMs: number): void {
    const { market, sinceMs } = standstill;
    const reason = standstillText(standstill, limitMs);
    const before = this.held.get(market);
    if (before?.reason === reason) return;
    this.held.set(market, { market, reason, sinceMs });
    this.persist();
    if (before !== undefined) return;
    this.options.outbox.journal('control', 'standstill begun', { market, reason });
    this.options.outbox.alarm(`${english(reason)}: no order is placed there until it moves`, market);
  }

  private release(market: string, nowMs: number): void {
    const { outbox } = this.options;
    const sinceMs = this.held.get(market)?.sinceMs ?? nowMs;
    this.held.delete(market);
    this.persist();
    outbox.journal('control', 'standstill over', { market });
    const forText = durationText(Math.max(0, nowMs - sinceMs));
    outbox.info(`the book of ${market} does not stand still any more, after ${forText}`, market);
  }

  private reportQuiet(symbol: string, pulse: Pulse): void {
    const { outbox } = this.options;
    const { nowMs } = outbox;
    if (nowMs - pulse.quietLoggedAtMs < QUIET_REPORT_EVERY_MS || pulse.bookAtMs === null) return;
    pulse.quietLoggedAtMs = nowMs;
    const age = durationText(nowMs - pulse.movedAtMs);
    outbox.info(
      `${symbol} is quiet: its book did not change for ${age}, and nothing else of it did. Orders go there`,
      symbol,
    );
  }

  private persist(): void {
    this.options.outbox.persist('standstills', [...this.held.values()]);
  }
}

function isSameSide(left: OrderBook['bids'], right: OrderBook['bids']): boolean {
  return (
    left.length === right.length &&
    left.every(([price, amount], index) => {
      const other = right[index];
      return other !== undefined && other[0] === price && other[1] === amount;
    })
  );
}
