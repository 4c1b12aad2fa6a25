import { present } from '../domain/invariant.ts';
import { formatUnits } from '../domain/money.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';
import type { Intent } from '../strategy/intents.ts';
import type { ClosedCandle, Rejection, StrategyEvent } from '../strategy/strategy-event.ts';
import { AbsentFills, KEPT_ABSENT_FILLS, type AbsentFill } from './absent-fills.ts';
import type { AccountState } from './account-state.ts';
import { assetNotices } from './asset-notices.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { MirrorState } from './mirror-change.ts';
import { IDENTICAL_ORDER } from './order-placer.ts';
import type { OrderBlotter } from './order-blotter.ts';
import type { Outbox } from './outbox.ts';
import type { StrategyInstance } from './strategy-instance.ts';
import { PortfolioView } from './portfolio-view.ts';
import { EventQueue } from './event-queue.ts';

/**
 * Events that wait to be told to strategies, before they have started or within one step. The oldest go, and
 * that is told.
 */
const MOST_TOLD = 10_000;

/** A strategy that subscribed to something, and what it may look at. */
interface Listener {
  readonly instance: StrategyInstance;
  readonly view: PortfolioView;
}

const NO_LISTENERS: readonly Listener[] = [];

const NO_REJECTION: Rejection = {
  intent: null,
  clientOrderId: null,
  market: null,
  side: null,
  tag: null,
  code: '',
  reason: '',
};

export interface StrategyDispatcherOptions {
  readonly instances: readonly StrategyInstance[];
  readonly outbox: Outbox;
  readonly markets: MarketDataCache;
  readonly blotter: OrderBlotter;
  readonly account: AccountState;
  /** When the candles of a market were read last; null before the first. */
  readonly candlesSeenAtMs: (market: string) => number | null;
  /** Told what a strategy wants. */
  readonly onIntent: (instance: StrategyInstance, intent: Intent) => void;
  /** Told of a strategy that has just thrown, before it is said. */
  readonly onFailed: (instance: StrategyInstance) => void;
}

/**
 * Tells strategies what happens, one event after the other, and hands on what they want. One that throws is
 * the only one that stops.
 */
export class StrategyDispatcher {
  hasStarted = false;
  private readonly options: StrategyDispatcherOptions;
  private readonly listeners: ReadonlyMap<StrategyInstance, Listener>;
  private readonly instancesByName: ReadonlyMap<string, StrategyInstance>;
  /** Who subscribed to what: `book BTCIRT`, `candles BTCIRT 1h`. */
  private readonly routes = new Map<string, Listener[]>();
  private readonly told = new EventQueue();
  private readonly absent: AbsentFills;
  private lastCandles: {
    readonly market: string;
    readonly timeframe: string;
    readonly listeners: readonly Listener[];
  } = {
    market: '',
    timeframe: '',
    listeners: NO_LISTENERS,
  };

  constructor(options: StrategyDispatcherOptions) {
    const { instances, markets, blotter, account, candlesSeenAtMs } = options;
    this.options = options;
    this.absent = new AbsentFills(options.outbox);
    this.instancesByName = new Map(instances.map((instance) => [instance.name, instance]));
    this.listeners = new Map(
      instances.map((instance) => [
        instance,
        { instance, view: new PortfolioView({ instance, markets, blotter, account, candlesSeenAtMs }) },
      ]),
    );
    for (const listener of this.listeners.values()) this.addRoutes(listener);
  }

  /** Whether nobody waits to be told anything. */
  get isIdle(): boolean {
    return this.told.length === 0;
  }

  instanceOf(strategy: string): StrategyInstance | undefined {
    return this.instancesByName.get(strategy);
  }

  /** What a strategy may look at, at this moment. */
  viewOf(instance: StrategyInstance): PortfolioView {
    const view = this.listeners.get(instance)?.view;
    if (view === undefined) throw new RangeError(`expected an instance of this engine, was ${instance.name}`);
    view.nowMs = this.options.outbox.nowMs;
    return view;
  }

  /** Feeds a candle of the past to the indicators of those who subscribed to such, without asking them. */
  warmUp(candle: ClosedCandle): void {
    for (const { instance } of this.listenersTo(candle)) instance.runner.warmUp(candle);
  }

  /** Has all who subscribed to such candles told of one when their turn comes. */
  tellCandle(candle: ClosedCandle): void {
    for (const { instance } of this.listenersTo(candle)) this.tell(instance, { kind: 'candle', candle });
  }

  /**
   * Tells all who subscribed to such candles of one at once. Only while nobody waits to be told anything and
   * strategies have started.
   */
  handCandle(candle: ClosedCandle): void {
    const { nowMs } = this.options.outbox;
    for (const { instance, view } of this.listenersTo(candle)) {
      if (!instance.runner.wantsCandles) continue;
      view.nowMs = nowMs;
      const wasFailing = instance.runner.failure !== null;
      this.takeIntents(instance, instance.runner.handleCandle(candle, view), wasFailing);
    }
  }

  /** Lets strategies begin: from now on they are told what happens, first of all that they have. */
  start(isRestart: boolean): void {
    this.hasStarted = true;
    const { instances, markets, outbox } = this.options;
    for (const instance of instances) {
      const notices = assetNotices(instance, (market) => markets.get(market) !== undefined);
      for (const { level, text } of notices) outbox[level](text, instance.name);
    }
    // The last one first: each is put before all that wait, so they are told in their own order.
    for (const instance of instances.toReversed()) {
      instance.setTimers(outbox.nowMs);
      this.told.unshift({ instance, event: { kind: 'start', isRestart } });
    }
  }

  /** Tells them that it is over. */
  stop(reason: string): void {
    if (!this.hasStarted) return;
    for (const instance of this.options.instances) this.tell(instance, { kind: 'stop', reason });
  }

  /** Has a strategy told of something when its turn comes. */
  tell(instance: StrategyInstance, event: StrategyEvent): void {
    if (!instance.runner.wants(event.kind)) return;
    this.told.push({ instance, event });
    if (this.told.length <= MOST_TOLD) return;
    this.told.shift();
    this.options.outbox.warn(`more than ${MOST_TOLD} events wait for the strategies: the oldest was dropped`);
  }

  /** Has everyone told who subscribed to this kind of data of a market. */
  tellSubscribers(event: StrategyEvent, market: string): void {
    for (const { instance } of this.routed(`${event.kind} ${market}`)) this.tell(instance, event);
  }

  /** Tells the next event. False where there is none, or strategies have not started. */
  tellNext(): boolean {
    if (!this.hasStarted) return false;
    const next = this.told.shift();
    if (next === null) return false;
    const { instance, event } = next;
    if (instance.status !== 'running' && event.kind !== 'candle') return true;
    const wasFailing = instance.runner.failure !== null;
    this.takeIntents(instance, instance.runner.handle(event, this.viewOf(instance)), wasFailing);
    return true;
  }

  /**
   * Does what its time has come for: ends of pauses, timers, and what became of strategies that ended outside
   * of their handlers.
   */
  pump(nowMs: number): void {
    for (const instance of this.options.instances) {
      const { failure } = instance.runner;
      if (failure !== null && instance.status === 'running') this.fail(instance, failure);
      this.endPause(instance, nowMs);
      if (!this.hasStarted) continue;
      for (const timer of instance.timers) {
        if (timer.nextMs > nowMs) continue;
        const dueMs = timer.nextMs;
        instance.setTimer(timer, nowMs);
        this.tell(instance, { kind: 'timer', name: timer.name, dueMs });
      }
    }
  }

  /** When there is something to do next by itself. */
  wakeAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const instance of this.options.instances) {
      if (instance.status === 'paused') next = Math.min(next, instance.resumesAtMs);
      for (const { nextMs } of instance.timers) if (nextMs < next) next = nextMs;
    }
    return next;
  }

  /** A trade of one of its orders. */
  onFill(fill: FillRecord, order: OrderRecord): void {
    this.takeFill({ fill, tag: order.tag }, order);
  }

  /** Hands out the trades that came while their strategies were not at work. */
  /** Gives every strategy what was kept of it, and the fills that came while it was not there. */
  restore({ strategies, kept }: MirrorState): void {
    for (const record of strategies) this.instancesByName.get(record.name)?.restore(record);
    this.absent.restore(kept[KEPT_ABSENT_FILLS]);
    for (const { fill, tag } of this.absent.take(
      ({ strategy }) => strategy !== null && this.instancesByName.has(strategy),
    )) {
      const key = present(
        fill.orderKey,
        () => `the order of the trade ${fill.tradeId}, which waited for its strategy`,
      );
      this.takeFill({ fill, tag }, { key, strategy: present(fill.strategy, 'the strategy of that trade') });
    }
  }

  private takeFill({ fill, tag }: AbsentFill, order: Pick<OrderRecord, 'key' | 'strategy'>): void {
    const instance = this.instanceOf(order.strategy);
    if (instance === undefined) {
      this.absent.add({ fill: { ...fill, orderKey: order.key, strategy: order.strategy }, tag });
      return;
    }
    const { markets } = this.options;
    const step = markets.get(fill.market)?.market.amountStep ?? null;
    instance.takeFill(fill, { step, priceOf: (symbol) => markets.priceOf(symbol) });
    if (!instance.runner.wants('fill')) return;
    const { side, atMs, price, amount, total, fee } = fill;
    this.tell(instance, {
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
        tag,
      },
    });
  }

  /** One of its orders is another than it was. */
  onOrder(order: OrderRecord, before: OrderRecord): void {
    const instance = this.instanceOf(order.strategy);
    if (instance === undefined) return;
    if (order.state === 'sending' || (order.state === 'cancelling' && before.state !== 'cancelling')) {
      instance.requests += 1;
      instance.isDirty = true;
    }
    if (order.state === before.state && order.matched === before.matched) return;
    if (order.state === 'rejected') this.onOrderRejected(instance, order);
    else if (order.state !== 'sending' && order.state !== 'planned' && instance.runner.wants('order')) {
      this.tell(instance, {
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

  /** Something that it wanted came to nothing. */
  onRejected(
    instance: StrategyInstance,
    rejected: Partial<Rejection> & Pick<Rejection, 'code' | 'reason'>,
  ): void {
    const { outbox } = this.options;
    const rejection: Rejection = { ...NO_REJECTION, ...rejected };
    const { intent, clientOrderId, code, reason, market, side } = rejection;
    const refused = intent?.kind ?? (clientOrderId === null ? 'slice' : 'order');
    instance.tally.refuse({ what: refused, code, reason, atMs: outbox.nowMs });
    const what = [intent?.kind ?? 'order', side, market].filter((part) => part !== null).join(' ');
    // An order that was refused is told as such; and while no orders are taken, once a minute is enough.
    const isTold = clientOrderId !== null || (code === 'closed' && !instance.mayComplain(outbox.nowMs));
    if (!isTold) outbox.info(`${instance.name}: ${what} refused (${code}): ${reason}`, instance.name);
    this.tell(instance, { kind: 'reject', rejection });
  }

  private onOrderRejected(instance: StrategyInstance, order: OrderRecord): void {
    // The stop leg of an OCO shares the fate of the other.
    if (order.clientOrderId === null || order.reason === 'Cancelled') return;
    const { key, market, side, tag, reason } = order;
    const code = reason?.startsWith(IDENTICAL_ORDER) === true ? IDENTICAL_ORDER : (reason ?? 'rejected');
    const why = `${key}: ${reason ?? code}: ${wishText(order)}`;
    this.onRejected(instance, { clientOrderId: key, market, side, tag, code, reason: why });
  }

  /** What a strategy answered; nothing where it has just thrown. */
  private takeIntents(instance: StrategyInstance, intents: readonly Intent[], wasFailing: boolean): void {
    const { failure } = instance.runner;
    this.takeLog(instance);
    if (failure !== null && !wasFailing) this.fail(instance, failure);
    else {
      instance.tally.intents += intents.length;
      for (const intent of intents) this.options.onIntent(instance, intent);
    }
  }

  /** What it logged in this call, whether or not that went well. */
  private takeLog(instance: StrategyInstance): void {
    const lines = instance.runner.takeLog();
    if (lines.length === 0) return;
    const { outbox } = this.options;
    for (const line of lines) {
      const { text, fields } = line;
      instance.addLog({ atMs: outbox.nowMs, ...line });
      outbox.journal('log', instance.name, { text, fields });
      const message = `${instance.name}: ${text}`;
      outbox.tell({
        kind: 'notice',
        level: 'info',
        message,
        subject: instance.name,
        ...(fields === null ? {} : { details: { fields } }),
      });
    }
  }

  /** A handler threw: what becomes of its strategy is for the configuration to say. The others go on. */
  private fail(instance: StrategyInstance, failure: string): void {
    const { onError, pauseMs } = instance.settings;
    const { outbox, onFailed } = this.options;
    const pauses = onError === 'pause' && !instance.runner.isBeyondRepair;
    instance.status = pauses ? 'paused' : 'stopped';
    instance.reason = failure;
    instance.resumesAtMs = pauses ? outbox.nowMs + pauseMs : Number.POSITIVE_INFINITY;
    instance.isDirty = true;
    onFailed(instance);
    const what = pauses ? `pauses for ${Math.round(pauseMs / 1_000)} s` : 'is stopped';
    const { file = null, line = null, handler = null, stack = null } = instance.runner.fault ?? {};
    const place = { file, line, handler };
    outbox.journal('strategy', instance.name, { status: instance.status, reason: failure, ...place });
    const message = `${instance.name} ${what}: ${failure}`;
    const details = { strategy: instance.name, ...place };
    const notice = { kind: 'notice', level: 'error', message, subject: instance.name, details } as const;
    outbox.tell(stack === null ? notice : { ...notice, stack });
  }

  private endPause(instance: StrategyInstance, nowMs: number): void {
    if (instance.status !== 'paused' || instance.resumesAtMs > nowMs) return;
    instance.status = 'running';
    instance.reason = null;
    instance.isDirty = true;
    instance.runner.clearFailure();
    const { failure } = instance.runner;
    if (failure === null) this.options.outbox.info(`${instance.name} goes on after its pause`, instance.name);
    else this.fail(instance, failure);
  }

  private addRoutes(listener: Listener): void {
    for (const wanted of listener.instance.runner.subscriptions) {
      if (wanted.kind === 'timer') continue;
      const timeframe = wanted.kind === 'candles' ? ` ${wanted.timeframe}` : '';
      const route = `${wanted.kind} ${wanted.market}${timeframe}`;
      const listeners = this.routes.get(route) ?? [];
      if (!listeners.includes(listener)) this.routes.set(route, [...listeners, listener]);
    }
  }

  private listenersTo({
    market,
    timeframe,
  }: Pick<ClosedCandle, 'market' | 'timeframe'>): readonly Listener[] {
    const { lastCandles } = this;
    // They come in long rows of one market and length, so the last answer mostly is the next.
    if (lastCandles.market === market && lastCandles.timeframe === timeframe) return lastCandles.listeners;
    const listeners = this.routed(`candles ${market} ${timeframe}`);
    this.lastCandles = { market, timeframe, listeners };
    return listeners;
  }

  private routed(route: string): readonly Listener[] {
    return this.routes.get(route) ?? NO_LISTENERS;
  }
}

/** What an order was to do, with its numbers. */
function wishText({ side, market, amount, execution, price, stopPrice }: OrderRecord): string {
  const isTaking = execution === 'market' || execution === 'stop_market';
  const bound = price === null ? '' : `${isTaking ? ', no worse than' : 'at'} ${formatUnits(price)}`;
  const at = isTaking ? `at the market${bound}` : bound;
  const once = stopPrice === null ? '' : ` once ${formatUnits(stopPrice)} is reached`;
  return `${side} ${formatUnits(amount)} in ${market} ${at}${once}`;
}
