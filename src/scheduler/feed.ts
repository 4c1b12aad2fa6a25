import type { RequestClass } from '../domain/rate-limit.ts';
import type { VenueCallKind } from '../venues/port.ts';

/** Kind of a feed's request; its time and cursor are filled in at the request. */
type FeedKind = Exclude<
  VenueCallKind,
  'place' | 'place-oco' | 'cancel' | 'cancel-old' | 'order' | 'transfer'
>;

/** Data that is polled repeatedly. */
export interface Feed {
  /**
   * Unique, such as `book BTCIRT`, `books`, `stats`, `trades BTCIRT`, `candles BTCIRT 1h`, `orders`, `fills`,
   * `wallets`, `transactions`, `options`, `pools`, `margin-wallets`, `delegation-limit btc`.
   */
  readonly key: string;
  /** Kind of request. Candles are requested at the close of each bar, so their interval is fixed. */
  readonly kind: FeedKind;
  /** Null for data of the account, or of all markets. */
  readonly market: string | null;
  /** Currency of a delegation limit; left out for all other kinds. */
  readonly currency?: string;
  /** The budget in which the request is counted. */
  readonly budget: string;
  readonly requestClass: RequestClass;
  /** Polling interval if there were no other feed, and the greatest age at which its data is of use. */
  readonly wantedAgeMs: number;
  readonly longestAgeMs: number;
  /** Longest age while no order is open. */
  readonly idleAgeMs: number;
  /** Requesters, as text for people: names of strategies, or parts of the bot itself. */
  readonly askers: readonly string[];
  /** Time for which the exchange caches its answer, which can be that old. */
  readonly cacheMs: number;
  /** Requests until all of its data was seen once: wallets are requested in turn, and some bars twice. */
  readonly turns: number;
  /** Requests of one poll: it reads one list after the other where each market has own lists. */
  readonly lists: number;
  /** Units of the budget that each request takes. */
  readonly weight: number;
  /** True for a candidate of a universe: requested only while its market is followed. */
  readonly isPooled?: true;
}

/** A feed with its place in the plan. */
export interface PlannedFeed extends Feed {
  /** Interval between requests while orders are open, and while none is. For bars it is their length. */
  readonly intervalMs: number;
  readonly idleIntervalMs: number;
  /**
   * Greatest age of its data when used: interval, wait for a slot, reply and the exchange's cache. In a full
   * budget with several intervals a slot can come later by the shortest of them.
   */
  readonly worstAgeMs: number;
  /** Longest time in ms from its close until a bar is there; null for other feeds. */
  readonly latestAfterCloseMs: number | null;
}

/** Ages of a kind of data: the target, the maximum, and the target while no order is open. */
export interface FeedAges {
  readonly wantedMs: number;
  readonly longestMs: number;
  readonly idleMs: number;
}

/** Ages for what the bot itself needs. */
export const OWN_AGES = {
  /** The book of a traded market that no strategy reads: only the price collar needs it. */
  collar: { wantedMs: 10_000, longestMs: 30_000, idleMs: 10_000 },
  /** The price of the bridge, if a strategy holds both quote currencies and none reads it. */
  bridge: { wantedMs: 30_000, longestMs: 300_000, idleMs: 60_000 },
  orders: { wantedMs: 3_000, longestMs: 30_000, idleMs: 15_000 },
  fills: { wantedMs: 3_000, longestMs: 30_000, idleMs: 15_000 },
  wallets: { wantedMs: 10_000, longestMs: 120_000, idleMs: 10_000 },
  transactions: { wantedMs: 60_000, longestMs: 600_000, idleMs: 60_000 },
  options: { wantedMs: 600_000, longestMs: 3_600_000, idleMs: 600_000 },
} as const satisfies Record<string, FeedAges>;

/** Longest reply time in ordinary conditions, if nothing was measured. */
export const USUAL_REPLY_MS = 500;

/** Delay after its close at which a missing bar is requested once more. */
export const BAR_RETRY_MS = 2_000;

/** Latest time of use of a bar after its close, as a share of its length. */
export const LATEST_BAR_SHARE = 0.5;

/** Returns the ages that one strategy requests, the same with and without open orders. */
export function agesOf({
  everyMs,
  maxAgeMs,
}: {
  readonly everyMs: number;
  readonly maxAgeMs: number;
}): FeedAges {
  const wantedMs = Math.min(everyMs, maxAgeMs);
  return { wantedMs, longestMs: maxAgeMs, idleMs: wantedMs };
}

/** Returns ages that satisfy both: the smaller of each. */
export function strictest(left: FeedAges, right: FeedAges): FeedAges {
  return {
    wantedMs: Math.min(left.wantedMs, right.wantedMs),
    longestMs: Math.min(left.longestMs, right.longestMs),
    idleMs: Math.min(left.idleMs, right.idleMs),
  };
}
