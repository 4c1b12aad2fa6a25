import { monotonicMs } from '../budget/process-owner.ts';
import { SarrafError } from '../domain/errors.ts';
import { statsCall } from '../venues/port.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { VenueCall } from '../venues/port.ts';
import type { PlannedFeed } from '../scheduler/feed.ts';
import { PollQueue } from '../scheduler/poll-queue.ts';
import type { Cancel } from '../virtual/virtual-time.ts';
import type { RemoteExchange } from '../venues/live-venue.ts';
import type { Recording, RecordingSummary } from './run/recording.ts';
import { sendRequest } from '../venues/venue-caller.ts';
import { parseMarket } from '../exchange/market-names.ts';

/** A question waits for its slot no longer than this, or than its own interval. */
const SHORTEST_WAIT_MS = 5_000;

const STATUS_EVERY_MS = 1_000;

/** Progress of a recording. */
export interface RecordingStatus extends RecordingSummary {
  readonly nowMs: number;
  readonly requests: number;
  readonly failures: number;
  /** Last failure; null before the first. */
  readonly lastFailure: string | null;
  readonly budgets: readonly { readonly budget: string; readonly inUse: number; readonly limit: number }[];
}

interface MarketPollsOptions {
  readonly remote: RemoteExchange;
  readonly recording: Recording;
  readonly feeds: readonly PlannedFeed[];
  readonly markets: readonly MarketSymbol[];
  /** Duration of polling; null: until stopped. */
  readonly forMs: number | null;
  readonly signal: AbortSignal;
  /** Called once a second with the progress. */
  readonly onStatus: (status: RecordingStatus) => void;
}

/** Asks for each feed at its pace, and passes the answers to the recording. */
export class MarketPolls {
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
      recording.take(call, answer, nowMs, sentAtMs ?? nowMs);
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
    this.lookAtLedger();
    return {
      ...recording.summary(),
      nowMs: remote.time.now(),
      requests,
      failures,
      lastFailure,
      budgets: this.use,
    };
  }

  private lookAtLedger(): void {
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
