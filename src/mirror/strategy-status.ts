import { formatUnits, midOfUnits, parseUnits, type Units } from '../domain/money.ts';
import type { StrategyRecord } from '../records/rows.ts';
import { profitText, type ProfitText } from '../engine/profit-of-instance.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { type Lock, untilText } from '../engine/lock.ts';
import { profitOf } from '../portfolio/profit.ts';
import { type Sentence, sentence } from '../language/sentence.ts';
import type { AssetLedger } from '../portfolio/asset-ledger.ts';
import type { PriceOf } from '../portfolio/holding.ts';
import type { MarketRows, SeenBookRow } from './row-pages.ts';
import { readRecord } from '../engine/stored-records.ts';
import { NO_LOCKS } from '../engine/lock-state.ts';
import type { StoredRow } from './mirror-reader.ts';
import { sentenceOf } from '../engine/issue-log.ts';

/** Profit and fees of a strategy, as stored in the mirror; decimals as texts. */
interface StrategyFigures extends ProfitText {
  readonly fees: Readonly<Record<string, string>>;
  readonly orders: number;
  readonly fills: number;
  readonly requests: number;
}

/** A strategy for `sarraf status`. */
export interface StrategyStatus {
  readonly name: string;
  /** As the bot wrote it down, but that nothing runs where no bot does. */
  readonly status: StrategyRecord['status'] | 'paused by hand' | 'not running' | 'unknown';
  readonly reason: Sentence | null;
  /** Time of the last write of its row, in ms since 1970. */
  readonly atMs: number;
  readonly figures: StrategyFigures;
  /** The strategy's own state. */
  readonly state: unknown;
}

/**
 * Reads a strategy's row. `isRunning`: whether a bot has the mirror open; null where that is not known.
 * `pause`: the lock by which a person has paused it. `prices`: those that were read since the row was
 * written; without them its own count. Throws `DATA_UNUSABLE` for a damaged row.
 */
export function strategyStatus(
  record: StrategyRecord,
  isRunning: boolean | null,
  { pause, prices }: { readonly pause?: Lock | undefined; readonly prices?: LastPrices } = {},
): StrategyStatus {
  const { name, atMs } = record;
  // One that has failed does not go on when its pause ends.
  const isPaused = record.status === 'running' && pause !== undefined;
  const status = record.status === 'running' ? statusWhile(isRunning) : record.status;
  const reason = isPaused ? pauseText(pause) : record.reason;
  const { ledger, fees, orders, fills, requests, state } = readFigures(record, MARKET_NAMES);
  const paid = Object.fromEntries([...fees].map(([currency, units]) => [currency, formatUnits(units)]));
  const made = profitText(profitOf(ledger, prices?.beyond(ledger)));
  const figures = { ...made, fees: paid, orders, fills, requests };
  return { name, status: isPaused ? 'paused by hand' : status, reason, atMs, figures, state };
}

function statusWhile(isRunning: boolean | null): StrategyStatus['status'] {
  if (isRunning === null) return 'unknown';
  return isRunning ? 'running' : 'not running';
}

/** The middle of a book, and when it was read. */
interface ReadPrice {
  readonly price: Units;
  readonly atMs: number;
}

/**
 * The prices by which a reader values what strategies hold, as the bot itself does: the middle of the last
 * book. The row of a strategy has prices too, but only of the time when it changed last, which may be days
 * ago. Each book is read once.
 */
export class LastPrices {
  private readonly markets: Pick<MarketRows, 'book'>;
  private readonly known = new Map<string, ReadPrice | null>();

  constructor(markets: Pick<MarketRows, 'book'>) {
    this.markets = markets;
  }

  /** Null where the ledger's own price is as new, or the only one. */
  beyond({ state }: AssetLedger): PriceOf {
    return (market) => {
      const read = this.priceOf(market);
      const own = state.prices.get(market);
      return read === null || (own !== undefined && own.atMs >= read.atMs) ? null : read.price;
    };
  }

  private priceOf(market: string): ReadPrice | null {
    let price = this.known.get(market);
    if (price === undefined) {
      price = middleOf(this.markets.book(market));
      this.known.set(market, price);
    }
    return price;
  }
}

function middleOf(book: SeenBookRow | null): ReadPrice | null {
  const [bid] = book?.bids[0] ?? [];
  const [ask] = book?.asks[0] ?? [];
  if (book === null || bid === undefined || ask === undefined) return null;
  return { price: midOfUnits(parseUnits(bid), parseUnits(ask)), atMs: book.seenAtMs };
}

/** The locks of a mirror as they stand at a time. */
export interface LocksNow {
  /** Those that hold, the one that ends first first. */
  readonly locks: readonly Lock[];
  /** The next change by the clock that the bot knew; null where there is none. */
  readonly nextChangeAtMs: number | null;
}

/** The locks that hold at a time: those that have ended since the bot last wrote are left out. */
export function locksNow(stored: readonly StoredRow[], nowMs: number): LocksNow {
  const { locks, nextChangeAtMs } = readRecord(stored, 'locks') ?? NO_LOCKS;
  const holding = locks.filter(({ endsAtMs }) => endsAtMs > nowMs);
  const isAhead = nextChangeAtMs !== null && nextChangeAtMs > nowMs;
  return {
    locks: holding.toSorted((left, right) => left.endsAtMs - right.endsAtMs),
    nextChangeAtMs: isAhead ? nextChangeAtMs : null,
  };
}

/** The lock that pauses a strategy; undefined where none does. */
export function pauseOf({ locks }: LocksNow, strategy: string): Lock | undefined {
  return locks.find((lock) => lock.pauses === true && lock.strategy === strategy);
}

/** `by hand until it is resumed: news (ali)`. */
function pauseText(pause: Lock): Sentence {
  return sentence('pause-by-hand', { until: untilText(pause.endsAtMs), reason: whyLocked(pause) });
}

/** Returns the reason a lock holds, and who made it if known. */
export function whyLocked({ reason, by }: Lock): Sentence {
  return by === undefined ? reason : sentence('by-person', { reason, person: by });
}

/**
 * Returns the reason, in a sentence, that a bot that may trade holds new orders back by itself: replies about
 * one of its orders contradict each other, the books could not be compared for too long, or this machine is
 * too slow to send one. Null if there is no such reason. Halts, breaks and a refused credential are reported
 * elsewhere.
 */
export function whyNoOrders(stored: Parameters<typeof readRecord>[0]): Sentence | null {
  const grave = readRecord(stored, 'findings')?.find(({ isGrave }) => isGrave);
  if (grave !== undefined) return sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  const tooSlow = whyNothingLeaves(stored);
  if (tooSlow !== null) return tooSlow;
  const blockedBy = readRecord(stored, 'reconciliation')?.blockedBy ?? null;
  return blockedBy === null ? null : sentence('books-uncompared', { reason: blockedBy });
}

/** Returns the reason that no request leaves, though the ledger would permit it; null while requests do. */
export function whyNothingLeaves(stored: Parameters<typeof readRecord>[0]): Sentence | null {
  const sinceMs = readRecord(stored, 'slow-machine')?.sinceMs ?? null;
  return sinceMs === null ? null : sentence('machine-slow');
}
