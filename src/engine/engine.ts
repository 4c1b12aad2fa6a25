import { SarrafError } from '../domain/errors.ts';
import { formatUnits } from '../domain/money.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { isFinal, mayTrade, type OrderRecord } from '../execution/order-record.ts';
import type { ClosedCandle } from '../strategy/definition.ts';
import type { Rejection, StrategyEvent } from '../strategy/strategy-event.ts';
import { AccountState } from './account-state.ts';
import type { AnswerTaker } from './answer-taker.ts';
import { CandleReader } from './candle-reader.ts';
import { KEPT_CANCELS } from './cancel-desk.ts';
import { Control, KEPT_CONTROL } from './control.ts';
import type { EngineOutput } from './engine-command.ts';
import type { EngineEvent } from './engine-event.ts';
import { DEFAULT_RECONCILIATION, type EngineSettings } from './engine-settings.ts';
import { FeedDesk } from './feed-desk.ts';
import { FillReader } from './fill-reader.ts';
import { IntentBook } from './intent-book.ts';
import { IntentDesk } from './intent-desk.ts';
import { MarketDesk } from './market-desk.ts';
import type { MirrorState } from './mirror-change.ts';
import { OrderDesk } from './order-desk.ts';
import { OrderGate } from './order-gate.ts';
import { Outbox } from './outbox.ts';
import { ProgramDesk } from './program-desk.ts';
import { KEPT_RECONCILIATION, Reconciler } from './reconciler.ts';
import { Seat } from './seat.ts';
import { SeatView } from './seat-view.ts';

/** Events that wait to be told to strategies, before they have started or within one step. The oldest go, and that is told. */
const MOST_TOLD = 10_000;

/** Rounds of telling and doing within one step; beyond it something runs in circles, and the rest waits for the next step. */
const MOST_ROUNDS = 1_000;

const KEPT_ROW = 'row';

const NOTHING_TO_DO = { changes: [], isDurable: false, requests: [], notices: [] } as const;

interface Told {
  readonly seat: Seat;
  readonly event: StrategyEvent;
}

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
 * The bot as a pure, synchronous state machine: told what came back and what time it is, it answers what is to be written and asked. It composes the
 * poll plan, the account, the strategies, the risk checks and the execution of orders, and is the same live, in backtests and under the fuzzer.
 */
export class Engine {
  readonly seats: readonly Seat[];
  readonly markets: MarketDesk;
  readonly account: AccountState;
  readonly reconciler: Reconciler;
  readonly desk: OrderDesk;
  private readonly outbox: Outbox;
  private readonly intents: IntentBook;
  private readonly intentDesk: IntentDesk;
  private readonly programs: ProgramDesk;
  private readonly feeds: FeedDesk;
  private readonly fills: FillReader;
  private readonly control: Control;
  private readonly views = new Map<Seat, SeatView>();
  private readonly readers: ReadonlyMap<string, CandleReader>;
  private readonly seatsByName: ReadonlyMap<string, Seat>;
  /** Seats by what they subscribed to: `book BTCIRT`, `candles BTCIRT 1h`. */
  private readonly routes = new Map<string, Seat[]>();
  private readonly expected = new Map<number, AnswerTaker>();
  private readonly told: Told[] = [];
  private readonly isRestart: boolean;
  private readonly reconciles: boolean;
  private hasStarted = false;
  private row = 0;
  private isRowDirty = false;
  private lastRoute: { readonly market: string; readonly span: string; readonly seats: readonly Seat[] } = {
    market: '',
    span: '',
    seats: NO_SEATS,
  };
  /** The output of a step that comes to nothing, with the time of the next that is due. */
  private quiet: EngineOutput = { ...NOTHING_TO_DO, wakeAtMs: 0 };

  /** `nowMs` is the time of the first step. Throws `INVALID_STRATEGY` where a stored state does not fit its strategy. */
  constructor(settings: EngineSettings, state: MirrorState, nowMs: number) {
    const outbox = new Outbox(settings.isRestartable);
    this.outbox = outbox;
    outbox.nowMs = nowMs;
    this.isRestart = state.strategies.length > 0;
    this.seats = settings.seats.map((seat) => new Seat(seat));
    this.seatsByName = new Map(this.seats.map((seat) => [seat.name, seat]));
    this.account = new AccountState(outbox);
    this.intents = new IntentBook(outbox);
    this.markets = new MarketDesk({
      markets: settings.markets,
      outbox,
      emit: (event, market) => this.emit(event, market),
    });
    const expect = (requestId: number, take: AnswerTaker): void => void this.expected.set(requestId, take);
    this.desk = new OrderDesk(settings, outbox, {
      nextRow: () => this.nextRow(),
      objectionTo: (order) => this.gate.objectionTo(order),
      expect,
    });
    this.desk.epoch = state.epoch;
    const closed = (): string | null => this.closed();
    this.gate = new OrderGate({ outbox, desk: this.desk, markets: this.markets, seats: this.seats, closed });
    this.readers = readersOf(settings, this.seats);
    const currencies = new Set(settings.markets.flatMap(({ src, dst }) => [src, dst]));
    this.reconciles = settings.reconciliation !== null;
    this.reconciler = new Reconciler({ ...(settings.reconciliation ?? DEFAULT_RECONCILIATION), currencies }, outbox, {
      hasten: (feed) => this.feeds.hasten(feed),
      isUnsettled: () => this.isUnsettled(),
    });
    this.fills = new FillReader({
      keeper: this.desk.keeper,
      sightings: this.desk.sightings,
      onFill: (fill, order) => this.onFill(fill, order),
      onImpossible: (fill, order) => this.onImpossible(fill, order),
    });
    this.programs = new ProgramDesk({
      outbox,
      desk: this.desk,
      gate: this.gate,
      markets: this.markets,
      intents: this.intents,
      equityOf: (seat, market) => this.viewOf(seat).equityUnits(market),
      onRefused: (seat, _, { code, reason }) => this.onRejected(seat, { ...NO_REJECTION, code, reason }),
    });
    this.intentDesk = new IntentDesk({
      outbox,
      desk: this.desk,
      gate: this.gate,
      programs: this.programs,
      markets: this.markets,
      intents: this.intents,
      nextIntentId: () => `i${this.nextRow().toString(36)}`,
      closed,
      onRejected: (seat, rejection) => this.onRejected(seat, rejection),
    });
    this.feeds = new FeedDesk({
      feeds: settings.feeds,
      startMs: nowMs,
      outbox,
      desk: this.desk,
      markets: this.markets,
      account: this.account,
      fills: this.fills,
      reconciler: this.reconciler,
      candles: this.readers,
      currencies,
      expect,
      onPast: (candles) => {
        for (const candle of candles) {
          for (const seat of this.routed(`candles ${candle.market} ${candle.span}`)) seat.runner.warmUp(candle);
        }
      },
      onCandle: (candle) => {
        for (const seat of this.routed(`candles ${candle.market} ${candle.span}`))
          this.tell(seat, { kind: 'candle', candle });
      },
    });
    this.control = new Control({
      outbox,
      desk: this.desk,
      expect,
      endPrograms: (reason) => this.programs.end(() => true, reason),
      stopStrategies: (reason) => this.stopStrategies(reason),
    });
    for (const seat of this.seats) this.addRoutes(seat);
    this.desk.keeper.listen((order, before) => this.onOrder(order, before));
    this.restore(state, nowMs);
  }

  private readonly gate: OrderGate;

  /** Takes in one event; answers what is to be done. Throws `INVARIANT` when something that must hold does not: the shell then ends this life. */
  step(event: EngineEvent): EngineOutput {
    const { outbox } = this;
    if (event.atMs > outbox.nowMs) outbox.nowMs = event.atMs;
    this.programs.beginStep();
    if (event.kind === 'answer') this.takeAnswer(event);
    else if (event.kind === 'bar') this.takeBar(event.bar);
    else if (event.kind === 'account') this.takeAccount(event);
    else if (event.kind === 'control') {
      if (event.command.kind === 'accept-balances') this.reconciler.accept();
      else this.control.take(event.command);
    }
    this.work();
    // A bar that made nobody want anything, before the time of anything else has come: of such a backtest has millions.
    if (event.kind === 'bar' && this.isQuiet()) return this.quiet;
    this.pump(outbox.nowMs);
    this.work();
    this.store();
    const wakeAtMs = this.wakeAtMs();
    this.quiet = { ...NOTHING_TO_DO, wakeAtMs };
    return outbox.take(wakeAtMs);
  }

  private isQuiet(): boolean {
    const { outbox, quiet, programs, told } = this;
    return (
      this.hasStarted &&
      outbox.isEmpty &&
      !outbox.isRestartable &&
      outbox.nowMs < quiet.wakeAtMs &&
      told.length === 0 &&
      programs.size === 0
    );
  }

  /** How it stands. */
  status(): EngineStatus {
    const orders = this.desk.keeper.table.unfinished();
    return {
      phase: this.control.phase(this.hasStarted),
      liveOrders: orders.filter((order) => mayTrade(order) || order.state === 'planned').length,
      unsettled: orders.filter(({ state }) => state !== 'open' && state !== 'planned').length,
      isBroken: this.reconciler.break !== null,
      conclusions: this.reconciler.conclusionCount,
    };
  }

  /** How old everything that is polled is. */
  dataAges(): ReturnType<FeedDesk['ages']> {
    return this.feeds.ages(this.outbox.nowMs);
  }

  /** Orders that are not at their end, by state. */
  ordersByState(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { state } of this.desk.keeper.table.unfinished()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  /** Whether orders, fills and wallets were read at least once. */
  isAccountRead(): boolean {
    return this.feeds.isReady();
  }

  /** Orders that are not at their end, oldest first. */
  unfinishedOrders(): readonly OrderRecord[] {
    return this.desk.keeper.table.unfinished();
  }

  /** Orders that may still trade, by their key. */
  liveOrderKeys(): readonly string[] {
    return this.desk.keeper.table.unfinished().flatMap((order) => (mayTrade(order) ? [order.key] : []));
  }

  /** Why trading is halted; null while it is not. */
  haltReason(): string | null {
    return this.control.haltReason();
  }

  /** Whether a drain has come to its end: nothing of ours is on its way, and, where that was asked for, nothing is open. */
  isDrained(): boolean {
    return this.control.isDrained();
  }

  private takeAnswer(event: Extract<EngineEvent, { kind: 'answer' }>): void {
    const take = this.expected.get(event.requestId);
    this.expected.delete(event.requestId);
    take?.(event.answer, { atMs: this.outbox.nowMs, sentAtMs: event.sentAtMs });
  }

  private takeBar(bar: ClosedCandle): void {
    this.markets.takeBar(bar);
    for (const seat of this.seatsOf(bar)) this.tell(seat, { kind: 'candle', candle: bar });
    if (this.programs.size > 0) this.programs.onBook(bar.market);
  }

  /** Bars come in long rows of one market and length, so the last answer mostly is the next. */
  private seatsOf({ market, span }: ClosedCandle): readonly Seat[] {
    const { lastRoute } = this;
    if (lastRoute.market === market && lastRoute.span === span) return lastRoute.seats;
    const seats = this.routed(`candles ${market} ${span}`);
    this.lastRoute = { market, span, seats };
    return seats;
  }

  private takeAccount({ orders, trades, wallets }: Extract<EngineEvent, { kind: 'account' }>): void {
    const { account, fills, desk, outbox } = this;
    account.take(wallets);
    for (const record of orders) desk.takeRecord(record);
    account.saw('orders');
    if (trades.length > 0) fills.take({ items: trades, hasNext: false }, outbox.nowMs);
    account.saw('fills');
  }

  /** Tells strategies and runs programs until nothing is left to do. */
  private work(): void {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const hasTold = this.hasStarted && this.tellNext();
      if (!hasTold && !this.programs.pump(this.outbox.nowMs)) return;
    }
    this.outbox.alarm(`strategies and programs were still at work after ${MOST_ROUNDS} rounds; the rest waits`);
  }

  private tellNext(): boolean {
    const next = this.told.shift();
    if (next === undefined) return false;
    const { seat, event } = next;
    if (seat.status !== 'running' && event.kind !== 'candle') return true;
    const wasFailing = seat.runner.failure !== null;
    const intents = seat.runner.handle(event, this.viewOf(seat));
    if (seat.runner.failure !== null && !wasFailing) {
      this.fail(seat, seat.runner.failure);
      return true;
    }
    for (const intent of intents) this.intentDesk.take(seat, intent);
    return true;
  }

  /** A handler threw: what becomes of its strategy is for the configuration to say. The others go on. */
  private fail(seat: Seat, failure: string): void {
    const { onError, pauseMs } = seat.settings;
    const { outbox } = this;
    seat.status = onError === 'pause' ? 'paused' : 'stopped';
    seat.reason = failure;
    seat.resumesAtMs = onError === 'pause' ? outbox.nowMs + pauseMs : Number.POSITIVE_INFINITY;
    seat.isDirty = true;
    this.programs.end((work) => work.seat === seat, 'its strategy has stopped');
    if (onError === 'cancel') this.intentDesk.cancelAll(seat, null);
    const what = onError === 'pause' ? `pauses for ${Math.round(pauseMs / 1_000)} s` : 'is stopped';
    outbox.journal('strategy', seat.name, { status: seat.status, reason: failure });
    outbox.alarm(`${seat.name} ${what}: ${failure}`, seat.name);
  }

  private pump(nowMs: number): void {
    this.beginTrading(nowMs);
    for (const seat of this.seats) this.pumpSeat(seat, nowMs);
    this.desk.keeper.identical.expire(nowMs);
    this.desk.pump(nowMs);
    this.control.pump(nowMs);
    if (this.reconciles && (this.hasStarted || this.readers.size === 0)) this.reconciler.pump(nowMs);
    this.feeds.setIdle(this.desk.keeper.table.unfinished().length === 0);
    this.feeds.pump(nowMs);
  }

  /** Strategies start once the account was read and the past is there. */
  private beginTrading(nowMs: number): void {
    if (this.hasStarted || !this.feeds.isReady()) return;
    this.hasStarted = true;
    for (const seat of this.seats) {
      seat.setTimers(nowMs);
      this.told.unshift({ seat, event: { kind: 'start', isRestart: this.isRestart } });
    }
    this.outbox.journal('control', 'start', { isRestart: this.isRestart });
    this.work();
  }

  private pumpSeat(seat: Seat, nowMs: number): void {
    if (seat.status === 'paused' && seat.resumesAtMs <= nowMs) {
      seat.status = 'running';
      seat.reason = null;
      seat.isDirty = true;
      seat.runner.clearFailure();
      this.outbox.info(`${seat.name} goes on after its pause`, seat.name);
    }
    if (!this.hasStarted) return;
    for (const timer of seat.timers) {
      if (timer.nextMs > nowMs) continue;
      const dueMs = timer.nextMs;
      seat.setTimer(timer, nowMs);
      this.tell(seat, { kind: 'timer', name: timer.name, dueMs });
    }
  }

  private wakeAtMs(): number {
    let next = Math.min(this.feeds.wakeAtMs(), this.desk.wakeAtMs(), this.programs.wakeAtMs(), this.control.wakeAtMs());
    if (this.reconciles && (this.hasStarted || this.readers.size === 0)) {
      next = Math.min(next, this.reconciler.wakeAtMs());
    }
    for (const seat of this.seats) {
      if (seat.status === 'paused') next = Math.min(next, seat.resumesAtMs);
      for (const { nextMs } of seat.timers) if (nextMs < next) next = nextMs;
    }
    return next;
  }

  /** Why no new orders are taken; null while they are. */
  private closed(): string | null {
    const why = this.control.closed();
    if (why !== null) return why;
    if (!this.hasStarted) return 'the account is still being read';
    if (this.reconciler.break !== null) {
      return 'the books do not agree with the exchange: see "sarraf reconcile --explain"';
    }
    return this.desk.closed();
  }

  private onFill(fill: FillRecord, order: OrderRecord | null): void {
    if (this.reconciles) this.reconciler.onFill(fill);
    if (this.outbox.isRestartable) this.journalFill(fill);
    const seat = order === null ? undefined : this.seatsByName.get(order.strategy);
    const market = this.markets.get(fill.market)?.market;
    if (order === null || seat === undefined || market === undefined) return;
    seat.takeFill(fill, market);
    if (!seat.runner.wants('fill')) return;
    const { side, atMs, price, amount, total, fee } = fill;
    this.tell(seat, {
      kind: 'fill',
      fill: {
        clientOrderId: order.key,
        market: fill.market,
        timeMs: atMs,
        side,
        price: formatUnits(price),
        amount: formatUnits(amount),
        total: formatUnits(total),
        fee: formatUnits(fee),
        tag: order.tag,
      },
    });
  }

  private journalFill({ orderKey, tradeId, amount, price, fee }: FillRecord): void {
    this.outbox.journal('fill', orderKey ?? 'foreign', {
      tradeId,
      amount: formatUnits(amount),
      price: formatUnits(price),
      fee: formatUnits(fee),
    });
  }

  private onImpossible(fill: FillRecord, order: OrderRecord): void {
    const why = `the trade ${fill.tradeId} of ${formatUnits(fill.amount)} is of ${order.key}, which is ${order.state} with ${formatUnits(order.filled)} of ${formatUnits(order.amount)} filled`;
    this.reconciler.breakAt(
      [
        {
          currency: order.market,
          expected: formatUnits(order.filled),
          found: formatUnits(order.filled + fill.amount),
        },
      ],
      why,
    );
  }

  private onOrder(order: OrderRecord, before: OrderRecord | null): void {
    if (order.matched > order.filled) this.feeds.hasten('fills');
    // The exchange rounded it: the steps that it was fitted to are no longer those of the market.
    if (before !== null && (order.amount !== before.amount || order.price !== before.price)) {
      this.feeds.hasten('options');
    }
    const seat = this.seatsByName.get(order.strategy);
    if (seat === undefined || before === null) return;
    if (order.state === 'sending' || (order.state === 'cancelling' && before.state !== 'cancelling')) {
      seat.requests += 1;
      seat.isDirty = true;
    }
    if (order.state === before.state && order.matched === before.matched) return;
    if (order.state === 'rejected') this.onOrderRejected(seat, order);
    else if (order.state !== 'sending' && order.state !== 'planned' && seat.runner.wants('order')) {
      this.tell(seat, {
        kind: 'order',
        order: {
          clientOrderId: order.key,
          market: order.market,
          status: isFinal(order) || order.venueStatus === null ? order.state : order.venueStatus,
          code: order.reason,
          tag: order.tag,
        },
      });
    }
  }

  private onOrderRejected(seat: Seat, order: OrderRecord): void {
    // The stop leg of an OCO shares the fate of the other.
    if (order.clientOrderId === null || order.reason === 'Cancelled') return;
    const { key, market, side, tag, reason } = order;
    const code = reason ?? 'rejected';
    this.onRejected(seat, { intent: null, clientOrderId: key, market, side, tag, code, reason: `${key}: ${code}` });
  }

  private onRejected(seat: Seat, rejection: Rejection): void {
    const { code, reason, market, side } = rejection;
    const what = [rejection.intent?.kind ?? 'order', side, market].filter((part) => part !== null).join(' ');
    // An order that was refused is told as such; and while no orders are taken, once a minute is enough.
    const isTold = rejection.clientOrderId !== null || (code === 'closed' && !seat.mayComplain(this.outbox.nowMs));
    if (!isTold) this.outbox.info(`${seat.name}: ${what} refused (${code}): ${reason}`, seat.name);
    this.tell(seat, { kind: 'reject', rejection });
  }

  private stopStrategies(reason: string): void {
    if (!this.hasStarted) return;
    for (const seat of this.seats) this.tell(seat, { kind: 'stop', reason });
  }

  private emit(event: StrategyEvent, market: string): void {
    if (event.kind === 'book') this.programs.onBook(market);
    if (!this.hasStarted || this.control.isDraining) return;
    for (const seat of this.routed(`${event.kind} ${market}`)) this.tell(seat, event);
  }

  private tell(seat: Seat, event: StrategyEvent): void {
    if (!seat.runner.wants(event.kind)) return;
    this.told.push({ seat, event });
    if (this.told.length <= MOST_TOLD) return;
    this.told.shift();
    this.outbox.warn(`more than ${MOST_TOLD} events wait for the strategies: the oldest was dropped`);
  }

  private viewOf(seat: Seat): SeatView {
    let view = this.views.get(seat);
    if (view === undefined) {
      view = new SeatView({
        seat,
        markets: this.markets,
        keeper: this.desk.keeper,
        account: this.account,
        candlesSeenAtMs: (market) => this.candlesSeenAtMs(market),
      });
      this.views.set(seat, view);
    }
    view.nowMs = this.outbox.nowMs;
    return view;
  }

  private candlesSeenAtMs(market: string): number | null {
    let seenAtMs = this.markets.get(market)?.barSeenAtMs ?? null;
    for (const reader of this.readers.values()) {
      if (reader.market === market) seenAtMs = Math.max(seenAtMs ?? 0, reader.seenAtMs ?? 0);
    }
    return seenAtMs;
  }

  private isUnsettled(): boolean {
    return this.desk.keeper.table
      .unfinished()
      .some(({ state }) => state === 'sending' || state === 'unknown' || state === 'settling');
  }

  private nextRow(): number {
    this.row += 1;
    this.isRowDirty = true;
    return this.row;
  }

  private store(): void {
    if (!this.outbox.isRestartable) return;
    if (this.isRowDirty) {
      this.isRowDirty = false;
      this.outbox.keep(KEPT_ROW, this.row);
    }
    for (const seat of this.seats) {
      const strategy = seat.takeRecord(this.outbox.nowMs);
      if (strategy !== null) this.outbox.change({ kind: 'strategy', strategy });
    }
  }

  private addRoutes(seat: Seat): void {
    for (const wanted of seat.runner.subscriptions) {
      if (wanted.kind === 'timer') continue;
      const span = wanted.kind === 'candles' ? ` ${wanted.span}` : '';
      const route = `${wanted.kind} ${wanted.market}${span}`;
      const seats = this.routes.get(route) ?? [];
      if (!seats.includes(seat)) this.routes.set(route, [...seats, seat]);
    }
  }

  private routed(route: string): readonly Seat[] {
    return this.routes.get(route) ?? NO_SEATS;
  }

  private restore(state: MirrorState, nowMs: number): void {
    this.row = Number(state.kept[KEPT_ROW] ?? 0);
    this.markets.restore(state.markets, nowMs);
    for (const record of state.strategies) {
      const seat = this.seatsByName.get(record.name);
      if (seat !== undefined) restoreSeat(seat, record);
    }
    this.fills.restore(state);
    this.reconciler.restore(state.kept[KEPT_RECONCILIATION]);
    this.desk.keeper.restore(state, nowMs);
    this.desk.cancels.restore(state.kept[KEPT_CANCELS]);
    this.programs.restore(state, this.seats);
    this.intentDesk.restore(state);
    this.control.restore(state.kept[KEPT_CONTROL]);
  }
}

const NO_SEATS: readonly Seat[] = [];

const NO_REJECTION: Rejection = {
  intent: null,
  clientOrderId: null,
  market: null,
  side: null,
  tag: null,
  code: '',
  reason: '',
};

/** A state that its strategy can not read is no reason to end the bot: it says so, and its author decides. */
function restoreSeat(seat: Seat, record: MirrorState['strategies'][number]): void {
  try {
    seat.restore(record);
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    throw new SarrafError(
      'INVALID_STRATEGY',
      `${seat.name}: its stored state can not be taken over: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

/** One reader for each market and length of bar that somebody subscribed to, by the key of its feed. */
function readersOf(settings: EngineSettings, seats: readonly Seat[]): ReadonlyMap<string, CandleReader> {
  const readers = new Map<string, CandleReader>();
  for (const feed of settings.feeds) {
    if (feed.kind !== 'candles') continue;
    const wanted = seats.flatMap(({ runner }) =>
      runner.subscriptions.flatMap((subscription) =>
        subscription.kind === 'candles' && feed.key === `candles ${subscription.market} ${subscription.span}`
          ? [{ subscription, length: runner.warmUpLength(subscription) }]
          : [],
      ),
    );
    const [first] = wanted;
    if (first === undefined) continue;
    const { market, span } = first.subscription;
    const warmUp = Math.max(...wanted.map(({ length }) => length));
    readers.set(feed.key, new CandleReader({ market, span, warmUp }));
  }
  return readers;
}
