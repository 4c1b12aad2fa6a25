import { cellUnits, columnScale, firstBarFrom, type CandleColumns } from '../domain/candle-columns.ts';
import { SarrafError, present } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { formatUnits, type Units } from '../domain/money.ts';
import type { VenueAnswer, VenueCall, WalletReading } from '../venues/port.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOutput } from '../engine/engine-command.ts';
import type { EngineEvent, VenueEvent } from '../engine/engine-event.ts';
import type { EngineSettings } from '../engine/engine-settings.ts';
import { EMPTY_MIRROR_STATE, type MirrorChange, type MirrorState } from '../engine/mirror-change.ts';
import { engineRecord, type EngineOutcome, EquityRecorder, RunRecords } from './backtest-run.ts';
import type { CandleListener } from '../engine/strategy-dispatcher.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import type { UniverseReport } from '../engine/universe-manager.ts';
import { BarFeed, BarQueue, type WantedFeed } from './bar-queue.ts';
import { BarStatistics } from './bar-statistics.ts';
import { DatedSignals, type DatedSignal } from './signals.ts';
import type { BarFillSimulator } from '../venues/bar-fill-simulator.ts';
import type { EquityValuer } from '../venues/equity-valuer.ts';
import type { StrategyInstance } from '../engine/strategy-instance.ts';

/**
 * One market with its recorded bars. Those that begin before `fromMs` of the run are the past: they warm
 * strategies up.
 */
export interface RunMarket {
  readonly market: Market;
  readonly columns: CandleColumns;
  /**
   * Finer bars, as far as there are any: the inside of a bar is walked on those that agree with it.
   * Strategies do not see them.
   */
  readonly detail?: CandleColumns | undefined;
}

/** Restarts of a bot in the middle of a run. */
export interface RunRestarts {
  /** In ms since 1970, rising. It begins again once the bars that close by then are over. */
  readonly atMs: readonly number[];
  /**
   * End of the previous life: without notice, or in order. In order its entries are canceled, and the exits
   * of its holdings stay open.
   */
  readonly ending: 'killed' | 'keep-exits';
  /** State that it finds of its previous life. */
  readonly state: {
    apply(change: MirrorChange): void;
    load(nowMs: number): MirrorState;
  };
  /** Its strategies, made anew for the moment of `atMs`. */
  readonly newInstances: (atMs: number) => EngineSettings['instances'];
  /**
   * Returns where the past begins that warms up the strategies, including those that the run begins with.
   * Default: the first bar.
   */
  readonly pastFromMs?: (atMs: number) => number;
}

export interface CandleRunOptions {
  /** Without markets, feeds and reconciliation, which a run on bars has of its own. */
  readonly settings: Omit<EngineSettings, 'markets' | 'feeds' | 'reconciliation' | 'venue'>;
  readonly markets: readonly RunMarket[];
  readonly venue: BarFillSimulator;
  readonly quote: Currency;
  readonly fromMs: number;
  /** Signals to strategies from outside, with their times; default: none. */
  readonly signals?: readonly DatedSignal[];
  /** Restarts of the bot during the run, as a test requires them; default: none. */
  readonly restarts?: RunRestarts;
  /** Answers a call in place of the exchange; null leaves it to the exchange. */
  readonly answerInstead?: (call: VenueCall) => VenueAnswer | null;
  /** Called now and then, for long runs: bars that went by, and all there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Outcome of a run on bars. */
export interface CandleRun extends EngineOutcome {
  readonly bars: number;
  readonly universes: readonly UniverseReport[];
}

/** Most requests of one moment: a strategy that answers each fill with another order would never end. */
const MOST_REQUESTS_A_MOMENT = 5_000;

/** Looks at whether a life has ended: its cancels are answered at once, so few are needed. */
const MOST_POLLS_AT_AN_END = 100;

/** Often enough for a slow strategy; who reports progress looks at the clock. */
const PROGRESS_EVERY_BARS = 1_000;

/**
 * Runs the engine through recorded bars. As a bar begins the exchange fills what takes at its open, and the
 * engine gets the news. As it closes the exchange fills what was open while it ran, the engine gets the news,
 * and then the strategies see the bar; then come timers of that moment. Finer bars inside of a bar go by in
 * the same way, but strategies do not see them. Nothing that is later than the moment
 * is reachable from any of them: the engine gets one bar at a time.
 */
export class CandleRunner {
  private readonly options: CandleRunOptions;
  private engine: Engine;
  private queues: readonly BarQueue[];
  private readonly records = new RunRecords();
  private readonly equity: EquityRecorder;
  /** Bars that there are to run through. */
  private readonly total: number;
  /** Bars that have gone by, and when the last one closed. */
  private done = 0;
  private endMs = 0;
  private wakeAtMs = Number.POSITIVE_INFINITY;
  /** Those whose bars close at this moment; the list is longer than they are many. */
  private readonly closing: BarQueue[] = [];
  /** Those of them of which strategies see a bar. */
  private readonly whole: BarQueue[] = [];
  /** Output of the engine for the last bar. */
  private lastOutput: EngineOutput | null = null;
  private wallets: readonly WalletReading[] = [];
  private readonly valuer: EquityValuer;
  private readonly signals: DatedSignals;
  private statistics: BarStatistics;
  /** Restarts that have been. */
  private restarted = 0;
  /** The strategies of lives that have ended. */
  private readonly pastInstances: StrategyInstance[] = [];

  constructor(options: CandleRunOptions) {
    this.options = options;
    const { settings, markets, fromMs } = options;
    const pastFromMs = options.restarts?.pastFromMs?.(fromMs) ?? null;
    this.signals = new DatedSignals(options.signals ?? [], fromMs);
    this.engine = this.engineOf(settings.instances, { ...EMPTY_MIRROR_STATE, epoch: 'back' }, fromMs);
    this.queues = markets.map((market, index) => this.queueOf(market, { index, fromMs, pastFromMs }));
    this.statistics = new BarStatistics(this.queues);
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

  /** Runs to the last bar. Throws `INVALID_OPTIONS` where there is none. */
  run(): CandleRun {
    const { total, records } = this;
    if (total === 0)
      throw new SarrafError('INVALID_OPTIONS', 'expected bars to run through, were none in this range');
    const initialEquity = this.begin();
    while (this.closeSome()) this.options.onProgress?.(this.done, total);
    this.options.onProgress?.(this.done, total);
    for (const order of this.engine.unfinishedOrders()) records.noteOrder(order);
    const { orders } = records;
    // The run is over: strategies are told. What becomes of orders by that is no part of it.
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

  /** Closes bars until the next progress report. Answers whether there may be more. */
  private closeSome(): boolean {
    const untilDone = this.done + PROGRESS_EVERY_BARS;
    while (this.done < untilDone) {
      const nextMs = this.nextMs();
      if (nextMs === Number.POSITIVE_INFINITY) return false;
      if (this.dueMs < nextMs) this.wakeUntil(nextMs);
      const closed = this.closeBars(nextMs);
      // Signals of the moment in which the bot begins again wait for its next life, as live ones do.
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
   * Tells the engine of the wallets, so that strategies start with them. Answers what the account is worth.
   */
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

  /** The restart whose time has come; of several, between which there were no bars, the last one. */
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

  /**
   * The bot ends and begins again, with what it kept and with the bars so far as its past. What it has at the
   * exchange stays there meanwhile.
   */
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

  /** The life ends in order, as a bot does that is asked to: at the exchange are ways out alone. */
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

  /** The last bar before the run, whose close is known as it begins, unless it still goes on. */
  private endThePast(queue: BarQueue): void {
    const { venue, fromMs } = this.options;
    const { index, columns, next, grid } = queue;
    if (next === 0 || grid.endOf(columns.openTimeMs[next - 1] ?? 0) > fromMs) return;
    const last = queue.endThePast();
    if (last !== null) venue.onCandle(index, last.columns, last.place);
  }

  /** The past feeds indicators and histories, without a strategy being asked. */
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

  /** Time at which something is due by itself, or a signal comes. */
  private get dueMs(): number {
    return Math.min(this.wakeAtMs, this.signals.nextMs);
  }

  /**
   * Timers and algorithms whose time comes before a moment, and signals, which come after those; `signalsMs`:
   * the moment before which signals come.
   */
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
   * Ends the bars that close now: the exchange goes through them, their closes are the prices, what became of
   * orders is pushed, and then each bar that strategies see. Answers how many of those.
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

  /** Tells what has happened inside a bar, while the price is where it did. */
  private notifyInside({ index, market, nextMs }: BarQueue, atMs: number): void {
    this.notifyOpens(atMs);
    const price = formatUnits(this.options.venue.reachedPrice(index));
    const opens = [{ market: market.symbol, price, untilMs: nextMs }];
    this.engine.step({ kind: 'opens', atMs, opens });
    this.notifyNews(atMs);
  }

  /** Tells the bars of all lengths that have closed with the last one of a market. */
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
    // While it rests, it answers the same to every bar.
    if (output === this.lastOutput) return;
    this.lastOutput = output;
    this.follow(output, closeMs);
  }

  private notifyCloses(count: number, atMs: number): void {
    for (const { market } of this.closing.slice(0, count))
      this.follow(this.engine.stepClose(market.symbol, atMs), atMs);
  }

  /**
   * Begins the bars whose time has come: what takes at their opens does so, and is pushed. Who is due just
   * after learns of them.
   */
  private openBars(nowMs: number): void {
    const { venue } = this.options;
    let hasChanged = false;
    for (const queue of this.queues) {
      if (queue.isOpen || queue.nextMs > nowMs) continue;
      if (venue.onOpen(queue.index, queue.walked, queue.place)) hasChanged = true;
      queue.begin();
    }
    if (!hasChanged && this.wakeAtMs > nowMs + 1) return;
    this.notifyOpens(nowMs);
    if (hasChanged) this.notifyNews(nowMs);
    else this.step({ kind: 'tick', atMs: nowMs });
  }

  /** Tells which bars have begun, where that is not known yet. Most run without anybody asking. */
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

  /** One event, and everything that the exchange answers to it at the same moment. */
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
    throw new SarrafError(
      'INVALID_STRATEGY',
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

  /** Tells the engine what has changed at the exchange. */
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

/** Universes are ranked from the first bar of the run on: before it there is nothing to rank by. */
function ranksFromMs(markets: readonly RunMarket[], fromMs: number): number {
  const opens = markets.flatMap(({ columns }) => columns.openTimeMs[firstBarFrom(columns, fromMs)] ?? []);
  return Math.min(...opens.slice(0, markets.length));
}

/** The open of the first bar of a market in the run; of one without any, the last close before it. */
function firstPriceOf({ market, columns, next }: BarQueue): readonly [readonly [string, Units]] | null {
  if (columns.length === 0) return null;
  const cell = next < columns.length ? columns.open[next] : columns.close[columns.length - 1];
  return [[market.symbol, cellUnits(cell ?? 0, columnScale(columns.priceDecimals))]];
}
