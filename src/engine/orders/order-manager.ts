import type { OrderPlacerOptions } from './order-placer.ts';
import type { VenueOrder, VenueOrderId } from '../../domain/order.ts';
import { type OrderRecord, mayTrade } from '../../records/order.ts';
import { isOpenStatus } from '../../venues/port.ts';
import { CancelManager } from './cancel-manager.ts';
import type { IssueLog } from '../issue-log.ts';
import type { OrderBlotter } from './order-blotter.ts';
import { OrderPlacer } from './order-placer.ts';
import { OrderReportMatcher } from './order-report-matcher.ts';
import { OrderTakeover, UnknownOrderSearch } from './order-search.ts';
import type { Outbox } from '../outbox.ts';

/** A list may be this much older than a reply, in ms. */
const LIST_LAG_MS = 3_000;

interface OrderManagerOptions extends Pick<
  OrderPlacerOptions,
  'settings' | 'blotter' | 'risk' | 'rows' | 'epoch'
> {
  readonly findings: IssueLog;
}

/**
 * Entry point for everything about our orders: placing, canceling, finding and reading them. Each task has
 * its own class; this one connects them.
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
    this.takeover = new OrderTakeover({ blotter, reports });
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

  /** Does what is due: sends waiting orders, cancels, and searches. */
  pump(nowMs: number): void {
    const { blotter, cancels, takeover, placer, unknown } = this;
    if (placer.waiting.size > 0) placer.pump();
    if (cancels.wanted.size > 0) cancels.pump(nowMs);
    if (takeover.dueAtMs <= nowMs) takeover.pump();
    if (blotter.unknown.searches.size > 0) unknown.pump(nowMs);
  }

  /** True if strategies must wait: orders missing in a lost or copied mirror are still taken over. */
  isWaitedFor(areFillsWaiting: boolean): boolean {
    return this.takeover.isWaitedFor(areFillsWaiting) || this.orphans.isAwaited();
  }

  /** Returns the time of the next due action, in ms since 1970; infinity if there is none. */
  wakeAtMs(): number {
    const { blotter, cancels, takeover, placer } = this;
    let next = takeover.dueAtMs;
    if (placer.waiting.size > 0) next = Math.min(next, placer.wakeAtMs());
    if (cancels.wanted.size > 0) next = Math.min(next, cancels.wakeAtMs());
    if (blotter.unknown.searches.size > 0) next = Math.min(next, blotter.unknown.wakeAtMs());
    return next;
  }

  /**
   * Applies a complete list of the open orders: our open orders that it does not contain are read by their
   * id.
   */
  applyOpenList(listed: ReadonlySet<VenueOrderId>, askedAtMs: number): void {
    for (const order of this.blotter.table.unfinished()) {
      const { state, venueId, sentAtMs } = order;
      if ((state !== 'open' && state !== 'cancelling') || venueId === null || listed.has(venueId)) continue;
      // Lists lag behind replies, so a new order may be missing.
      if (sentAtMs !== null && sentAtMs + LIST_LAG_MS > askedAtMs) continue;
      this.reports.endings.corroborate(order.key);
      this.cancels.query(order);
    }
  }

  /** Cancels the second order of one that was placed twice, if it is open, and raises an alarm. */
  private endTwin({ key, market, venueId }: OrderRecord, { status }: VenueOrder, id: VenueOrderId): void {
    if (status !== null && !isOpenStatus(this.blotter.venue, status)) {
      this.blotter.outbox.alarm(`${key} was at the exchange twice, as ${venueId} and ${id}`, key);
      return;
    }
    if (!this.cancels.cancelForeign(id, market)) return;
    this.blotter.outbox.alarm(
      `${key} is at the exchange twice, as ${venueId} and ${id}: the second is canceled`,
      key,
    );
  }
}

/** Maximum time that strategies wait for the end of canceled orphans, in ms. */
const ENDS_WITHIN_MS = 60_000;

/**
 * Handles open orders of this instance that were taken over after the mirror was lost or restored from a
 * copy. No intent steers them, and their strategy might place the same again, so they are canceled before it
 * starts. Stop orders and OCOs stay, with an alarm: only a person can know if a position still needs them.
 */
class OrphanedOrders {
  private readonly outbox: Outbox;
  private readonly cancels: Pick<CancelManager, 'cancel' | 'wantsEndOf'>;
  /** Time at which each cancel was requested, by the order's key, in ms since 1970. */
  private readonly ending = new Map<string, number>();

  constructor(options: {
    readonly outbox: Outbox;
    readonly cancels: Pick<CancelManager, 'cancel' | 'wantsEndOf'>;
  }) {
    this.outbox = options.outbox;
    this.cancels = options.cancels;
  }

  /** Cancels an order that was just taken over; one that protects a position stays, with an alarm. */
  apply(order: OrderRecord, { pairId, clientOrderId }: VenueOrder): void {
    if (!mayTrade(order)) return;
    const { key, strategy, stopPrice } = order;
    if (stopPrice !== null || pairId !== null) {
      // The second leg of a pair has no client order id; it ends with the first.
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

  /** True if the end of a canceled order is still awaited. */
  isAwaited(): boolean {
    for (const [key, askedAtMs] of this.ending)
      if (!this.cancels.wantsEndOf(key) || askedAtMs + ENDS_WITHIN_MS < this.outbox.nowMs)
        this.ending.delete(key);
    return this.ending.size > 0;
  }
}
