import type { VenueOrder, VenueOrderId, ListCursor } from '../domain/order.ts';
import { writeUnits } from '../domain/stored-json.ts';
import type { Page, VenueProfile } from '../venues/port.ts';
import {
  cursorOfId,
  cursorOfOrder,
  LIST_START,
  nextOrdersPage,
  readingAfter,
  readingFrom,
} from './own-list.ts';
import { KnownNames } from './order-names.ts';
import { MOST_SCAN_PAGES } from './orders/unknown-orders.ts';
import type { MirrorState } from './mirror-change.ts';
import type { OrderReportMatcher } from './orders/order-report-matcher.ts';
import type { Outbox } from './outbox.ts';
import { restored } from './stored-records.ts';

const WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 3_000;

/** Maximum time that strategies wait for the fills of orders that were taken over, in ms. */
const FILLS_WITHIN_MS = 60_000;

/**
 * Maximum number of readings of one page. They go on until two agree on every closed order; after the last,
 * what agrees is used.
 */
const MOST_READINGS = 6;

interface OrderTakeoverOptions {
  readonly outbox: Outbox;
  readonly venue: VenueProfile;
  readonly reports: OrderReportMatcher;
}

/**
 * Takes over orders after the mirror was restored from a copy: reads the list of all orders from the last one
 * in the copy on. Orders of this instance are taken over with their fills, ended ones too. Each page is read
 * twice, because a takeover is final. The progress outlives a restart.
 */
export class OrderTakeover {
  private readonly options: OrderTakeoverOptions;
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
    this.options = options;
  }

  get isInProgress(): boolean {
    return this.options.reports.lost.names.state.isSearching;
  }

  /** True if strategies have to wait: orders or fills that the copy lacked are not in the positions yet. */
  isWaitedFor(areFillsWaiting: boolean): boolean {
    if (this.isInProgress) return true;
    if (this.endedAtMs === null || !areFillsWaiting) return false;
    return this.options.outbox.nowMs < this.endedAtMs + FILLS_WITHIN_MS;
  }

  restore(state: MirrorState, lastRow: number): void {
    const { outbox, reports, venue } = this.options;
    const stored = restored(state.stored, 'names');
    const names = new KnownNames(state.epoch);
    reports.lost.names = names;
    this.isPutBack = names.restore(stored, lastRow);
    const { orders: list } = venue.ownLists;
    const known = [
      ...state.orders.map(({ venueId, orderFloor }) => cursorOfId(list, venueId) ?? orderFloor),
      ...state.fills.map(({ venueOrderId }) => cursorOfId(list, venueOrderId) ?? LIST_START),
    ];
    const furthest = known.reduce((most, cursor) => Math.max(most, cursor), LIST_START);
    // Orders that are taken over from now on must not count as searched after the next restart.
    if (this.isPutBack) names.advanceTakeover(readingFrom(list, furthest));
    if (stored === null || this.isPutBack) this.persist();
    if (this.isPutBack) {
      outbox.warn(
        'the mirror was restored from a copy: the bot looks for newer orders of this instance, and takes them over',
      );
    }
    this.from = readingAfter(list, names.state.takenOverTo ?? furthest);
    if (names.state.isSearching) this.dueAtMs = outbox.nowMs;
  }

  pump(): void {
    this.dueAtMs = Number.POSITIVE_INFINITY;
    const context = { requestClass: 'resolve', dedupe: 'take over', withinMs: WITHIN_MS } as const;
    this.options.outbox.ask(
      { kind: 'orders', status: 'all', from: this.from },
      context,
      (answer, { atMs }) => {
        this.dueAtMs = atMs;
        if (answer.outcome === 'value') this.applyPage(answer.value, atMs);
        else this.dueAtMs = atMs + AGAIN_AFTER_MS;
      },
    );
  }

  private applyPage(page: Page<VenueOrder>, atMs: number): void {
    const { reports, venue, outbox } = this.options;
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
    const next = isLast ? null : nextOrdersPage(venue, { from: this.from, items: page.items });
    // Orders that could not be taken over are read again.
    const from = Math.min(missing, next ?? readTo + 1);
    this.lastRecords.clear();
    this.readings = 0;
    this.pages += 1;
    reports.lost.names.advanceTakeover(from - 1);
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

  private end(atMs: number): void {
    this.options.reports.lost.names.searched();
    this.endedAtMs = atMs;
    this.dueAtMs = Number.POSITIVE_INFINITY;
    this.options.outbox.info('all orders that this instance placed after the copy are known again');
  }

  private persist(): void {
    this.options.outbox.persist('names', this.options.reports.lost.names.state);
  }
}
