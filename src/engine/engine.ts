import type { Timeframe } from '../domain/candle.ts';
import { mayTrade, type OrderRecord } from '../records/order.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import type { EngineOutput } from './engine-command.ts';
import { type EngineEvent, type VenueEvent, isByHand, type ControlCommand } from './engine-event.ts';
import type { EngineSettings } from './engine-settings.ts';
import { ordersByState, statusOf, type EngineStatus } from './trading-state.ts';
import type { FeedHandler } from './feeds/feed-handler.ts';
import { leftBehind, type LeftBehind } from './left-behind.ts';
import type { MirrorState } from './mirror-change.ts';
import type { CandleListener } from './strategy-dispatcher.ts';
import type { StrategyInstance } from './strategy-instance.ts';
import { giveInventories } from './inventory.ts';
import { createParts, type EngineParts } from './engine-parts.ts';
import type { Sentence } from '../language/sentence.ts';

/** Rounds of events and intents within one step. More is a livelock, and the rest waits for the next step. */
const MOST_ROUNDS = 1_000;

const NOTHING_TO_DO = { changes: [], isDurable: false, requests: [], notices: [] } as const;

/**
 * The bot as a pure, synchronous state machine: it takes in what came back and what time it is, and answers
 * what is to be written and asked. It is the same live, in backtests and under the fuzzer. Runs one step in
 * this order: the event is applied, strategies are notified, and due requests are made.
 */
export class Engine {
  readonly instances: EngineParts['instances'];
  readonly universes: EngineParts['universes'];
  readonly markets: EngineParts['markets'];
  readonly account: EngineParts['account'];
  readonly reconciler: EngineParts['reconciler'];
  readonly orderManager: EngineParts['orderManager'];
  readonly locks: EngineParts['locks'];
  readonly byHand: EngineParts['byHand'];
  readonly signals: EngineParts['signals'];
  readonly slowMachine: EngineParts['slowMachine'];
  private readonly parts: EngineParts;
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
  /** True if no step is written down: that of a bar may then come to nothing. */
  private readonly mayRest: boolean;
  /** Strategies with given coins that had no price yet. */
  private unpriced: readonly StrategyInstance[] = [];

  /**
   * `nowMs` is the time of the first step. Throws `INVALID_STRATEGY` where a stored state does not fit its
   * strategy.
   */
  constructor(settings: EngineSettings, state: MirrorState, nowMs: number) {
    const parts = createParts(settings, state, nowMs);
    this.parts = parts;
    this.mayRest = !parts.outbox.isRestartable && !parts.outbox.isJournaled;
    this.instances = parts.instances;
    this.universes = parts.universes;
    this.markets = parts.markets;
    this.account = parts.account;
    this.reconciler = parts.reconciler;
    this.orderManager = parts.orderManager;
    this.locks = parts.locks;
    this.byHand = parts.byHand;
    this.signals = parts.signals;
    this.slowMachine = parts.slowMachine;
  }

  /**
   * Takes in one event; answers what is to be done. Throws `INVARIANT` when something that must hold does
   * not: the shell then ends this life.
   */
  step(event: EngineEvent): EngineOutput {
    if (event.kind === 'opens') return this.applyOpens(event);
    this.apply(event);
    return this.finish(event.kind === 'tick');
  }

  /**
   * Takes in what a venue answered and pushed at one moment as one step: strategies get each before the next,
   * and what is due is asked once.
   */
  stepAll(events: readonly VenueEvent[]): EngineOutput {
    for (const event of events) {
      this.apply(event);
      this.work();
    }
    return this.finish(false);
  }

  private apply(event: Exclude<EngineEvent, { kind: 'opens' }>): void {
    const { outbox, feeds, algorithms, locks } = this.parts;
    if (event.atMs > outbox.nowMs) outbox.nowMs = event.atMs;
    if (outbox.nowMs >= locks.dueAtMs) locks.advance();
    if (event.kind === 'account') this.pushedAtMs = outbox.nowMs;
    if (algorithms.works.size > 0) algorithms.beginStep();
    if (event.kind === 'answer') this.applyAnswer(event);
    else if (event.kind === 'account') this.applyAccount(event);
    else if (event.kind === 'pace') feeds.setPaces(event.paces);
    else if (event.kind === 'control') {
      this.applyCommand(event.command);
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
    strategies.notifyCandle(bar, listeners);
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
    const output = outbox.emit(wakeAtMs);
    if (this.quiet.wakeAtMs !== wakeAtMs) this.quiet = { ...NOTHING_TO_DO, wakeAtMs };
    this.restsUntilMs = this.mayRest && this.isAtRest() ? wakeAtMs : Number.NEGATIVE_INFINITY;
    return output;
  }

  /** True if nothing is at work or waits to be delivered, stored or sent. */
  private isAtRest(): boolean {
    const { outbox, algorithms, strategies } = this.parts;
    return (
      strategies.hasStarted &&
      outbox.isEmpty &&
      strategies.isIdle &&
      algorithms.works.size === 0 &&
      this.unpriced.length === 0
    );
  }

  /** Values given coins at the first price that there is. */
  private priceInventories(): void {
    const { markets, outbox } = this.parts;
    this.unpriced = this.unpriced.filter((instance) => {
      instance.applyPrices((market) => markets.priceOf(market), outbox.nowMs);
      return instance.ledger.waitsForPrices;
    });
  }

  private applyCommand(command: ControlCommand): void {
    const { reconciler, control, fills, locks, byHand, transfers, signals } = this.parts;
    if (command.kind === 'lock' || command.kind === 'unlock') locks.apply(command);
    else if (isByHand(command)) byHand.apply(command);
    else if (command.kind === 'signal') signals.apply(command);
    else if (command.kind === 'accept-balances') {
      fills.accept();
      reconciler.accept();
      transfers.accept();
    } else if (command.kind === 'compare-balances') reconciler.tryNow();
    else control.apply(command);
  }

  private applyAnswer(event: Extract<EngineEvent, { kind: 'answer' }>): void {
    const { outbox, credential, slowMachine } = this.parts;
    const { requestId, answer, sentAtMs, reply = null } = event;
    const asked = outbox.answered(requestId);
    // A value says nothing new of the credential and the machine unless they are at fault.
    if (answer.outcome !== 'value' || credential.sinceMs !== null || slowMachine.sinceMs !== null) {
      credential.apply(answer, { isPrivate: asked?.isPrivate ?? false, sentAtMs });
      slowMachine.apply({ answer, sentAtMs });
    }
    asked?.apply(answer, { atMs: outbox.nowMs, sentAtMs, reply });
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

  /** Applies opening prices, which are the prices of their markets from now on. */
  private applyOpens({ atMs, opens }: Extract<EngineEvent, { kind: 'opens' }>): EngineOutput {
    const { outbox, markets, algorithms } = this.parts;
    if (atMs > outbox.nowMs) outbox.nowMs = atMs;
    for (const { market, price, untilMs } of opens) {
      markets.applyOpen(market, price, untilMs);
      if (algorithms.works.size > 0) algorithms.onBook(market);
    }
    return this.afterPrices();
  }

  /** Defers algorithms that wait for a price to the next step, when it is known what else happened. */
  private afterPrices(): EngineOutput {
    const { outbox, algorithms } = this.parts;
    return algorithms.isWaited ? { ...NOTHING_TO_DO, wakeAtMs: outbox.nowMs } : this.quiet;
  }

  private applyAccount({ orders, trades, wallets }: Extract<EngineEvent, { kind: 'account' }>): void {
    const { account, orderManager, fills } = this.parts;
    account.applyPushed(wallets);
    for (const record of orders) orderManager.reports.apply(record);
    account.saw('orders');
    if (trades.length > 0) fills.applyPushed(trades);
    account.saw('fills');
  }

  /** Tells strategies and runs algorithms until nothing is left to do. */
  private work(): void {
    const { outbox, algorithms, strategies, control } = this.parts;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      if (strategies.notifyNext()) continue;
      if (control.draining !== null || algorithms.works.size === 0 || !algorithms.pump(outbox.nowMs)) return;
    }
    outbox.alarm(`strategies and algorithms still had work after ${MOST_ROUNDS} rounds; the rest waits`);
  }

  private pump(nowMs: number, isTimeUp: boolean): void {
    const { findings, orderManager, reconciler, fills, feeds, universes } = this.parts;
    const { strategies, control, locks, lossLimits, byHand, standstills, markets } = this.parts;
    const { table, identical } = orderManager.blotter;
    if (!strategies.hasStarted) this.beginTrading();
    if (isTimeUp) strategies.pump(nowMs);
    if (universes.tracked.length > 0 && this.parts.isTrading()) universes.pump(nowMs);
    if (identical.heldUntilMs <= nowMs) identical.expire(nowMs);
    if (findings.entries.size > 0) findings.expire(nowMs);
    if (fills.pending.byName.size > 0) fills.settlePending();
    if (table.settlingCount > 0) fills.pump();
    orderManager.pump(nowMs);
    if (control.dueAtMs <= nowMs) control.pump(nowMs);
    if (locks.dueAtMs <= nowMs || locks.entries.isDue) locks.pump(nowMs);
    if (lossLimits.dueAtMs <= nowMs && strategies.hasStarted) lossLimits.pump(nowMs);
    if (standstills.dueAtMs <= nowMs) standstills.pump(nowMs, markets.all());
    if (byHand.closing.atWork.size > 0) byHand.closing.pump(nowMs);
    if (reconciler.dueAtMs <= nowMs && this.mayReconcile()) reconciler.pump(nowMs);
    const isIdle = table.live.length === 0;
    if (isIdle !== feeds.queue.isIdle) feeds.queue.setIdle(isIdle);
    if (feeds.queue.wakeMs <= nowMs) feeds.pump(nowMs);
  }

  /** Strategies start once the account was read and the past is there. */
  private beginTrading(): void {
    const { outbox, orderManager, fills, feeds, strategies, signals, isRestart, aliveUntilMs } = this.parts;
    if (!feeds.isReady() || orderManager.isWaitedFor(fills.pending.byName.size > 0)) return;
    giveInventories(this.parts);
    this.unpriced = this.parts.instances.filter(({ ledger }) => ledger.waitsForPrices);
    strategies.start(isRestart);
    outbox.journal('control', 'start', { isRestart, aliveUntilMs });
    this.work();
    // Each is told before the next is taken.
    while (signals.applyWaiting()) this.work();
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
    if (algorithms.works.size > 0 && control.draining === null) next = Math.min(next, algorithms.wakeAtMs());
    if (universes.tracked.length > 0 && this.parts.isTrading()) next = Math.min(next, universes.wakeAtMs());
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
      const strategy = instance.drainRecord(outbox.nowMs);
      if (strategy !== null) outbox.change({ kind: 'strategy', strategy });
    }
  }

  /** Returns the listeners to bars of a market and length, for `stepBar`. */
  listenersTo(market: string, timeframe: Timeframe): readonly CandleListener[] {
    return this.parts.strategies.listenersTo(market, timeframe);
  }

  /** True if algorithms are at work, which wait for prices: each close is then to be pushed first. */
  get waitsForPrices(): boolean {
    return this.parts.algorithms.works.size > 0;
  }

  /** Returns the engine's state. */
  status(): EngineStatus {
    return statusOf({
      phase: this.parts.control.phase(this.parts.strategies.hasStarted),
      isBroken: this.reconciler.break !== null,
      conclusions: this.reconciler.watch.conclusionCount,
      unfinished: this.unfinishedOrders(),
    });
  }

  /** Returns the age of everything that is polled. */
  dataAges(): ReturnType<FeedHandler['ages']> {
    return this.parts.feeds.ages(this.parts.outbox.nowMs);
  }

  /** Orders that are not at their end, by state. */
  ordersByState(): Readonly<Record<string, number>> {
    return ordersByState(this.unfinishedOrders());
  }

  /** True if orders, fills and wallets were read at least once. */
  isAccountRead(): boolean {
    return this.parts.feeds.isReady();
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
  doubts(): readonly Sentence[] {
    return this.parts.tradingState.doubts();
  }

  /** Returns why no new orders are accepted; null while they are. */
  closedReason(): Sentence | null {
    return this.parts.tradingState.closed();
  }

  /** Returns why trading is halted; null while it is not. */
  haltReason(): Sentence | null {
    return this.parts.control.haltReason();
  }

  /** Returns why the exchange accepts none of our calls; null while it does, as far as is known. */
  credentialFault(): Sentence | null {
    return this.parts.credential.fault();
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
    return this.parts.control.isDrained() && this.parts.transfers.unsettled() === null;
  }
}
