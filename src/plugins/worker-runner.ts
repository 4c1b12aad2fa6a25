import { HOUR_MS } from '../domain/time-text.ts';
import { performance } from 'node:perf_hooks';
import { SarrafError, invalidStrategy } from '../domain/errors.ts';
import type { Timeframe } from '../domain/candle.ts';
import { checkedIntents } from '../strategy/check-intents.ts';
import { checkState } from '../strategy/strategy-state.ts';
import { checkedSubscriptions } from '../strategy/check-subscriptions.ts';
import { plainCandle, type BarRows } from '../strategy/column-candle.ts';
import { MOST_PLOTS, type PlotSeries, type PlotSink } from '../strategy/plots.ts';
import { routeOfEvent, type CandleSubscription, type Subscription } from '../strategy/subscriptions.ts';
import { fieldsOf } from '../strategy/fields.ts';
import type { Intent } from '../strategy/intents.ts';
import type { ClosedCandle, EngineView, FeedingEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import {
  faultOf,
  faultText,
  type StrategyFault,
  type StrategyPort,
  type StrategyLogLine,
} from '../strategy/strategy-port.ts';
import type { SignalObjection } from '../strategy/signal.ts';
import { paceOf, wrongTrailing, type Trailing, type TrailPace } from '../strategy/definition.ts';
import {
  checkedFault,
  checkedLog,
  checkedObjection,
  checkedPlots,
  type CheckedSignal,
  type Loaded,
  type WorkerEnd,
} from './worker-messages.ts';
import {
  Queries,
  RecentCandles,
  StrategyThread,
  type ThreadLimits,
  type ThreadOptions,
} from './strategy-thread.ts';

export interface IsolationLimits extends ThreadLimits {
  /** Maximum number of restarts in an hour of a thread under the policy `pause`; then its strategy stops. */
  readonly restartsAnHour: number;
}

export interface WorkerRunnerOptions {
  readonly setup: ThreadOptions['setup'];
  readonly limits: IsolationLimits;
  /** True if a thread that ended is restarted, which is the policy `pause`. */
  readonly restarts: boolean;
  /** Called if the thread ends while no call is running, so that the engine handles the failure. */
  readonly onEnd: () => void;
  readonly onPrint: (line: string) => void;
}

const NO_INTENTS: readonly Intent[] = [];
const NOTHING_SEEN = { reads: [], same: [], inEvent: [] };

/** Reads the stored closed bars of a series, oldest first. */
type StoredBars = (series: CandleSubscription) => readonly ClosedCandle[];

/** Maximum number of bars that are collected for an idle thread before they are sent. */
const MOST_PENDING = 500;

type UniverseChange = Extract<StrategyEvent, { kind: 'universe' }>;
type Ready = Extract<Loaded, { kind: 'ready' }>;

/**
 * A strategy in its own thread. Its intents, state, log and faults are checked here as untrusted input. A
 * thread that hangs, exits, runs out of memory or breaks built-in objects ends without the others.
 */
export class WorkerRunner implements StrategyPort {
  readonly name: string;
  readonly market: string;
  subscriptions: readonly Subscription[];
  params: unknown;
  readonly trailing: TrailPace | null;
  wantsCandles: boolean;
  readonly maySleep = false;
  failure: string | null = null;
  fault: StrategyFault | null = null;
  isBeyondRepair = false;
  plots: PlotSink | null = null;
  private options: WorkerRunnerOptions;
  private readonly knownMarkets: ReadonlySet<string> | undefined;
  private warmUps: readonly number[];
  private wanted: ReadonlySet<string>;
  private handlers: ReadonlyMap<string, string>;
  private readonly reads = new Queries();
  private candles: RecentCandles;
  private pending: ClosedCandle[] = [];
  /** Signal that the next call checks, and the objection from the last check. */
  private asked: CheckedSignal | null = null;
  private objection: SignalObjection | null = null;
  private log: readonly StrategyLogLine[] = [];
  private readonly series = new Map<string, PlotSeries>();
  private thread: StrategyThread;
  /** True from `dispose` on: no thread is started or taken into use any more. */
  private isDisposed = false;
  private json: string;
  private drainedJson: string;
  /** True if the next call restores `json`; `clears` if it also resumes after a failure. */
  private restores = false;
  private clears = false;
  /** Markets that its universes follow; `followsAnew` if the thread must be sent all of them. */
  private readonly follows = new Map<string, readonly string[]>();
  private followsAnew = false;
  private readonly restartedAtMs: number[] = [];

  /** Starts a thread and waits until its strategy is set up. Throws `INVALID_STRATEGY` with the problem. */
  static async start(options: WorkerRunnerOptions): Promise<WorkerRunner> {
    let runner: WorkerRunner | null = null;
    const thread = new StrategyThread(threadOptions(options, (end) => runner?.onThreadEnd(thread, end)));
    try {
      runner = new WorkerRunner(options, thread, readyOf(await thread.loaded()));
      return runner;
    } catch (error) {
      await thread.dispose();
      throw error;
    }
  }

  private constructor(options: WorkerRunnerOptions, thread: StrategyThread, ready: Ready) {
    const { setup } = options;
    this.options = options;
    this.thread = thread;
    this.knownMarkets = setup.knownMarkets === null ? undefined : new Set(setup.knownMarkets);
    this.name = checkedName(ready.name);
    this.market = setup.market;
    this.subscriptions = checkedSubscriptions(ready.subscriptions, {
      place: 'subscriptions',
      knownMarkets: this.knownMarkets,
    });
    this.params = ready.params;
    this.trailing = checkedPace(ready.trailing, this.subscriptions);
    this.warmUps = this.subscriptions.map((_, index) => checkedLength(ready.warmUps[index]));
    this.wanted = new Set(ready.wants);
    this.handlers = new Map(ready.handlers);
    this.wantsCandles = this.wanted.has('candle');
    this.json = checkedState(ready.state);
    this.drainedJson = this.json;
    this.candles = new RecentCandles(this.subscriptions, this.warmUps);
  }

  warmUpLength({ market, timeframe }: CandleSubscription): number {
    return this.warmUps[this.candlePlace(market, timeframe)] ?? 0;
  }

  warmUp(candle: ClosedCandle): void {
    const plain = plainCandle(candle);
    this.candles.add(plain);
    this.pending.push(plain);
    // An idle strategy is sent its bars from time to time, so that they do not collect without bound.
    if (this.pending.length < MOST_PENDING) return;
    if (this.thread.hasEnded) this.pending = [];
    else this.call(null, 0, null);
  }

  wants(kind: StrategyEvent['kind']): boolean {
    return this.wanted.has(kind);
  }

  handle(event: StrategyEvent, view: EngineView): readonly Intent[] {
    if (event.kind === 'candle') {
      const { candle } = event;
      return this.handleCandle(candle, view, this.candlePlace(candle.market, candle.timeframe));
    }
    if (event.kind === 'universe') return this.handleUniverse(event, view);
    if (this.failure !== null || !this.wanted.has(event.kind)) return NO_INTENTS;
    return this.call(event, view.nowMs, view);
  }

  objectionTo(signal: CheckedSignal): SignalObjection | null {
    this.asked = signal;
    this.objection = null;
    if (this.failure === null) this.call(null, 0, null);
    this.asked = null;
    if (this.failure === null) return this.objection;
    return { outcome: 'dropped', code: 'failed', reason: this.failure };
  }

  candlePlace(market: string, timeframe: Timeframe): number {
    return this.subscriptions.findIndex(
      (wanted) => wanted.kind === 'candles' && wanted.market === market && wanted.timeframe === timeframe,
    );
  }

  isUnfollowed(place: number): boolean {
    const wanted = this.subscriptions[place];
    return wanted?.kind === 'candles' && wanted.isPooled === true && !this.isFollowed(wanted.market);
  }

  sleepsUntil({ from }: BarRows): number {
    return from;
  }

  sleepThrough(): void {
    // It never sleeps.
  }

  handleCandle(candle: ClosedCandle, view: EngineView, place: number): readonly Intent[] {
    if (this.isUnfollowed(place)) return NO_INTENTS;
    if (this.failure !== null) {
      this.warmUp(candle);
      return NO_INTENTS;
    }
    const plain = plainCandle(candle);
    const intents = this.call({ kind: 'candle', candle: plain }, view.nowMs, view);
    this.candles.add(plain);
    return intents;
  }

  feed(event: FeedingEvent): void {
    if (event.kind === 'universe') this.handleUniverse(event, null);
    else if (!this.isUnfollowed(this.candlePlace(event.candle.market, event.candle.timeframe)))
      this.warmUp(event.candle);
  }

  /** Applies a universe change; without a view the strategy is not called. */
  private handleUniverse(event: UniverseChange, view: EngineView | null): readonly Intent[] {
    const { name, follows: markets, past } = event;
    const before = this.follows.get(name) ?? [];
    this.follows.set(name, markets);
    for (const market of before) if (!this.isFollowed(market)) this.candles.forget(market);
    const bars = past.map(plainCandle);
    for (const candle of bars) this.candles.add(candle);
    if (this.failure === null) return this.call({ ...event, past: bars }, view?.nowMs ?? 0, view);
    this.followsAnew = true;
    this.pending.push(...bars);
    return NO_INTENTS;
  }

  private isFollowed(market: string): boolean {
    for (const markets of this.follows.values()) if (markets.includes(market)) return true;
    return false;
  }

  drainLog(): readonly StrategyLogLine[] {
    const { log } = this;
    if (log.length > 0) this.log = [];
    return log;
  }

  stateJson(): string {
    return this.json;
  }

  drainChangedState(): string | null {
    if (this.json === this.drainedJson) return null;
    this.drainedJson = this.json;
    return this.json;
  }

  restore(json: string): void {
    // Only the strategy knows whether the state fits its schema or can be migrated.
    const call = {
      event: null,
      feeds: false,
      nowMs: 0,
      follows: null,
      draws: false,
      candles: [],
      restore: checkedState(json),
      clears: false,
      signal: null,
      ...NOTHING_SEEN,
    };
    const answer = this.thread.call(call, () => null);
    const { state, fault } = Object(answer) as Readonly<Record<string, unknown>>;
    if (fault !== null) {
      const { message, line } = checkedFault(fault, { handler: null, file: this.options.setup.shownFile });
      throw invalidStrategy(message, { details: { line } });
    }
    this.json = state === null ? json : checkedState(state);
    this.drainedJson = json;
  }

  clearFailure(): void {
    if (this.thread.hasEnded) {
      // It ended more often than allowed within an hour.
      this.isBeyondRepair = true;
      return;
    }
    this.failure = null;
    this.fault = null;
    this.clears = true;
    this.restores = true;
    this.readRestarted();
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.thread.dispose();
  }

  /**
   * Starts a second thread with other code or parameters, and checks that it can continue: it reads the same
   * data, its state fits, and there are bars enough for its warm-up. Returns a function that puts it in the
   * place of the running one. Throws `INVALID_STRATEGY` with the reason; the running one is not affected.
   */
  async prepare(
    setup: Pick<ThreadOptions['setup'], 'name' | 'file' | 'shownFile' | 'params'>,
    storedBars: StoredBars,
  ): Promise<() => void> {
    const options = { ...this.options, setup: { ...this.options.setup, ...setup } };
    const thread: StrategyThread = new StrategyThread(
      threadOptions(options, (end) => this.onThreadEnd(thread, end)),
    );
    try {
      const next = new WorkerRunner(options, thread, readyOf(await thread.loaded()));
      this.checkRuns();
      next.checkContinues(this);
      next.restore(this.json);
      next.collect(this.candles, storedBars);
      return () => {
        try {
          this.checkRuns();
          if (thread.hasEnded) throw invalidStrategy('its new thread ended');
          // Bars may have closed since.
          next.collect(this.candles, storedBars);
        } catch (error) {
          void thread.dispose();
          throw error;
        }
        this.become(next);
      };
    } catch (error) {
      await thread.dispose();
      throw error;
    }
  }

  /** Throws if its run has ended: a thread that came into use now would keep the process from its end. */
  private checkRuns(): void {
    if (this.isDisposed) throw invalidStrategy('the bot has ended meanwhile');
  }

  /** Throws if this strategy has another name than the running one, or needs other data. */
  private checkContinues(running: WorkerRunner): void {
    const [wanted, polled] = [dataNeeds(this.subscriptions), dataNeeds(running.subscriptions)];
    const more = [...wanted].filter((need) => !polled.has(need));
    const fewer = [...polled].filter((need) => !wanted.has(need));
    const isOtherTrail = JSON.stringify(this.trailing) !== JSON.stringify(running.trailing);
    const reason =
      this.name !== running.name
        ? `expected the name ${running.name}, was ${this.name}`
        : more.length + fewer.length > 0
          ? `expected it to need the data that the bot polls for it, it needs ${[...more.map((need) => `also ${need}`), ...fewer.map((need) => `no longer ${need}`)].join(', ')}`
          : isOtherTrail
            ? 'expected the stops that follow the price to be as before, they differ'
            : null;
    if (reason !== null) throw invalidStrategy(`${reason}: start the bot again to change that`);
  }

  /** Collects the bars for its warm-up: those of the running strategy, and stored ones. Throws if too few. */
  private collect(running: RecentCandles, storedBars: StoredBars): void {
    this.candles = new RecentCandles(this.subscriptions, this.warmUps);
    for (const candle of running.all()) this.candles.add(candle);
    for (const [index, wanted] of this.subscriptions.entries()) {
      if (wanted.kind !== 'candles' || wanted.isPooled === true) continue;
      const needed = this.warmUps[index] ?? 0;
      const found = this.candles.addEarlier(wanted, () => storedBars(wanted));
      if (found >= needed) continue;
      const { market, timeframe } = wanted;
      throw invalidStrategy(
        `expected ${needed} closed bars of ${market} ${timeframe} for its warm-up, the bot has ${found}: start the bot again, which reads them, or wait for ${needed - found} more`,
      );
    }
  }

  /** Continues with the thread of another runner, which was prepared for it. */
  private become(next: WorkerRunner): void {
    const { thread } = this;
    this.options = next.options;
    this.thread = next.thread;
    this.subscriptions = next.subscriptions;
    this.params = next.params;
    this.warmUps = next.warmUps;
    this.wanted = next.wanted;
    this.handlers = next.handlers;
    this.wantsCandles = next.wantsCandles;
    this.candles = next.candles;
    // The state may have changed since it was checked.
    this.restores = true;
    this.clears = false;
    this.isNew = false;
    this.isBeyondRepair = false;
    this.failure = null;
    this.fault = null;
    this.restartedAtMs.length = 0;
    this.followsAnew = this.follows.size > 0;
    this.pending = this.candles.all();
    this.reads.forgetSent();
    void thread.dispose();
  }

  /**
   * Makes one call, or only sends the collected bars; without a view the event is applied and no handler is
   * called. Throws errors that are not the strategy's fault.
   */
  private call(event: StrategyEvent | null, nowMs: number, view: EngineView | null): readonly Intent[] {
    const { pending, restores, clears } = this;
    const follows = this.followsAnew ? [...this.follows] : null;
    const kind = event?.kind ?? 'candle';
    let broken: unknown = null;
    const seen = event === null || view === null ? NOTHING_SEEN : this.reads.of(event, view);
    const answerRead = (read: unknown): unknown => {
      try {
        return view === null ? null : this.reads.answer(read, kind, view);
      } catch (error) {
        broken = error;
        return null;
      }
    };
    this.pending = [];
    this.restores = false;
    this.clears = false;
    this.followsAnew = false;
    try {
      const restore = restores ? this.json : null;
      const answer = this.thread.call(
        {
          event,
          feeds: view === null,
          nowMs,
          follows,
          draws: this.plots !== null,
          candles: pending,
          restore,
          clears,
          signal: this.asked,
          ...seen,
        },
        answerRead,
      );
      if (broken !== null) throw broken;
      if (this.asked !== null) this.readObjection(answer);
      return event === null ? NO_INTENTS : this.readAnswer(answer, this.handlerOf(event));
    } catch (error) {
      if (broken !== null) throw broken;
      this.fail(event === null ? null : this.handlerOf(event), error);
      return NO_INTENTS;
    }
  }

  /** Checks an answer and returns its intents. The state is applied last: an invalid answer changes none. */
  private readAnswer(answer: unknown, handler: string | null): readonly Intent[] {
    const { state, intents, fault, log, plots } = Object(answer) as Readonly<Record<string, unknown>>;
    this.log = [...this.log, ...checkedLog(log)];
    this.readPlots(plots);
    if (fault !== null) {
      this.setFault(checkedFault(fault, { handler, file: this.options.setup.shownFile }));
      return NO_INTENTS;
    }
    const checked = checkedIntents(intents, this.knownMarkets);
    if (state !== null) this.json = checkedState(state);
    return checked.length === 0 ? NO_INTENTS : checked;
  }

  /** Applies the thread's answer to a signal check, which may be a fault. */
  private readObjection(answer: unknown): void {
    const { fault, objection } = fieldsOf(answer);
    const { shownFile: file } = this.options.setup;
    if (fault === null) this.objection = checkedObjection(objection);
    else this.setFault(checkedFault(fault, { handler: null, file }));
  }

  /** Passes plotted values to the sink; a series is the same object each time. */
  private readPlots(plots: unknown): void {
    const sink = this.plots;
    if (sink === null) return;
    for (const { series, atMs, value } of checkedPlots(plots)) {
      const key = `${series.market} ${series.name}`;
      const known = this.series.get(key);
      if (known === undefined && this.series.size >= MOST_PLOTS) continue;
      if (known === undefined) this.series.set(key, series);
      sink.add(known ?? series, atMs, value ?? Number.NaN);
    }
  }

  private fail(handler: string | null, error: unknown): void {
    const file = this.options.setup.shownFile;
    const end = error instanceof SarrafError ? (error.details['end'] as WorkerEnd | undefined) : undefined;
    this.setFault(end === undefined ? { ...faultOf(handler, error, null), file } : { handler, file, ...end });
  }

  /** Returns the name of an event's first handler; null if it has none. */
  private handlerOf(event: StrategyEvent): string | null {
    return this.handlers.get(routeOfEvent(event)) ?? null;
  }

  private setFault(fault: StrategyFault): void {
    this.fault = fault;
    this.failure = faultText(fault);
    if (!this.options.restarts) void this.thread.dispose();
    else if (this.thread.hasEnded) this.restart();
  }

  /** Handles a thread that ended outside of a call: a timer threw, or a rejected promise was not awaited. */
  private onThreadEnd(thread: StrategyThread, end: WorkerEnd): void {
    if (thread !== this.thread) return;
    if (this.failure === null) {
      this.setFault({ handler: null, file: this.options.setup.shownFile, ...end });
      this.options.onEnd();
    } else if (this.options.restarts) this.restart();
  }

  /** Starts a new thread during the pause, up to a number of times an hour. */
  private restart(): void {
    if (this.isDisposed) return;
    const nowMs = performance.now();
    const recent = this.restartedAtMs.filter((atMs) => nowMs - atMs < HOUR_MS);
    if (recent.length >= this.options.limits.restartsAnHour) {
      this.isBeyondRepair = true;
      return;
    }
    this.restartedAtMs.splice(0, this.restartedAtMs.length, ...recent, nowMs);
    this.reads.forgetSent();
    const thread: StrategyThread = new StrategyThread(
      threadOptions(this.options, (end) => this.onThreadEnd(thread, end)),
    );
    this.thread = thread;
    this.isNew = true;
  }

  /** True if the thread was restarted and has sent no message yet. */
  private isNew = false;

  /** Starts to use a restarted thread: its strategy gets the last state, and the last bars as its warm-up. */
  private readRestarted(): void {
    if (!this.isNew) return;
    try {
      const loaded = this.thread.loadedByNow();
      if (loaded === null) {
        // A call does not wait for the thread: the strategy is paused once more.
        const message = 'its thread is still starting again';
        const file = this.options.setup.shownFile;
        this.setFault({ handler: null, message, file, line: null, stack: null });
        return;
      }
      this.isNew = false;
      readyOf(loaded);
      this.followsAnew = this.follows.size > 0;
      this.pending = this.candles.all();
    } catch (error) {
      this.isBeyondRepair = true;
      this.fail(null, error);
    }
  }
}

/** Returns what a strategy wants to be polled, subscribed to or called for, as texts. */
function dataNeeds(subscriptions: readonly Subscription[]): ReadonlySet<string> {
  return new Set(
    subscriptions.map((wanted) => {
      // The warm-up of candles is no matter of the polls.
      if (wanted.kind === 'candles') return `candles ${wanted.market} ${wanted.timeframe}`;
      const values = Object.values(wanted).map((value) => JSON.stringify(value).replaceAll('"', ''));
      return values.join(' ');
    }),
  );
}

function threadOptions(options: WorkerRunnerOptions, onEnd: (end: WorkerEnd) => void): ThreadOptions {
  const { setup, limits, onPrint } = options;
  return { setup, limits, onPrint, onEnd };
}

function readyOf(loaded: Loaded): Ready {
  if (loaded.kind === 'ready') return loaded;
  const { message, line, params } = loaded;
  throw invalidStrategy(message, {
    details: { line, ...(params === null ? {} : { params }) },
  });
}

function checkedName(name: unknown): string {
  if (typeof name === 'string' && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 12) return name;
  throw invalidStrategy(`expected the name of a strategy, was ${JSON.stringify(name)}`);
}

function checkedPace(trailing: unknown, subscriptions: readonly Subscription[]): TrailPace | null {
  const wrong = wrongTrailing(trailing);
  if (wrong !== null) throw invalidStrategy(wrong);
  return paceOf(trailing as Trailing | undefined, subscriptions);
}

function checkedLength(length: unknown): number {
  return typeof length === 'number' && Number.isInteger(length) && length >= 0 && length < 10_000
    ? length
    : 0;
}

function checkedState(json: unknown): string {
  try {
    if (typeof json !== 'string') throw new TypeError('no text');
    checkState(JSON.parse(json));
    return json;
  } catch (error) {
    const was = typeof json === 'string' ? JSON.stringify(json.slice(0, 60)) : typeof json;
    throw invalidStrategy(`expected a state as JSON, was ${was}`, { cause: error });
  }
}
