import type { DecimalText } from '../domain/decimal-text.ts';
import { parseMarket } from '../domain/market-symbol.ts';
import { formatUnits, type Units } from '../domain/money.ts';
import { isOpenStatus, type VenueAnswer, type VenueCall } from '../venues/port.ts';
import type { VenueOrder } from '../domain/order.ts';
import { clientOrderIdOf, stopLegKey } from '../execution/order-names.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';
import type { WhenIdentical } from '../execution/identical-orders.ts';
import type { RiskApproved } from '../execution/risk/check-risk.ts';
import type { WantedOrder } from '../execution/risk/risk-view.ts';
import { MOST_PASS_PAGES } from '../execution/unknown-orders.ts';
import { CancelManager } from './cancel-manager.ts';
import type { EngineSettings } from './engine-settings.ts';
import { OrderBlotter } from './order-blotter.ts';
import { OrderReportMatcher, type ReportContext } from './order-report-matcher.ts';
import { OrderTakeover } from './order-takeover.ts';
import type { Outbox } from './outbox.ts';

/** An order as it is to be sent: checked, and on the steps of its market. */
export interface OrderPlan {
  readonly intentId: string;
  readonly tag: string | null;
  readonly order: RiskApproved<WantedOrder>;
  /** The stop leg of an OCO. */
  readonly stopLeg: RiskApproved<WantedOrder> | null;
  readonly whenIdentical: WhenIdentical;
}

/** What the order manager asks of the engine around it. */
export interface OrderManagerPorts {
  /** The next row of the journal: never the same twice, also after a restart. */
  nextRow(): number;
  /** Why an order that has waited may no longer go; null where it may. */
  objectionTo(order: OrderRecord): string | null;
  /** The purpose of a request, so that its answer comes back here. */
}

/** How long a look-up may wait for a slot. */
const LOOK_UP_WITHIN_MS = 60_000;

/**
 * Sends orders and finds out what became of them. An order is on the disk before its request leaves; it is
 * sent once; and while there is no clear answer it counts as live until it is seen, or proven never to have
 * arrived.
 */
export class OrderManager {
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
  readonly cancels: CancelManager;
  readonly takeover: OrderTakeover;
  private readonly settings: EngineSettings;
  private readonly ports: OrderManagerPorts;
  private readonly outbox: Outbox;
  /** Orders that wait until an identical one is out of the exchange's mind. */
  private readonly waiting = new Set<string>();
  /**
   * Orders that need not wait for one, by their keys. After a restart there are none: what was planned before
   * is not sent then.
   */
  private readonly free = new Map<string, Exclude<WhenIdentical, 'hold'>>();
  /** Until when orders are known not to leave, and why. */
  private stuckUntilMs = 0;
  private stuckBecause = '';

  constructor(settings: EngineSettings, outbox: Outbox, ports: OrderManagerPorts) {
    this.settings = settings;
    this.outbox = outbox;
    this.ports = ports;
    this.blotter = new OrderBlotter(settings, outbox);
    this.reports = new OrderReportMatcher({
      blotter: this.blotter,
      instance: settings.instance,
      lateArrivalMs: settings.lateArrivalMs,
      isTold: settings.reconciliation === null,
      onRecord: (record, askedId) => this.takeRecord(record, { askedId }),
    });
    this.takeover = new OrderTakeover({
      outbox,
      reports: this.reports,
      take: (record, way) => this.takeRecord(record, way),
    });
    this.cancels = new CancelManager({ blotter: this.blotter, reports: this.reports });
    this.blotter.listen((order, before) => {
      if (isFinal(order)) this.free.delete(order.key);
      if (order.state === 'unknown' && before?.state !== 'unknown') this.lookUpByName(order);
    });
  }

  /** Enters an order and sends it, or lets it wait for an identical one. Answers the order as it then is. */
  plan(plan: OrderPlan): OrderRecord {
    const { strategy } = plan.order.value;
    const { instance } = this.settings;
    const clientOrderId = clientOrderIdOf(
      { instance, strategy, epoch: this.epoch, row: this.ports.nextRow() },
      this.settings.venue.clientOrderId,
    );
    const single = this.recordOf(plan, plan.order.value, { key: clientOrderId, clientOrderId });
    if (plan.whenIdentical !== 'hold') this.free.set(single.key, plan.whenIdentical);
    if (plan.stopLeg === null) {
      this.blotter.add(single);
      return this.tryToSend(single);
    }
    const stop = this.recordOf(plan, plan.stopLeg.value, {
      key: stopLegKey(clientOrderId),
      clientOrderId: null,
    });
    const first = { ...single, pairKey: stop.key };
    this.blotter.add(first);
    this.blotter.add({ ...stop, pairKey: first.key });
    return this.tryToSend(first);
  }

  /** Marks the ids of this mirror; set once it is known. */
  epoch = '0000';

  /** Does what its time has come for. */
  pump(nowMs: number): void {
    // Over a copy: one that has to wait on is added again.
    const keys = [...this.waiting];
    for (const key of keys) {
      const order = this.blotter.table.get(key);
      this.waiting.delete(key);
      if (order?.state === 'planned') this.tryToSend(order);
    }
    this.cancels.pump(nowMs);
    this.takeover.pump(nowMs);
    const pass = this.blotter.unknown.begin(nowMs);
    if (pass !== null) this.askPassPage(pass.fromId);
  }

  /** When there is something to do next by itself. */
  wakeAtMs(): number {
    let next = Math.min(this.blotter.unknown.wakeAtMs(), this.cancels.wakeAtMs(), this.takeover.wakeAtMs());
    for (const key of this.waiting) {
      const order = this.blotter.table.get(key);
      if (order !== undefined) next = Math.min(next, this.waitsUntilMs(order));
    }
    return next;
  }

  /** Why a new order could not leave now; null where it may. */
  closed(): string | null {
    const { nowMs } = this.outbox;
    if (this.stuckUntilMs <= nowMs) return null;
    const seconds = Math.ceil((this.stuckUntilMs - nowMs) / 1_000);
    if (this.stuckBecause === 'expired') return `the limit for orders is used up for ${seconds} s more`;
    if (this.stuckBecause === 'locked out')
      return `the exchange has locked orders out, for ${seconds} s more`;
    return `orders do not leave, and are tried again in ${seconds} s: ${this.stuckBecause}`;
  }

  /** Drops what was not sent yet, as when trading is halted. */
  dropPlanned(reason: string): void {
    for (const key of this.waiting) this.drop(key, reason);
    this.waiting.clear();
  }

  /**
   * The open orders, as one complete list has them: one of ours that is not among them is asked for by its
   * id.
   */
  takeOpenList(listed: ReadonlySet<number>, askedAtMs: number): void {
    for (const order of this.blotter.table.unfinished()) {
      const { state, venueId, sentAtMs } = order;
      if ((state !== 'open' && state !== 'cancelling') || venueId === null || listed.has(venueId)) continue;
      // Lists lag behind replies.
      if (sentAtMs !== null && sentAtMs + LIST_LAG_MS > askedAtMs) continue;
      this.reports.endings.corroborate(order.key);
      this.cancels.lookUp(order);
    }
  }

  /** One record of a list or reply. */
  takeRecord(record: VenueOrder, way: ReportContext = {}): void {
    const match = this.reports.take(record, way);
    if (match.kind !== 'twin' || record.id === null) return;
    const { key, venueId } = match.of;
    if (record.status !== null && !isOpenStatus(this.settings.venue, record.status)) {
      this.outbox.alarm(`${key} was at the exchange twice, as ${venueId} and ${record.id}`, key);
      return;
    }
    if (!this.cancels.cancelForeign(record.id)) return;
    this.outbox.alarm(
      `${key} is at the exchange twice, as ${venueId} and ${record.id}: the second is canceled`,
      key,
    );
  }

  /**
   * The trades were read to their end from `askedAtMs` on: proves the absence of what the lists lack, where
   * none of them can be its own.
   */
  tradesWereRead(askedAtMs: number, mayHold: (order: OrderRecord) => boolean): void {
    for (const { key, sinceMs } of this.blotter.unknown.absentInLists()) {
      const order = this.blotter.table.get(key);
      if (order === undefined || askedAtMs < sinceMs) continue;
      if (mayHold(order)) {
        this.outbox.warn(
          `${key} is in no list, but a trade that is nobody's may be its own: it stays unknown`,
          key,
        );
        continue;
      }
      this.absent(order);
    }
  }

  private absent(order: OrderRecord): void {
    const isWanted = !this.cancels.wantsEndOf(order.key);
    const resend = this.settings.resendUnknown && isWanted && order.attempts === 1 && order.pairKey === null;
    const why = resend ? this.ports.objectionTo(order) : null;
    const next = this.blotter.apply(order, {
      kind: 'absent',
      atMs: this.outbox.nowMs,
      resend: resend && why === null,
    });
    this.outbox.warn(
      `${order.key} never arrived${next.state === 'planned' ? ': it is sent again' : ''}`,
      order.key,
    );
    if (next.state === 'planned') this.tryToSend(next);
  }

  private recordOf(
    { intentId, tag }: OrderPlan,
    wanted: WantedOrder,
    name: Pick<OrderRecord, 'key' | 'clientOrderId'>,
  ): OrderRecord {
    const { strategy, market, side, execution, price, stopPrice, amount } = wanted;
    return {
      ...name,
      intentId,
      strategy,
      tag,
      market: market.symbol,
      marketVersion: market.version,
      side,
      execution,
      price,
      stopPrice,
      amount,
      pairKey: null,
      plannedAtMs: this.outbox.nowMs,
      sentAtMs: null,
      attempts: 0,
      state: 'planned',
      venueId: null,
      venueStatus: null,
      matched: NOTHING,
      filled: NOTHING,
      filledTotal: NOTHING,
      fee: NOTHING,
      reason: null,
      closedAtMs: null,
      orderIdFloor: this.blotter.highestOrderId,
      tradeIdFloor: this.blotter.highestTradeId,
    };
  }

  private tryToSend(order: OrderRecord): OrderRecord {
    const { nowMs } = this.outbox;
    const freeAtMs = this.free.has(order.key) ? nowMs : this.blotter.identical.freeAtMs(order, nowMs);
    if (freeAtMs > nowMs) {
      if (order.plannedAtMs + this.longestWaitMs <= nowMs) {
        return this.drop(order.key, this.sayIdentical(order, freeAtMs)) ?? order;
      }
      this.waiting.add(order.key);
      return order;
    }
    if (order.plannedAtMs < nowMs) {
      const why = this.ports.objectionTo(order);
      if (why !== null) return this.drop(order.key, why) ?? order;
    }
    return this.send(order);
  }

  private send(order: OrderRecord): OrderRecord {
    const { nowMs } = this.outbox;
    const free = this.free.get(order.key);
    const isPro =
      free === 'insist' || (free === 'send' && this.blotter.identical.freeAtMs(order, nowMs) > nowMs);
    const handedOver = { kind: 'handed over', atMs: nowMs } as const;
    const sent = this.blotter.apply(order, handedOver);
    const pair = order.pairKey === null ? undefined : this.blotter.table.get(order.pairKey);
    if (pair !== undefined) this.blotter.apply(pair, handedOver);
    this.outbox.ask(
      placeCall(sent, pair, isPro),
      { requestClass: 'place', withinMs: this.settings.placeWithinMs },
      (answer, { atMs }) => this.takePlaced(sent.key, answer, atMs),
    );
    return sent;
  }

  private takePlaced(key: string, answer: VenueAnswer<'place' | 'place-oco'>, atMs: number): void {
    const legs = this.legsOf(key);
    if (answer.outcome === 'value') {
      this.bindPlaced(legs, 'length' in answer.value ? answer.value : [answer.value], atMs);
      return;
    }
    if (answer.outcome === 'unsent') {
      this.stuckUntilMs = atMs + (answer.retryInMs ?? 0);
      this.stuckBecause = answer.reason;
      for (const order of legs) {
        // One that was asked for before may have been seen meanwhile: then it is there, whatever became of
        // this request.
        if (order.state !== 'sending') continue;
        this.blotter.apply(order, { kind: 'dropped', atMs, reason: `NotSent: ${answer.reason}` });
      }
      return;
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
        `${key}: ${answer.code}: ${answer.message}; whether it arrived is being found out`,
        key,
      );
  }

  /**
   * Each leg gets the record that is its own by name and terms, wherever in the reply that stands. One
   * without is looked for.
   */
  private bindPlaced(legs: readonly OrderRecord[], records: readonly VenueOrder[], atMs: number): void {
    const { reports } = this;
    let first: VenueOrder | null = null;
    for (const leg of legs) {
      const record: VenueOrder | undefined =
        leg.clientOrderId === null
          ? secondOf(records, first).find((other) => reports.isOfPlacement(other, leg, first))
          : namedFirst(records, leg.clientOrderId).find((other) => reports.isOfPlacement(other, leg, null));
      if (leg.clientOrderId !== null) first = record ?? null;
      if (record !== undefined) reports.take(record, { known: leg });
      else {
        this.outbox.warn(
          `${leg.key}: the reply to its placement is not about it; whether it arrived is being found out`,
          leg.key,
        );
        this.blotter.apply(leg, { kind: 'unanswered', sentAtMs: atMs });
      }
    }
  }

  /**
   * A refusal that says it is there already. Of an order sent once that is no evidence: somebody's identical
   * order may be meant.
   */
  private showsArrival(order: OrderRecord | undefined, code: string): boolean {
    if (order === undefined) return false;
    const { clientOrderIdInUse, identicalOrder } = this.settings.venue.refusals;
    if (code === clientOrderIdInUse) return true;
    return code === identicalOrder && order.attempts > 1 && !this.blotter.identical.knowsOther(order);
  }

  private legsOf(key: string): readonly OrderRecord[] {
    const first = this.blotter.table.get(key);
    const second =
      first === undefined || first.pairKey === null ? undefined : this.blotter.table.get(first.pairKey);
    return [first, second].filter((order) => order !== undefined);
  }

  /** The quickest way to find an order that is open: by its own id. That it is not known proves nothing. */
  private lookUpByName(order: OrderRecord): void {
    const { clientOrderId, key } = order;
    if (clientOrderId === null || !this.settings.venue.clientOrderId.canBeLookedUp) return;
    this.outbox.ask(
      { kind: 'order', venueId: null, clientOrderId },
      { requestClass: 'resolve', dedupe: `look up ${key}`, withinMs: LOOK_UP_WITHIN_MS },
      (answer) => {
        if (answer.outcome === 'value') this.takeRecord(answer.value);
      },
    );
  }

  private askPassPage(fromId: number): void {
    const way = { requestClass: 'resolve', dedupe: 'pass', withinMs: LOOK_UP_WITHIN_MS } as const;
    this.outbox.ask({ kind: 'orders', status: 'all', fromId }, way, (answer, { sentAtMs, atMs }) => {
      const { unknown } = this.blotter;
      const { pass } = unknown;
      if (pass === null) return;
      pass.askedAtMs ??= sentAtMs;
      pass.pages += 1;
      if (answer.outcome !== 'value' || pass.pages > MOST_PASS_PAGES) {
        unknown.failed(atMs);
        return;
      }
      const page = answer.value;
      for (const record of page.items) this.takeRecord(record);
      const lastId = Math.max(fromId, ...page.items.map((record) => record.id ?? 0));
      const isLast =
        page.hasNext === false ||
        (page.hasNext === null && page.items.length < this.settings.venue.pageSizes.orders);
      if (isLast || page.items.length === 0) unknown.complete(atMs);
      else this.askPassPage(lastId + 1);
    });
  }

  private get longestWaitMs(): number {
    return this.settings.venue.identicalOrdersMs + WAITS_LONGER_MS;
  }

  private waitsUntilMs(order: OrderRecord): number {
    const freeAtMs = this.blotter.identical.freeAtMs(order, this.outbox.nowMs);
    return Math.min(freeAtMs, order.plannedAtMs + this.longestWaitMs);
  }

  private sayIdentical(order: OrderRecord, freeAtMs: number): string {
    const { nowMs } = this.outbox;
    const other = this.blotter.identical.otherThan(order);
    const free = Number.isFinite(freeAtMs)
      ? `in ${freeAtMs - nowMs} ms, at ${freeAtMs}`
      : `${this.settings.venue.identicalOrdersMs} ms after it is known what became of that`;
    return `${IDENTICAL_ORDER}: ${other} has the same terms, and was sent so lately that the exchange would take this one for its repetition; waited ${nowMs - order.plannedAtMs} ms, the limit is ${this.longestWaitMs} ms; it may be repeated ${free}; with allowIdentical it goes at once`;
  }

  private drop(key: string, reason: string): OrderRecord | undefined {
    const { nowMs } = this.outbox;
    let dropped: OrderRecord | undefined;
    for (const order of this.legsOf(key)) {
      if (isFinal(order) || order.state !== 'planned') continue;
      const next = this.blotter.apply(order, { kind: 'dropped', atMs: nowMs, reason });
      dropped ??= next;
    }
    return dropped;
  }
}

const NOTHING = 0n as Units;

/** A list may be this much older than a reply. */
const LIST_LAG_MS = 3_000;

/** The code by which an order is given up that waited for an identical one. */
export const IDENTICAL_ORDER = 'IdenticalOrder';

/** What waits longer than the exchange's own window is given up: the other one's fate is not known. */
const WAITS_LONGER_MS = 1_000;

/** The record that carries the name; where none does the first one, to be told what it carries. */
function namedFirst(records: readonly VenueOrder[], clientOrderId: string): readonly VenueOrder[] {
  return [records.find((record) => record.clientOrderId === clientOrderId) ?? records[0]].filter(
    (record) => record !== undefined,
  );
}

/** What may be the second leg of a pair whose first is known. */
function secondOf(records: readonly VenueOrder[], first: VenueOrder | null): readonly VenueOrder[] {
  return first === null ? [] : records.filter((record) => record !== first);
}

function textOf(units: Units | null): DecimalText | null {
  return units === null ? null : formatUnits(units);
}

function placeCall(
  order: OrderRecord,
  pair: OrderRecord | undefined,
  isPro: boolean,
): Extract<VenueCall, { kind: 'place' | 'place-oco' }> {
  const pro = isPro ? { pro: true } : {};
  const { base, quote } = parseMarket(order.market);
  const clientOrderId = order.clientOrderId ?? order.key;
  const amount = formatUnits(order.amount);
  if (pair !== undefined && order.price !== null && pair.stopPrice !== null && pair.price !== null) {
    return {
      kind: 'place-oco',
      order: {
        clientOrderId,
        base,
        quote,
        side: order.side,
        amount,
        price: formatUnits(order.price),
        stopPrice: formatUnits(pair.stopPrice),
        stopLimitPrice: formatUnits(pair.price),
        ...pro,
      },
    };
  }
  const { side, execution, price, stopPrice } = order;
  return {
    kind: 'place',
    order: {
      clientOrderId,
      base,
      quote,
      side,
      execution,
      amount,
      price: textOf(price),
      stopPrice: textOf(stopPrice),
      ...pro,
    },
  };
}
