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
