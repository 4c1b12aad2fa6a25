import type { SeenMargin } from '../domain/margin.ts';
import type { ClosedCandle, StrategyEvent } from '../strategy/strategy-event.ts';
import type { AccountState } from './feeds/account-state.ts';
import type { AlgorithmManager } from './algorithms/algorithm-manager.ts';
import type { CandleReaders } from './feeds/candle-reader.ts';
import type { Control } from './control.ts';
import type { CredentialWatch } from './credential-watch.ts';
import type { EngineOutput } from './engine-command.ts';
import type { ByHand } from './by-hand/by-hand.ts';
import { isByHand, type ControlCommand, type EngineEvent, type VenueEvent } from './engine-event.ts';
import type { FeedHandler } from './feeds/feed-handler.ts';
import type { FillHandler } from './fills/fill-handler.ts';
import type { FigureKeeper } from './strategies/figure-keeper.ts';
import type { FlawLog } from './flaw-log.ts';
import { giveInventories } from './inventory.ts';
import type { LockManager } from './locks/lock-manager.ts';
import type { LossLimits } from './risk/loss-limits.ts';
import type { MarketDataCache } from './feeds/market-data-cache.ts';
import type { OrderManager } from './orders/order-manager.ts';
import type { Outbox } from './outbox.ts';
import type { Reconciler } from './fills/reconciler.ts';
import type { Reservations } from './risk/reservations.ts';
import type { RowCounter } from './feeds/row-counter.ts';
import type { CandleListener, StrategyDispatcher } from './strategy-dispatcher.ts';
import type { SignalIntake } from './signal-intake.ts';
import type { SlowMachineWatch } from './slow-machine-watch.ts';
import type { StandstillWatch } from './standstill-watch.ts';
import type { StrategyInstance } from './strategy-instance.ts';
import type { TransferManager } from './transfer-manager.ts';
import type { UniverseManager } from './universe-manager.ts';

/** Rounds of events and intents within one step. More is a livelock, and the rest waits for the next step. */
const MOST_ROUNDS = 1_000;

const NOTHING_TO_DO = { changes: [], isDurable: false, requests: [], notices: [] } as const;

/** The parts of an engine that a step goes through. */
interface EventLoopParts {
  readonly outbox: Outbox;
  readonly rows: RowCounter;
  readonly instances: readonly StrategyInstance[];
  readonly markets: MarketDataCache;
  readonly account: AccountState;
  readonly reservations: Reservations;
  readonly readers: CandleReaders;
  readonly findings: FlawLog;
  readonly credential: CredentialWatch;
  readonly slowMachine: SlowMachineWatch;
  readonly standstills: StandstillWatch;
  readonly orderManager: OrderManager;
  readonly reconciler: Reconciler;
  readonly fills: FillHandler;
  readonly feeds: FeedHandler;
  readonly universes: UniverseManager;
  readonly algorithms: AlgorithmManager;
  readonly transfers: TransferManager;
  readonly strategies: StrategyDispatcher;
  readonly control: Control;
  readonly locks: LockManager;
  readonly lossLimits: LossLimits;
  readonly byHand: ByHand;
  /** Null where nobody looks later. */
  readonly figures: FigureKeeper | null;
  readonly signals: SignalIntake;
  /** True if balances are compared at all. */
  readonly reconciles: boolean;
  readonly isRestart: boolean;
  /** The last sign of life before a restart; null where none is known. */
  readonly aliveUntilMs: number | null;
}

/** Runs one step in this order: the event is applied, strategies are notified, and due requests are made. */
export class EventLoop {
  private readonly parts: EventLoopParts;
  /**
   * Time of a venue's last push. Timers of such a moment wait for a tick, so that whatever comes with the
   * push is delivered before them.
   */
  private pushedAtMs = Number.NEGATIVE_INFINITY;
  /** The output of a step that comes to nothing, with the time of the next that is due. */
  private quiet: EngineOutput = { ...NOTHING_TO_DO, wakeAtMs: 0 };
  /**
   * Before this time a bar is only delivered: nothing is at work or waits to be delivered, stored or sent,
   * and nothing is due. It never comes where that is not so.
   */
  private restsUntilMs = Number.NEGATIVE_INFINITY;
  /** Strategies with given coins that had no price yet. */
  private unpriced: readonly StrategyInstance[] = [];

  constructor(parts: EventLoopParts) {
    this.parts = parts;
  }

  /**
   * Takes in one event; answers what is to be done. Throws `INVARIANT` when something that must hold does
   * not: the shell then ends this life.
   */
  step(event: EngineEvent): EngineOutput {
    if (event.kind === 'opens') return this.takeOpens(event);
    this.take(event);
    return this.finish(event.kind === 'tick');
  }

  /**
   * Takes in what a venue answered and pushed at one moment as one step: strategies get each before the next,
   * and what is due is asked once.
   */
  stepAll(events: readonly VenueEvent[]): EngineOutput {
    for (const event of events) {
      this.take(event);
      this.work();
    }
    return this.finish(false);
  }

  private take(event: Exclude<EngineEvent, { kind: 'opens' }>): void {
    const { outbox, feeds, algorithms, locks } = this.parts;
    if (event.atMs > outbox.nowMs) outbox.nowMs = event.atMs;
    if (outbox.nowMs >= locks.dueAtMs) locks.advance();
    if (event.kind === 'account') this.pushedAtMs = outbox.nowMs;
    if (algorithms.works.size > 0) algorithms.beginStep();
    if (event.kind === 'answer') this.takeAnswer(event);
    else if (event.kind === 'account') this.takeAccount(event);
    else if (event.kind === 'pace') feeds.setPaces(event.paces);
    else if (event.kind === 'control') {
      this.takeCommand(event.command);
    }
  }

  /** A bar closed at `atMs`, pushed to those who want such bars by a backtest, which has millions of them. */
  stepBar(bar: ClosedCandle, atMs: number, listeners: readonly CandleListener[]): EngineOutput {
    const { algorithms, strategies, locks } = this.parts;
    if (this.isQuietAt(atMs)) {
      if (!strategies.handCandle(bar, listeners) || this.isAtRest()) return this.quiet;
      return this.finish(false);
    }
    if (atMs >= locks.dueAtMs) locks.advance();
    if (algorithms.works.size > 0) algorithms.beginStep();
    strategies.tellCandle(bar, listeners);
    if (algorithms.works.size > 0) {
      algorithms.onCandle(bar);
      algorithms.onBook(bar.market);
    }
    return this.finish(false);
  }

  /**
   * The same for a bar before it is made: nothing is due, and of those who want such bars nobody follows the
   * market. Answers whether that is so.
   */
  skipBar(atMs: number, listeners: readonly CandleListener[]): boolean {
    return (
      listeners.every(({ instance, place }) => instance.runner.isUnfollowed(place)) && this.isQuietAt(atMs)
    );
  }

  /** The time goes on to that of a bar. Answers whether bars of that time are only delivered. */
  private isQuietAt(atMs: number): boolean {
    const { outbox } = this.parts;
    if (atMs > outbox.nowMs) outbox.nowMs = atMs;
    this.pushedAtMs = outbox.nowMs;
    return outbox.nowMs < this.restsUntilMs;
  }

  /** Does all that a step brings with it, and answers what is to be done. */
  private finish(isTick: boolean): EngineOutput {
    const { outbox } = this.parts;
    this.work();
    this.pump(outbox.nowMs, isTick || outbox.nowMs > this.pushedAtMs);
    this.work();
    if (this.unpriced.length > 0) this.priceInventories();
    this.parts.figures?.pump(outbox.nowMs);
    this.store();
    const wakeAtMs = this.wakeAtMs();
    const output = outbox.take(wakeAtMs);
    if (this.quiet.wakeAtMs !== wakeAtMs) this.quiet = { ...NOTHING_TO_DO, wakeAtMs };
    this.restsUntilMs = this.isAtRest() ? wakeAtMs : Number.NEGATIVE_INFINITY;
    return output;
  }

  /** True if nothing is at work or waits to be delivered, stored or sent. */
  private isAtRest(): boolean {
    const { outbox, algorithms, strategies } = this.parts;
    return (
      strategies.hasStarted &&
      outbox.isEmpty &&
      !outbox.isRestartable &&
      !outbox.isJournaled &&
      strategies.isIdle &&
      algorithms.works.size === 0 &&
      this.unpriced.length === 0
    );
  }

  /** Values given coins at the first price that there is. */
  private priceInventories(): void {
    const { markets, outbox } = this.parts;
    this.unpriced = this.unpriced.filter((instance) => {
      instance.takePrices((market) => markets.priceOf(market), outbox.nowMs);
      return instance.ledger.waitsForPrices;
    });
  }

  /** True if strategies are at work and no run is ending. */
  private get isTrading(): boolean {
    const { strategies, control } = this.parts;
    return strategies.hasStarted && !control.isDraining;
  }

  /** Data of a market has come: who waits for it is notified. */
  tellMarketData(event: StrategyEvent, market: string): void {
    const { algorithms, strategies } = this.parts;
    if (event.kind === 'book' && algorithms.works.size > 0) algorithms.onBook(market);
    if (this.isTrading) strategies.tellSubscribers(event, market);
  }

  /** Something of margin was read. */
  tellMargin(topic: string, seen: SeenMargin): void {
    const { strategies } = this.parts;
    if (this.isTrading) strategies.tellSubscribers({ kind: 'margin', seen }, topic);
  }

  private takeCommand(command: ControlCommand): void {
    const { reconciler, control, fills, locks, byHand, transfers, signals } = this.parts;
    if (command.kind === 'lock' || command.kind === 'unlock') locks.take(command);
    else if (isByHand(command)) byHand.take(command);
    else if (command.kind === 'signal') signals.take(command);
    else if (command.kind === 'accept-balances') {
      fills.accept();
      reconciler.accept();
      transfers.accept();
    } else if (command.kind === 'compare-balances') reconciler.tryNow();
    else control.take(command);
  }

  private takeAnswer(event: Extract<EngineEvent, { kind: 'answer' }>): void {
    const { outbox, credential, slowMachine } = this.parts;
    const { requestId, answer, sentAtMs, reply = null } = event;
    const asked = outbox.answered(requestId);
    credential.take(answer, { isPrivate: asked?.isPrivate ?? false, sentAtMs });
    slowMachine.take({ answer, sentAtMs });
    asked?.take(answer, { atMs: outbox.nowMs, sentAtMs, reply });
  }

  /**
   * A bar of a market that has no book closed at `atMs`: its close is the price from now on. To be called
   * before anything else of that moment while algorithms are at work. Nobody is asked for anything; what
   * waits for a price is asked at the next step, which `wakeAtMs` calls for.
   */
  stepClose(market: string, atMs: number): EngineOutput {
    const { outbox, algorithms } = this.parts;
    if (atMs > outbox.nowMs) outbox.nowMs = atMs;
    this.pushedAtMs = outbox.nowMs;
    algorithms.onBook(market);
    return this.afterPrices();
  }

  /** These are the prices from now on. */
  private takeOpens({ atMs, opens }: Extract<EngineEvent, { kind: 'opens' }>): EngineOutput {
    const { outbox, markets, algorithms } = this.parts;
    if (atMs > outbox.nowMs) outbox.nowMs = atMs;
    for (const { market, price, untilMs } of opens) {
      markets.takeOpen(market, price, untilMs);
      if (algorithms.works.size > 0) algorithms.onBook(market);
    }
    return this.afterPrices();
  }

  /** Defers algorithms that wait for a price to the next step, when it is known what else happened. */
  private afterPrices(): EngineOutput {
    const { outbox, algorithms } = this.parts;
    return algorithms.isWaited ? { ...NOTHING_TO_DO, wakeAtMs: outbox.nowMs } : this.quiet;
  }

  private takeAccount({ orders, trades, wallets }: Extract<EngineEvent, { kind: 'account' }>): void {
    const { account, orderManager, fills } = this.parts;
    account.takePushed(wallets);
    for (const record of orders) orderManager.takeRecord(record);
    account.saw('orders');
    if (trades.length > 0) fills.takePushed(trades);
    account.saw('fills');
  }

  /** Tells strategies and runs algorithms until nothing is left to do. */
  private work(): void {
    const { outbox, algorithms, strategies, control } = this.parts;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      if (strategies.tellNext()) continue;
      if (control.isDraining || algorithms.works.size === 0 || !algorithms.pump(outbox.nowMs)) return;
    }
    outbox.alarm(`strategies and algorithms still had work after ${MOST_ROUNDS} rounds; the rest waits`);
  }

  private pump(nowMs: number, isTimeUp: boolean): void {
    const { findings, orderManager, reconciler, fills, feeds, universes } = this.parts;
    const { strategies, control, locks, lossLimits, byHand, standstills, markets } = this.parts;
    const { table, identical } = orderManager.blotter;
    if (!strategies.hasStarted) this.beginTrading();
    if (isTimeUp) strategies.pump(nowMs);
    if (universes.tracked.length > 0 && this.isTrading) universes.pump(nowMs);
    if (identical.heldUntilMs <= nowMs) identical.expire(nowMs);
    if (findings.entries.size > 0) findings.expire(nowMs);
    if (fills.pending.size > 0) fills.settlePending();
    if (table.settlingCount > 0) fills.pump();
    orderManager.pump(nowMs);
    if (control.dueAtMs <= nowMs) control.pump(nowMs);
    if (locks.dueAtMs <= nowMs || locks.entries.isDue) locks.pump(nowMs);
    if (lossLimits.dueAtMs <= nowMs && strategies.hasStarted) lossLimits.pump(nowMs);
    if (standstills.dueAtMs <= nowMs) standstills.pump(nowMs, markets.all());
    if (byHand.closing.atWork > 0) byHand.closing.pump(nowMs);
    if (reconciler.dueAtMs <= nowMs && this.mayReconcile()) reconciler.pump(nowMs);
    const isIdle = table.liveCount === 0;
    if (isIdle !== feeds.isIdle) feeds.setIdle(isIdle);
    if (feeds.queue.wakeMs <= nowMs) feeds.pump(nowMs);
  }

  /** Strategies start once the account was read and the past is there. */
  private beginTrading(): void {
    const { outbox, orderManager, fills, feeds, strategies, signals, isRestart, aliveUntilMs } = this.parts;
    if (!feeds.isReady() || orderManager.isWaitedFor(fills.pending.size > 0)) return;
    giveInventories(this.parts);
    this.unpriced = this.parts.instances.filter(({ ledger }) => ledger.waitsForPrices);
    strategies.start(isRestart);
    outbox.journal('control', 'start', { isRestart, aliveUntilMs });
    this.work();
    // Each is told before the next is taken.
    while (signals.takeWaiting()) this.work();
  }

  private wakeAtMs(): number {
    const { orderManager, reconciler, feeds, universes, algorithms, strategies } = this.parts;
    const { control, locks, lossLimits, byHand, figures } = this.parts;
    let next = Math.min(
      feeds.queue.wakeAtMs(),
      orderManager.wakeAtMs(),
      control.dueAtMs,
      locks.dueAtMs,
      byHand.closing.dueAtMs,
      strategies.wakeAtMs(),
    );
    if (strategies.hasStarted) next = Math.min(next, lossLimits.dueAtMs);
    if (figures !== null) next = Math.min(next, figures.wakeAtMs());
    // A drain leaves algorithms as they are: what they would want now comes to nothing.
    if (algorithms.works.size > 0 && !control.isDraining) next = Math.min(next, algorithms.wakeAtMs());
    if (universes.tracked.length > 0 && this.isTrading) next = Math.min(next, universes.wakeAtMs());
    return this.mayReconcile() ? Math.min(next, reconciler.dueAtMs) : next;
  }

  /**
   * Balances are compared from the start on, or, where candles of the past are read first, once these are
   * there.
   */
  private mayReconcile(): boolean {
    const { readers, strategies, reconciles } = this.parts;
    return reconciles && (strategies.hasStarted || readers.size === 0);
  }

  private store(): void {
    const { outbox, rows, instances, feeds, universes, locks, byHand, reconciler } = this.parts;
    if (!outbox.isRestartable) return;
    if (reconciler.isChanged) reconciler.store();
    if (universes.isChanged) universes.store();
    if (locks.isChanged) locks.store();
    if (byHand.isChanged) byHand.store();
    if (rows.isChanged) rows.store();
    if (feeds.times.dueAtMs <= outbox.nowMs) feeds.times.store(outbox.nowMs);
    for (const instance of instances) {
      const strategy = instance.takeRecord(outbox.nowMs);
      if (strategy !== null) outbox.change({ kind: 'strategy', strategy });
    }
  }
}
