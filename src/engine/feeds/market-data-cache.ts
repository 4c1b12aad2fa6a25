import { SarrafError } from '../../domain/errors.ts';
import { formatUnits, LEAST_UNITS, midOfUnits, type Units, unitsOf, unitsAbout } from '../../domain/money.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { createMarket, type Market } from '../../domain/market.ts';
import type { MarketStats, OrderBook } from '../../domain/order-book.ts';
import { joinTrades, oldestFirst, type PublicTrade } from '../../domain/trade.ts';
import type { MarketRule, UnreadRow } from '../../venues/port.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { LateBook, SeenBook } from '../risk/risk-view.ts';
import type { PolledSubscription } from '../../strategy/subscriptions.ts';
import type { MarketRules, StrategyEvent } from '../../strategy/strategy-event.ts';
import type { BarPrices } from '../engine-event.ts';
import type { MirrorState } from '../mirror-change.ts';
import type { IssueLog } from '../issue-log.ts';
import type { Outbox } from '../outbox.ts';
import type { StandstillWatch } from '../standstill-watch.ts';
import { type ValidationIssue, bookIssue, statsIssue, tapeIssue } from './plausibility.ts';

/** The last book of a market, and what the next one is compared with. */
interface ReadBook {
  book: OrderBook | null;
  bookSeenAtMs: number | null;
  /** Middle of the book; null if one side is empty. */
  bookMid: Units | null;
  /** Best prices of the book in units; null until they are first read here. */
  seen: SeenBook | null;
  /** Middle of a book that was far from the one before; another book has to confirm it. */
  farMid: Units | null;
}

const UNREAD: ReadBook = { book: null, bookSeenAtMs: null, bookMid: null, seen: null, farMid: null };

/** Everything that was read about one market. */
export interface CachedMarket extends ReadBook {
  market: Market;
  /** Steps and least order value as texts; null until they are first read here. */
  rules: MarketRules | null;
  stats: MarketStats | null;
  statsSeenAtMs: number | null;
  tape: readonly PublicTrade[] | null;
  tapeSeenAtMs: number | null;
  /** Close of the last bar that was read. */
  lastClose: Units | null;
  /** Bars of the market, if they are pushed and not polled. */
  bars: BarPrices | null;
  /** Open price of the current bar, if bars are pushed. */
  open: SeenBook | null;
  /** Steps that one reading has shown, as text; a second reading has to confirm them. */
  unconfirmedRule: string | null;
  /** Number of readings in a row of the exchange's list in which the market was missing. */
  missedReadings: number;
}

/** A book of another venue that a strategy needs, and its longest age. */
type OtherBookWish = Pick<PolledSubscription, 'market' | 'maxAgeMs'>;

/** Number of readings in a row without a market after which it is no longer listed. */
const GONE_AFTER_READINGS = 2;

/** The markets as they were last read: steps, books, statistics and public trades. */
export class MarketDataCache {
  readonly standstills: StandstillWatch;
  private readonly states = new Map<string, CachedMarket>();
  /** Books of other venues. Nothing is traded there, so only the strategies that name them see them. */
  private readonly others: ReadonlyMap<string, ReadBook>;
  private readonly options: {
    readonly markets: readonly Market[];
    /** Markets of other venues. */
    readonly others: readonly string[];
    readonly outbox: Outbox;
    readonly findings: IssueLog;
    readonly standstills: StandstillWatch;
    /** Sends an event to the strategies that subscribed to it. */
    readonly emit: (event: StrategyEvent, market: string) => void;
  };

  constructor(options: MarketDataCache['options']) {
    this.options = options;
    this.standstills = options.standstills;
    this.others = new Map(options.others.map((market) => [market, { ...UNREAD }]));
    for (const market of options.markets) {
      this.states.set(market.symbol, {
        ...UNREAD,
        market,
        rules: null,
        stats: null,
        statsSeenAtMs: null,
        tape: null,
        tapeSeenAtMs: null,
        lastClose: null,
        bars: null,
        open: null,
        unconfirmedRule: null,
        missedReadings: 0,
      });
    }
  }

  /** Returns the message for an unknown market. */
  whyUnknown(symbol: string): Sentence {
    return sentence('unknown-market', { markets: [...this.states.keys()].join(', '), market: symbol });
  }

  get(symbol: string): CachedMarket | undefined {
    return this.states.get(symbol);
  }

  rulesOf(state: CachedMarket): MarketRules {
    state.rules ??= rulesOf(state.market);
    return state.rules;
  }

  all(): Iterable<CachedMarket> {
    return this.states.values();
  }

  /** The smallest amount of a coin that can be traded in any of its markets. */
  leastAmountOf(asset: string): Units {
    let least: Units | null = null;
    for (const { market } of this.states.values())
      if (market.base === asset && (least === null || market.amountStep < least)) least = market.amountStep;
    return least ?? LEAST_UNITS;
  }

  /** Restores the versions of markets: one whose steps differ from the stored ones gets a new version. */
  restore(stored: MirrorState['markets'], nowMs: number): void {
    for (const state of this.states.values()) {
      const known = stored
        .filter(({ symbol }) => symbol === state.market.symbol)
        .toSorted((left, right) => right.version - left.version)[0];
      if (known === undefined) this.enter(state, { ...state.market, version: 1 }, nowMs);
      else {
        const { symbol } = state.market;
        const rules = rulesOf(state.market);
        state.market = { ...createMarket({ ...known, market: state.market }), version: known.version };
        state.rules = null;
        this.enterRule(state, { symbol, ...rules });
      }
    }
  }

  /** Applies a book; `seenAtMs`: the time from which its age counts, by default now. */
  applyBook(symbol: string, book: OrderBook, seenAtMs: number = this.options.outbox.nowMs): void {
    const own = this.states.get(symbol);
    const state: ReadBook | undefined = own ?? this.others.get(symbol);
    if (state === undefined) return;
    const issue = bookIssue(book);
    const seen = issue === null ? seenOf(book, seenAtMs) : null;
    const mid = seen === null ? null : midOf(seen);
    if (!this.isRight('book', symbol, issue ?? farIssue(state, mid))) return;
    state.book = book;
    state.bookSeenAtMs = seenAtMs;
    state.bookMid = mid;
    state.seen = seen;
    state.farMid = null;
    if (own !== undefined) this.standstills.applyBook(symbol, book);
    this.options.outbox.change({ kind: 'book', market: symbol, book });
    this.options.emit({ kind: 'book', market: symbol, book, seenAtMs }, symbol);
  }

  /** Returns a book of another venue that is young enough; null if there is none. */
  otherBook({ market, maxAgeMs }: OtherBookWish): OrderBook | null {
    const { book = null, bookSeenAtMs = null } = this.others.get(market) ?? {};
    return bookSeenAtMs !== null && this.options.outbox.nowMs - bookSeenAtMs <= maxAgeMs ? book : null;
  }

  /** Returns the age of the book of another venue, in ms; null if it was never read. */
  otherAgeMs(market: string): number | null {
    const seenAtMs = this.others.get(market)?.bookSeenAtMs ?? null;
    return seenAtMs === null ? null : this.options.outbox.nowMs - seenAtMs;
  }

  /** Returns the first of these books of other venues that is too old, or was never read; null if none is. */
  lateOf(wanted: readonly OtherBookWish[]): LateBook | null {
    for (const { market, maxAgeMs } of wanted) {
      const ageMs = this.otherAgeMs(market);
      if (ageMs === null || ageMs > maxAgeMs) return { market, ageMs, limitMs: maxAgeMs };
    }
    return null;
  }

  /** Makes the closes of bars the price of a market, at which orders trade without a book. */
  followBars(symbol: string, bars: BarPrices): void {
    const state = this.states.get(symbol);
    if (state !== undefined) state.bars = bars;
  }

  /** Notes that a bar has begun: until it closes there is no newer price than its open. */
  applyOpen(symbol: string, price: DecimalText, freshUntilMs: number): void {
    const state = this.states.get(symbol);
    if (state === undefined) return;
    const units = unitsOf(price);
    state.open = {
      bestBid: units,
      bestAsk: units,
      seenAtMs: this.options.outbox.nowMs,
      venueAtMs: null,
      freshUntilMs,
    };
  }

  applyStats(stats: MarketStats): void {
    const { symbol } = stats.market;
    const state = this.states.get(symbol);
    if (state === undefined || !this.isRight('stats', symbol, statsIssue(stats))) return;
    state.stats = stats;
    this.standstills.applyStats(stats);
    state.statsSeenAtMs = this.options.outbox.nowMs;
    this.options.outbox.change({ kind: 'stats', stats });
    this.options.emit({ kind: 'stats', stats, seenAtMs: this.options.outbox.nowMs }, symbol);
  }

  applyTape(symbol: string, page: readonly PublicTrade[]): void {
    const state = this.states.get(symbol);
    if (state === undefined) return;
    for (const trade of page) if (!this.isRight('tape', symbol, tapeIssue(trade))) return;
    const { nowMs } = this.options.outbox;
    const ordered = oldestFirst(page);
    const isFirst = state.tape === null;
    const { fresh, hasGap } = joinTrades(state.tape, ordered);
    const fromMs = state.tape?.at(-1)?.timeMs;
    const newest = ordered.at(-1);
    if (newest !== undefined) {
      state.tape = ordered;
      this.standstills.applyTrades(symbol, newest.timeMs);
    }
    state.tapeSeenAtMs = nowMs;
    if (fresh.length === 0) return;
    this.options.outbox.change({ kind: 'public-trades', market: symbol, trades: fresh });
    if (hasGap) {
      this.options.outbox.info(`${symbol}: trades may be missing before ${fresh[0]?.timeMs}`);
      const missing = { fromMs, toMs: fresh[0]?.timeMs };
      this.options.outbox.journal('notice', symbol, { missing });
    }
    // Trades of the first page are from before the subscription.
    if (!isFirst)
      this.options.emit({ kind: 'trades', market: symbol, trades: fresh, hasGap, seenAtMs: nowMs }, symbol);
  }

  /**
   * Applies one reading of the listed markets and their steps: a change counts once a second reading shows
   * the same. Returns true if a second reading is to be requested. A reading without any market is ignored.
   */
  applyRules(rules: readonly MarketRule[], unread: readonly UnreadRow[] = []): boolean {
    let isNews = false;
    for (const rule of rules) if (this.applyRule(rule)) isNews = true;
    const listed = new Set<string>(rules.map(({ symbol }) => symbol));
    for (const { market } of unread) if (market !== null) listed.add(market);
    if (listed.size === 0) return false;
    for (const [symbol, state] of this.states) {
      state.missedReadings = listed.has(symbol) ? 0 : Math.min(state.missedReadings + 1, GONE_AFTER_READINGS);
      if (state.missedReadings === 1) isNews = true;
    }
    return isNews;
  }

  /** True if the exchange lists a market, as far as is known. */
  isListed(symbol: string): boolean {
    return (this.states.get(symbol)?.missedReadings ?? 0) < GONE_AFTER_READINGS;
  }

  private applyRule(rule: MarketRule): boolean {
    const state = this.states.get(rule.symbol);
    if (state === undefined) return false;
    const text = `${rule.priceStep} ${rule.amountStep} ${rule.minOrderValue}`;
    const isConfirmed = state.unconfirmedRule === text;
    state.unconfirmedRule = null;
    if (!this.differs(state, rule)) return false;
    if (isConfirmed) this.enterRule(state, rule);
    else state.unconfirmedRule = text;
    return !isConfirmed;
  }

  private differs(state: CachedMarket, rule: MarketRule): boolean {
    const next = this.marketOf(state, rule);
    if (next === null) return false;
    const { market } = state;
    return (
      next.priceStep !== market.priceStep ||
      next.amountStep !== market.amountStep ||
      next.minOrderValue !== market.minOrderValue
    );
  }

  /** Returns the market with these rules; null if they are implausible. */
  private marketOf({ market }: CachedMarket, rule: MarketRule): Market | null {
    const subject = `steps of ${rule.symbol}`;
    try {
      const next = createMarket({
        market,
        priceStep: rule.priceStep ?? formatUnits(market.priceStep),
        amountStep: rule.amountStep ?? formatUnits(market.amountStep),
        minOrderValue: rule.minOrderValue ?? formatUnits(market.minOrderValue),
        version: market.version + 1,
      });
      this.options.findings.clear(subject);
      return next;
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      const found = `${rule.priceStep} and ${rule.amountStep}, from ${rule.minOrderValue}`;
      const issue = { field: 'steps', expected: 'positive steps that the books can hold', found };
      this.isRight('steps of', rule.symbol, issue);
      return null;
    }
  }

  /** Enters new steps as a new version of a market; what was made under an old version keeps it. */
  private enterRule(state: CachedMarket, rule: MarketRule): void {
    const next = this.marketOf(state, rule);
    if (next === null || !this.differs(state, rule)) return;
    this.options.outbox.warn(
      `${rule.symbol}: steps are now ${formatUnits(next.priceStep)} and ${formatUnits(next.amountStep)}, the least value ${formatUnits(next.minOrderValue)}`,
    );
    this.enter(state, next, this.options.outbox.nowMs);
  }

  /** Notes implausible data, which must not be used. Returns true if there is no issue. */
  private isRight(what: string, symbol: string, issue: ValidationIssue | null): boolean {
    if (issue === null && this.options.findings.entries.size === 0) return true;
    const subject = `${what} ${symbol}`;
    if (issue === null) this.options.findings.clear(subject);
    else this.options.findings.note(subject, issue, { isGrave: false });
    return issue === null;
  }

  /** Returns the best prices of a market's last book, or of its bar if there is no book; null before both. */
  seenBook(symbol: string): SeenBook | null {
    const state = this.states.get(symbol);
    if (state === undefined) return null;
    if (state.book === null || state.bookSeenAtMs === null) return barAsBook(state);
    state.seen ??= seenOf(state.book, state.bookSeenAtMs);
    return state.seen;
  }

  /**
   * Returns the price of a coin: the middle of the book, or else the last trade or close; null before any.
   */
  priceOf(symbol: string): Units | null {
    const book = this.seenBook(symbol);
    if (book !== null && book.bestBid !== null && book.bestAsk !== null) {
      return midOfUnits(book.bestBid, book.bestAsk);
    }
    const state = this.states.get(symbol);
    return state === undefined ? null : (lastTraded(state) ?? state.lastClose);
  }

  /** Returns a coin's price as `priceOf` does, but only from data read since a time; null if all is older. */
  priceSince(symbol: string, sinceMs: number): Units | null {
    const state = this.states.get(symbol);
    if (state === undefined) return null;
    const { bookMid, bookSeenAtMs } = state;
    if (bookMid !== null && (bookSeenAtMs ?? Number.NEGATIVE_INFINITY) >= sinceMs) return bookMid;
    return lastTraded(state, sinceMs);
  }

  private enter(state: CachedMarket, market: Market, nowMs: number): void {
    const { symbol, version } = market;
    const rules = rulesOf(market);
    state.market = market;
    state.rules = rules;
    this.options.outbox.change({ kind: 'market', market: { symbol, version, fromMs: nowMs, ...rules } });
  }
}

function rulesOf({ priceStep, amountStep, minOrderValue }: Market): MarketRules {
  return {
    priceStep: formatUnits(priceStep),
    amountStep: formatUnits(amountStep),
    minOrderValue: formatUnits(minOrderValue),
  };
}

/**
 * Largest change of the price between two readings, in percent; a larger one needs one more reading to be
 * believed.
 */
const FAR_PERCENT = 30n;

/**
 * Returns the issue with a book far from the one before; null if it is near, or agrees with the last far one.
 * It may be of another market or damaged, or the market has moved, which the next book confirms.
 */
function farIssue(state: ReadBook, mid: Units | null): ValidationIssue | null {
  const before = state.bookMid;
  if (before === null || mid === null || isNear(mid, before)) return null;
  if (state.farMid !== null && isNear(mid, state.farMid)) return null;
  state.farMid = mid;
  return {
    field: 'prices',
    expected: `within ${FAR_PERCENT} % of ${formatUnits(before)}`,
    found: formatUnits(mid),
  };
}

function seenOf(book: OrderBook, seenAtMs: number): SeenBook {
  const { bids, asks, updatedAtMs } = book;
  const bid = bids[0]?.[0];
  const ask = asks[0]?.[0];
  return {
    bestBid: bid === undefined ? null : unitsOf(bid),
    bestAsk: ask === undefined ? null : unitsOf(ask),
    seenAtMs,
    venueAtMs: updatedAtMs,
    freshUntilMs: null,
    sides: book,
  };
}

/**
 * Returns the last traded price, from the book or the statistics, whichever was read later; null if neither
 * has one.
 */
function lastTraded(state: CachedMarket, sinceMs = Number.NEGATIVE_INFINITY): Units | null {
  const { book, bookSeenAtMs, stats, statsSeenAtMs } = state;
  const ofBook = { price: book?.lastTradePrice ?? null, atMs: bookSeenAtMs ?? Number.NEGATIVE_INFINITY };
  const ofStats = { price: stats?.latest ?? null, atMs: statsSeenAtMs ?? Number.NEGATIVE_INFINITY };
  const known = [ofBook, ofStats].filter(({ price, atMs }) => price !== null && atMs >= sinceMs);
  const newest = known.toSorted((left, right) => right.atMs - left.atMs)[0]?.price ?? null;
  // A float error in a last price is rounded away; a book or statistics with one are refused on arrival.
  return newest === null ? null : unitsAbout(newest);
}

function midOf({ bestBid, bestAsk }: SeenBook): Units | null {
  return bestBid === null || bestAsk === null ? null : midOfUnits(bestBid, bestAsk);
}

function isNear(left: bigint, right: bigint): boolean {
  const [low, high] = left < right ? [left, right] : [right, left];
  return high * 100n <= low * (100n + FAR_PERCENT);
}

function barAsBook(state: CachedMarket): SeenBook | null {
  const { bars, open } = state;
  if (bars === null) return open;
  const { closedMs } = bars;
  if (open !== null && open.freshUntilMs !== null && open.freshUntilMs > closedMs) return open;
  if (state.seen?.seenAtMs === closedMs) return state.seen;
  const { close, nextClosedMs } = bars;
  if (close === null) return null;
  state.seen = {
    bestBid: close,
    bestAsk: close,
    seenAtMs: closedMs,
    venueAtMs: closedMs,
    freshUntilMs: nextClosedMs,
  };
  return state.seen;
}
