import type { LimitOverrides } from '../../domain/rate-limit.ts';
import { closingAsync } from '../../domain/closing.ts';
import { UTC_BARS, type BarAnchors, TIMEFRAMES, timeframeMs } from '../../domain/candle.ts';
import { columnsOf } from '../../domain/candle-columns.ts';
import { invalidOptions } from '../../domain/errors.ts';
import type { FeeSchedule, Market } from '../../domain/market.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { Units } from '../../domain/money.ts';
import type { EngineNotice } from '../../engine/engine-event.ts';
import type { EngineSettings } from '../../engine/engine-settings.ts';
import type { JournalEntry } from '../../engine/mirror-change.ts';
import { budgetTable } from '../../exchange/client-options.ts';
import type { EndpointUsage } from '../../daemon/request-counts.ts';
import type { PollPlan } from '../../scheduler/plan-polls.ts';
import { timeText } from '../../recording/read-rows.ts';
import { VirtualTime, type Timeline } from '../../virtual/virtual-time.ts';
import {
  engineRecord,
  type EngineOutcome,
  type BacktestRun,
  type TradedMarket,
  type FidelityStatement,
  runWarning,
} from '../backtest-run.ts';
import { describePollRules } from '../describe-rules.ts';
import {
  MemoryMirror,
  type StoredMirror,
  createPollBot,
  planOf,
  type PollBot,
  type PollBotOptions,
  PollEquity,
  planWarnings,
} from './poll-bot.ts';
import { RecordedCaller, type RecordedCallerOptions } from '../../venues/recorded-caller.ts';
import { FollowedExchange, type FollowedExchangeOptions } from '../../venues/followed-exchange.ts';
import { createPollRules, type PollRules } from '../../venues/fill-rules.ts';
import {
  createTrack,
  OtherTrack,
  RecordedFeed,
  type MarketTracks,
  type OtherRecording,
  type Track,
} from './recorded-feed.ts';
import type { OtherVenues } from '../../venues/other-venues.ts';
import type { FollowedMarket } from '../../venues/followed-market.ts';
import { signalWarnings, type DatedSignal, DatedSignals } from '../signals.ts';
import { candleOf } from '../../venues/typed-adapter.ts';
import type { BotShell } from '../../daemon/bot-shell.ts';

/** One market with its recordings, in order of time. */
export interface PollMarket extends MarketTracks {
  readonly market: Market;
}

export interface PollRunOptions extends Pick<FollowedExchangeOptions, 'feeCoin'> {
  /** Settings of the engine, without markets and feeds: they come from the recordings and the plan. */
  readonly settings: Omit<EngineSettings, 'markets' | 'feeds' | 'venue'>;
  readonly markets: readonly PollMarket[];
  /** Other venues whose books strategies read, with the recordings; default: none. */
  readonly others?: OtherVenues;
  readonly otherBooks?: readonly OtherRecording[];
  readonly fees: FeeSchedule;
  /** Initial balances by currency code in lower case. */
  readonly balances: Readonly<Record<string, Units>>;
  readonly quote: Currency;
  /** Rate limits that differ from those of the interface, by the name of their budget. */
  readonly limits?: LimitOverrides;
  /** Share of each rate limit that the bot leaves unused; default: 0.02. */
  readonly headroom?: number | undefined;
  readonly rules?: Partial<PollRules>;
  /** External signals to strategies, with their times; default: none. */
  readonly signals?: readonly DatedSignal[];
  /** Start of the bot in ms, or later, once every market has a book. Default: the first book. */
  readonly fromMs?: number;
  /** Time at which the market stops changing; default: the end of the recordings. */
  readonly toMs?: number;
  /** Time between two points of the curve; default: a minute. */
  readonly curveEveryMs?: number;
  /** Called from time to time with the bot's time and the number of processed books and trades. */
  readonly onProgress?: (atMs: number, rows: number) => void;
  readonly onNotices?: (notices: readonly EngineNotice[], atMs: number) => void;
  readonly onJournal?: (entry: JournalEntry, atMs: number) => void;
  /** Receives everything that the bot stores, like the mirror of a live bot. */
  readonly mirror?: StoredMirror;
  /** Answers a call in place of the exchange; null lets the exchange answer. */
  readonly answerInstead?: RecordedCallerOptions['answerInstead'];
  /** Called with every answer just before the engine gets it. Must not throw. */
  readonly onAnswer?: PollBotOptions['onAnswer'];
}

/** Outcome of a run on recorded books and trades. */
export interface PollRun
  extends EngineOutcome, Pick<BacktestRun, 'markets' | 'fidelity' | 'warnings' | 'fromMs' | 'toMs'> {
  readonly plan: PollPlan;
  /** Requests that were sent, by endpoint. */
  readonly requests: readonly EndpointUsage[];
  /** SHA-256 of the journal; the same input gives the same hash. */
  readonly journalHash: string;
  /** Number of processed books and trades, plus the requests. */
  readonly events: number;
}

const CURVE_EVERY_MS = 60_000;

/** Longest time for the bot to learn of its last fills: until an unanswered order counts as absent. */
const LONGEST_END_MS = 600_000;
const END_STEP_MS = 1_000;

/** Maximum number of bars that a report draws. */
const MOST_BARS = 2_000;

/** Time between two progress reports, in the bot's time. */
const PROGRESS_EVERY_MS = 60_000;

/**
 * Runs the whole live bot on recordings: it polls by its plan, within its budgets, and sees nothing before a
 * reply has brought it. The market gets recorded rows when time reaches them; at most one later chunk per
 * stream is in memory, and the bot cannot reach it. At the end the market stops until the bot knows the
 * outcome of its orders.
 * @throws SarrafError `INVALID_OPTIONS` where the plan exceeds the limits or the range has no books,
 * `DATA_UNUSABLE` where a market has no books at all.
 */
export async function runPoll(options: PollRunOptions): Promise<PollRun> {
  const { markets, quote, fees, balances, limits = {}, fromMs = Number.NEGATIVE_INFINITY } = options;
  const rules = createPollRules(options.rules);
  const budgets = budgetTable(limits, options.headroom);
  const plan = planOf(options.settings.instances, budgets, options.others);
  // The anchors of all recorded bars together say where bars of each length begin.
  const exchange = new FollowedExchange({
    markets: markets.map(({ market, trades, bars = [] }) => ({
      market,
      hasTrades: trades !== null,
      barAnchors:
        bars.length === 0
          ? undefined
          : (Object.assign({}, ...bars.map(({ columns }) => columns.anchors ?? UTC_BARS)) as BarAnchors),
    })),
    fees,
    ...(options.feeCoin !== undefined && { feeCoin: options.feeCoin }),
    balances,
    limits,
    startMs: Number.isFinite(fromMs) ? fromMs : 0,
    rules,
  });
  const tracks = exchange.markets.map((market, index) => createTrack(market, recordingOf(markets, index)));
  const others = (options.otherBooks ?? []).map((recording) => new OtherTrack(recording));
  await using feed = closingAsync(new RecordedFeed(tracks, others));
  const firstMs = Math.max(fromMs, await feed.firstBooksMs());
  // Passes what was recorded before the bot begins, chunk by chunk.

  for (let { horizonMs } = feed; horizonMs < firstMs; { horizonMs } = feed) {
    feed.advance(horizonMs);
    await feed.readTo(horizonMs + 1);
  }
  feed.advance(firstMs);
  const endMs = options.toMs ?? Number.POSITIVE_INFINITY;
  if (firstMs >= endMs || (feed.horizonMs === Number.POSITIVE_INFINITY && firstMs > feed.lastMs)) {
    const there =
      firstMs >= endMs ? `the first are of ${timeText(firstMs)}` : `the last are of ${timeText(feed.lastMs)}`;
    throw invalidOptions(`expected recorded books from ${timeText(fromMs)} to ${timeText(endMs)}: ${there}`);
  }
  const run = new PollLife({ options, rules, exchange, feed, others, plan, firstMs, endMs });
  await run.toEnd();
  return run.result(tracks, { fidelity: describePollRules(rules), quote });
}

/** One run of the bot, from its first moment to the end of the recordings. */
class PollLife {
  private readonly options: PollRunOptions;
  private readonly exchange: FollowedExchange;
  private readonly feed: RecordedFeed;
  private readonly time: VirtualTime;
  private readonly mirror: MemoryMirror;
  private readonly bot: PollBot;
  private readonly equity: PollEquity;
  private readonly initialEquity: Units;
  private readonly firstPrices: readonly Units[];
  private readonly fromMs: number;
  private readonly endMs: number;
  private readonly marginMs: number;
  private toMs: number;
  private finalEquity: Units;

  constructor(of: {
    readonly options: PollRunOptions;
    readonly rules: PollRules;
    readonly exchange: FollowedExchange;
    readonly feed: RecordedFeed;
    readonly others: readonly OtherTrack[];
    readonly plan: PollPlan;
    readonly firstMs: number;
    readonly endMs: number;
  }) {
    const { options, rules, exchange, feed, firstMs } = of;
    const {
      settings,
      markets,
      quote,
      limits = {},
      onJournal = null,
      mirror = null,
      onNotices,
      onAnswer,
    } = options;
    const { others = new Map() } = options;
    const trackOf = new Map(of.others.map((track) => [track.market, track]));
    this.options = options;
    this.exchange = exchange;
    this.feed = feed;
    this.fromMs = firstMs;
    this.endMs = of.endMs;
    this.toMs = firstMs;
    this.time = new VirtualTime(firstMs);
    this.mirror = new MemoryMirror(onJournal, mirror);
    const budgets = budgetTable(limits, options.headroom);
    const caller = new RecordedCaller({
      exchange,
      time: this.time.plain,
      latency: rules.latency,
      budgets,
      advance: (timeMs) => feed.advance(Math.min(timeMs, this.endMs)),
      others: {
        facts: others,
        answer: (call) => (call.kind === 'book' ? (trackOf.get(call.market)?.answer() ?? null) : null),
      },
      answerInstead: options.answerInstead,
    });
    this.bot = createPollBot({
      settings: { ...settings, venue: exchange.profile, markets: markets.map(({ market }) => market) },
      budgets,
      others,
      time: this.time.plain,
      caller,
      mirror: this.mirror,
      ...(onNotices === undefined ? {} : { onNotices }),
      ...(onAnswer === undefined ? {} : { onAnswer }),
    });
    this.equity = new PollEquity(exchange, quote);
    this.initialEquity = this.equity.exact();
    this.finalEquity = this.initialEquity;
    this.firstPrices = exchange.markets.map(({ price }) => price);
    const slowest = of.plan.feeds
      .filter(({ key }) => key === 'orders' || key === 'fills')
      .reduce((most, { intervalMs, idleIntervalMs }) => Math.max(most, intervalMs, idleIntervalMs), 0);
    this.marginMs = 2 * slowest + rules.tradesLagMs;
  }

  async toEnd(): Promise<void> {
    const { time, bot, feed } = this;
    this.notePoints();
    bot.shell.start();
    new SignalFeeder(this.options.signals ?? [], {
      time: time.plain,
      ...bot,
      fromMs: this.fromMs,
      toMs: this.endMs,
    }).start();
    for (;;) {
      await feed.readTo(time.now() + 1);
      const untilMs = Math.min(this.endMs, Number.isFinite(feed.horizonMs) ? feed.horizonMs : feed.lastMs);
      for (let atMs = time.now(); atMs < untilMs;) {
        atMs = Math.min(untilMs, atMs + PROGRESS_EVERY_MS);
        await this.runTo(atMs);
        this.options.onProgress?.(atMs, feed.rows);
      }
      if (untilMs === this.endMs || !Number.isFinite(feed.horizonMs)) break;
    }
    this.toMs = time.now();
    feed.advance(this.toMs);
    this.equity.note(this.toMs);
    this.finalEquity = this.equity.exact();
    await this.readRest();
    bot.shell.close();
    this.options.onProgress?.(this.toMs, feed.rows);
  }

  result(
    tracks: readonly Track[],
    of: { readonly fidelity: FidelityStatement; readonly quote: Currency },
  ): PollRun {
    const { bot, mirror, equity, feed } = this;
    const { plan, engine, counts } = bot;
    const { instances } = this.options.settings;
    const unvalued = equity.unvalued.map((asset) =>
      runWarning('warning.unvaluedAsset', { asset: { currency: asset }, quote: { currency: of.quote } }),
    );
    return {
      orders: mirror.orders,
      fills: mirror.fills,
      curve: equity.curve(),
      initialEquity: this.initialEquity,
      finalEquity: this.finalEquity,
      ...engineRecord(engine),
      plan,
      requests: counts.usage(),
      markets: this.exchange.markets.map((market, index) => this.tradedMarket(market, index)),
      fidelity: of.fidelity,
      warnings: [
        ...planWarnings(tracks, { feeds: plan.feeds, instances }),
        ...unvalued,
        ...signalWarnings(this.options.signals ?? [], { instances, fromMs: this.fromMs, toMs: this.toMs }),
      ],
      fromMs: this.fromMs,
      toMs: this.toMs,
      journalHash: mirror.journalHash(),
      events: feed.rows + counts.total,
    };
  }

  /** Drains the bot: it plans nothing more, its orders stay, and it polls until it knows their outcome. */
  private async readRest(): Promise<void> {
    const { time, bot } = this;
    bot.shell.control({ kind: 'drain', openOrders: 'keep' });
    const leastMs = time.now() + this.marginMs;
    const mostMs = leastMs + LONGEST_END_MS;
    while (time.now() < leastMs || (!bot.engine.isDrained() && time.now() < mostMs)) {
      await this.runTo(Math.min(mostMs, time.now() + END_STEP_MS));
    }
  }

  private async runTo(untilMs: number): Promise<void> {
    await this.time.run(untilMs);
    this.bot.shell.throwIfFailed();
  }

  /** Adds a point to the curve at each interval until the market stops. */
  private notePoints(): void {
    const everyMs = this.options.curveEveryMs ?? CURVE_EVERY_MS;
    const { time, feed } = this;
    const next = (): void => {
      time.atPlainly(time.now() + everyMs, () => {
        const nowMs = time.now();
        if (nowMs >= this.endMs || this.toMs > this.fromMs) return;
        feed.advance(nowMs);
        this.equity.note(nowMs);
        next();
      });
    };
    next();
  }

  private tradedMarket(market: FollowedMarket, index: number): TradedMarket {
    const { state, price } = market;
    const spanMs = this.toMs - this.fromMs;
    const timeframe = TIMEFRAMES.find((candidate) => spanMs / timeframeMs(candidate) <= MOST_BARS) ?? '1d';
    const bars = state.candles
      .bars(timeframe)
      .filter(({ openTimeMs }) => state.candles.grid(timeframe).endOf(openTimeMs) > this.fromMs);
    return {
      market: state.rules,
      firstPrice: this.firstPrices[index] ?? price,
      lastPrice: price,
      candles: columnsOf(
        { market: state.rules.symbol, timeframe, anchors: state.candles.anchors },
        bars.map((bar) => candleOf(state.grid, bar)),
      ),
    };
  }
}

function recordingOf(markets: readonly PollMarket[], index: number): MarketTracks {
  const market = markets[index];
  if (market === undefined) throw new RangeError(`expected a market below ${markets.length}, was ${index}`);
  return market;
}

interface SignalFeederOptions {
  readonly time: Timeline;
  readonly shell: Pick<BotShell, 'control'>;
  /** Range of the signals in ms; signals outside are omitted. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Delivers signals to a bot in virtual time, each at its time. */
class SignalFeeder {
  private readonly signals: DatedSignals;
  private readonly options: SignalFeederOptions;

  constructor(signals: readonly DatedSignal[], options: SignalFeederOptions) {
    this.signals = new DatedSignals(signals, options.fromMs);
    this.options = options;
  }

  start(): void {
    const { time, shell, toMs } = this.options;
    const { nextMs } = this.signals;
    if (nextMs >= toMs) return;
    time.at(nextMs, () => {
      for (const command of this.signals.drainUntil(time.now())) shell.control(command);
      this.start();
    });
  }
}
