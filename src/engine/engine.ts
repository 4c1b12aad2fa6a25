import type { Timeframe } from '../domain/timeframe.ts';
import type { LockRule } from './lock.ts';
import { mayTrade, STATES_ONCE_SENT, type OrderRecord } from '../records/order.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import { ByHand } from './by-hand/by-hand.ts';
import { KEPT_BY_HAND } from './by-hand/by-hand-record.ts';
import { AccountState } from './feeds/account-state.ts';
import { AlgorithmManager } from './algorithms/algorithm-manager.ts';
import { readersOf } from './feeds/candle-reader.ts';
import { KEPT_CANCELS } from './orders/cancel-manager.ts';
import { Control, KEPT_CONTROL } from './control.ts';
import { CredentialWatch, KEPT_CREDENTIAL } from './credential-watch.ts';
import type { EngineOutput } from './engine-command.ts';
import type { EngineEvent, VenueEvent } from './engine-event.ts';
import { DEFAULT_RECONCILIATION, type EngineSettings } from './engine-settings.ts';
import { ordersByState, statusOf, type EngineStatus, TradingState } from './trading-state.ts';
import { EventLoop } from './event-loop.ts';
import { FeedHandler } from './feeds/feed-handler.ts';
import { lastReadMs } from './feeds/feed-read-times.ts';
import { FigureKeeper } from './strategies/figure-keeper.ts';
import { FillHandler } from './fills/fill-handler.ts';
import { FlawLog, KEPT_FINDINGS } from './flaw-log.ts';
import { IntentBlotter } from './strategies/intent-blotter.ts';
import { IntentRouter } from './strategies/intent-router.ts';
import { leftBehind, type LeftBehind } from './left-behind.ts';
import { KEPT_PLOTS } from './live-plots.ts';
import { KEPT_LOCKS, LockManager } from './locks/lock-manager.ts';
import { KEPT_LOSS_LIMITS, LossLimits } from './risk/loss-limits.ts';
import { MarginCache } from './feeds/margin-cache.ts';
import { MarketDataCache } from './feeds/market-data-cache.ts';
import type { MirrorState } from './mirror-change.ts';
import { OrderBlotter } from './orders/order-blotter.ts';
import { KEPT_MISSING_COINS, MissingCoins } from './fills/missing-coins.ts';
import { OrderManager } from './orders/order-manager.ts';
import { Outbox } from './outbox.ts';
import { PortfolioViews } from './strategies/portfolio-view.ts';
import { PreTradeRisk } from './risk/pre-trade-risk.ts';
import { Reconciler } from './fills/reconciler.ts';
import { KEPT_ROW, RowCounter } from './feeds/row-counter.ts';
import { RefusedOrders } from './orders/refused-orders.ts';
import { Reservations } from './risk/reservations.ts';
import { KEPT_BALANCE_MARKS } from './balance-marks.ts';
import { KEPT_RECONCILIATION } from './stored-reconciliation.ts';
import { SignalIntake } from './signal-intake.ts';
import { KEPT_SLOW_MACHINE, SlowMachineWatch } from './slow-machine-watch.ts';
import { KEPT_STANDSTILLS, StandstillWatch } from './standstill-watch.ts';
import { StrategyDispatcher, type CandleListener } from './strategy-dispatcher.ts';
import { pooledMarkets, StrategyInstance } from './strategy-instance.ts';
import { StrategyNotifier } from './strategies/strategy-notifier.ts';
import { MemberGuard } from './universe/member-guard.ts';
import { KEPT_UNIVERSES } from './universe/stored-universes.ts';
import { TransferManager } from './transfer-manager.ts';
import { KEPT_TRANSFERS } from './transfer-record.ts';
import { UniverseManager } from './universe-manager.ts';

/**
 * The bot as a pure, synchronous state machine: it takes in what came back and what time it is, and answers
 * what is to be written and asked. Here its parts are put together; what a step does is in `EventLoop`. It is
 * the same live, in backtests and under the fuzzer.
 */
export class Engine {
  readonly instances: readonly StrategyInstance[];
  readonly universes: UniverseManager;
  readonly markets: MarketDataCache;
  readonly account: AccountState;
  readonly reconciler: Reconciler;
  readonly orderManager: OrderManager;
  readonly locks: LockManager;
  readonly byHand: ByHand;
  readonly signals: SignalIntake;
  readonly slowMachine: SlowMachineWatch;
  private readonly outbox: Outbox;
  private readonly strategies: StrategyDispatcher;
  private readonly algorithms: AlgorithmManager;
  private readonly feeds: FeedHandler;
  private readonly control: Control;
  private readonly transfers: TransferManager;
  private readonly tradingState: TradingState;
  private readonly credential: CredentialWatch;
  private readonly loop: EventLoop;

  /**
   * `nowMs` is the time of the first step. Throws `INVALID_STRATEGY` where a stored state does not fit its
   * strategy.
   */
  constructor(settings: EngineSettings, state: MirrorState, nowMs: number) {
    const outbox = new Outbox(settings);
    outbox.nowMs = nowMs;
    const rows = new RowCounter(outbox);
    const findings = new FlawLog(outbox);
    const followed = new Set<string>(settings.markets.map(({ symbol }) => symbol));
    const { marketNames } = settings.venue;
    const sees = (market: string): boolean => followed.has(market);
    const instances = settings.instances.map(
      (instance) => new StrategyInstance(instance, { marketNames, sees }),
    );
    const credential = new CredentialWatch(outbox, settings.credential ?? null);
    const slowMachine = new SlowMachineWatch(outbox);
    const intents = new IntentBlotter(outbox);
    const blotter = new OrderBlotter(settings, outbox);
    const account = new AccountState(outbox, findings);
    const standstills = new StandstillWatch({
      outbox,
      venue: settings.venue,
      limits: settings.instances.map(({ limits }) => limits),
    });
    const markets = new MarketDataCache({
      standstills,
      markets: settings.markets,
      outbox,
      findings,
      emit: (event, market) => this.loop.tellMarketData(event, market),
    });
    const margin = new MarginCache({
      outbox,
      findings,
      emit: (topic, seen) => this.loop.tellMargin(topic, seen),
    });
    const readers = readersOf(settings.feeds, instances, settings.venue);
    const reservations = new Reservations({
      table: blotter.table,
      account,
      instances,
      marketNames,
      marketOf: (symbol) => markets.get(symbol)?.market ?? null,
      expected: (asset) => this.reconciler.expectedOf(asset),
      works: () => this.algorithms.atWork,
      leaving: (asset) => transfers.leavingSpot(asset),
      bestFor: (market, side) => risk.bestFor(market, side),
      isPushed: settings.reconciliation === null,
    });
    const views = new PortfolioViews(instances, {
      markets,
      blotter,
      account,
      reservations,
      readers,
      margin,
      universeOf: (instance, name) => universes.stateOf(instance, name),
      locksOn: (strategy, market) => this.locks.shownTo(strategy, market),
    });
    const notifier = new StrategyNotifier({ instances, outbox, markets });
    const closed = (): string | null => this.tradingState.closed();
    const refused = new RefusedOrders({
      blotter,
      markets,
      account,
      hasten: (feed) => feeds.hasten(feed),
    });
    const risk = new PreTradeRisk({
      blotter,
      markets,
      instances,
      reservations,
      closed,
      lockOn: (order, reduces) => this.locks.refusalOf(order, reduces),
      closedIn: (market) => findings.closedIn(market),
      refusedBefore: (order, stopLeg, reduces) => refused.objectionTo(order, stopLeg, reduces),
      onRefusal: (instance, refusal) => lossLimits.refused(instance, refusal),
    });
    const orderManager = new OrderManager({ settings, blotter, findings, risk, rows, epoch: state.epoch });
    const { placer } = orderManager;
    const ways = {
      outbox,
      orderManager,
      placer,
      risk,
      markets,
      intents,
      views,
      notifier,
      reservations,
      closed,
      rows,
    };
    const missing: MissingCoins = new MissingCoins({
      outbox,
      account,
      instances,
      markets,
      expected: (asset) => this.reconciler.expectedOf(asset),
      onChange: (coin) => algorithms.lookAt(coin),
    });
    const algorithms: AlgorithmManager = new AlgorithmManager({
      ...ways,
      areMissing: (coin) => missing.areMissing(coin),
    });
    const { movesPerMinute = null } = settings;
    const members = new MemberGuard({
      universeOf: (instance, name) => universes.stateOf(instance, name),
      table: blotter.table,
    });
    const transfers: TransferManager = new TransferManager({
      ...ways,
      venue: settings.venue,
      margin,
      reconciler: {
        expectedOf: (asset) => this.reconciler.expectedOf(asset),
        onTransfer: (asset, units) => this.reconciler.onTransfer(asset, units),
      },
      reconciles: settings.reconciliation !== null,
      hasten: (feed) => feeds.hasten(feed),
    });
    const router = new IntentRouter({
      ...ways,
      algorithms,
      members,
      movesPerMinute,
      transfers,
      whileClosing: (instance, intent) => this.byHand.closing.objectionTo(instance, intent),
    });
    const strategies = new StrategyDispatcher({
      instances,
      outbox,
      markets,
      views,
      notifier,
      intents: router,
      marketNames,
    });
    const locks = new LockManager({
      rules: rulesOf(settings),
      outbox,
      orderManager,
      instances,
      markets,
      account,
      views,
      isExitOfBracket: (order) => algorithms.brackets.isExit(order),
      hasStarted: () => strategies.hasStarted,
      onResumed: (instance) => strategies.resume(instance),
    });
    const lossLimits = new LossLimits({
      outbox,
      instances,
      markets,
    });
    const reconciles = settings.reconciliation !== null;
    const currencies = new Set(settings.markets.flatMap(({ base, quote }) => [base, quote]));
    const reconciler = new Reconciler(
      { ...(settings.reconciliation ?? DEFAULT_RECONCILIATION), currencies },
      outbox,
      {
        hasten: (feed) => feeds.hasten(feed),
        unsettled: () => blotter.unsettled() ?? transfers.unsettled() ?? fills.waitingFor(),
        findings,
        venue: settings.venue,
      },
    );
    const { alertAfterMs, lagMs } = settings.reconciliation ?? DEFAULT_RECONCILIATION;
    const fills = new FillHandler({
      // Before new orders would have to wait for them, and far beyond what lists lag.
      waitMs: reconciles ? Math.max(alertAfterMs / 2, 2 * lagMs) : Number.POSITIVE_INFINITY,
      blotter,
      reports: orderManager.reports,
      reconciler,
      listeners: [...(reconciles ? [reconciler] : []), locks.ahead, notifier, locks],
    });
    const feeds = new FeedHandler({
      feeds: settings.feeds,
      startMs: nowMs,
      outbox,
      orderManager,
      markets,
      margin,
      account,
      fills,
      reconciler,
      findings,
      readers,
      strategies,
      onCandle: (candle) => algorithms.onCandle(candle),
      pooled: pooledMarkets(instances),
      onStats: (atMs) => universes.onStats(atMs),
    });
    const universes = new UniverseManager({
      instances,
      venue: settings.venue,
      outbox,
      markets,
      blotter,
      algorithms,
      notifier,
      strategies,
      feeds,
      ranksFromMs: settings.ranksFromMs ?? null,
      stored: state.kept[KEPT_UNIVERSES],
    });
    const control = new Control({ outbox, orderManager, algorithms, strategies, notifier });
    const byHand = new ByHand({
      ...ways,
      instances,
      algorithms,
      router,
      missing,
      halted: () => control.closed(),
    });
    const figures =
      settings.figures === undefined || settings.figures === null
        ? null
        : new FigureKeeper({
            settings: settings.figures,
            outbox,
            instances,
            markets,
            account,
            reconciler,
            blotter,
            hasStarted: () => strategies.hasStarted,
          });
    const signals = new SignalIntake({
      instances,
      outbox,
      notifier,
      strategies,
      isEnding: () => control.isDraining,
      closed,
    });
    const shared = {
      outbox,
      control,
      credential,
      strategies,
      reconciler,
      findings,
      orderManager,
      reconciles,
      standstills,
    };
    this.tradingState = new TradingState(shared);
    this.loop = new EventLoop({
      ...shared,
      slowMachine,
      locks,
      lossLimits,
      byHand,
      signals,
      rows,
      instances,
      markets,
      account,
      readers,
      reservations,
      fills,
      feeds,
      universes,
      algorithms,
      transfers,
      figures,
      isRestart: state.strategies.length > 0,
      aliveUntilMs: lastReadMs(state.kept),
    });
    blotter.listen(STATES_ONCE_SENT, (order, before) => feeds.onOrder(order, before));
    blotter.listen(['sending', ...STATES_ONCE_SENT], (order, before) => notifier.onOrder(order, before));
    this.instances = instances;
    this.universes = universes;
    this.markets = markets;
    this.account = account;
    this.reconciler = reconciler;
    this.orderManager = orderManager;
    this.locks = locks;
    this.byHand = byHand;
    this.signals = signals;
    this.outbox = outbox;
    this.strategies = strategies;
    this.algorithms = algorithms;
    this.feeds = feeds;
    this.control = control;
    this.transfers = transfers;
    this.credential = credential;
    this.slowMachine = slowMachine;
    // What each part was before a restart. The order counts: fills and orders go to strategies that are
    // there.
    const { kept } = state;
    rows.restore(kept[KEPT_ROW]);
    findings.restore(kept[KEPT_FINDINGS]);
    orderManager.takeover.restore(state, rows.last);
    orderManager.reports.lost.conflictingInstances.begin(nowMs);
    markets.restore(state.markets, nowMs);
    strategies.restore(state, settings.lost ?? []);
    notifier.restore(state);
    fills.restore(state);
    reconciler.restore(kept[KEPT_RECONCILIATION], kept[KEPT_BALANCE_MARKS]);
    if (orderManager.takeover.isPutBack && reconciles) reconciler.afterPutBack();
    blotter.restore(state, nowMs);
    orderManager.cancels.restore(kept[KEPT_CANCELS]);
    algorithms.restore(state, instances);
    for (const reader of readers.values()) {
      const sinceMs = algorithms.brackets.wantsClosesSince(reader.market, reader.timeframe);
      if (sinceMs !== null) reader.reachBack(sinceMs, nowMs);
    }
    missing.restore(kept[KEPT_MISSING_COINS]);
    transfers.restore(kept[KEPT_TRANSFERS]);
    router.restore(state);
    transfers.resume();
    control.restore(kept[KEPT_CONTROL]);
    locks.restore(kept[KEPT_LOCKS]);
    lossLimits.restore(kept[KEPT_LOSS_LIMITS]);
    byHand.restore(kept[KEPT_BY_HAND], orderManager.takeover.isPutBack);
    signals.restore(state);
    credential.restore(kept[KEPT_CREDENTIAL]);
    slowMachine.restore(kept[KEPT_SLOW_MACHINE]);
    standstills.restore(kept[KEPT_STANDSTILLS]);
    figures?.plots.restore(kept[KEPT_PLOTS]);
  }

  /**
   * Takes in one event; answers what is to be done. Throws `INVARIANT` when something that must hold does
   * not: the shell then ends this life.
   */
  step(event: EngineEvent): EngineOutput {
    return this.loop.step(event);
  }

  /** Takes in all that a venue answered and pushed at one moment, one after the other, as one step. */
  stepAll(events: readonly VenueEvent[]): EngineOutput {
    return this.loop.stepAll(events);
  }

  /** Returns the listeners to bars of a market and length, for `stepBar`. */
  listenersTo(market: string, timeframe: Timeframe): readonly CandleListener[] {
    return this.strategies.listenersTo(market, timeframe);
  }

  /** Passes over a bar that changes nothing, before it is made; answers whether it does. */
  skipBar(atMs: number, listeners: readonly CandleListener[]): boolean {
    return this.loop.skipBar(atMs, listeners);
  }

  /** A bar closed at `atMs`, pushed to those who want such bars by a backtest, which has millions of them. */
  stepBar(bar: ClosedCandle, atMs: number, listeners: readonly CandleListener[]): EngineOutput {
    return this.loop.stepBar(bar, atMs, listeners);
  }

  /** True if algorithms are at work, which wait for prices: each close is then to be pushed first. */
  get waitsForPrices(): boolean {
    return this.algorithms.size > 0;
  }

  /** A bar of a market that has no book closed at `atMs`. */
  stepClose(market: string, atMs: number): EngineOutput {
    return this.loop.stepClose(market, atMs);
  }

  /** Returns the engine's state. */
  status(): EngineStatus {
    return statusOf({
      phase: this.control.phase(this.strategies.hasStarted),
      isBroken: this.reconciler.break !== null,
      conclusions: this.reconciler.watch.conclusionCount,
      unfinished: this.unfinishedOrders(),
    });
  }

  /** Returns the age of everything that is polled. */
  dataAges(): ReturnType<FeedHandler['ages']> {
    return this.feeds.ages(this.outbox.nowMs);
  }

  /** Orders that are not at their end, by state. */
  ordersByState(): Readonly<Record<string, number>> {
    return ordersByState(this.unfinishedOrders());
  }

  /** True if orders, fills and wallets were read at least once. */
  isAccountRead(): boolean {
    return this.feeds.isReady();
  }

  /** Orders that are not at their end, oldest first. */
  unfinishedOrders(): readonly OrderRecord[] {
    return this.orderManager.blotter.table.unfinished();
  }

  /** Orders that may still trade, by their key. */
  liveOrderKeys(): readonly string[] {
    return this.unfinishedOrders().flatMap((order) => (mayTrade(order) ? [order.key] : []));
  }

  /** Returns the issues with the account, for an operator. */
  doubts(): readonly string[] {
    return this.tradingState.doubts();
  }

  /** Returns why no new orders are accepted; null while they are. */
  closedReason(): string | null {
    return this.tradingState.closed();
  }

  /** Returns why trading is halted; null while it is not. */
  haltReason(): string | null {
    return this.control.haltReason();
  }

  /** Returns why the exchange accepts none of our calls; null while it does, as far as is known. */
  credentialFault(): string | null {
    return this.credential.fault();
  }

  /** Returns the time at which the current balances were requested; null before the first reading. */
  balancesAsOfMs(): number | null {
    return this.account.readingsAsOfMs;
  }

  /** Returns what an end of the run now would leave at the exchange. */
  leftBehind(): LeftBehind {
    return leftBehind({
      unfinished: this.unfinishedOrders(),
      instances: this.instances,
      markets: this.markets,
    });
  }

  /**
   * True if a drain is complete: nothing of ours is in flight, and, if that was requested, nothing is open.
   */
  isDrained(): boolean {
    return this.control.isDrained() && this.transfers.unsettled() === null;
  }
}

/** All rules of locks: those of the bot, and of each strategy under its own name. */
function rulesOf({ locks = [], instances }: EngineSettings): readonly LockRule[] {
  const own = instances.flatMap(({ locks: ofOne = [], runner }) =>
    ofOne.map((rule) => ({ ...rule, strategy: runner.name })),
  );
  return [...locks, ...own];
}
