import {
  divideDown,
  formatUnits,
  groupedText,
  midOfUnits,
  moneyText,
  parseUnits,
  UNITS_PER_ONE,
  type Units,
} from '../domain/money.ts';
import type { IntentRecord, StrategyRecord } from '../records/rows.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { type Lock, untilText } from '../engine/lock.ts';
import { profitText, type ProfitText } from '../portfolio/profit.ts';
import { type Sentence, sentence } from '../language/sentence.ts';
import type { AssetLedger } from '../portfolio/asset-ledger.ts';
import type { PriceOf } from '../portfolio/holding.ts';
import type { MarketRows, SeenBookRow } from './row-pages.ts';
import { NO_LOCKS, readRecord, sentenceOf } from '../engine/stored-records.ts';
import type { StoredRow } from './mirror-reader.ts';

/** Profit and fees of a strategy, as stored in the mirror; decimals as texts. */
export interface StrategyFigures extends ProfitText {
  readonly fees: Readonly<Record<string, string>>;
  readonly orders: number;
  readonly fills: number;
  /** Number of requests for its orders: placements and cancels. */
  readonly requests: number;
}

/** State of a strategy for `sarraf status`. */
export interface StrategyStatus {
  readonly name: string;
  /** Status that the bot stored, but never a running one if no bot runs. */
  readonly status: StrategyRecord['status'] | 'paused by hand' | 'not running' | 'unknown';
  readonly reason: Sentence | null;
  /** Time of the last write of its row, in ms since 1970. */
  readonly atMs: number;
  readonly figures: StrategyFigures;
  /** The strategy's own stored state. */
  readonly state: unknown;
}

/**
 * Reads a strategy's row. `isRunning`: true if a bot has the mirror open; null if that is not known. `pause`:
 * the lock by which a person paused it. `prices`: prices read since the row was written; if omitted, those of
 * the row. Throws `DATA_UNUSABLE` for a damaged row.
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
  const made = profitText(ledger, prices?.beyond(ledger));
  const figures = { ...made, fees: paid, orders, fills, requests };
  return { name, status: isPaused ? 'paused by hand' : status, reason, atMs, figures, state };
}

function statusWhile(isRunning: boolean | null): StrategyStatus['status'] {
  if (isRunning === null) return 'unknown';
  return isRunning ? 'running' : 'not running';
}

/** Middle of a book, and the time it was read. */
interface ReadPrice {
  readonly price: Units;
  readonly atMs: number;
}

/**
 * Prices that value what strategies hold, as the bot does it: the middle of the last book. The row of a
 * strategy has prices too, but only from its last change, which may be days ago. Each book is read once.
 */
export class LastPrices {
  private readonly markets: Pick<MarketRows, 'book'>;
  private readonly known = new Map<string, ReadPrice | null>();

  constructor(markets: Pick<MarketRows, 'book'>) {
    this.markets = markets;
  }

  /** Returns newer prices than a ledger's own; null if its price is as new, or the only one. */
  beyond({ state }: AssetLedger): PriceOf {
    return (market) => {
      const read = this.priceOf(market);
      const own = state.prices.get(market);
      return read === null || (own !== undefined && own.atMs >= read.atMs) ? null : read.price;
    };
  }

  priceOf(market: string): ReadPrice | null {
    if (!this.known.has(market)) this.known.set(market, middleOf(this.markets.book(market)));
    return this.known.get(market) ?? null;
  }
}

function middleOf(book: SeenBookRow | null): ReadPrice | null {
  const [bid] = book?.bids[0] ?? [];
  const [ask] = book?.asks[0] ?? [];
  if (book === null || bid === undefined || ask === undefined) return null;
  return { price: midOfUnits(parseUnits(bid), parseUnits(ask)), atMs: book.seenAtMs };
}

/** Locks of a mirror at a given time. */
export interface LocksNow {
  /** Locks that hold, sorted by their end. */
  readonly locks: readonly Lock[];
  /** Time of the next change by the clock that the bot knew; null if there is none. */
  readonly nextChangeAtMs: number | null;
}

/** Returns the locks that hold at a time, without those that ended since the bot last wrote. */
export function locksNow(stored: readonly StoredRow[], nowMs: number): LocksNow {
  const { locks, nextChangeAtMs } = readRecord(stored, 'locks') ?? NO_LOCKS;
  const holding = locks.filter(({ endsAtMs }) => endsAtMs > nowMs);
  const isAhead = nextChangeAtMs !== null && nextChangeAtMs > nowMs;
  return {
    locks: holding.toSorted((left, right) => left.endsAtMs - right.endsAtMs),
    nextChangeAtMs: isAhead ? nextChangeAtMs : null,
  };
}

/** Returns the lock that pauses a strategy; undefined if there is none. */
export function pauseOf({ locks }: LocksNow, strategy: string): Lock | undefined {
  return locks.find((lock) => lock.pauses === true && lock.strategy === strategy);
}

/** Writes `by hand until it is resumed: news (ali)`. */
function pauseText(pause: Lock): Sentence {
  return sentence('pause-by-hand', { until: untilText(pause.endsAtMs), reason: whyLocked(pause) });
}

/** Returns the reason a lock holds, and who made it if known. */
export function whyLocked({ reason, by }: Lock): Sentence {
  return by === undefined ? reason : sentence('by-person', { reason, person: by });
}

/**
 * Returns the reason that a bot that may trade places no new orders by its own decision: replies about one of
 * its orders contradict each other, the books could not be compared for too long, or this machine is too
 * slow. Null if there is none. Halts, breaks and a refused credential are reported elsewhere.
 */
export function whyNoOrders(stored: Parameters<typeof readRecord>[0]): Sentence | null {
  const grave = readRecord(stored, 'findings')?.find(({ isGrave }) => isGrave);
  if (grave !== undefined) return sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  const tooSlow = whyNothingLeaves(stored);
  if (tooSlow !== null) return tooSlow;
  const blockedBy = readRecord(stored, 'reconciliation')?.blockedBy ?? null;
  return blockedBy === null ? null : sentence('books-uncompared', { reason: blockedBy });
}

/** Returns the reason that no request is sent although the ledger permits it; null if there is none. */
export function whyNothingLeaves(stored: Parameters<typeof readRecord>[0]): Sentence | null {
  const sinceMs = readRecord(stored, 'slow-machine')?.sinceMs ?? null;
  return sinceMs === null ? null : sentence('machine-slow');
}

/** Fields of intents that name a price at which they may buy. */
const PRICED = /"(?:price|stopPrice|stopLimitPrice|from|to|bound)":/;

/** Number of digits of an amount that depends on a price. */
const ABOUT_DIGITS = 4;

/** Returns about what an entry buys, in units of its coin; null if that is not known in advance. */
export function entryAmount({ json, value, bound, best }: IntentRecord): Units | null {
  const price = PRICED.test(json) ? bound : best;
  if (value === null || price === null || price === 0n) return null;
  const amount = divideDown(value * UNITS_PER_ONE, price);
  const rest = amount % 10n ** BigInt(Math.max(0, String(amount).length - ABOUT_DIGITS));
  return (amount - rest) as Units;
}

/** Describes an entry that waits: what it buys, for how much, and at which price at most. */
export function entryText(entry: IntentRecord): string {
  const { strategy, kind, market, value, bound } = entry;
  const where = market === null ? null : MARKET_NAMES.parseMarket(market);
  const quote = where === null ? '' : ` ${where.quote}`;
  const decimals = where === null ? null : MARKET_NAMES.decimalsOf(where.quote);
  const worth = value === null ? '' : ` for ${moneyText(formatUnits(value), decimals)}${quote}`;
  const amount = entryAmount(entry);
  const about = amount === null || where === null ? '' : ` about ${formatUnits(amount)} ${where.base}`;
  const most = bound === null ? '' : ` at ${groupedText(formatUnits(bound))}${quote} at most`;
  return `${strategy} buys${about}${market === null ? '' : ` in ${market}`} by ${kind}${worth}${most}`;
}
