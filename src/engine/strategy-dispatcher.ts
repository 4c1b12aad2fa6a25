import type { PromoteCommand, ReloadCommand } from './engine-event.ts';
import type { InventoryOptions } from './inventory.ts';
import { marginTopic } from '../records/margin.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { Intent } from '../strategy/intents.ts';
import type { ClosedCandle, StrategyEvent } from '../strategy/strategy-event.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import { isOfMargin } from '../strategy/subscriptions.ts';
import type { StrategyLogLine } from '../strategy/strategy-port.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import type { LostStrategySettings } from './engine-settings.ts';
import type { IntentRouter } from './strategies/intent-router.ts';
import { leftReason } from './inventory.ts';
import type { MirrorState } from './mirror-change.ts';
import type { StrategyRecord } from '../records/rows.ts';
import type { PortfolioView, PortfolioViews } from './strategies/portfolio-view.ts';
import { requiredMarkets, type StrategyInstance } from './strategy-instance.ts';
import { restored, type StoredValue } from './stored-records.ts';
import { writeUnstarted } from './strategy-instance-record.ts';
import type { StrategyNotifier } from './strategies/strategy-notifier.ts';

/** A strategy that subscribed to something, and its view of the account. */
interface Listener {
  readonly instance: StrategyInstance;
  readonly view: PortfolioView;
}

const NO_LISTENERS: readonly Listener[] = [];

/** A strategy that wants candles of a market and length. */
export interface CandleListener extends Listener {
  /** Index of these candles among all that the strategy uses. */
  readonly place: number;
}

interface StrategyDispatcherOptions extends Pick<InventoryOptions, 'instances' | 'outbox' | 'markets'> {
  readonly views: PortfolioViews;
  readonly notifier: StrategyNotifier;
  readonly intents: IntentRouter;
  readonly marketNames: MarketNames;
}

/**
 * Delivers events to strategies, one after the other, and passes their intents on. If the handler of one
 * throws, only that strategy stops.
 */
export class StrategyDispatcher {
  hasStarted = false;
  private isRestart = false;
  private promotions: StoredValue<'promotions'> = [];
  private readonly options: StrategyDispatcherOptions;
  private readonly listeners: readonly Listener[];
  /** Subscribers by kind of data, then by `BTCIRT`, `BTCIRT 1h` (candles) or a margin topic. */
  private readonly routes = new Map<string, Map<string, readonly Listener[]>>();

  constructor(options: StrategyDispatcherOptions) {
    const { instances, views } = options;
    this.options = options;
    this.listeners = instances.map((instance) => ({ instance, view: views.of(instance) }));
    for (const listener of this.listeners) this.addRoutes(listener);
  }

  /** True if no event waits for a strategy. */
  get isIdle(): boolean {
    return this.options.notifier.queue.length === 0;
  }

  /** Feeds a past candle to the indicators of its subscribers; no handler is called. */
  warmUp(candle: ClosedCandle): void {
    for (const { instance } of this.listenersTo(candle.market, candle.timeframe))
      instance.runner.warmUp(candle);
  }

  /** Returns the strategies that want candles of a market and length. */
  listenersTo(market: string, timeframe: Timeframe): readonly CandleListener[] {
    return (this.routes.get('candles')?.get(`${market} ${timeframe}`) ?? NO_LISTENERS).flatMap(
      ({ instance, view }) =>
        instance.runner.wantsCandles
          ? [{ instance, view, place: instance.runner.candlePlace(market, timeframe) }]
          : [],
    );
  }

  /** Queues a candle for the strategies that want it. */
  notifyCandle(
    candle: ClosedCandle,
    listeners: readonly CandleListener[] = this.listenersTo(candle.market, candle.timeframe),
  ): void {
    for (const { instance } of listeners) this.options.notifier.notify(instance, { kind: 'candle', candle });
  }

  /**
   * Delivers a candle at once, without the queue. To be called only while no event waits and strategies have
   * started. True if a strategy logged, requested something or failed.
   */
  handCandle(candle: ClosedCandle, listeners: readonly CandleListener[]): boolean {
    let hasCome = false;
    for (const { instance, view, place } of listeners) {
      const { runner } = instance;
      if (instance.isPausedByHand) {
        runner.feed({ kind: 'candle', candle });
        continue;
      }
      const wasFailing = runner.failure !== null;
      const intents = runner.handleCandle(candle, view, place);
      if (this.applyAnswer(instance, intents, wasFailing)) hasCome = true;
    }
    return hasCome;
  }

  /** Starts the strategies: from now on they get events, first of all `start`. */
  start(isRestart: boolean): void {
    this.hasStarted = true;
    this.isRestart = isRestart;
    const { instances, markets, outbox, notifier } = this.options;
    for (const instance of instances) {
      const notices = assetNotices(instance, (market) => markets.get(market) !== undefined);
      for (const { level, text } of notices) outbox[level](text, instance.name);
    }
    // In reverse order: each is put at the front of the queue, so they start in their own order.
    for (const instance of instances.toReversed()) {
      instance.setTimers(outbox.nowMs);
      notifier.queue.unshift({ instance, event: { kind: 'start', isRestart } });
    }
  }

  /**
   * Lets a strategy continue that a person had paused. It has missed events, so it gets a `start` as after a
   * restart.
   */
  resume(instance: StrategyInstance): void {
    if (!this.hasStarted) return;
    const isRestart = this.isRestart || instance.hasBegun;
    this.options.notifier.queue.unshift({ instance, event: { kind: 'start', isRestart } });
  }

  /**
   * Starts a strategy again whose runner has other code or params now. Its orders, algorithms and holdings
   * stay; a failure before is over.
   */
  reload(command: ReloadCommand | PromoteCommand): void {
    const { outbox, notifier } = this.options;
    const { kind, strategy, by, ...rest } = command;
    const instance = notifier.instancesByName.get(strategy);
    if (instance === undefined) return;
    outbox.durable();
    outbox.journal('control', kind, { strategy, ...rest, ...(by === undefined ? {} : { by }) });
    if (command.kind === 'promote') this.promote(command);
    outbox.info(reloadText(command), strategy);
    if (command.kind === 'promote' && command.act === 'drop') return;
    instance.isDirty = true;
    if (instance.status !== 'running' && !instance.isMarketMissing) {
      instance.status = 'running';
      instance.reason = null;
      instance.resumesAtMs = Number.POSITIVE_INFINITY;
    }
    this.resume(instance);
  }

  private promote({ act, strategy, shadow, setups }: PromoteCommand): void {
    const { outbox } = this.options;
    const others = this.promotions.filter((one) => one.strategy !== strategy);
    const promotion = { strategy, shadow, setups, atMs: outbox.nowMs };
    this.promotions = act === 'promote' ? [...others, promotion] : others;
    outbox.persist('promotions', this.promotions);
  }

  /** Queues the `stop` event for all strategies. */
  stop(reason: Sentence): void {
    if (!this.hasStarted) return;
    for (const instance of this.options.instances)
      this.options.notifier.notify(instance, { kind: 'stop', reason: english(reason) });
  }

  /** Queues an event for all who subscribed to this kind of data of a market, or to a margin topic. */
  notifySubscribers(event: StrategyEvent, of: string): void {
    for (const { instance } of this.routes.get(event.kind)?.get(of) ?? NO_LISTENERS)
      this.options.notifier.notify(instance, event);
  }

  /** Delivers the next event. False if there is none, or strategies have not started. */
  notifyNext(): boolean {
    if (!this.hasStarted) return false;
    const { notifier, views } = this.options;
    const next = notifier.queue.shift();
    if (next === null) return false;
    const { instance, event } = next;
    if (instance.status !== 'running' || instance.isPausedByHand) {
      // A paused strategy still gets its indicators and universes updated.
      if (event.kind === 'candle' || event.kind === 'universe') instance.runner.feed(event);
      return true;
    }
    if (event.kind === 'start') instance.hasBegun = true;
    const wasFailing = instance.runner.failure !== null;
    this.applyAnswer(instance, instance.runner.handle(event, views.of(instance)), wasFailing);
    return true;
  }

  /**
   * Does what is due: fires timers, ends pauses, and handles strategies that failed outside of their
   * handlers.
   */
  pump(nowMs: number): void {
    for (const instance of this.options.instances) {
      const { failure } = instance.runner;
      if (failure !== null && instance.status === 'running') this.fail(instance, failure);
      if (instance.resumesAtMs <= nowMs) this.endPause(instance);
      if (!this.hasStarted) continue;
      for (const timer of instance.timers) {
        if (timer.nextMs > nowMs) continue;
        const dueMs = timer.nextMs;
        instance.setTimer(timer, nowMs);
        this.options.notifier.notify(instance, { kind: 'timer', name: timer.name, dueMs });
      }
    }
  }

  /** Returns the time of the next timer or end of a pause, in ms since 1970; infinity if there is none. */
  wakeAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const instance of this.options.instances) {
      if (instance.status === 'paused') next = Math.min(next, instance.resumesAtMs);
      for (const { nextMs } of instance.timers) if (nextMs < next) next = nextMs;
    }
    return next;
  }

  /** Ends a strategy as if one of its handlers had thrown, because data that it declared is not available. */
  refuse(instance: StrategyInstance, reason: Sentence): void {
    if (instance.status === 'running') this.fail(instance, reason);
  }

  /**
   * Restores the strategies from the mirror. Strategies that can not run or are no longer configured are
   * stored as stopped.
   */
  restore({ strategies, stored }: MirrorState, lost: readonly LostStrategySettings[]): void {
    const { notifier, outbox, marketNames } = this.options;
    this.promotions = restored(stored, 'promotions') ?? [];
    for (const record of strategies) notifier.instancesByName.get(record.name)?.restore(record);
    for (const { name, reason, quote } of lost) {
      if (notifier.instancesByName.get(name) !== undefined) continue;
      // Its holdings and results stay in its row.
      const stored = strategies.find((record) => record.name === name);
      const json = stored?.json ?? writeUnstarted(marketNames, quote);
      const strategy = { name, status: 'stopped', reason, json, atMs: outbox.nowMs } as const;
      outbox.change({ kind: 'strategy', strategy });
      outbox.journal('strategy', name, { status: 'stopped', reason });
      outbox.alarm(`${name} does not run: ${english(reason)}`, name);
    }
    const isLost = (name: string): boolean => lost.some((one) => one.name === name);
    for (const record of strategies)
      if (notifier.instancesByName.get(record.name) === undefined && !isLost(record.name))
        this.noteLeft(record);
  }

  private noteLeft(record: StrategyRecord): void {
    const { outbox, marketNames, instances, markets } = this.options;
    const leastAmountOf = (asset: string): Units => markets.leastAmountOf(asset);
    const reason = leftReason(record, { marketNames, instances, leastAmountOf });
    if (reason !== sentence('strategy-left')) outbox.warn(`${record.name}: ${english(reason)}`, record.name);
    if (record.status === 'stopped' && record.reason === reason) return;
    outbox.change({
      kind: 'strategy',
      strategy: { ...record, status: 'stopped', reason, atMs: outbox.nowMs },
    });
  }

  /**
   * Called after the list of markets was read. A strategy pauses while one of its markets is not listed; its
   * orders and algorithms continue.
   */
  onListed(): void {
    const { instances, markets, outbox } = this.options;
    for (const instance of instances) {
      const market = requiredMarkets(instance.runner).find((needed) => !markets.isListed(needed));
      const wasMissing = instance.isMarketMissing;
      instance.isMarketMissing = market !== undefined;
      if (market === undefined) {
        if (wasMissing && instance.status === 'paused') instance.resumesAtMs = outbox.nowMs;
      } else if (instance.status === 'running') this.pause(instance, sentence('market-unlisted', { market }));
    }
  }

  private pause(instance: StrategyInstance, reason: Sentence): void {
    const { outbox } = this.options;
    instance.status = 'paused';
    instance.reason = reason;
    instance.resumesAtMs = Number.POSITIVE_INFINITY;
    instance.isDirty = true;
    outbox.journal('strategy', instance.name, { status: 'paused', reason });
    outbox.alarm(`${instance.name} pauses: ${english(reason)}`, instance.name);
  }

  /** Applies a handler's log and intents (none if it has just thrown). True if there were any. */
  private applyAnswer(instance: StrategyInstance, intents: readonly Intent[], wasFailing: boolean): boolean {
    const { failure } = instance.runner;
    const lines = instance.runner.drainLog();
    if (lines.length > 0) this.recordLog(instance, lines);
    if (failure !== null && !wasFailing) this.fail(instance, failure);
    else if (intents.length === 0) return lines.length > 0;
    else {
      instance.tally.intents += intents.length;
      for (const intent of intents) this.options.intents.apply(instance, intent);
    }
    return true;
  }

  /** Publishes the lines logged in this call, whether or not the call succeeded. */
  private recordLog(instance: StrategyInstance, lines: readonly StrategyLogLine[]): void {
    const { outbox } = this.options;
    for (const line of lines) {
      const { text, fields } = line;
      instance.addLog({ atMs: outbox.nowMs, ...line });
      outbox.journal('log', instance.name, { text, fields });
      const message = `${instance.name}: ${text}`;
      outbox.notify({
        kind: 'notice',
        level: 'info',
        message,
        subject: instance.name,
        ...(fields === null ? {} : { details: { fields } }),
      });
    }
  }

  /** Pauses or stops a strategy whose handler threw, as its configuration says. The others continue. */
  private fail(instance: StrategyInstance, failure: Sentence): void {
    const { onError, pauseMs } = instance.settings;
    const { outbox, intents } = this.options;
    const pauses = onError === 'pause' && !instance.runner.isBeyondRepair;
    instance.status = pauses ? 'paused' : 'stopped';
    instance.reason = failure;
    instance.resumesAtMs = pauses ? outbox.nowMs + pauseMs : Number.POSITIVE_INFINITY;
    instance.isDirty = true;
    intents.endAllOf(instance);
    const what = pauses ? `pauses for ${Math.round(pauseMs / 1_000)} s` : 'is stopped';
    const { file = null, line = null, handler = null, stack = null } = instance.runner.fault ?? {};
    const place = { file, line, handler };
    outbox.journal('strategy', instance.name, { status: instance.status, reason: failure, ...place });
    const message = `${instance.name} ${what}: ${english(failure)}`;
    const details = { strategy: instance.name, ...place };
    const notice = { kind: 'notice', level: 'error', message, subject: instance.name, details } as const;
    outbox.notify(stack === null ? notice : { ...notice, stack });
  }

  private endPause(instance: StrategyInstance): void {
    if (instance.status !== 'paused') return;
    instance.status = 'running';
    instance.resumesAtMs = Number.POSITIVE_INFINITY;
    instance.reason = null;
    instance.isDirty = true;
    instance.runner.clearFailure();
    const { failure } = instance.runner;
    if (failure === null) this.options.outbox.info(`${instance.name} goes on after its pause`, instance.name);
    else this.fail(instance, failure);
  }

  private addRoutes(listener: Listener): void {
    for (const wanted of listener.instance.runner.subscriptions) {
      if (wanted.kind === 'timer' || wanted.kind === 'signal' || wanted.kind === 'universe') continue;
      if (isOfMargin(wanted)) this.addRoute('margin', marginTopic(wanted), listener);
      else {
        const timeframe = wanted.kind === 'candles' ? ` ${wanted.timeframe}` : '';
        this.addRoute(wanted.kind, `${wanted.market}${timeframe}`, listener);
      }
    }
  }

  private addRoute(kind: string, route: string, listener: Listener): void {
    const ofKind = this.routes.get(kind) ?? new Map<string, readonly Listener[]>();
    this.routes.set(kind, ofKind);
    const listeners = ofKind.get(route) ?? [];
    if (!listeners.includes(listener)) ofKind.set(route, [...listeners, listener]);
  }
}

/** Returns notes for an operator on how a strategy's positions and profit are counted; usually none. */
export function assetNotices(
  {
    name,
    quotes,
    markets,
    marketNames,
  }: Pick<StrategyInstance, 'name' | 'quotes' | 'markets' | 'marketNames'>,
  sees: (market: string) => boolean,
): readonly { readonly level: 'info' | 'warn'; readonly text: string }[] {
  const notices: { level: 'info' | 'warn'; text: string }[] = [];
  const { bridge, quotes: known, parseMarket } = marketNames;
  const coins = Map.groupBy(markets, (market) => parseMarket(market).base);
  for (const [coin, together] of coins) {
    if (together.length < 2) continue;
    const text = `${name}: its position in ${coin} is counted over ${together.join(' and ')} together`;
    notices.push({ level: 'info', text });
  }
  if (quotes.size > 1 && !sees(bridge.market)) {
    const text = `${name} trades in ${known.map((quote) => quote.name).join(' and in ')}, and no market of the bot converts between them: its total profit, its equity and its loss limits are unknown while it has both. Have a strategy follow ${bridge.market}`;
    notices.push({ level: 'warn', text });
  }
  return notices;
}

function reloadText(command: ReloadCommand | PromoteCommand): string {
  const { strategy } = command;
  if (command.kind === 'reload') return `${strategy} was loaded anew`;
  const { act, shadow } = command;
  if (act === 'promote') return `${strategy} goes on with the code and params of its shadow ${shadow}`;
  return act === 'undo'
    ? `${strategy} goes on with its own code and params; ${shadow} has those of the shadow again`
    : `${strategy} has the code and params of the configuration: its promotion of ${shadow} is over, since the configuration has changed`;
}
