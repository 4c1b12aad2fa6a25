import type { Timeframe } from '../domain/candle.ts';
import { mayTrade, type OrderRecord } from '../records/order.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import {
  type EngineOutput,
  type EngineEvent,
  type VenueEvent,
  isByHand,
  type ControlCommand,
} from './engine-event.ts';
import type { EngineSettings } from './engine-settings.ts';
import { ordersByState, statusOf, type EngineStatus } from './trading-state.ts';
import type { FeedHandler } from './feeds/feed-handler.ts';
import { leftBehind, type LeftBehind } from './exits.ts';
import type { MirrorState } from './mirror-change.ts';
import type { CandleListener } from './strategy-dispatcher.ts';
import type { StrategyInstance } from './strategy-instance.ts';
import { giveInventories } from './inventory.ts';
import { createParts, type EngineParts } from './engine-parts.ts';
import type { Sentence } from '../language/sentence.ts';

/**
 * Maximum number of rounds of events and intents in a step. More is a livelock: the rest waits for the next
 * step.
 */
const MOST_ROUNDS = 1_000;

const NOTHING_TO_DO = { changes: [], isDurable: false, requests: [], notices: [] } as const;

/**
 * The bot as a pure, synchronous state machine. Input: an event with its time. Output: what to write, request
 * and report. The engine is the same live, in backtests and under the fuzzer. A step runs in this order: the
 * event is applied, strategies are notified, and due requests are made.
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
  readonly approvals: EngineParts['approvals'];
  readonly signals: EngineParts['signals'];
  readonly slowMachine: EngineParts['slowMachine'];
  private readonly parts: EngineParts;
  /**
   * Time of the venue's last push. Timers that are due at that moment wait for a tick, so that everything
   * pushed at the same moment is delivered before them.
   */
  private pushedAtMs = Number.NEGATIVE_INFINITY;
  /** Output of a step that changes nothing; `wakeAtMs` is the time of the next action that is due. */
  private quiet: EngineOutput = { ...NOTHING_TO_DO, wakeAtMs: 0 };
  /**
   * Time before which a bar only has to be delivered: nothing is at work, waits or is due until then. Minus
   * infinity if something is at work or waits.
   */
  restsUntilMs = Number.NEGATIVE_INFINITY;
  /** True if neither restart data nor a journal is written: the step of a bar may then be skipped. */
  private readonly mayRest: boolean;
  /** Strategies with given coins that have had no price yet. */
  private unpriced: readonly StrategyInstance[] = [];

  /**
   * `nowMs` is the time of the first step. Throws `INVALID_STRATEGY` if the stored state of a strategy does
   * not fit it.
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
    this.approvals = parts.approvals;
    this.signals = parts.signals;
    this.slowMachine = parts.slowMachine;
  }

  /**
   * Applies one event and returns what is to be done. Throws `INVARIANT` if something that must hold does
   * not; the shell then ends the process.
   */
  step(event: EngineEvent): EngineOutput {
    if (event.kind === 'opens') return this.applyOpens(event);
    this.apply(event);
    return this.finish(event.kind === 'tick');
  }

  /**
   * Applies all that a venue answered and pushed at one moment, as one step: strategies are notified of each
   * event before the next one is applied, and due requests are made once, at the end.
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

  /** Applies a bar closed at `atMs` for its listeners. Made fast for backtests, which have millions. */
  stepBar(bar: ClosedCandle, atMs: number, listeners: readonly CandleListener[]): EngineOutput {
    const { algorithms, strategies, locks } = this.parts;
    if (this.isQuietAt(atMs) && algorithms.restAt(bar)) {
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
   * True if the bar at `atMs` need not even be made: nothing is due, and no listener follows its market.
   * Moves the engine's time to `atMs`, as `stepBar` does.
   */
  skipBar(atMs: number, listeners: readonly CandleListener[]): boolean {
    return (
      listeners.every(({ instance, place }) => instance.runner.isUnfollowed(place)) && this.isQuietAt(atMs)
    );
  }

  /** Moves the engine's time to that of a bar. True if bars of that time only have to be delivered. */
  isQuietAt(atMs: number): boolean {
    const { outbox } = this.parts;
    if (atMs > outbox.nowMs) outbox.nowMs = atMs;
    this.pushedAtMs = outbox.nowMs;
    return outbox.nowMs < this.restsUntilMs;
  }

  /** Ends a step: notifies, makes due requests, stores, and returns what is to be done. */
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

  /** True if strategies have started, and nothing is at work or waits to be delivered, stored or sent. */
  private isAtRest(): boolean {
    const { outbox, algorithms, strategies } = this.parts;
    return (
      strategies.hasStarted &&
      outbox.isEmpty &&
      strategies.isIdle &&
      algorithms.areAtRest &&
      this.unpriced.length === 0
    );
  }

  /** Values given coins at the first known price. */
  private priceInventories(): void {
    const { markets, outbox } = this.parts;
    this.unpriced = this.unpriced.filter((instance) => {
      instance.applyPrices((market) => markets.priceOf(market), outbox.nowMs);
      return instance.ledger.waitsForPrices;
    });
  }

  private applyCommand(command: ControlCommand): void {
    const { reconciler, control, fills, locks, byHand, transfers, signals, strategies } = this.parts;
    if (command.kind === 'lock' || command.kind === 'unlock') locks.apply(command);
    else if (isByHand(command)) byHand.apply(command);
    else if (command.kind === 'signal') signals.apply(command);
    else if (command.kind === 'accept-balances') {
      fills.accept();
      reconciler.accept();
      transfers.accept();
    } else if (command.kind === 'compare-balances') reconciler.tryNow();
    else if (command.kind === 'reload' || command.kind === 'promote') strategies.reload(command);
    else control.apply(command);
  }

  private applyAnswer(event: Extract<EngineEvent, { kind: 'answer' }>): void {
    const { outbox, credential, slowMachine } = this.parts;
    const { requestId, answer, sentAtMs, reply = null } = event;
    const asked = outbox.answered(requestId);
    // A value proves something about the credential or the machine only while one of them is at fault.
    if (answer.outcome !== 'value' || credential.sinceMs !== null || slowMachine.sinceMs !== null) {
      credential.apply(answer, { isPrivate: asked?.isPrivate ?? false, sentAtMs });
      slowMachine.apply({ answer, sentAtMs });
    }
    asked?.apply(answer, { atMs: outbox.nowMs, sentAtMs, reply });
  }

  /**
   * Applies the close of a bar of a market without a book: it is the price from now on. While algorithms are
   * at work, call it before all other steps of that moment. It makes no requests: algorithms that wait for a
   * price run at the next step, for which `wakeAtMs` asks.
   */
  stepClose(market: string, atMs: number): EngineOutput {
    const { outbox, algorithms } = this.parts;
    if (atMs > outbox.nowMs) outbox.nowMs = atMs;
    this.pushedAtMs = outbox.nowMs;
    algorithms.onBook(market);
    return this.afterPrices();
  }

  /** Applies the opening prices of bars, which are the prices of their markets from now on. */
  private applyOpens({ atMs, opens }: Extract<EngineEvent, { kind: 'opens' }>): EngineOutput {
    const { outbox, markets, algorithms } = this.parts;
    if (atMs > outbox.nowMs) outbox.nowMs = atMs;
    for (const { market, price, untilMs } of opens) {
      markets.applyOpen(market, price, untilMs);
      if (algorithms.works.size > 0) algorithms.onBook(market);
    }
    return this.afterPrices();
  }

  /** Defers algorithms that wait for a price to the next step, when all events of the moment are known. */
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

  /** Notifies strategies and runs algorithms until nothing is left to do. */
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
    const { strategies, control, locks, lossLimits, byHand, approvals, standstills, markets } = this.parts;
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
    if (approvals.dueAtMs <= nowMs) approvals.pump(nowMs);
    if (reconciler.dueAtMs <= nowMs && this.mayReconcile()) reconciler.pump(nowMs);
    const isIdle = table.live.length === 0;
    if (isIdle !== feeds.queue.isIdle) feeds.queue.setIdle(isIdle);
    if (feeds.queue.wakeMs <= nowMs) feeds.pump(nowMs);
  }

  /** Starts strategies, once the account and the candles of the past have been read. */
  private beginTrading(): void {
    const { outbox, orderManager, fills, feeds, strategies, signals, isRestart, aliveUntilMs } = this.parts;
    if (!feeds.isReady() || orderManager.isWaitedFor(fills.pending.byName.size > 0)) return;
    giveInventories(this.parts);
    this.unpriced = this.parts.instances.filter(({ ledger }) => ledger.waitsForPrices);
    strategies.start(isRestart);
    outbox.journal('control', 'start', { isRestart, aliveUntilMs });
    this.work();
    // Each signal is delivered before the next is applied.
    while (signals.applyWaiting()) this.work();
  }

  private wakeAtMs(): number {
    const { orderManager, reconciler, feeds, universes, algorithms, strategies } = this.parts;
    const { control, locks, lossLimits, byHand, approvals, figures } = this.parts;
    let next = Math.min(
      feeds.queue.wakeAtMs(),
      orderManager.wakeAtMs(),
      control.dueAtMs,
      locks.dueAtMs,
      byHand.closing.dueAtMs,
      approvals.dueAtMs,
      strategies.wakeAtMs(),
    );
    if (strategies.hasStarted) next = Math.min(next, lossLimits.dueAtMs);
    if (figures !== null) next = Math.min(next, figures.wakeAtMs());
    // During a drain algorithms do not run: no order that they requested would be placed.
    if (algorithms.works.size > 0 && control.draining === null) next = Math.min(next, algorithms.wakeAtMs());
    if (universes.tracked.length > 0 && this.parts.isTrading()) next = Math.min(next, universes.wakeAtMs());
    return this.mayReconcile() ? Math.min(next, reconciler.dueAtMs) : next;
  }

  /**
   * True if balances may be compared: from the start on, or, if candles of the past are read first, once
   * these are there.
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

  /** True if algorithms are at work and wait for prices: call `stepClose` before other steps. */
  get waitsForPrices(): boolean {
    return this.parts.algorithms.works.size > 0;
  }

  /** Returns a price of a market: `restsUntilMs` counts only for bars that close above it. */
  restsAbove(market: string): number {
    return this.parts.algorithms.restsAbove(market);
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

  /** Returns the age of each feed's data. */
  dataAges(): ReturnType<FeedHandler['ages']> {
    return this.parts.feeds.ages(this.parts.outbox.nowMs);
  }

  /** Returns the number of unfinished orders in each state. */
  ordersByState(): Readonly<Record<string, number>> {
    return ordersByState(this.unfinishedOrders());
  }

  /** True if orders, fills and wallets were read at least once. */
  isAccountRead(): boolean {
    return this.parts.feeds.isReady();
  }

  /** Returns the orders that have not reached their end, oldest first. */
  unfinishedOrders(): readonly OrderRecord[] {
    return this.orderManager.blotter.table.unfinished();
  }

  /** Returns the keys of orders that may still trade. */
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

  /** Returns the time of the request that read the current balances; null before the first reading. */
  balancesAsOfMs(): number | null {
    return this.account.readingsAsOfMs;
  }

  /** Returns what would be left at the exchange if the run ended now. */
  leftBehind(): LeftBehind {
    return leftBehind({
      unfinished: this.unfinishedOrders(),
      instances: this.instances,
      markets: this.markets,
    });
  }

  /** True if a drain is complete: nothing is in flight, and no order is open that the drain cancels. */
  isDrained(): boolean {
    return this.parts.control.isDrained() && this.parts.transfers.unsettled() === null;
  }
}
