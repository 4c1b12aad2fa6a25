import type { VenueOrder, VenueOrderId } from '../../domain/order.ts';
import { type OrderRecord, mayTrade } from '../../records/order.ts';
import { isOpenStatus } from '../../venues/port.ts';
import { CancelManager } from './cancel-manager.ts';
import type { EngineSettings } from '../engine-settings.ts';
import type { IssueLog } from '../issue-log.ts';
import type { OrderBlotter } from './order-blotter.ts';
import { OrderPlacer } from './order-placer.ts';
import { OrderReportMatcher } from './order-report-matcher.ts';
import { OrderTakeover } from '../order-takeover.ts';
import type { PreTradeRisk } from '../risk/pre-trade-risk.ts';
import type { RowCounter } from '../feeds/row-counter.ts';
import { UnknownOrderSearch } from './unknown-order-search.ts';
import type { Outbox } from '../outbox.ts';

/** A list may be this much older than a reply. */
const LIST_LAG_MS = 3_000;

interface OrderManagerOptions {
  readonly settings: EngineSettings;
  readonly blotter: OrderBlotter;
  readonly findings: IssueLog;
  readonly risk: PreTradeRisk;
  readonly rows: RowCounter;
  /** Marks the ids of this mirror. */
  readonly epoch: string;
}

/**
 * All that is done about orders of ours: they are placed, canceled, found again and read. Each of it is a
 * part of its own; here is what concerns them all.
 */
export class OrderManager {
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
  readonly cancels: CancelManager;
  readonly placer: OrderPlacer;
  readonly takeover: OrderTakeover;
  readonly orphans: OrphanedOrders;
  readonly unknown: UnknownOrderSearch;

  constructor(options: OrderManagerOptions) {
    const { settings, blotter, findings } = options;
    this.blotter = blotter;
    this.reports = new OrderReportMatcher({
      blotter,
      findings,
      instance: settings.instance,
      lateArrivalMs: settings.lateArrivalMs,
      isPushed: settings.reconciliation === null,
      onTwin: (order, record, id) => this.endTwin(order, record, id),
      onTakeover: (order, record) => this.orphans.apply(order, record),
    });
    const { reports } = this;
    this.takeover = new OrderTakeover({
      outbox: blotter.outbox,
      venue: blotter.venue,
      reports,
    });
    this.cancels = new CancelManager({ blotter, reports });
    this.orphans = new OrphanedOrders({ outbox: blotter.outbox, cancels: this.cancels });
    this.placer = new OrderPlacer({ ...options, reports });
    this.unknown = new UnknownOrderSearch({
      ...options,
      cancels: this.cancels,
      placer: this.placer,
      reports,
    });
  }

  /** Does what its time has come for. */
  pump(nowMs: number): void {
    const { blotter, cancels, takeover, placer, unknown } = this;
    if (placer.waiting.size > 0) placer.pump();
    if (cancels.wanted.size > 0) cancels.pump(nowMs);
    if (takeover.dueAtMs <= nowMs) takeover.pump();
    if (blotter.unknown.searches.size > 0) unknown.pump(nowMs);
  }

  /** True if strategies have to wait for what a lost or older mirror did not know. */
  isWaitedFor(areFillsWaiting: boolean): boolean {
    return this.takeover.isWaitedFor(areFillsWaiting) || this.orphans.isAwaited();
  }

  /** Returns the time of the next action that is due by itself. */
  wakeAtMs(): number {
    const { blotter, cancels, takeover, placer } = this;
    let next = takeover.dueAtMs;
    if (placer.waiting.size > 0) next = Math.min(next, placer.wakeAtMs());
    if (cancels.wanted.size > 0) next = Math.min(next, cancels.wakeAtMs());
    if (blotter.unknown.searches.size > 0) next = Math.min(next, blotter.unknown.wakeAtMs());
    return next;
  }

  /**
   * The open orders, as one complete list has them: one of ours that is not among them is asked for by its
   * id.
   */
  applyOpenList(listed: ReadonlySet<VenueOrderId>, askedAtMs: number): void {
    for (const order of this.blotter.table.unfinished()) {
      const { state, venueId, sentAtMs } = order;
      if ((state !== 'open' && state !== 'cancelling') || venueId === null || listed.has(venueId)) continue;
      // Lists lag behind replies.
      if (sentAtMs !== null && sentAtMs + LIST_LAG_MS > askedAtMs) continue;
      this.reports.endings.corroborate(order.key);
      this.cancels.query(order);
    }
  }

  /** One of ours is there a second time. */
  private endTwin({ key, venueId }: OrderRecord, { status }: VenueOrder, id: VenueOrderId): void {
    if (status !== null && !isOpenStatus(this.blotter.venue, status)) {
      this.blotter.outbox.alarm(`${key} was at the exchange twice, as ${venueId} and ${id}`, key);
      return;
    }
    if (!this.cancels.cancelForeign(id)) return;
    this.blotter.outbox.alarm(
      `${key} is at the exchange twice, as ${venueId} and ${id}: the second is canceled`,
      key,
    );
  }
}

/** Strategies wait so long at most for the end of orders that nobody steers. */
const ENDS_WITHIN_MS = 60_000;

/**
 * Open orders of this instance that were taken over, since the mirror was lost or put back from a copy. No
 * intent steers them: a strategy goes on from what it knew then, and would place the like of them once more.
 * So they are canceled before it begins. What protects a position, a stop order or an OCO, stays and is said:
 * whether its position still needs it, only a person can know.
 */
class OrphanedOrders {
  private readonly outbox: Outbox;
  private readonly cancels: Pick<CancelManager, 'cancel' | 'wantsEndOf'>;
  /** Times at which the end of each was requested. */
  private readonly ending = new Map<string, number>();

  constructor(options: {
    readonly outbox: Outbox;
    readonly cancels: Pick<CancelManager, 'cancel' | 'wantsEndOf'>;
  }) {
    this.outbox = options.outbox;
    this.cancels = options.cancels;
  }

  /** An order that was just taken over, with the record that it was found in. */
  apply(order: OrderRecord, { pairId, clientOrderId }: VenueOrder): void {
    if (!mayTrade(order)) return;
    const { key, strategy, stopPrice } = order;
    if (stopPrice !== null || pairId !== null) {
      // The second leg of a pair has no name of its own, and goes with the first.
      if (clientOrderId === null) return;
      this.outbox.alarm(
        `${key} protects a position and stays open, but ${strategy} does not know it any more: cancel it with "sarraf cancel ${key}" once its position is closed or has another exit`,
        key,
      );
      return;
    }
    this.outbox.warn(`${key} is canceled, since ${strategy} does not know it any more`, key);
    this.ending.set(key, this.outbox.nowMs);
    this.cancels.cancel(order);
  }

  /** True if the end of some is still awaited. */
  isAwaited(): boolean {
    for (const [key, askedAtMs] of this.ending)
      if (!this.cancels.wantsEndOf(key) || askedAtMs + ENDS_WITHIN_MS < this.outbox.nowMs)
        this.ending.delete(key);
    return this.ending.size > 0;
  }
}
