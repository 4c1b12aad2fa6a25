import type { VenueOrder } from '../../domain/order.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { OrderBlotter } from './order-blotter.ts';
import { OrderNames, stopLegKey } from '../order-names.ts';
import { unsentOrder, type OrderRecord } from '../../records/order.ts';
import type { SeenBook, WantedOrder } from '../risk/risk-view.ts';
import type { VenueAnswer, VenueCall } from '../../venues/port.ts';
import { type EngineSettings, EnginePart } from '../engine-settings.ts';
import { persistReply, type Outbox } from '../outbox.ts';
import type { OrderReportMatcher } from './order-report-matcher.ts';
import type { PreTradeRisk, OrderPlan } from '../risk/pre-trade-risk.ts';
import type { RowCounter } from '../strategies/intent-blotter.ts';
import { present } from '../../domain/errors.ts';
import { formatUnits, unitsAbout } from '../../domain/money.ts';
import type { MarketName } from '../../domain/market-symbol.ts';

export interface OrderPlacerOptions {
  readonly settings: EngineSettings;
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
  readonly risk: PreTradeRisk;
  readonly rows: RowCounter;
  /** Mark of this mirror in the ids of its orders. */
  readonly epoch: string;
}

/** Code of an order that was given up because an identical one blocked it for too long. */
export const IDENTICAL_ORDER = 'IdenticalOrder';

/** Reason why the reply to a placement was not used. */
const NOT_ABOUT_IT = 'the reply to its placement is not about it';

/**
 * Additional wait after the exchange's window for identical orders, in ms. Then the order is given up,
 * because the outcome of the other one is still unknown.
 */
const WAITS_LONGER_MS = 1_000;

/**
 * Places orders. An order is on the disk before its request leaves, and it is sent once. An order identical
 * to one sent a moment ago waits until the exchange no longer takes it for a repetition.
 */
export class OrderPlacer extends EnginePart<OrderPlacerOptions> {
  private readonly blotter: OrderBlotter;
  private readonly outbox: Outbox;
  private readonly names: OrderNames;
  /** Keys of planned orders that wait because the exchange has an identical one. */
  readonly waiting = new Set<string>();
  /**
   * Options of live orders that do not wait for identical ones, or must only rest, by key. Empty after a
   * restart: orders planned before it are not sent.
   */
  private readonly manners = new Map<string, Pick<OrderPlan, 'whenIdentical' | 'isPostOnly'>>();
  /** Time until which no order can be sent, and the reason. */
  private stuckUntilMs = 0;
  private stuckBecause = '';

  constructor(options: OrderPlacerOptions) {
    super(options);
    this.blotter = options.blotter;
    this.outbox = options.blotter.outbox;
    const { instance } = options.settings;
    this.names = new OrderNames({ instance, epoch: options.epoch }, this.blotter.venue.clientOrderId);
    this.blotter.listen(['end'], (order) => this.manners.delete(order.key), this.manners);
  }

  /** Creates an order and sends it, or lets it wait for an identical one. Returns its key. */
  place(plan: OrderPlan): string {
    plan.instance.planned(this.outbox.nowMs);
    const clientOrderId = this.names.next(plan.order.value.strategy, this.options.rows.next());
    const { exit } = plan;
    const single = this.recordOf(plan, plan.order.value, { key: clientOrderId, clientOrderId, exit });
    if (plan.whenIdentical !== 'hold' || plan.isPostOnly === true) this.manners.set(single.key, plan);
    // Only the journal has it.
    const isAsked = this.blotter.outbox.isJournaled && single.execution === 'limit';
    const ahead = isAsked && plan.book !== null ? aheadOf(single, plan.book) : undefined;
    if (plan.stopLeg === null) {
      this.blotter.add(single, ahead);
      this.tryToSend(single);
      return single.key;
    }
    const stop = this.recordOf(plan, plan.stopLeg.value, {
      key: stopLegKey(clientOrderId),
      clientOrderId: null,
      exit: plan.stopLegExit,
    });
    const first = { ...single, pairKey: stop.key };
    this.blotter.add(first, ahead);
    this.blotter.add({ ...stop, pairKey: first.key });
    this.tryToSend(first);
    return first.key;
  }

  /** Sends the waiting orders that may be sent now. */
  pump(): void {
    // A copy, because `tryToSend` adds an order again if it has to wait longer.
    const keys = [...this.waiting];
    for (const key of keys) {
      const order = this.blotter.table.get(key);
      this.waiting.delete(key);
      if (order?.state === 'planned') this.tryToSend(order);
    }
  }

  /** Returns the time at which the next waiting order is due, in ms since 1970; infinity if none waits. */
  wakeAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const key of this.waiting) {
      const order = this.blotter.table.get(key);
      if (order !== undefined) next = Math.min(next, this.waitsUntilMs(order));
    }
    return next;
  }

  /** Returns why a new order could not be sent now; null if it could. */
  closed(): Sentence | null {
    const { nowMs } = this.outbox;
    if (this.stuckUntilMs <= nowMs) return null;
    const seconds = Math.ceil((this.stuckUntilMs - nowMs) / 1_000);
    if (this.stuckBecause === 'expired') return sentence('orders-used-up', { seconds });
    if (this.stuckBecause === 'locked out') return sentence('orders-locked-out', { seconds });
    return sentence('orders-stuck', { seconds, reason: this.stuckBecause });
  }

  /** Drops the orders that wait to be sent, for example in a halt. */
  dropPlanned(reason: Sentence): void {
    for (const key of this.waiting) this.drop(key, reason);
    this.waiting.clear();
  }

  private recordOf(
    { intentId, labels, book }: OrderPlan,
    wanted: WantedOrder,
    name: Pick<OrderRecord, 'key' | 'clientOrderId' | 'exit'>,
  ): OrderRecord {
    const { strategy, market, side, execution, price, stopPrice, amount } = wanted;
    return unsentOrder({
      key: name.key,
      clientOrderId: name.clientOrderId,
      intentId,
      strategy,
      labels,
      exit: name.exit,
      market: market.symbol,
      marketVersion: market.version,
      side,
      execution,
      price,
      stopPrice,
      amount,
      pairKey: null,
      plannedAtMs: this.outbox.nowMs,
      orderFloor: this.blotter.furthestOrder.of(market.symbol),
      tradeFloor: this.blotter.furthestTrade.of(market.symbol),
      arrivalBid: book === null ? null : book.bestBid,
      arrivalAsk: book === null ? null : book.bestAsk,
    });
  }

  /** Sends a planned order, lets it wait, or drops it if it waited too long or a risk check refuses it. */
  tryToSend(order: OrderRecord): void {
    const { nowMs } = this.outbox;
    const { whenIdentical = 'hold', isPostOnly = false } = this.manners.get(order.key) ?? {};
    const freeAtMs = whenIdentical === 'hold' ? this.blotter.identical.freeAtMs(order, nowMs) : nowMs;
    if (freeAtMs > nowMs) {
      if (order.plannedAtMs + this.longestWaitMs <= nowMs) {
        this.drop(order.key, this.identicalSentence(order, freeAtMs));
      } else this.waiting.add(order.key);
      return;
    }
    const why = order.plannedAtMs < nowMs ? this.options.risk.objectionTo(order, isPostOnly) : null;
    if (why !== null) {
      this.drop(order.key, why);
      return;
    }
    const isPro =
      whenIdentical === 'insist' ||
      (whenIdentical === 'send' && this.blotter.identical.freeAtMs(order, nowMs) > nowMs);
    const submitted = { kind: 'submitted', atMs: nowMs } as const;
    const sent = this.blotter.apply(order, submitted);
    const pair = order.pairKey === null ? undefined : this.blotter.table.get(order.pairKey);
    if (pair !== undefined) this.blotter.apply(pair, submitted);
    this.outbox.ask(
      placeCall(sent, pair, { market: this.blotter.venue.marketNames.parseMarket(sent.market), isPro }),
      { requestClass: order.exit === null ? 'place' : 'exit', withinMs: this.options.settings.placeWithinMs },
      (answer, { atMs, reply }) => {
        const doubt = this.applyPlaced(sent.key, answer, atMs);
        persistReply(this.outbox, sent.key, { step: 'place', answer, reply, doubt });
      },
    );
  }

  /** Applies the answer to a placement. Returns why a readable reply was not used; null otherwise. */
  private applyPlaced(
    key: string,
    answer: VenueAnswer<'place' | 'place-oco'>,
    atMs: number,
  ): typeof NOT_ABOUT_IT | null {
    const legs = this.legsOf(key);
    if (answer.outcome === 'value') {
      const records = 'length' in answer.value ? answer.value : [answer.value];
      return this.bindPlaced(legs, records, atMs) ? null : NOT_ABOUT_IT;
    }
    if (answer.outcome === 'unsent') {
      // Without a known time, the next order may be sent at once.
      this.stuckUntilMs = atMs + (answer.retryInMs ?? 0);
      this.stuckBecause = answer.reason;
      for (const order of legs) {
        // A list may have shown the order meanwhile: then it exists, whatever became of this request.
        if (order.state !== 'sending') continue;
        this.blotter.apply(order, {
          kind: 'dropped',
          atMs,
          reason: sentence('order-not-sent', { reason: answer.reason }),
        });
      }
      return null;
    }
    const isCertain = answer.effect === 'none' && !this.showsArrival(legs[0], answer.code);
    for (const order of legs) {
      this.blotter.apply(
        order,
        isCertain ? { kind: 'refused', atMs, code: answer.code } : { kind: 'unanswered', sentAtMs: atMs },
      );
    }
    if (!isCertain)
      this.outbox.warn(
        `${key}: ${answer.code}: ${answer.message}; the bot finds out whether it arrived`,
        key,
      );
    return null;
  }

  /**
   * Gives each leg the record with its name and terms from the reply, in any sequence. A leg without a record
   * becomes unknown. True if each leg has one.
   */
  private bindPlaced(legs: readonly OrderRecord[], records: readonly VenueOrder[], atMs: number): boolean {
    const { reports } = this.options;
    let first: VenueOrder | null = null;
    let isAboutAll = true;
    for (const leg of legs) {
      const record: VenueOrder | undefined =
        leg.clientOrderId === null ? this.secondOf(records, leg, first) : this.namedFirst(records, leg);
      if (leg.clientOrderId !== null) first = record ?? null;
      if (record !== undefined) reports.applyPlaced(record, leg);
      else {
        this.outbox.warn(`${leg.key}: ${NOT_ABOUT_IT}; the bot finds out whether it arrived`, leg.key);
        this.blotter.apply(leg, { kind: 'unanswered', sentAtMs: atMs });
        isAboutAll = false;
      }
    }
    return isAboutAll;
  }

  /** Returns the record with the leg's client order id; without one, the first is checked instead. */
  private namedFirst(records: readonly VenueOrder[], leg: OrderRecord): VenueOrder | undefined {
    const { clientOrderId } = leg;
    let [named] = records;
    for (const record of records.toReversed()) if (record.clientOrderId === clientOrderId) named = record;
    return named !== undefined && this.options.reports.isOfPlacement(named, leg, null) ? named : undefined;
  }

  /** Returns the record of a pair's second leg, given that of the first. */
  private secondOf(
    records: readonly VenueOrder[],
    leg: OrderRecord,
    first: VenueOrder | null,
  ): VenueOrder | undefined {
    if (first === null) return undefined;
    const { reports } = this.options;
    return records.find((record) => record !== first && reports.isOfPlacement(record, leg, first));
  }

  /**
   * True if a refusal proves that the order exists already. For an order that was sent once, `identicalOrder`
   * proves nothing: it may mean somebody else's order.
   */
  private showsArrival(order: OrderRecord | undefined, code: string): boolean {
    if (order === undefined) return false;
    const { clientOrderIdInUse, identicalOrder } = this.blotter.venue.refusals;
    if (code === clientOrderIdInUse) return true;
    return code === identicalOrder && order.attempts > 1 && !this.blotter.identical.knowsOther(order);
  }

  private legsOf(key: string): readonly OrderRecord[] {
    const first = this.blotter.table.get(key);
    if (first === undefined) return [];
    const second = first.pairKey === null ? undefined : this.blotter.table.get(first.pairKey);
    return second === undefined ? [first] : [first, second];
  }

  private get longestWaitMs(): number {
    return this.blotter.venue.identicalOrdersMs + WAITS_LONGER_MS;
  }

  private waitsUntilMs(order: OrderRecord): number {
    const freeAtMs = this.blotter.identical.freeAtMs(order, this.outbox.nowMs);
    return Math.min(freeAtMs, order.plannedAtMs + this.longestWaitMs);
  }

  private identicalSentence(order: OrderRecord, freeAtMs: number): Sentence {
    const { nowMs } = this.outbox;
    const other = String(this.blotter.identical.otherThan(order));
    const free = Number.isFinite(freeAtMs)
      ? sentence('identical-free-in', { wait: freeAtMs - nowMs, at: freeAtMs })
      : sentence('identical-free-after', { wait: this.blotter.venue.identicalOrdersMs });
    return sentence('order-identical', {
      code: IDENTICAL_ORDER,
      other,
      waited: nowMs - order.plannedAtMs,
      limit: this.longestWaitMs,
      free,
    });
  }

  private drop(key: string, reason: Sentence): void {
    const { nowMs } = this.outbox;
    for (const order of this.legsOf(key)) {
      if (order.state === 'planned') this.blotter.apply(order, { kind: 'dropped', atMs: nowMs, reason });
    }
  }
}

type PlaceCall = Extract<VenueCall, { kind: 'place' | 'place-oco' }>;

/** Returns the call that places an order, or, with a stop leg in `pair`, an OCO. */
function placeCall(
  order: OrderRecord,
  pair: OrderRecord | undefined,
  of: { readonly market: Pick<MarketName, 'base' | 'quote'>; readonly isPro: boolean },
): PlaceCall {
  const pro = of.isPro ? { pro: true } : {};
  const { base, quote } = of.market;
  const clientOrderId = present(order.clientOrderId, () => `a clientOrderId of the order ${order.key}`);
  const { side, execution, price, stopPrice, amount } = order;
  if (pair !== undefined && price !== null && pair.stopPrice !== null && pair.price !== null) {
    return {
      kind: 'place-oco',
      order: {
        clientOrderId,
        base,
        quote,
        side,
        amount,
        price,
        stopPrice: pair.stopPrice,
        stopLimitPrice: pair.price,
        ...pro,
      },
    };
  }
  return {
    kind: 'place',
    order: { clientOrderId, base, quote, side, execution, amount, price, stopPrice, ...pro },
  };
}

/**
 * Returns the amount in a book before a limit order: at better prices, and at its own. Null if its price is
 * beyond the last level, since there may be more that is not shown; undefined if it does not rest.
 */
function aheadOf(
  { side, price }: OrderRecord,
  { bestBid, bestAsk, sides }: SeenBook,
): string | null | undefined {
  const [opposite, levels, sign] = side === 'buy' ? [bestAsk, sides?.bids, 1n] : [bestBid, sides?.asks, -1n];
  if (price === null || levels === undefined || (opposite !== null && sign * (opposite - price) <= 0n))
    return undefined;
  let ahead = 0n;
  for (const [text, amount] of levels) {
    const better = sign * (unitsAbout(text) - price);
    if (better >= 0n) ahead += unitsAbout(amount);
    if (better <= 0n) return formatUnits(ahead);
  }
  return null;
}
