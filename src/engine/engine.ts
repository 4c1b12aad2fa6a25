import { NO_UNITS, type Units } from '../domain/money.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { mayTrade, type OrderRecord } from '../execution/order-record.ts';
import type { ClosedCandle, StrategyEvent } from '../strategy/strategy-event.ts';
import { AccountState } from './account-state.ts';
import { readersOf, type CandleReader } from './candle-reader.ts';
import { KEPT_CANCELS } from './cancel-manager.ts';
import { Control, KEPT_CONTROL } from './control.ts';
import { CredentialWatch, KEPT_CREDENTIAL } from './credential-watch.ts';
import type { EngineOutput } from './engine-command.ts';
import type { ControlCommand, EngineEvent } from './engine-event.ts';
import { DEFAULT_RECONCILIATION, type EngineSettings } from './engine-settings.ts';
import { FeedHandler } from './feed-handler.ts';
import { FillHandler } from './fill-handler.ts';
import { FlawLog, KEPT_FINDINGS } from './flaw-log.ts';
import { IntentBlotter } from './intent-blotter.ts';
import { IntentRouter } from './intent-router.ts';
import { MarketDataCache } from './market-data-cache.ts';
import type { MirrorState } from './mirror-change.ts';
import { OrderBlotter } from './order-blotter.ts';
import { OrderManager } from './order-manager.ts';
import { PreTradeRisk } from './pre-trade-risk.ts';
import { Outbox } from './outbox.ts';
import { AlgorithmManager } from './algorithm-manager.ts';
import { leftBehind, type LeftBehind } from './left-behind.ts';
import { Reconciler } from './reconciler.ts';
import { KEPT_RECONCILIATION } from './stored-reconciliation.ts';
import { KEPT_ROW, RowCounter } from './row-counter.ts';
import { StrategyInstance } from './strategy-instance.ts';
import { TradingState } from './trading-state.ts';
import { StrategyDispatcher } from './strategy-dispatcher.ts';

/** Rounds of events and intents within one step. More is a livelock, and the rest waits for the next step. */
const MOST_ROUNDS = 1_000;

const NOTHING_TO_DO = { changes: [], isDurable: false, requests: [], notices: [] } as const;

/** How an engine stands, for the shell around it. */
export interface EngineStatus {
  readonly phase: 'syncing' | 'trading' | 'halted' | 'draining';
  readonly liveOrders: number;
  /** Orders whose fate is not known, that are being canceled, or whose fills are missing. */
  readonly unsettled: number;
  readonly isBroken: boolean;
  readonly conclusions: number;
}

/**
 * The bot as a pure, synchronous state machine: told what came back and what time it is, it answers what is
 * to be written and asked. It composes the poll plan, the account, the strategies, the risk checks and the
 * execution of orders, and is the same live, in backtests and under the fuzzer.
 */
export class Engine {
  readonly instances: readonly StrategyInstance[];
  readonly markets: MarketDataCache;
  readonly account: AccountState;
  readonly reconciler: Reconciler;
  readonly orderManager: OrderManager;
  private readonly outbox: Outbox;
  private readonly findings: FlawLog;
  private readonly strategies: StrategyDispatcher;
  private readonly intents: IntentBlotter;
  private readonly intentRouter: IntentRouter;
  private readonly algorithms: AlgorithmManager;
  private readonly feeds: FeedHandler;
  private readonly fills: FillHandler;
  private readonly control: Control;
  private readonly tradingState: TradingState;
  private readonly credential: CredentialWatch;
  private readonly readers: ReadonlyMap<string, CandleReader>;
  private readonly isRestart: boolean;
  private readonly reconciles: boolean;
  private readonly rows: RowCounter;
  /**
   * When a venue that tells by itself did so last. Timers of such a moment wait for a tick, so that whatever
   * comes with it is told before them.
   */
  private toldAtMs = Number.NEGATIVE_INFINITY;
  /** The output of a step that comes to nothing, with the time of the next that is due. */
  private quiet: EngineOutput = { ...NOTHING_TO_DO, wakeAtMs: 0 };

  /**
   * `nowMs` is the time of the first step. Throws `INVALID_STRATEGY` where a stored state does not fit its
   * strategy.
   */
  constructor(settings: EngineSettings, state: MirrorState, nowMs: number) {
    const outbox = new Outbox(settings);
    this.outbox = outbox;
    outbox.nowMs = nowMs;
    this.rows = new RowCounter(outbox);
    this.isRestart = state.strategies.length > 0;
    const followed = new Set<string>(settings.markets.map(({ symbol }) => symbol));
    this.instances = settings.instances.map(
      (instance) => new StrategyInstance(instance, (market) => followed.has(market)),
    );
    this.credential = new CredentialWatch(outbox, settings.credential ?? null);
    this.intents = new IntentBlotter(outbox);
    const blotter = new OrderBlotter(settings, outbox);
    this.findings = new FlawLog(outbox);
    this.account = new AccountState(outbox, this.findings);
    this.markets = new MarketDataCache({
      markets: settings.markets,
      outbox,
      findings: this.findings,
      emit: (event, market) => this.emit(event, market),
    });
    const closed = (): string | null => this.tradingState.closed();
    const { markets, instances, findings, rows } = this;
    const risk = new PreTradeRisk({ blotter, markets, instances, closed });
    this.orderManager = new OrderManager({ settings, blotter, findings, risk, rows, epoch: state.epoch });
    this.readers = readersOf(settings.feeds, this.instances);
    const currencies = new Set(settings.markets.flatMap(({ base, quote }) => [base, quote]));
    this.reconciles = settings.reconciliation !== null;
    this.reconciler = new Reconciler(
      { ...(settings.reconciliation ?? DEFAULT_RECONCILIATION), currencies },
      outbox,
      {
        hasten: (feed) => this.feeds.hasten(feed),
        unsettled: () => this.orderManager.blotter.unsettled() ?? this.fills.waitingFor(),
        findings: this.findings,
      },
    );
    this.fills = new FillHandler({
      blotter: this.orderManager.blotter,
      reports: this.orderManager.reports,
      onFill: (fill, order) => this.onFill(fill, order),
      onImpossible: (fill, order) => this.reconciler.breakAtFill(fill, order),
    });
    const equityOf = (instance: StrategyInstance, market: string): Units | null =>
      this.strategies.viewOf(instance).equityUnits(market);
    this.algorithms = new AlgorithmManager({
      outbox,
      orderManager: this.orderManager,
      risk,
      markets: this.markets,
      intents: this.intents,
      equityOf,
      onRefused: (instance, _, { code, reason }) => this.strategies.onRejected(instance, { code, reason }),
    });
    this.intentRouter = new IntentRouter({
      outbox,
      orderManager: this.orderManager,
      risk,
      algorithms: this.algorithms,
      markets: this.markets,
      intents: this.intents,
      equityOf,
      nextIntentId: () => `i${this.rows.next().toString(36)}`,
      closed,
      onRejected: (instance, rejection) => this.strategies.onRejected(instance, rejection),
    });
    this.strategies = new StrategyDispatcher({
      instances: this.instances,
      outbox,
      markets: this.markets,
      blotter: this.orderManager.blotter,
      account: this.account,
      candlesSeenAtMs: (market) => this.feeds.candlesSeenAtMs(market),
      onIntent: (instance, intent) => this.intentRouter.take(instance, intent),
      onFailed: (instance) => {
        this.algorithms.end((work) => work.instance === instance, 'its strategy has stopped');
        if (instance.settings.onError === 'cancel') this.intentRouter.cancelAll(instance, null);
      },
    });
    this.feeds = new FeedHandler({
      feeds: settings.feeds,
      startMs: nowMs,
      outbox,
      orderManager: this.orderManager,
      markets: this.markets,
      account: this.account,
      fills: this.fills,
      reconciler: this.reconciler,
      findings: this.findings,
      candles: this.readers,
      onPast: (candles) => {
        for (const candle of candles) this.strategies.warmUp(candle);
      },
      onCandle: (candle) => this.strategies.tellCandle(candle),
    });
    this.control = new Control({
      outbox,
      orderManager: this.orderManager,
      endAlgorithms: (reason, matches) => this.algorithms.end(({ intentId }) => matches(intentId), reason),
      heldOf: (strategy, asset) => this.strategies.instanceOf(strategy)?.held(asset) ?? NO_UNITS,
      stopStrategies: (reason) => this.strategies.stop(reason),
    });
    this.tradingState = new TradingState({
      outbox,
      control: this.control,
      credential: this.credential,
      strategies: this.strategies,
      reconciler: this.reconciler,
      findings: this.findings,
      orderManager: this.orderManager,
      reconciles: this.reconciles,
    });
    this.orderManager.blotter.listen((order, before) => this.onOrder(order, before));
    this.restore(state, nowMs);
  }

  /**
   * Takes in one event; answers what is to be done. Throws `INVARIANT` when something that must hold does
   * not: the shell then ends this life.
   */
  step(event: EngineEvent): EngineOutput {
    const { outbox } = this;
    if (event.atMs > outbox.nowMs) outbox.nowMs = event.atMs;
    if (event.kind === 'bar' || event.kind === 'closes' || event.kind === 'account')
      this.toldAtMs = outbox.nowMs;
    if (event.kind === 'bar' && this.isAtRest()) {
      this.markets.takeBar(event.bar);
      this.strategies.handCandle(event.bar);
      // It made nobody want anything: of such bars a backtest has millions.
      if (this.isAtRest()) return this.quiet;
      return this.finish(false);
    }
    if (event.kind === 'closes' || event.kind === 'opens') return this.takePrices(event);
    this.algorithms.beginStep();
    if (event.kind === 'answer') this.takeAnswer(event);
    else if (event.kind === 'bar') this.takeBar(event.bar);
    else if (event.kind === 'account') this.takeAccount(event);
    else if (event.kind === 'pace') this.feeds.setPaces(event.paces);
    else if (event.kind === 'control') {
      this.takeCommand(event.command);
    }
    return this.finish(event.kind === 'tick');
  }

  /** Does all that a step brings with it, and answers what is to be done. */
  private finish(isTick: boolean): EngineOutput {
    const { outbox } = this;
    this.work();
    this.pump(outbox.nowMs, isTick || outbox.nowMs > this.toldAtMs);
    this.work();
    this.store();
    const wakeAtMs = this.wakeAtMs();
    this.quiet = { ...NOTHING_TO_DO, wakeAtMs };
    return outbox.take(wakeAtMs);
  }

  /**
   * Whether nothing is at work or waits to be told, stored or sent, and the time of nothing has come: then
   * all that a bar does is to be told.
   */
  private isAtRest(): boolean {
    const { outbox, quiet, algorithms, strategies } = this;
    return (
      strategies.hasStarted &&
      outbox.isEmpty &&
      !outbox.isRestartable &&
      !outbox.isJournaled &&
      outbox.nowMs < quiet.wakeAtMs &&
      strategies.isIdle &&
      algorithms.size === 0
    );
  }

  /** How it stands. */
  status(): EngineStatus {
    const orders = this.orderManager.blotter.table.unfinished();
    return {
      phase: this.control.phase(this.strategies.hasStarted),
      liveOrders: orders.filter((order) => mayTrade(order) || order.state === 'planned').length,
      unsettled: orders.filter(({ state }) => state !== 'open' && state !== 'planned').length,
      isBroken: this.reconciler.break !== null,
      conclusions: this.reconciler.watch.conclusionCount,
    };
  }

  /** How old everything that is polled is. */
  dataAges(): ReturnType<FeedHandler['ages']> {
    return this.feeds.ages(this.outbox.nowMs);
  }

  /** Orders that are not at their end, by state. */
  ordersByState(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { state } of this.orderManager.blotter.table.unfinished())
      counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  /** Whether orders, fills and wallets were read at least once. */
  isAccountRead(): boolean {
    return this.feeds.isReady();
  }

  /** Orders that are not at their end, oldest first. */
  unfinishedOrders(): readonly OrderRecord[] {
    return this.orderManager.blotter.table.unfinished();
  }

  /** Orders that may still trade, by their key. */
  liveOrderKeys(): readonly string[] {
    return this.orderManager.blotter.table
      .unfinished()
      .flatMap((order) => (mayTrade(order) ? [order.key] : []));
  }

  /** What about the account can not be right, for an operator. */
  doubts(): readonly string[] {
    return this.tradingState.doubts();
  }

  /** Why trading is halted; null while it is not. */
  haltReason(): string | null {
    return this.control.haltReason();
  }

  /** Why the exchange takes none of our calls; null while it does, as far as is known. */
  credentialFault(): string | null {
    return this.credential.fault();
  }

  /** What an end of the run now would leave at the exchange. */
  leftBehind(): LeftBehind {
    return leftBehind({
      unfinished: this.unfinishedOrders(),
      instances: this.instances,
      markets: this.markets,
    });
  }

  /**
   * Whether a drain has come to its end: nothing of ours is on its way, and, where that was asked for,
   * nothing is open.
   */
  isDrained(): boolean {
    return this.control.isDrained();
  }

  private takeCommand(command: ControlCommand): void {
    if (command.kind === 'accept-balances') this.reconciler.accept();
    else if (command.kind === 'compare-balances') this.reconciler.tryNow();
    else this.control.take(command);
  }

  private takeAnswer(event: Extract<EngineEvent, { kind: 'answer' }>): void {
    const { requestId, answer, sentAtMs } = event;
    const asked = this.outbox.answered(requestId);
    this.credential.take(answer, { isPrivate: asked?.isPrivate ?? false, sentAtMs });
    asked?.take(answer, { atMs: this.outbox.nowMs, sentAtMs });
  }

  private takeBar(bar: ClosedCandle): void {
    this.markets.takeBar(bar);
    this.strategies.tellCandle(bar);
    if (this.algorithms.size > 0) this.algorithms.onBook(bar.market);
  }

  /**
   * These are the prices from now on; who waits for one is asked at the next step, when it is known what else
   * happened.
   */
  private takePrices(event: Extract<EngineEvent, { kind: 'closes' | 'opens' }>): EngineOutput {
    const { markets, algorithms, outbox } = this;
    if (event.kind === 'closes') for (const bar of event.bars) markets.takeBar(bar);
    else for (const { market, price, untilMs } of event.opens) markets.takeOpen(market, price, untilMs);
    if (algorithms.size > 0)
      for (const { market } of event.kind === 'closes' ? event.bars : event.opens) algorithms.onBook(market);
    return algorithms.isWaited ? { ...NOTHING_TO_DO, wakeAtMs: outbox.nowMs } : this.quiet;
  }

  private takeAccount({ orders, trades, wallets }: Extract<EngineEvent, { kind: 'account' }>): void {
    const { account, fills, orderManager } = this;
    account.take(wallets);
    for (const record of orders) orderManager.takeRecord(record, { isTrusted: true });
    account.saw('orders');
    if (trades.length > 0) fills.takeTold(trades);
    account.saw('fills');
  }

  /** Tells strategies and runs algorithms until nothing is left to do. */
  private work(): void {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      if (
        !this.strategies.tellNext() &&
        (this.control.isDraining || !this.algorithms.pump(this.outbox.nowMs))
      )
        return;
    }
    this.outbox.alarm(
      `strategies and algorithms were still at work after ${MOST_ROUNDS} rounds; the rest waits`,
    );
  }

  private pump(nowMs: number, isTimeUp: boolean): void {
    this.beginTrading();
    if (isTimeUp) this.strategies.pump(nowMs);
    this.orderManager.blotter.identical.expire(nowMs);
    this.findings.expire(nowMs);
    if (this.fills.isWaiting) this.fills.settlePending();
    this.orderManager.pump(nowMs);
    this.control.pump(nowMs);
    if (this.mayReconcile()) this.reconciler.pump(nowMs);
    this.feeds.setIdle(this.orderManager.blotter.table.unfinished().length === 0);
    this.feeds.pump(nowMs);
  }

  /** Strategies start once the account was read and the past is there. */
  private beginTrading(): void {
    if (
      this.strategies.hasStarted ||
      !this.feeds.isReady() ||
      this.orderManager.takeover.isWaitedFor(this.fills.isWaiting)
    )
      return;
    this.strategies.start(this.isRestart);
    this.outbox.journal('control', 'start', { isRestart: this.isRestart });
    this.work();
  }

  private wakeAtMs(): number {
    const next = Math.min(
      this.feeds.wakeAtMs(),
      this.orderManager.wakeAtMs(),
      // A drain leaves algorithms as they are: what they would want now comes to nothing.
      this.control.isDraining ? Number.POSITIVE_INFINITY : this.algorithms.wakeAtMs(),
      this.control.wakeAtMs(),
      this.strategies.wakeAtMs(),
    );
    return this.mayReconcile() ? Math.min(next, this.reconciler.wakeAtMs()) : next;
  }

  /**
   * Balances are compared from the start on, or, where candles of the past are read first, once these are
   * there.
   */
  private mayReconcile(): boolean {
    return this.reconciles && (this.strategies.hasStarted || this.readers.size === 0);
  }

  private onFill(fill: FillRecord, order: OrderRecord | null): void {
    if (this.reconciles) this.reconciler.onFill(fill);
    if (order !== null) this.strategies.onFill(fill, order);
  }

  private onOrder(order: OrderRecord, before: OrderRecord | null): void {
    if (order.matched > order.filled) this.feeds.hasten('fills');
    // The exchange rounded it: the steps that it was fitted to are no longer those of the market.
    if (before !== null && (order.amount !== before.amount || order.price !== before.price)) {
      this.feeds.hasten('options');
    }
    if (before !== null) this.strategies.onOrder(order, before);
  }

  private emit(event: StrategyEvent, market: string): void {
    if (event.kind === 'book') this.algorithms.onBook(market);
    if (this.strategies.hasStarted && !this.control.isDraining)
      this.strategies.tellSubscribers(event, market);
  }

  private store(): void {
    if (!this.outbox.isRestartable) return;
    this.rows.store();
    this.feeds.store(this.outbox.nowMs);
    for (const instance of this.instances) {
      const strategy = instance.takeRecord(this.outbox.nowMs);
      if (strategy !== null) this.outbox.change({ kind: 'strategy', strategy });
    }
  }

  private restore(state: MirrorState, nowMs: number): void {
    this.rows.restore(state.kept[KEPT_ROW]);
    this.findings.restore(state.kept[KEPT_FINDINGS]);
    this.orderManager.takeover.restore(state, this.rows.last);
    this.orderManager.reports.namesakes.begin(nowMs);
    this.markets.restore(state.markets, nowMs);
    this.strategies.restore(state);
    this.fills.restore(state);
    this.reconciler.restore(state.kept[KEPT_RECONCILIATION]);
    if (this.orderManager.takeover.isPutBack && this.reconciles) this.reconciler.afterPutBack();
    this.orderManager.blotter.restore(state, nowMs);
    this.orderManager.cancels.restore(state.kept[KEPT_CANCELS]);
    this.algorithms.restore(state, this.instances);
    this.intentRouter.restore(state);
    this.control.restore(state.kept[KEPT_CONTROL]);
    this.credential.restore(state.kept[KEPT_CREDENTIAL]);
  }
}
