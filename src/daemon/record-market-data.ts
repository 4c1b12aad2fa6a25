import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { USUAL_REPLY_MS } from '../scheduler/default-ages.ts';
import type { PlannedFeed } from '../scheduler/feed.ts';
import { planPolls } from '../scheduler/plan-polls.ts';
import { book, stats, trades } from '../strategy/subscriptions.ts';
import type { WrapTransport } from '../venues/venue.ts';
import { ClockWatch, watchedTransport } from './run/clock-watch.ts';
import { planInputOf } from './create-plan.ts';
import { openRemoteExchange, readMarkets, type RemoteExchange } from '../venues/live-venue.ts';
import { MarketPolls, type RecordingStatus } from './market-polls.ts';
import { Recording, type RecordingSummary } from './run/recording.ts';
import { profileOf } from '../venues/interface-profile.ts';
import type { BotConfig, RecordConfig } from './create-bot-config.ts';

/**
 * As often as an answer can be another one: a book is cached for a second, a page of trades fits no more into
 * its limit.
 */
const WANTED = {
  book: { everyMs: 1_000 },
  trades: { everyMs: 4_000 },
  stats: { everyMs: 10_000 },
} as const;

/**
 * A recording does not refuse old data: it takes what the limits give. Beyond this it is no recording any
 * more.
 */
const LONGEST_AGE_MS = 600_000;

/** After so many intervals without a look something was missed. */
const PAUSE_INTERVALS = 5;
const LEAST_PAUSE_MS = 60_000;

interface RecordMarketDataOptions {
  /** The limits, the ledger and the name of the exchange. */
  readonly config: BotConfig;
  readonly baseUrl: string;
  /**
   * True if the limits already in the ledger remain valid, as without a configuration that sets other ones.
   */
  readonly isGuest: boolean;
  readonly markets: readonly MarketSymbol[];
  readonly record: RecordConfig;
  /** Duration of the recording; null: until stopped. */
  readonly forMs: number | null;
  readonly signal: AbortSignal;
  readonly onNotice: (message: string) => void;
  /** Called once a second with the progress. */
  readonly onStatus: (status: RecordingStatus) => void;
}

/**
 * Asks an exchange for the public data of some markets, as often as its limits allow, and records the
 * answers, until asked to end. Nothing else leaves. Throws `INVALID_MARKET` for a market that it does not
 * have, `INVALID_OPTIONS` for more markets than the limits allow.
 */
export async function recordMarketData(options: RecordMarketDataOptions): Promise<RecordingSummary> {
  const { config, baseUrl, isGuest, record, signal, onNotice } = options;
  const recording = new Recording({ ...record, onProblem: onNotice });
  try {
    // A wrong clock would close bars early and date all that was seen.
    const watched = watchedTransport(new ClockWatch(), onNotice, Date.now);
    const wrap: WrapTransport = (inner, nowMs) => recording.wrap(watched(inner, nowMs), nowMs);
    const remote = await openRemoteExchange({
      config,
      baseUrl,
      credentials: null,
      wrap,
      isGuest,
      onProblem: onNotice,
    });
    try {
      const known = await readMarkets(remote, { signal, onWait: onNotice });
      const feeds = feedsOf(checkMarkets(options, new Set(known.map(({ symbol }) => symbol))), remote);
      const slowestMs = Math.max(...feeds.map(({ intervalMs }) => intervalMs));
      const longestPauseMs = Math.max(LEAST_PAUSE_MS, slowestMs * PAUSE_INTERVALS);
      await recording.begin({ markets: options.markets, source: baseUrl, beganMs: null, longestPauseMs });
      await new MarketPolls({ ...options, remote, recording, feeds }).run();
    } finally {
      await remote.close();
    }
  } finally {
    await recording.close();
  }
  return recording.summary();
}

function checkMarkets(
  { markets, baseUrl }: RecordMarketDataOptions,
  known: ReadonlySet<string>,
): readonly MarketSymbol[] {
  const missing = markets.find((symbol) => !known.has(symbol));
  if (missing === undefined) return markets;
  throw new SarrafError('INVALID_MARKET', `expected markets of ${baseUrl}, was ${missing}`);
}

/**
 * Returns the feeds to poll and their intervals: the plan of a bot with one strategy that needs all of them
 * and trades nothing.
 */
function feedsOf(
  markets: readonly MarketSymbol[],
  { client, caller }: RemoteExchange,
): readonly PlannedFeed[] {
  const longest = { maxAgeMs: LONGEST_AGE_MS };
  const { feeds, problems } = planPolls({
    ...planInputOf([], client.budgets.values()),
    venue: profileOf(caller),
    subscriptions: markets.flatMap((market) =>
      [
        book(market, { ...WANTED.book, ...longest }),
        trades(market, { ...WANTED.trades, ...longest }),
        stats(market, { ...WANTED.stats, ...longest }),
      ].map((subscription) => ({ strategy: 'record', subscription })),
    ),
    usesAccount: false,
    replyMs: USUAL_REPLY_MS,
  });
  if (problems.length > 0) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      ['expected markets that the limits allow, were', ...problems].join('\n  '),
    );
  }
  // What the markets' steps are was read at the beginning.
  return feeds.filter(({ kind }) => kind !== 'options');
}
