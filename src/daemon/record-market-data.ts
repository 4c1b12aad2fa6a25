import { SarrafError, invalidOptions } from '../domain/errors.ts';
import { closingAsync } from '../domain/closing.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { USUAL_REPLY_MS, type PlannedFeed } from '../scheduler/feed.ts';
import { planPolls } from '../scheduler/plan-polls.ts';
import { book, stats, trades } from '../strategy/subscriptions.ts';
import type { WrapTransport } from '../venues/venue.ts';
import { ClockWatch, watchedTransport } from './run/clock-watch.ts';
import { planInputOf } from './create-plan.ts';
import { openRemoteExchange, readMarkets, type RemoteExchange } from '../venues/live-venue.ts';
import { Recording, type RecordingSummary } from './run/recording.ts';
import type { BotConfig, RecordConfig } from './create-bot-config.ts';
import { monotonicMs } from '../budget/process-owner.ts';
import { statsCall, type VenueCall } from '../venues/port.ts';
import { PollQueue } from '../scheduler/poll-queue.ts';
import type { Cancel } from '../virtual/virtual-time.ts';
import { sendRequest } from '../venues/venue-caller.ts';
import { parseMarket } from '../exchange/market-names.ts';

/**
 * Interval of polls: the shortest in which an answer can change. A book is cached for a second; pages of
 * trades are bound by their limit.
 */
const WANTED = {
  book: { everyMs: 1_000 },
  trades: { everyMs: 4_000 },
  stats: { everyMs: 10_000 },
} as const;

/**
 * Oldest age of data that the plan of a recording accepts, in ms. A recording refuses no old data, and polls
 * as the limits allow; at more than this it is no recording any more.
 */
const LONGEST_AGE_MS = 600_000;

/** Intervals without a poll after which the recording has a gap. */
const PAUSE_INTERVALS = 5;
const LEAST_PAUSE_MS = 60_000;

interface RecordMarketDataOptions {
  /** The bot's configuration: the limits, the ledger and the name of the exchange. */
  readonly config: BotConfig;
  readonly baseUrl: string;
  /** True if the limits already in the ledger stay valid, as without a configuration that sets others. */
  readonly isGuest: boolean;
  readonly markets: readonly MarketSymbol[];
  readonly record: RecordConfig;
  /** Duration of the recording, in ms; null: until stopped. */
  readonly forMs: number | null;
  readonly signal: AbortSignal;
  readonly onNotice: (message: string) => void;
  /** Called once a second with the progress. */
  readonly onStatus: (status: RecordingStatus) => void;
}

/**
 * Polls an exchange for the public data of some markets, as often as its limits allow, and records the
 * answers until stopped. It sends nothing else. Throws `INVALID_MARKET` for a market that the exchange lacks,
 * `INVALID_OPTIONS` for more markets than the limits allow.
 */
export async function recordMarketData(options: RecordMarketDataOptions): Promise<RecordingSummary> {
  const { config, baseUrl, isGuest, record, signal, onNotice } = options;
  const recording = new Recording({ ...record, onProblem: onNotice });
  try {
    // A wrong clock would close bars early and give all data wrong dates.
    const watched = watchedTransport(new ClockWatch(), onNotice, Date.now);
    const wrap: WrapTransport = (inner, nowMs) => recording.wrap(watched(inner, nowMs), nowMs);
    await using remote = closingAsync(
      await openRemoteExchange({
        config,
        baseUrl,
        credentials: null,
        wrap,
        isGuest,
        onProblem: onNotice,
      }),
    );
    const known = await readMarkets(remote, { signal, onWait: onNotice });
    const feeds = feedsOf(checkMarkets(options, new Set(known.map(({ symbol }) => symbol))), remote);
    const slowestMs = Math.max(...feeds.map(({ intervalMs }) => intervalMs));
    const longestPauseMs = Math.max(LEAST_PAUSE_MS, slowestMs * PAUSE_INTERVALS);
    await recording.begin({ markets: options.markets, source: baseUrl, beganMs: null, longestPauseMs });
    await new MarketPolls({ ...options, remote, recording, feeds }).run();
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
  { connection, profile }: RemoteExchange,
): readonly PlannedFeed[] {
  const longest = { maxAgeMs: LONGEST_AGE_MS };
  const { feeds, problems } = planPolls({
    ...planInputOf([], connection.budgets.values(), profile),
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
    throw invalidOptions(['expected markets that the limits allow, were', ...problems].join('\n  '));
  }
  // The steps of the markets were read at the beginning.
  return feeds.filter(({ kind }) => kind !== 'options');
}

/** Longest wait of a request for its slot, in ms; the feed's own interval if that is longer. */
const SHORTEST_WAIT_MS = 5_000;

const STATUS_EVERY_MS = 1_000;

/** Progress of a recording. */
export interface RecordingStatus extends RecordingSummary {
  readonly nowMs: number;
  readonly requests: number;
  readonly failures: number;
  /** Message of the last failure; null before the first. */
  readonly lastFailure: string | null;
  readonly budgets: readonly { readonly budget: string; readonly inUse: number; readonly limit: number }[];
}

interface MarketPollsOptions extends Pick<RecordMarketDataOptions, 'markets' | 'signal' | 'onStatus'> {
  readonly remote: RemoteExchange;
  readonly recording: Recording;
  readonly feeds: readonly PlannedFeed[];
  /** Duration of polling, in ms; null: until stopped. */
  readonly forMs: number | null;
}

/** Polls each feed at its interval, and passes the answers to the recording. */
class MarketPolls {
  private readonly options: MarketPollsOptions;
  private readonly queue: PollQueue;
  private readonly budgets: ReadonlySet<string>;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly ended = Promise.withResolvers<void>();
  private cancelWake: Cancel | null = null;
  private requests = 0;
  private failures = 0;
  private lastFailure: string | null = null;
  private isOver = false;
  private use: RecordingStatus['budgets'] = [];

  constructor(options: MarketPollsOptions) {
    this.options = options;
    this.queue = new PollQueue(options.feeds, options.remote.time.now());
    this.budgets = new Set(options.feeds.map(({ budget }) => budget));
  }

  async run(): Promise<void> {
    const { signal, forMs, onStatus } = this.options;
    const end = (): void => this.ended.resolve();
    signal.addEventListener('abort', end, { once: true });
    const timer = forMs === null ? null : setTimeout(end, forMs);
    const status = setInterval(() => {
      onStatus(this.status());
      if (this.options.recording.summary().failure !== null) end();
    }, STATUS_EVERY_MS);
    try {
      if (!signal.aborted) this.pump();
      if (!signal.aborted) await this.ended.promise;
    } finally {
      this.isOver = true;
      this.cancelWake?.();
      clearInterval(status);
      if (timer !== null) clearTimeout(timer);
      signal.removeEventListener('abort', end);
      await this.options.remote.limiter.close();
      await Promise.allSettled(this.inFlight);
      onStatus(this.status());
    }
  }

  private pump(): void {
    if (this.isOver) return;
    const nowMs = this.options.remote.time.now();
    for (let feed = this.queue.due(nowMs); feed !== null; feed = this.queue.due(nowMs)) {
      this.queue.asked(feed.key, nowMs);
      const asked = this.ask(feed);
      this.inFlight.add(asked);
      void asked.finally(() => this.inFlight.delete(asked));
    }
    this.cancelWake?.();
    const wakeAtMs = this.queue.wakeAtMs();
    this.cancelWake = Number.isFinite(wakeAtMs)
      ? this.options.remote.time.at(wakeAtMs, () => this.pump())
      : null;
  }

  private async ask(feed: PlannedFeed): Promise<void> {
    const { remote, recording, markets } = this.options;
    const { time } = remote;
    const call = callFor(feed, markets);
    this.requests += 1;
    try {
      const { answer, sentAtMs } = await sendRequest(
        {
          call,
          requestClass: feed.requestClass,
          dedupe: feed.key,
          expiresAtMs: time.now() + Math.max(SHORTEST_WAIT_MS, feed.intervalMs),
        },
        { ...remote, canLogIn: false, engineMs: () => time.now(), limiterMs: monotonicMs },
      );
      const nowMs = time.now();
      recording.apply(call, answer, nowMs, sentAtMs ?? nowMs);
      if (answer.outcome !== 'value' && !this.isOver) {
        this.failures += 1;
        this.lastFailure =
          answer.outcome === 'unsent'
            ? `${feed.key}: ${answer.reason}`
            : `${feed.key}: ${answer.code} ${answer.message}`;
        if (answer.outcome === 'unsent' && typeof answer.retryInMs === 'number') {
          this.queue.postpone(feed.key, nowMs + answer.retryInMs);
        }
      }
      this.queue.answered(feed.key, nowMs);
      this.pump();
    } catch (error) {
      this.ended.reject(error);
    }
  }

  private status(): RecordingStatus {
    const { requests, failures, lastFailure } = this;
    const { remote, recording } = this.options;
    this.checkLedger();
    return {
      ...recording.summary(),
      nowMs: remote.time.now(),
      requests,
      failures,
      lastFailure,
      budgets: this.use,
    };
  }

  private checkLedger(): void {
    try {
      this.use = this.options.remote.ledger
        .rows()
        .filter(({ budget }) => this.budgets.has(budget))
        .map(({ budget, inUse, limit }) => ({ budget, inUse, limit }));
    } catch {
      // Another process locks it: the last reading is good enough.
    }
  }
}

function callFor({ kind, market }: PlannedFeed, markets: readonly MarketSymbol[]): VenueCall {
  if (kind === 'book' || kind === 'public-trades') return { kind, market: market ?? '' };
  if (kind === 'books') return { kind };
  if (kind === 'stats') return statsCall(markets.map(parseMarket));
  throw new SarrafError('INVARIANT', `expected a feed of market data, was ${kind}`);
}
