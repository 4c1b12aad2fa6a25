import type { RequestClass } from '../domain/rate-limit.ts';
import type { VenueCallKind } from '../venues/port.ts';

/** Kind of a feed's request; its time and cursor are filled in at the request. */
type FeedKind = Exclude<
  VenueCallKind,
  'place' | 'place-oco' | 'cancel' | 'cancel-old' | 'order' | 'transfer'
>;

/** Something that is asked for again and again. */
export interface Feed {
  /**
   * Unique, such as `book BTCIRT`, `books`, `stats`, `trades BTCIRT`, `candles BTCIRT 1h`, `orders`, `fills`,
   * `wallets`, `transactions`, `options`, `pools`, `margin-wallets`, `delegation-limit btc`.
   */
  readonly key: string;
  /** Candles are asked for at the close of each bar, so that their pace can not be changed. */
  readonly kind: FeedKind;
  /** Null for what is of the account, or of all markets. */
  readonly market: string | null;
  /** Currency of a delegation limit; left out of all else. */
  readonly currency?: string;
  /** The budget it is counted in. */
  readonly budget: string;
  readonly requestClass: RequestClass;
  /**
   * Polling interval if there were no other feed, and the age at which its data is no longer worth having.
   */
  readonly wantedAgeMs: number;
  readonly longestAgeMs: number;
  /** Longest age while no order is open. */
  readonly idleAgeMs: number;
  /** Requesters, as text for people: names of strategies, or parts of the bot itself. */
  readonly askers: readonly string[];
  /** The exchange's own cache: its answer can be this old. */
  readonly cacheMs: number;
  /**
   * Requests until all of it was seen once: wallets are asked for one after another, a bar now and then
   * twice.
   */
  readonly turns: number;
  /** Of a candidate of a universe: it is asked for while that market is followed, and not else. */
  readonly isPooled?: true;
}

/** A feed with its place in the plan. */
export interface PlannedFeed extends Feed {
  /**
   * From one question to the next while orders are open, and while none is. Bars are asked for at their
   * close: then it is their length.
   */
  readonly intervalMs: number;
  readonly idleIntervalMs: number;
  /**
   * The oldest its data can be when it is used: interval, wait for a slot, reply and the exchange's own
   * cache. In a full budget of several paces a slot can come later by one gap of the fastest.
   */
  readonly worstAgeMs: number;
  /** Longest time after its close until a bar is there; null for other feeds. */
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
  /** The book of a market that is traded and that no strategy looks at: the price collar alone needs it. */
  collar: { wantedMs: 10_000, longestMs: 30_000, idleMs: 10_000 },
  /** The price of the bridge, where a strategy holds both and nobody looks at it. */
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

/** A bar that comes later than this share of its length is no longer worth having. */
export const LATEST_BAR_SHARE = 0.5;

/** The ages that one strategy asks for, the same whether orders are open or not. */
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

/** The ages that please everybody who asks: the smallest of each. */
export function strictest(left: FeedAges, right: FeedAges): FeedAges {
  return {
    wantedMs: Math.min(left.wantedMs, right.wantedMs),
    longestMs: Math.min(left.longestMs, right.longestMs),
    idleMs: Math.min(left.idleMs, right.idleMs),
  };
}
