import { cellUnits, columnScale, firstBarFrom, type CandleColumns } from '../domain/candle-columns.ts';
import { present, SarrafError, invalidOptions, invalidStrategy } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { formatUnits, type Units } from '../domain/money.ts';
import type { VenueAnswer, VenueCall, WalletReading } from '../venues/port.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOutput, EngineEvent, VenueEvent } from '../engine/engine-event.ts';
import type { EngineSettings } from '../engine/engine-settings.ts';
import { EMPTY_MIRROR_STATE, type MirrorChange, type MirrorState } from '../engine/mirror-change.ts';
import { engineRecord, type EngineOutcome, EquityRecorder, RunRecords } from './backtest-run.ts';
import type { CandleListener } from '../engine/strategy-dispatcher.ts';
import { MOST_AHEAD } from '../strategy/column-candle.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import type { UniverseReport } from '../engine/universe-manager.ts';
import { BarFeed, BarQueue, type WantedFeed } from './bar-queue.ts';
import { BarStatistics } from './bar-statistics.ts';
import { DatedSignals, type DatedSignal } from './signals.ts';
import type { BarFillSimulator } from '../venues/bar-fill-simulator.ts';
import type { EquityValuer } from '../venues/equity-valuer.ts';
import type { StrategyInstance } from '../engine/strategy-instance.ts';

/** One market with its recorded bars. Bars before `fromMs` of the run are the past and warm up strategies. */
export interface RunMarket {
  readonly market: Market;
  readonly columns: CandleColumns;
  /**
   * Finer bars, possibly with gaps. Where they agree with a bar, the price path inside it follows them.
   * Strategies do not see them.
   */
  readonly detail?: CandleColumns | undefined;
}

/** Restarts of a bot in the middle of a run. */
export interface RunRestarts {
  /** Restart times in ms since 1970, rising. The bot restarts once all open bars have closed. */
  readonly atMs: readonly number[];
  /**
   * End of the bot before a restart: killed without notice, or stopped in order. In order, its entries are
   * canceled and the exits of its holdings stay open.
   */
  readonly ending: 'killed' | 'keep-exits';
  /** Stored state, which is updated with each change and loaded when the bot restarts. */
  readonly state: {
    apply(change: MirrorChange): void;
    load(nowMs: number): MirrorState;
  };
  /** Creates its strategies anew for the restart at `atMs`. */
  readonly newInstances: (atMs: number) => EngineSettings['instances'];
  /**
   * Returns the time from which the past warms up the strategies, also at the first start. Default: the first
   * bar.
   */
  readonly pastFromMs?: (atMs: number) => number;
}

export interface CandleRunOptions {
  /** Settings of the engine, without those that a run on bars sets itself. */
  readonly settings: Omit<EngineSettings, 'markets' | 'feeds' | 'reconciliation' | 'venue'>;
  readonly markets: readonly RunMarket[];
  readonly venue: BarFillSimulator;
  readonly quote: Currency;
  readonly fromMs: number;
  /** External signals to strategies, with their times; default: none. */
  readonly signals?: readonly DatedSignal[];
  /** Restarts of the bot during the run, as a test requires them; default: none. */
  readonly restarts?: RunRestarts;
  /** Answers a call in place of the exchange; null lets the exchange answer. */
  readonly answerInstead?: (call: VenueCall) => VenueAnswer | null;
  /** Called from time to time in long runs, with the number of processed bars and of all bars. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Outcome of a run on bars. */
export interface CandleRun extends EngineOutcome {
  readonly bars: number;
  readonly universes: readonly UniverseReport[];
}

/** Maximum number of requests at a moment: a strategy may answer each fill with another order. */
const MOST_REQUESTS_A_MOMENT = 5_000;

/** Maximum number of polls until the bot has stopped; few are needed: cancels are answered at once. */
const MOST_POLLS_AT_AN_END = 100;

/** Bars between two progress reports: often enough for a slow strategy. The receiver limits their rate. */
const PROGRESS_EVERY_BARS = 1_000;

/**
 * Runs the engine on recorded bars. When a bar begins, the exchange fills taker orders at its open and
 * notifies the engine. When it closes, the exchange fills the orders that were open meanwhile and notifies
 * the engine; then the strategies see the bar, and then timers of that moment fire. Finer bars inside a bar
 * are processed alike, but strategies do not see them. The engine gets one bar at a time, so nothing later
 * than the current moment is reachable.
 */
export class CandleRunner {
  private readonly options: CandleRunOptions;
  private engine: Engine;
  private queues: readonly BarQueue[];
  private readonly records = new RunRecords();
  private readonly equity: EquityRecorder;
  /** Number of bars to process. */
  private readonly total: number;
  /** Number of processed bars, and the time at which the last one closed. */
  private done = 0;
  private endMs = 0;
  private wakeAtMs = Number.POSITIVE_INFINITY;
  /** Queues whose bars close at this moment; only the first entries are valid, since the list is reused. */
  private readonly closing: BarQueue[] = [];
  /** Queues among `closing` that closed a bar which strategies see; reused in the same way. */
  private readonly whole: BarQueue[] = [];
  /** Output of the engine for the last bar. */
  private lastOutput: EngineOutput | null = null;
  private wallets: readonly WalletReading[] = [];
  private readonly valuer: EquityValuer;
  private readonly signals: DatedSignals;
  private statistics: BarStatistics;
  /** False if a strategy never sleeps, or gets recorded bars of several markets: each may wake it. */
  private readonly canSleep: boolean;
  /** Number of restarts so far. */
  private restarted = 0;
  /** Strategies of the engines before the restarts. */
  private readonly pastInstances: StrategyInstance[] = [];

  constructor(options: CandleRunOptions) {
    this.options = options;
    const { settings, markets, fromMs } = options;
    const pastFromMs = options.restarts?.pastFromMs?.(fromMs) ?? null;
    this.signals = new DatedSignals(options.signals ?? [], fromMs);
    this.engine = this.engineOf(settings.instances, { ...EMPTY_MIRROR_STATE, epoch: 'back' }, fromMs);
    this.queues = markets.map((market, index) => this.queueOf(market, { index, fromMs, pastFromMs }));
    this.statistics = new BarStatistics(this.queues);
    const listening = this.queues.flatMap(({ feeds }) =>
      feeds.flatMap(({ feed, listeners }) => (feed.isOneToOne ? listeners : [])),
    );
    this.canSleep =
      this.engine.instances.every(({ runner }) => runner.maySleep) &&
      new Set(listening.map(({ instance }) => instance)).size === listening.length;
    this.total = this.queues.reduce((sum, { columns, next }) => sum + columns.length - next, 0);
    this.valuer = options.venue.valuer(
      options.quote,
      new Map(this.queues.flatMap((queue) => firstPriceOf(queue) ?? [])),
    );
    const most = this.queues.reduce(
      (length, { columns, next }) => Math.max(length, columns.length - next),
      0,
    );
    this.equity = new EquityRecorder(most, this.valuer);
  }

  /** Runs to the last bar. Throws `INVALID_OPTIONS` if there is no bar. */
  run(): CandleRun {
    const { total, records } = this;
    if (total === 0) throw invalidOptions('expected bars to run through, were none in this range');
    const initialEquity = this.begin();
    while (this.closeSome()) this.options.onProgress?.(this.done, total);
    this.options.onProgress?.(this.done, total);
    for (const order of this.engine.unfinishedOrders()) records.noteOrder(order);
    const { orders } = records;
    // The run is over and strategies are notified. The orders' outcome after this is not part of it.
    this.engine.step({
      kind: 'control',
      atMs: this.endMs,
      command: { kind: 'drain', openOrders: 'keep' },
    });
    return {
      orders,
      fills: records.fills,
      curve: this.equity.curve,
      initialEquity,
      finalEquity: this.valuer.exact(),
      bars: this.done,
      ...engineRecord(this.engine, this.pastInstances),
      universes: this.engine.universes.reports(),
    };
  }

  /** Processes bars until the next progress report. Returns false after the last bar. */
  private closeSome(): boolean {
    const untilDone = this.done + PROGRESS_EVERY_BARS;
    while (this.done < untilDone) {
      if (this.canSleep) this.sleep();
      const nextMs = this.nextMs();
      if (nextMs === Number.POSITIVE_INFINITY) return false;
      if (this.dueMs < nextMs) this.wakeUntil(nextMs);
      const closed = this.closeBars(nextMs);
      // Signals at the moment of a restart wait until the bot has restarted, as live ones do.
      const beginsAgain = this.beginsAgainBy(nextMs);
      if (this.dueMs <= nextMs) this.wakeUntil(nextMs + 1, beginsAgain ? nextMs : nextMs + 1);
      if (closed > 0) this.equity.add(nextMs);
      this.endMs = nextMs;
      this.done += closed;
      if (beginsAgain) {
        this.restartBy(nextMs);
        if (this.dueMs <= nextMs) this.wakeUntil(nextMs + 1);
      }
      this.openBars(nextMs);
    }
    return true;
  }

  /**
   * Processes bars at which nothing can happen: no order is reached, nothing is due, and all strategies
   * sleep. The result is that of processing them one by one.
   */
  private sleep(): void {
    const { engine, queues } = this;
    let untilMs = Math.min(engine.restsUntilMs, this.dueMs);
    if (this.nextMs() >= untilMs) return;
    for (const queue of queues) untilMs = this.sleepsUntilMs(queue, untilMs);
    let isOver = this.nextMs() >= untilMs;
    for (const queue of isOver ? [] : queues) {
      const { columns, next, feeds, grid } = queue;
      let to = next;
      while (to < columns.length && grid.endOf(columns.openTimeMs[to] ?? Number.NaN) < untilMs) to += 1;
      for (const { feed, listeners } of feeds) {
        if (!feed.isOneToOne) for (let row = next; row < to; row += 1) feed.closedBy(row);
        else
          for (const { instance, view, place } of listeners)
            instance.runner.sleepThrough({ source: feed.source, from: next, to }, view, place);
      }
      // Bars of one market need no other order than their own.
      if (queues.length === 1) this.closeRows(queue, to);
    }
    while (!isOver) {
      const nextMs = this.nextMs();
      let closed = 0;
      for (const queue of queues) {
        if (queue.nextMs !== nextMs || !queue.isOpen) continue;
        this.options.venue.onClose(queue.index);
        queue.end();
        closed += 1;
      }
      if (closed > 0) this.equity.add(nextMs);
      this.endMs = nextMs;
      this.done += closed;
      // Moves the time of the engine to the bar.
      engine.isQuietAt(nextMs);
      isOver = this.openBars(nextMs) || this.nextMs() >= untilMs;
    }
  }

  /** Closes bars of the only market, but for the last one before the row `to`. */
  private closeRows(queue: BarQueue, to: number): void {
    const { index, columns, grid, next } = queue;
    for (let row = next; row < to - 1; row += 1) {
      this.options.venue.onQuiet(index, columns, row);
      this.equity.add(grid.endOf(columns.openTimeMs[row] ?? Number.NaN));
    }
    if (to - 1 <= next) return;
    this.done += to - 1 - next;
    queue.skipTo(to - 1);
    this.options.venue.onOpen(index, columns, to - 1);
    queue.begin();
  }

  /** Returns until when bars of a market need not be processed one by one: at most `mostMs`. */
  private sleepsUntilMs(queue: BarQueue, mostMs: number): number {
    const { index, isOpen, detail, columns, next, feeds, grid, nextMs } = queue;
    if (detail !== null) return Number.NEGATIVE_INFINITY;
    if (!isOpen) return Math.min(mostMs, nextMs);
    let untilMs = mostMs;
    for (const { feed } of feeds) if (!feed.isOneToOne) untilMs = Math.min(untilMs, feed.restsUntilMs);
    const { openTimeMs, close } = columns;
    let to = Math.min(columns.length, next + MOST_AHEAD);
    // A bar that begins before then may end after it.
    if (grid.endOf(openTimeMs[to - 1] ?? 0) >= untilMs)
      to = Math.max(next, firstBarFrom(columns, untilMs - 1));
    while (to > next && grid.endOf(openTimeMs[to - 1] ?? 0) >= untilMs) to -= 1;
    for (const { feed, listeners } of feeds) {
      for (const { instance, view, place } of feed.isOneToOne ? listeners : []) {
        if (instance.isPausedByHand || to === next) return Number.NEGATIVE_INFINITY;
        to = instance.runner.sleepsUntil({ source: feed.source, from: next, to }, view, place);
      }
    }
    const least = this.engine.restsAbove(columns.market) * 10 ** columns.priceDecimals;
    let row = next;
    while (row < to && (close[row] ?? 0) > least && !this.options.venue.mayConcern(index, columns, row))
      row += 1;
    return row === columns.length ? mostMs : Math.min(mostMs, grid.endOf(openTimeMs[row] ?? 0));
  }

  /** Reports the wallets to the engine, before strategies start. Returns the value of the account. */
  private begin(): Units {
    const { fromMs } = this.options;
    for (const queue of this.queues) this.endThePast(queue);
    this.applyWallets(fromMs);
    this.step({ kind: 'account', atMs: fromMs, orders: [], trades: [], wallets: this.wallets });
    return this.valuer.initial();
  }

  private engineOf(instances: EngineSettings['instances'], state: MirrorState, nowMs: number): Engine {
    const { settings, markets, venue, restarts } = this.options;
    return new Engine(
      {
        ...settings,
        instances,
        venue: venue.profile,
        markets: markets.map(({ market }) => market),
        feeds: [],
        reconciliation: null,
        isRestartable: restarts !== undefined,
        isJournaled: restarts !== undefined,
        isWatched: false,
        ranksFromMs: ranksFromMs(markets, this.options.fromMs),
      },
      state,
      nowMs,
    );
  }

  private beginsAgainBy(nowMs: number): boolean {
    const { restarts } = this.options;
    if (restarts === undefined || (restarts.atMs[this.restarted] ?? Infinity) > nowMs) return false;
    return this.queues.every(({ isInside }) => !isInside);
  }

  /** Restarts the bot if a restart is due; of several without bars between them, only the last one counts. */
  private restartBy(nowMs: number): void {
    const { restarts } = this.options;
    if (restarts === undefined) return;
    let atMs: number | null = null;
    for (let next = restarts.atMs[this.restarted]; next !== undefined && next <= nowMs;) {
      atMs = next;
      this.restarted += 1;
      next = restarts.atMs[this.restarted];
    }
    if (atMs !== null) this.restart(restarts, { atMs, nowMs });
  }

  /** Ends the bot and starts it again from its stored state; its orders at the exchange stay. */
  private restart(
    { state, ending, newInstances, pastFromMs }: RunRestarts,
    { atMs, nowMs }: { readonly atMs: number; readonly nowMs: number },
  ): void {
    const { markets } = this.options;
    if (ending === 'keep-exits') this.drain(nowMs);
    this.pastInstances.push(...this.engine.instances);
    this.engine = this.engineOf(newInstances(atMs), state.load(nowMs), nowMs);
    this.lastOutput = null;
    const of = { fromMs: nowMs, pastFromMs: pastFromMs?.(atMs) ?? null };
    this.queues = markets.map((market, index) => this.queueOf(market, { index, ...of }));
    for (const queue of this.queues) queue.endThePast();
    this.statistics = new BarStatistics(this.queues);
    this.step({ kind: 'account', atMs: nowMs, orders: [], trades: [], wallets: this.wallets });
  }

  /** Stops the bot in order before a restart, as on request: only exits stay at the exchange. */
  private drain(atMs: number): void {
    this.step({ kind: 'control', atMs, command: { kind: 'drain', openOrders: 'keep-exits' } });
    for (let polls = 0; polls < MOST_POLLS_AT_AN_END; polls += 1) {
      if (this.engine.isDrained()) return;
      this.step({ kind: 'tick', atMs });
    }
    throw new SarrafError('INVARIANT', `the engine had not ended after ${MOST_POLLS_AT_AN_END} polls`);
  }

  private queueOf(
    { market, columns, detail }: RunMarket,
    of: { readonly index: number; readonly fromMs: number; readonly pastFromMs: number | null },
  ): BarQueue {
    const { index, fromMs, pastFromMs } = of;
    const wanted = this.engine.instances.flatMap(({ runner }) =>
      runner.subscriptions.flatMap((one) =>
        one.kind === 'candles' && one.market === market.symbol ? [one] : [],
      ),
    );
    const feeds = [...Map.groupBy(wanted, ({ timeframe }) => timeframe)].map(([timeframe, same]) => ({
      feed: new BarFeed(columns, timeframe),
      isPooled: same.every(({ isPooled }) => isPooled === true),
      listeners: this.engine.listenersTo(market.symbol, timeframe),
    }));
    let past = pastFromMs === null ? 0 : firstBarFrom(columns, pastFromMs);
    for (; past < columns.length && (columns.openTimeMs[past] ?? 0) < fromMs; past += 1)
      this.warmUp(feeds, past);
    const queue = new BarQueue({ index, market, columns, feeds, first: past, detail });
    this.engine.markets.followBars(market.symbol, queue);
    return queue;
  }

  /** Applies the last bar before the run, so that its close is known, unless it is still in progress. */
  private endThePast(queue: BarQueue): void {
    const { venue, fromMs } = this.options;
    const { index, columns, next, grid } = queue;
    if (next === 0 || grid.endOf(columns.openTimeMs[next - 1] ?? 0) > fromMs) return;
    const last = queue.endThePast();
    if (last !== null) venue.onCandle(index, last.columns, last.place);
  }

  /** Feeds a past bar to indicators and histories, without a call of the strategies. */
  private warmUp(feeds: readonly WantedFeed[], index: number): void {
    for (const { feed } of feeds) {
      for (const bar of feed.closedBy(index)) {
        for (const { runner } of this.engine.instances) runner.warmUp(bar);
      }
    }
  }

  private nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const queue of this.queues) if (queue.nextMs < nextMs) ({ nextMs } = queue);
    return nextMs;
  }

  /** Time at which the next timer or signal is due. */
  private get dueMs(): number {
    return Math.min(this.wakeAtMs, this.signals.nextMs);
  }

  /** Runs timers and algorithms due before `nextMs`, and then signals that come before `signalsMs`. */
  private wakeUntil(nextMs: number, signalsMs: number = nextMs): void {
    const due = (): number =>
      this.signals.nextMs < signalsMs ? Math.min(this.wakeAtMs, this.signals.nextMs) : this.wakeAtMs;
    for (let atMs = due(); atMs < nextMs; atMs = due()) {
      this.notifyOpens(atMs);
      if (this.wakeAtMs <= atMs) {
        this.step({ kind: 'tick', atMs });
        if (this.wakeAtMs <= atMs) this.wakeAtMs = atMs + 1;
      }
      const untilMs = Math.min(atMs, signalsMs - 1);
      for (const command of this.signals.drainUntil(untilMs)) {
        this.options.venue.learn(atMs);
        this.step({ kind: 'control', atMs, command });
      }
    }
  }

  /**
   * Closes the bars that end now: the exchange processes them, their closes become the prices, order changes
   * are sent, and then each bar that strategies see. Returns the number of bars seen by strategies.
   */
  private closeBars(closeMs: number): number {
    const { closing, whole, engine } = this;
    const { venue } = this.options;
    let hasChanged = false;
    let count = 0;
    let seen = 0;
    for (const queue of this.queues) {
      if (queue.nextMs !== closeMs || !queue.isOpen) continue;
      closing[count] = queue;
      count += 1;
      while (venue.onPath(queue.index)) this.notifyInside(queue, closeMs - 1);
    }
    for (let at = 0; at < count; at += 1) {
      const queue = present(closing[at], 'a queue whose bar closes');
      if (venue.onClose(queue.index)) hasChanged = true;
      if (!queue.end()) continue;
      whole[seen] = queue;
      seen += 1;
    }
    if (engine.waitsForPrices) this.notifyCloses(count, closeMs);
    if (hasChanged) this.notifyNews(closeMs);
    for (let at = 0; at < seen; at += 1) this.notifyBars(present(whole[at], 'a bar that is over'), closeMs);
    return seen;
  }

  /** Notifies the engine of events inside a bar, while the price is where they occurred. */
  private notifyInside({ index, market, nextMs }: BarQueue, atMs: number): void {
    this.notifyOpens(atMs);
    const price = formatUnits(this.options.venue.reachedPrice(index));
    const opens = [{ market: market.symbol, price, untilMs: nextMs }];
    this.engine.step({ kind: 'opens', atMs, opens });
    this.notifyNews(atMs);
  }

  /** Sends the engine the bars of all timeframes that have closed with the last one of a market. */
  private notifyBars({ feeds, closedIndex }: BarQueue, closeMs: number): void {
    for (const { feed, isPooled, listeners } of feeds) {
      if (feed.isOneToOne) {
        if (isPooled && this.engine.skipBar(closeMs, listeners)) continue;
        this.stepBar(feed.same(closedIndex), closeMs, listeners);
      } else for (const bar of feed.closedBy(closedIndex)) this.stepBar(bar, closeMs, listeners);
    }
  }

  private stepBar(bar: ClosedCandle, closeMs: number, listeners: readonly CandleListener[]): void {
    const output = this.engine.stepBar(bar, closeMs, listeners);
    // While the engine rests, it returns the same output for every bar.
    if (output === this.lastOutput) return;
    this.lastOutput = output;
    this.follow(output, closeMs);
  }

  private notifyCloses(count: number, atMs: number): void {
    for (const { market } of this.closing.slice(0, count))
      this.follow(this.engine.stepClose(market.symbol, atMs), atMs);
  }

  /**
   * Begins the bars that are due: taker orders fill at their opens and are reported. The engine gets a tick
   * if it has a timer due within the next ms. Returns true if it got an event.
   */
  private openBars(nowMs: number): boolean {
    const { venue } = this.options;
    let hasChanged = false;
    for (const queue of this.queues) {
      if (queue.isOpen || queue.nextMs > nowMs) continue;
      if (venue.onOpen(queue.index, queue.walked, queue.place)) hasChanged = true;
      queue.begin();
    }
    if (!hasChanged && this.wakeAtMs > nowMs + 1) return false;
    this.notifyOpens(nowMs);
    if (hasChanged) this.notifyNews(nowMs);
    else this.step({ kind: 'tick', atMs: nowMs });
    return true;
  }

  /** Notifies the engine of bars that have begun, if it does not know. Most bars need no such event. */
  private notifyOpens(atMs: number): void {
    const opened = this.queues.filter(({ isOpen, isAnnounced }) => isOpen && !isAnnounced);
    if (opened.length === 0) return;
    for (const queue of opened) queue.isAnnounced = true;
    const opens = opened.map((queue) => ({
      market: queue.market.symbol,
      price: queue.open,
      untilMs: queue.nextMs,
    }));
    this.engine.step({ kind: 'opens', atMs, opens });
  }

  /** Processes one event, and everything that the exchange answers to it at the same moment. */
  private step(event: EngineEvent): void {
    this.follow(this.engine.step(event), event.atMs);
  }

  /** Processes the output of a step, and all answers of the exchange to it at the same moment. */
  private follow(first: EngineOutput, atMs: number): void {
    let output = first;
    for (let requests = 0; requests <= MOST_REQUESTS_A_MOMENT; requests += output.requests.length) {
      this.note(output);
      if (output.requests.length === 0) return;
      output = this.engine.stepAll(this.answersTo(output, atMs));
    }
    throw invalidStrategy(
      `expected at most ${MOST_REQUESTS_A_MOMENT} requests in one moment, were more at ${new Date(atMs).toISOString()}: a strategy answers each fill with an order that fills at once; let it wait for the next candle, or set risk.maxOrdersPerMinute`,
    );
  }

  private answersTo({ requests }: EngineOutput, atMs: number): readonly VenueEvent[] {
    const { venue, answerInstead } = this.options;
    const events = requests.map(({ id, call }): VenueEvent => {
      const answer = answerInstead?.(call) ?? this.statistics.answer(call, atMs) ?? venue.answer(call, atMs);
      return { kind: 'answer', atMs, requestId: id, sentAtMs: atMs, answer };
    });
    const news = this.news(atMs);
    if (news !== null) events.push(news);
    return events;
  }

  /** Notifies the engine of changes at the exchange. */
  private notifyNews(atMs: number): void {
    const news = this.news(atMs);
    if (news !== null) this.step(news);
  }

  /** Returns the changes at the exchange as an event; null if there are none. */
  private news(atMs: number): VenueEvent | null {
    const { orders, trades, walletsChanged } = this.options.venue.drain();
    if (orders.length === 0 && trades.length === 0 && !walletsChanged) return null;
    if (walletsChanged) this.applyWallets(atMs);
    return { kind: 'account', atMs, orders, trades, wallets: this.wallets };
  }

  private note({ changes, wakeAtMs }: EngineOutput): void {
    this.wakeAtMs = wakeAtMs;
    if (changes.length === 0) return;
    this.records.note(changes);
    const { restarts } = this.options;
    if (restarts !== undefined) for (const change of changes) restarts.state.apply(change);
  }

  private applyWallets(atMs: number): void {
    const answer = this.options.venue.answer({ kind: 'wallets' }, atMs);
    if (answer.outcome === 'value') this.wallets = answer.value as readonly WalletReading[];
  }
}

/** Returns the time from which universes are ranked: the run's first bar, as there is no data before. */
function ranksFromMs(markets: readonly RunMarket[], fromMs: number): number {
  const opens = markets.flatMap(({ columns }) => columns.openTimeMs[firstBarFrom(columns, fromMs)] ?? []);
  return Math.min(...opens.slice(0, markets.length));
}

/** Returns a market's first open in the run, or its last close if it has no bar there; empty without bars. */
function firstPriceOf({ market, columns, next }: BarQueue): readonly [readonly [string, Units]] | null {
  if (columns.length === 0) return null;
  const cell = next < columns.length ? columns.open[next] : columns.close[columns.length - 1];
  return [[market.symbol, cellUnits(cell ?? 0, columnScale(columns.priceDecimals))]];
}
