import type { ListCursor } from '../../domain/order.ts';
import type { OrderRecord } from '../../records/order.ts';
import { nextOrdersPage } from '../own-list.ts';
import { MOST_SCAN_PAGES } from './unknown-orders.ts';
import type { CancelManager } from './cancel-manager.ts';
import type { EngineSettings } from '../engine-settings.ts';
import { persistLookup, type Outbox } from '../outbox.ts';
import type { OrderBlotter } from './order-blotter.ts';
import type { OrderPlacer } from './order-placer.ts';
import type { OrderReportMatcher } from './order-report-matcher.ts';
import type { PreTradeRisk } from '../risk/pre-trade-risk.ts';

/** Maximum wait of a look-up for a slot, in ms. */
const LOOKUP_WITHIN_MS = 60_000;

interface UnknownOrderSearchOptions {
  readonly settings: EngineSettings;
  readonly blotter: OrderBlotter;
  readonly cancels: CancelManager;
  readonly placer: OrderPlacer;
  readonly risk: PreTradeRisk;
  readonly reports: OrderReportMatcher;
}

/**
 * Finds orders whose request had no clear answer: by client order id, then by complete scans of the order
 * list. They count as live until they are found, or proven never to have arrived.
 */
export class UnknownOrderSearch {
  private readonly options: UnknownOrderSearchOptions;
  private readonly blotter: OrderBlotter;
  private readonly outbox: Outbox;

  constructor(options: UnknownOrderSearchOptions) {
    this.options = options;
    this.blotter = options.blotter;
    this.outbox = options.blotter.outbox;
    this.blotter.listen(['unknown'], (order, before) => {
      if (before?.state !== 'unknown') this.queryByName(order);
    });
  }

  /** Begins a scan if one is due. */
  pump(nowMs: number): void {
    const scan = this.blotter.unknown.begin(nowMs);
    if (scan !== null) this.askScanPage(scan.from);
  }

  /**
   * Called after the trades were read to the end, with requests from `askedAtMs` on. Orders missing in the
   * lists count as never arrived, unless a trade without a known order may belong to one.
   */
  tradesWereRead(askedAtMs: number, mayHold: (order: OrderRecord) => boolean): void {
    for (const { key, sinceMs } of this.blotter.unknown.absentInLists()) {
      const order = this.blotter.table.get(key);
      if (order === undefined || askedAtMs < sinceMs) continue;
      if (mayHold(order)) {
        this.outbox.warn(
          `${key} is in no list, but a trade without a known order may belong to it: it stays unknown`,
          key,
        );
        continue;
      }
      this.absent(order);
    }
  }

  /** Gives up the orders that enough scans did not show, if the venue's rule needs nothing more. */
  private giveUpAbsent(): void {
    for (const { key } of this.blotter.unknown.absentInLists()) {
      const order = this.blotter.table.get(key);
      if (order !== undefined) this.absent(order);
    }
  }

  private absent(order: OrderRecord): void {
    const { cancels, placer, risk, settings } = this.options;
    const isWanted = !cancels.wantsEndOf(order.key);
    const resend = settings.resendUnknown && isWanted && order.attempts === 1 && order.pairKey === null;
    const why = resend ? risk.objectionTo(order, false) : null;
    const next = this.blotter.apply(order, {
      kind: 'absent',
      atMs: this.outbox.nowMs,
      resend: resend && why === null,
    });
    this.outbox.warn(
      `${order.key} never arrived${next.state === 'planned' ? ': it is sent again' : ''}`,
      order.key,
    );
    if (next.state === 'planned') placer.tryToSend(next);
  }

  /** Requests an order by its client order id, the fastest search. No result proves nothing. */
  private queryByName(order: OrderRecord): void {
    const { clientOrderId, key } = order;
    if (clientOrderId === null || !this.blotter.venue.clientOrderId.canBeQueried) return;
    this.outbox.ask(
      { kind: 'order', venueId: null, clientOrderId },
      { requestClass: 'resolve', dedupe: `look up ${key}`, withinMs: LOOKUP_WITHIN_MS },
      (answer, { reply }) => {
        const { table } = this.blotter;
        const before = table.get(key);
        const match = answer.outcome === 'value' ? this.options.reports.apply(answer.value) : null;
        const isDoubtful = match?.kind === 'doubtful';
        persistLookup(this.outbox, { before, after: table.get(key) }, { answer, reply, isDoubtful });
      },
    );
  }

  private askScanPage(from: ListCursor): void {
    const context = { requestClass: 'resolve', dedupe: 'pass', withinMs: LOOKUP_WITHIN_MS } as const;
    this.outbox.ask({ kind: 'orders', status: 'all', from }, context, (answer, { sentAtMs, atMs }) => {
      const { unknown } = this.blotter;
      const { scan } = unknown;
      if (scan === null) return;
      scan.askedAtMs ??= sentAtMs;
      scan.pages += 1;
      if (answer.outcome !== 'value' || scan.pages > MOST_SCAN_PAGES) {
        unknown.failed(atMs);
        return;
      }
      const page = answer.value;
      for (const record of page.items) this.options.reports.apply(record);
      const { venue } = this.blotter;
      const isLast =
        page.hasNext === false || (page.hasNext === null && page.items.length < venue.pageSizes.orders);
      if (isLast || page.items.length === 0) {
        unknown.complete(atMs);
        if (!venue.absence.needsTrades) this.giveUpAbsent();
        return;
      }
      const next = nextOrdersPage(venue, { from, items: page.items });
      if (next !== null) this.askScanPage(next);
      else {
        this.outbox.warn(
          `a page of orders from ${from} is full but has no newer order: the bot reads it again`,
        );
        unknown.failed(atMs);
      }
    });
  }
}
