import { STATES_ONCE_SENT } from '../records/order.ts';
import { ByHand } from './by-hand/place-by-hand.ts';
import { AccountState, MissingCoins, MarginCache } from './feeds/account-state.ts';
import { AlgorithmManager } from './algorithms/algorithm-manager.ts';
import { Approvals } from './strategies/approvals.ts';
import { readersOf } from './feeds/candle-reader.ts';
import { Control } from './control.ts';
import { CredentialWatch, SlowMachineWatch } from './request-watches.ts';
import { DEFAULT_RECONCILIATION, type EngineSettings } from './engine-settings.ts';
import { TradingState } from './trading-state.ts';
import { FeedHandler } from './feeds/feed-handler.ts';
import { lastReadMs } from './feeds/feed-asker.ts';
import { FigureRecorder } from './figure-recorder.ts';
import { FillHandler } from './fills/fill-handler.ts';
import { IssueLog } from './issue-log.ts';
import { IntentBlotter, RowCounter } from './strategies/intent-blotter.ts';
import { IntentRouter, MemberGuard } from './strategies/intent-router.ts';
import { LockManager } from './locks/lock-manager.ts';
import { LossLimits } from './risk/pnl-checks.ts';
import { MarketDataCache } from './feeds/market-data-cache.ts';
import type { MirrorState } from './mirror-change.ts';
import { OrderBlotter } from './orders/order-blotter.ts';
import { OrderManager } from './orders/order-manager.ts';
import { Outbox } from './outbox.ts';
import { PollQueue } from '../scheduler/poll-queue.ts';
import { PortfolioViews } from './strategies/portfolio-view.ts';
import { PreTradeRisk } from './risk/pre-trade-risk.ts';
import { Reconciler } from './fills/reconciler.ts';
import { RefusedOrders } from './orders/refused-orders.ts';
import { Reservations } from './risk/reservations.ts';
import { SignalIntake } from './signal-intake.ts';
import { StandstillWatch } from './standstill-watch.ts';
import { StrategyDispatcher } from './strategy-dispatcher.ts';
import { pooledMarkets, StrategyInstance } from './strategy-instance.ts';
import { StrategyNotifier } from './strategies/strategy-notifier.ts';
import { TransferManager } from './transfer-manager.ts';
import { UniverseManager } from './universe-manager.ts';
import type { Sentence } from '../language/sentence.ts';

export type EngineParts = ReturnType<typeof createParts>;

/**
 * Makes the parts of an engine, restored to their state before a restart. `nowMs` is the time of the first
 * step. Throws `INVALID_STRATEGY` if the stored state of a strategy does not fit it.
 */
export function createParts(settings: EngineSettings, state: MirrorState, nowMs: number) {
  const outbox = new Outbox(settings);
  outbox.nowMs = nowMs;
  const queue = new PollQueue(settings.feeds, nowMs);
  const requestNow = (feed: string): void => queue.requestNow(feed, outbox.nowMs);
  const rows = new RowCounter(outbox);
  const findings = new IssueLog(outbox);
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
    others: instances.flatMap(({ others }) => others.map(({ market }) => market)),
    outbox,
    findings,
    emit: (event, market) => {
      if (event.kind === 'book' && algorithms.works.size > 0) algorithms.onBook(market);
      if (isTrading()) strategies.notifySubscribers(event, market);
    },
  });
  const margin = new MarginCache({
    outbox,
    findings,
    emit: (topic, seen) => {
      if (isTrading()) strategies.notifySubscribers({ kind: 'margin', seen }, topic);
    },
  });
  const reconciles = settings.reconciliation !== null;
  const currencies = new Set(settings.markets.flatMap(({ base, quote }) => [base, quote]));
  const reconciler = new Reconciler(
    { ...(settings.reconciliation ?? DEFAULT_RECONCILIATION), currencies },
    outbox,
    {
      requestNow,
      unsettled: () => blotter.unsettled() ?? transfers.unsettled() ?? fills.waitingFor(),
      findings,
      venue: settings.venue,
    },
  );
  const readers = readersOf(settings.feeds, instances, settings.venue);
  const reservations = new Reservations({
    table: blotter.table,
    account,
    instances,
    marketNames,
    marketOf: (symbol) => markets.get(symbol)?.market ?? null,
    books: reconciler.books,
    works: () => algorithms.atWork,
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
    locksOn: (strategy, market) => locks.shownTo(strategy, market),
  });
  const notifier = new StrategyNotifier({ instances, outbox, markets });
  const closed = (): Sentence | null => tradingState.closed();
  const refused = new RefusedOrders({
    blotter,
    markets,
    account,
    requestNow,
  });
  const risk = new PreTradeRisk({
    blotter,
    markets,
    instances,
    reservations,
    closed,
    lockOn: (order, reduces) => locks.refusalOf(order, reduces),
    closedIn: (market) => findings.closedIn(market),
    refusedBefore: (order, stopLeg, reduces) => refused.objectionTo(order, stopLeg, reduces),
    mayEnter: (intentId) => intents.mayEnter(intentId),
    isClosing: (strategy, coin) => byHand.closing.closingOf(strategy, [coin]) !== null,
    onRefusal: (instance, refusal) => lossLimits.refused(instance, refusal),
  });
  const orderManager = new OrderManager({ settings, blotter, findings, risk, rows, epoch: state.epoch });
  const contexts = {
    outbox,
    orderManager,
    placer: orderManager.placer,
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
    books: reconciler.books,
    onChange: (coin) => algorithms.check(coin),
  });
  const algorithms: AlgorithmManager = new AlgorithmManager({
    ...contexts,
    areMissing: (coin) => missing.areMissing(coin),
  });
  const { movesPerMinute = null } = settings;
  const members = new MemberGuard({
    universeOf: (instance, name) => universes.stateOf(instance, name),
    table: blotter.table,
  });
  const transfers: TransferManager = new TransferManager({
    ...contexts,
    venue: settings.venue,
    margin,
    reconciler,
    reconciles,
    requestNow,
  });
  const approvals: Approvals = new Approvals({
    ...contexts,
    carryOut: (instance, intent, id) => router.applyApproved(instance, intent, id),
  });
  const router = new IntentRouter({
    ...contexts,
    algorithms,
    members,
    movesPerMinute,
    transfers,
    approvals,
    whileClosing: (instance, intent) => byHand.closing.objectionTo(instance, intent),
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
    settings,
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
  const { alertAfterMs, lagMs } = settings.reconciliation ?? DEFAULT_RECONCILIATION;
  const fills = new FillHandler({
    // Long before missing fills stop new orders, and far longer than lists lag.
    waitMs: reconciles ? Math.max(alertAfterMs / 2, 2 * lagMs) : Number.POSITIVE_INFINITY,
    blotter,
    reports: orderManager.reports,
    reconciler,
    priceOf: (symbol) => markets.priceOf(symbol),
    listeners: [
      ...(reconciles ? [reconciler] : []),
      ...(locks.countsTrades ? [locks.ahead, notifier, locks] : [notifier]),
    ],
  });
  const feeds = new FeedHandler({
    feeds: settings.feeds,
    queue,
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
    stored: state.stored,
  });
  const control = new Control({ outbox, orderManager, algorithms, strategies, notifier, approvals });
  const byHand = new ByHand({
    ...contexts,
    instances,
    algorithms,
    router,
    approvals,
    missing,
    halted: () => control.closed(),
  });
  const figures =
    settings.figures === undefined || settings.figures === null
      ? null
      : new FigureRecorder({
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
    isEnding: () => control.draining !== null,
    closed,
  });
  const tradingState = new TradingState({
    outbox,
    control,
    credential,
    strategies,
    reconciler,
    findings,
    orderManager,
    reconciles,
    standstills,
  });
  const isTrading = (): boolean => strategies.hasStarted && control.draining === null;
  blotter.listen(STATES_ONCE_SENT, feeds.onOrder);
  blotter.listen(['sending', ...STATES_ONCE_SENT], notifier.onOrder);
  // Restores each part after a restart. The sequence matters: fills and orders need their strategies.
  const { stored } = state;
  blotter.ownMarkets.restore(state);
  rows.restore(stored);
  findings.restore(stored);
  orderManager.takeover.restore(state, rows.last);
  orderManager.reports.lost.conflictingInstances.begin(nowMs);
  markets.restore(state.markets, nowMs);
  strategies.restore(state, settings.lost ?? []);
  notifier.restore(state);
  fills.restore(state);
  reconciler.restore(stored);
  if (orderManager.takeover.isPutBack && reconciles) reconciler.afterPutBack();
  blotter.restore(state, nowMs);
  orderManager.cancels.restore(stored);
  algorithms.restore(state, instances);
  for (const reader of readers.values()) {
    const sinceMs = algorithms.brackets.wantsClosesSince(reader.market, reader.timeframe);
    if (sinceMs !== null) reader.reachBack(sinceMs, nowMs);
  }
  missing.restore(stored);
  transfers.restore(stored);
  router.restore(state);
  transfers.resume();
  control.restore(stored);
  locks.restore(stored);
  lossLimits.restore(stored);
  byHand.restore(stored, orderManager.takeover.isPutBack);
  signals.restore(state);
  credential.restore(stored);
  slowMachine.restore(stored);
  standstills.restore(stored);
  figures?.restore(stored);
  return {
    outbox,
    rows,
    instances,
    markets,
    account,
    reservations,
    readers,
    findings,
    credential,
    slowMachine,
    standstills,
    orderManager,
    reconciler,
    fills,
    feeds,
    universes,
    algorithms,
    transfers,
    approvals,
    strategies,
    control,
    tradingState,
    locks,
    lossLimits,
    byHand,
    figures,
    signals,
    isTrading,
    /** True if balances are compared; false in a backtest on bars. */
    reconciles,
    isRestart: state.strategies.length > 0,
    /** Time of the last sign of life before a restart, in ms since 1970; null if none is known. */
    aliveUntilMs: lastReadMs(stored),
  };
}
