import { EnginePart } from '../engine-settings.ts';
import type { OrderPlacerOptions } from './order-placer.ts';
import type { ListCursor, VenueOrder, VenueOrderId } from '../../domain/order.ts';
import type { OrderRecord } from '../../records/order.ts';
import {
  nextOrdersPage,
  cursorOfId,
  cursorOfOrder,
  LIST_START,
  ListPlaces,
  type OrdersCall,
  readingAfter,
  readingFrom,
} from '../own-list.ts';
import { LOOKUP_WITHIN_MS } from './second-readings.ts';
import { MOST_SCAN_PAGES } from './unknown-orders.ts';
import type { CancelManager } from './cancel-manager.ts';
import { persistLookup, type Outbox } from '../outbox.ts';
import type { OrderBlotter } from './order-blotter.ts';
import type { OrderPlacer } from './order-placer.ts';
import type { OrderReportMatcher } from './order-report-matcher.ts';
import { writeUnits } from '../../domain/stored-json.ts';
import type { Page } from '../../venues/port.ts';
import { KnownNames } from '../order-names.ts';
import type { MirrorState } from '../mirror-change.ts';
import { restored } from '../stored-records.ts';

interface UnknownOrderSearchOptions extends Pick<
  OrderPlacerOptions,
  'settings' | 'blotter' | 'risk' | 'reports'
> {
  readonly cancels: CancelManager;
  readonly placer: OrderPlacer;
}

/**
 * Finds orders whose request had no clear answer: by client order id, then by complete scans of the order
 * list. They count as live until they are found, or proven never to have arrived.
 */
export class UnknownOrderSearch extends EnginePart<UnknownOrderSearchOptions> {
  private readonly blotter: OrderBlotter;
  private readonly outbox: Outbox;

  constructor(options: UnknownOrderSearchOptions) {
    super(options);
    this.blotter = options.blotter;
    this.outbox = options.blotter.outbox;
    this.blotter.listen(['unknown'], (order, before) => {
      if (before?.state !== 'unknown') this.queryByName(order);
    });
  }

  /** Begins a scan if one is due. */
  pump(nowMs: number): void {
    if (this.blotter.unknown.begin(nowMs) !== null) this.askNextList();
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
    const { clientOrderId, key, market } = order;
    if (clientOrderId === null || !this.blotter.venue.clientOrderId.canBeQueried) return;
    this.outbox.ask(
      { kind: 'order', market, venueId: null, clientOrderId },
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

  /** Requests the first page of the next list of the scan. */
  private askNextList(): void {
    const { scan } = this.blotter.unknown;
    const [market] = scan?.left ?? [];
    if (scan === null || market === undefined) return;
    scan.pages = 0;
    this.askScanPage({ kind: 'orders', status: 'all', market, from: scan.froms.get(market) ?? LIST_START });
  }

  private askScanPage(call: OrdersCall): void {
    const context = { requestClass: 'resolve', dedupe: 'pass', withinMs: LOOKUP_WITHIN_MS } as const;
    this.outbox.ask(call, context, (answer, { sentAtMs, atMs }) => {
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
        scan.left.shift();
        if (scan.left.length > 0) return this.askNextList();
        unknown.complete(atMs);
        if (!venue.absence.needsTrades) this.giveUpAbsent();
        return;
      }
      const next = nextOrdersPage(venue, call, page.items);
      if (next !== null) this.askScanPage(next);
      else {
        this.outbox.warn(
          `a page of orders from ${call.from} is full but has no newer order: the bot reads it again`,
        );
        unknown.failed(atMs);
      }
    });
  }
}

const AGAIN_AFTER_MS = 3_000;

/** Maximum time that strategies wait for the fills of orders that were taken over, in ms. */
const FILLS_WITHIN_MS = 60_000;

/**
 * Maximum number of readings of one page. They go on until two agree on every closed order; after the last,
 * what agrees is used.
 */
const MOST_READINGS = 6;

interface OrderTakeoverOptions {
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
}

/**
 * Takes over orders after the mirror was restored from a copy: reads each list of all orders from the last
 * one in the copy on. Orders of this instance are taken over with their fills, ended ones too. Each page is
 * read twice, because a takeover is final. The progress outlives a restart.
 */
export class OrderTakeover extends EnginePart<OrderTakeoverOptions> {
  /** Furthest place of an order of the copy in each list. */
  private readonly furthest: ListPlaces;
  /** Lists that were read to their end, by their market. */
  private readonly done = new Set<string | null>();
  /** Market of the list that is read, and where its current page begins. */
  private list: string | null = null;
  private from: ListCursor = LIST_START;
  private pages = 0;
  /** Records of the current page as JSON, by their id, as the last reading showed them. */
  private readonly lastRecords = new Map<VenueOrderId, string>();
  private readings = 0;
  /** True if the last reading announced more pages. */
  private lastHasNext: boolean | null = null;
  /** Time of the next `pump`, in ms since 1970; infinity while a request runs or nothing is left to do. */
  dueAtMs = Number.POSITIVE_INFINITY;
  /** True if this mirror was restored from a copy since the last process. */
  isPutBack = false;
  /** Time the takeover ended in this process, in ms since 1970; null if it did not. */
  endedAtMs: number | null = null;

  constructor(options: OrderTakeoverOptions) {
    super(options);
    this.furthest = new ListPlaces(options.blotter.venue.ownLists.orders);
  }

  get isInProgress(): boolean {
    return this.options.reports.lost.names.state.isSearching;
  }

  /** True if strategies have to wait: orders or fills that the copy lacked are not in the positions yet. */
  isWaitedFor(areFillsWaiting: boolean): boolean {
    if (this.isInProgress) return true;
    if (this.endedAtMs === null || !areFillsWaiting) return false;
    return this.options.blotter.outbox.nowMs < this.endedAtMs + FILLS_WITHIN_MS;
  }

  restore(state: MirrorState, lastRow: number): void {
    const { reports, blotter } = this.options;
    const { outbox, venue } = blotter;
    const stored = restored(state.stored, 'names');
    const { orders: list } = venue.ownLists;
    const names = new KnownNames(state.epoch, list);
    reports.lost.names = names;
    this.isPutBack = names.restore(stored, lastRow);
    const { furthest } = this;
    for (const { market, venueId, orderFloor } of state.orders)
      furthest.raise({ market, cursor: cursorOfId(list, venueId) ?? orderFloor });
    for (const { market, venueOrderId } of state.fills)
      furthest.raise({ market, cursor: cursorOfId(list, venueOrderId) ?? LIST_START });
    // Orders that are taken over from now on must not count as searched after the next restart.
    if (this.isPutBack)
      for (const market of this.lists) names.advanceTakeover(market, readingFrom(list, furthest.of(market)));
    if (stored === null || this.isPutBack) this.persist();
    if (this.isPutBack) {
      outbox.warn(
        'the mirror was restored from a copy: the bot looks for newer orders of this instance, and takes them over',
      );
    }
    if (!names.state.isSearching) return;
    this.beginNext();
    this.dueAtMs = outbox.nowMs;
  }

  private get lists(): readonly (string | null)[] {
    const { ownMarkets, venue } = this.options.blotter;
    return ownMarkets.everyListOf(venue.ownLists.orders);
  }

  /** Turns to the next list that was not read yet. False if there is none. */
  private beginNext(): boolean {
    const list = this.lists.find((market) => !this.done.has(market));
    if (list === undefined) return false;
    this.list = list;
    const { reports, blotter } = this.options;
    const searched = reports.lost.names.takenOverTo(list) ?? this.furthest.of(list);
    this.from = readingAfter(blotter.venue.ownLists.orders, searched);
    this.pages = 0;
    return true;
  }

  pump(): void {
    this.dueAtMs = Number.POSITIVE_INFINITY;
    const context = { requestClass: 'resolve', dedupe: 'take over', withinMs: LOOKUP_WITHIN_MS } as const;
    const call = { kind: 'orders', status: 'all', market: this.list, from: this.from } as const;
    const { blotter } = this.options;
    blotter.outbox.ask(call, context, (answer, { atMs }) => {
      this.dueAtMs = atMs;
      if (answer.outcome === 'value') this.applyPage(call, answer.value, atMs);
      else if (
        answer.outcome === 'refused' &&
        call.market !== null &&
        blotter.dropListsOf(call.market, answer.code)
      ) {
        this.end(atMs);
        this.persist();
      } else this.dueAtMs = atMs + AGAIN_AFTER_MS;
    });
  }

  private applyPage(call: OrdersCall, page: Page<VenueOrder>, atMs: number): void {
    const { reports, blotter } = this.options;
    const { venue, outbox } = blotter;
    this.readings += 1;
    let isSure = this.readings > 1 && this.lastHasNext === page.hasNext;
    this.lastHasNext = page.hasNext;
    let readTo = this.from - 1;
    let missing = Number.POSITIVE_INFINITY;
    for (const record of page.items) {
      const { id } = record;
      const cursor = cursorOfOrder(venue, record);
      if (id === null || cursor === null) continue;
      readTo = Math.max(readTo, cursor);
      const text = JSON.stringify(record, writeUnits);
      if (this.lastRecords.get(id) === text) reports.apply(record, { askedId: id });
      else isSure = false;
      this.lastRecords.set(id, text);
      if (reports.isMissing(record)) missing = Math.min(missing, cursor);
    }
    const isWhole = missing === Number.POSITIVE_INFINITY;
    if (!(isSure && isWhole) && this.readings < MOST_READINGS) return;
    const isLast = page.hasNext === false || page.items.length === 0;
    const next = isLast ? null : (nextOrdersPage(venue, call, page.items)?.from ?? null);
    // Orders that could not be taken over are read again.
    const from = Math.min(missing, next ?? readTo + 1);
    this.lastRecords.clear();
    this.readings = 0;
    this.pages += 1;
    reports.lost.names.advanceTakeover(this.list, Math.max(LIST_START, from - 1));
    this.from = from;
    if (isWhole && next === null && page.hasNext !== true) this.end(atMs);
    else if (this.pages >= MOST_SCAN_PAGES) {
      outbox.alarm(
        'the mirror was restored from a copy that is too old: the bot could not read all orders since',
      );
      this.end(atMs);
    }
    this.persist();
  }

  /** Ends the reading of a list, and with the last one the takeover. */
  private end(atMs: number): void {
    this.done.add(this.list);
    if (this.beginNext()) return;
    this.options.reports.lost.names.searched();
    this.endedAtMs = atMs;
    this.dueAtMs = Number.POSITIVE_INFINITY;
    this.options.blotter.outbox.info('all orders that this instance placed after the copy are known again');
  }

  private persist(): void {
    this.options.blotter.outbox.persist('names', this.options.reports.lost.names.state);
  }
}
