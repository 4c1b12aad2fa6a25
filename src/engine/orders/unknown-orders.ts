import type { AbsenceRule, VenueProfile } from '../../venues/port.ts';
import type { OrderRecord } from '../../records/order.ts';
import { ListPlaces, ownListOf, readingFrom } from '../own-list.ts';
import type { ListCursor } from '../../domain/order.ts';

/**
 * Times after the send at which the list of all orders is scanned for an order without an answer, in ms. It
 * may have been filled or canceled already.
 */
const EARLY_SCANS_AFTER_MS = [1_000, 15_000, 60_000] as const;

/** Interval of scans after the early ones, if the absence could not be proven, in ms. */
const LATER_SCANS_EVERY_MS = 60_000;

interface UnknownOrdersSettings {
  /** Maximum time from its last send until a request can arrive, in ms, if the venue guarantees none. */
  readonly lateArrivalMs: number;
  readonly scansApartMs: number;
  readonly rule: AbsenceRule;
  readonly list: VenueProfile['ownLists']['orders'];
}

/** Returns the maximum time from its last send until a request can arrive, in ms. */
export function latestArrivalMs(rule: AbsenceRule, configuredMs: number): number {
  return rule.refusedAfterMs ?? configuredMs;
}

interface Search {
  readonly key: string;
  readonly isRefused: boolean;
  readonly market: string;
  readonly floor: ListCursor;
  readonly sentAtMs: number;
  scans: number;
  nextScanAtMs: number;
  /** Scans that count for the proof and did not show the order, and the time of the last one's request. */
  absences: number;
  lastAbsenceMs: number | null;
  /** Time of the last scan that was needed; from then on only a trade can show the order. Null before. */
  provenAtMs: number | null;
}

/** A scan of the lists of all orders that can show the searched ones, one list after the other. */
interface AbsenceScan {
  /** Place from which each list is read, by the market of the list; null for the list of the venue. */
  readonly froms: ReadonlyMap<string | null, ListCursor>;
  /** Lists that were not read to their end yet; the first is being read. */
  readonly left: (string | null)[];
  /** Time at which its first page was requested; null until that is known. */
  askedAtMs: number | null;
  /** Number of pages of the list that is being read. */
  pages: number;
}

/** Maximum number of pages of one list in a scan. If one needs more, another scan begins later. */
export const MOST_SCAN_PAGES = 50;

/**
 * Orders whose request had no clear answer, until it is proven that they never arrived. The venue's
 * `AbsenceRule` says how many complete scans of all orders must not show an order. These scans count only if
 * they begin after it could still arrive, `scansApartMs` apart. If the rule needs trades too, those read
 * later must have none that could belong to it.
 */
export class UnknownOrders {
  readonly searches = new Map<string, Search>();
  private readonly settings: UnknownOrdersSettings;
  private readonly lateArrivalMs: number;
  /** The scan that runs now; null if none does. */
  scan: AbsenceScan | null = null;

  constructor(settings: UnknownOrdersSettings) {
    this.settings = settings;
    this.lateArrivalMs = latestArrivalMs(settings.rule, settings.lateArrivalMs);
  }

  /** Starts the search for an order. For a refused order it ends after one scan. */
  track(order: OrderRecord, nowMs: number): void {
    const sentAtMs = order.sentAtMs ?? nowMs;
    this.searches.set(order.key, {
      key: order.key,
      isRefused: order.state === 'rejected',
      market: order.market,
      floor: order.orderFloor,
      sentAtMs,
      scans: 0,
      nextScanAtMs: Math.max(nowMs, sentAtMs + EARLY_SCANS_AFTER_MS[0]),
      absences: 0,
      lastAbsenceMs: null,
      provenAtMs: null,
    });
  }

  /** Ends the search for an order. */
  forget(key: string): void {
    this.searches.delete(key);
  }

  /** Returns the time of the next scan; infinity while one runs, or if nothing is searched for. */
  wakeAtMs(): number {
    if (this.scan !== null) return Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (const { nextScanAtMs } of this.searches.values()) next = Math.min(next, nextScanAtMs);
    return next;
  }

  /** Begins a scan if one is due, of each list from the first place that a searched order can have. */
  begin(nowMs: number): AbsenceScan | null {
    if (this.wakeAtMs() > nowMs) return null;
    const { list } = this.settings;
    const floors = new ListPlaces(list, Number.POSITIVE_INFINITY);
    const froms = new Map<string | null, ListCursor>();
    for (const { market, floor } of this.searches.values()) {
      floors.lower({ market, cursor: floor });
      froms.set(ownListOf(list, market), readingFrom(list, floors.of(market)));
    }
    this.scan = { froms, left: [...froms.keys()], askedAtMs: null, pages: 0 };
    return this.scan;
  }

  /** Ends a scan that could not be completed; another one begins at least 5 s later. */
  failed(nowMs: number): void {
    this.scan = null;
    for (const search of this.searches.values())
      search.nextScanAtMs = Math.max(search.nextScanAtMs, nowMs + 5_000);
  }

  /** Ends a complete scan. Orders that it found are no longer searched for. */
  complete(nowMs: number): void {
    const { scan } = this;
    this.scan = null;
    const askedAtMs = scan?.askedAtMs ?? null;
    if (scan === null || askedAtMs === null) return;
    const { list } = this.settings;
    for (const search of this.searches.values()) {
      const from = scan.froms.get(ownListOf(list, search.market));
      if (from === undefined || from > readingFrom(list, search.floor)) continue;
      if (search.isRefused) {
        this.forget(search.key);
        continue;
      }
      search.scans += 1;
      this.apply(search, askedAtMs, nowMs);
      search.nextScanAtMs = this.nextScanOf(search, nowMs);
    }
  }

  /** Returns the orders that enough scans did not show. Trades read from `sinceMs` on may still show them. */
  absentInLists(): readonly { readonly key: string; readonly sinceMs: number }[] {
    const absent: { key: string; sinceMs: number }[] = [];
    for (const { key, provenAtMs } of this.searches.values()) {
      if (provenAtMs !== null) absent.push({ key, sinceMs: provenAtMs });
    }
    return absent;
  }

  private apply(search: Search, askedAtMs: number, nowMs: number): void {
    const { rule, scansApartMs } = this.settings;
    const { lastAbsenceMs } = search;
    if (askedAtMs <= search.sentAtMs + this.lateArrivalMs) return;
    if (lastAbsenceMs !== null && askedAtMs - lastAbsenceMs < scansApartMs) return;
    search.lastAbsenceMs = askedAtMs;
    search.absences += 1;
    if (search.absences >= rule.readings) search.provenAtMs ??= nowMs;
  }

  private nextScanOf(search: Search, nowMs: number): number {
    if (search.lastAbsenceMs !== null && search.provenAtMs === null) {
      return Math.max(nowMs, search.lastAbsenceMs + this.settings.scansApartMs);
    }
    const lateMs = search.sentAtMs + this.lateArrivalMs + 1;
    const earlyMs = EARLY_SCANS_AFTER_MS[search.scans];
    if (nowMs < lateMs) {
      const dueMs = earlyMs === undefined ? lateMs : Math.min(search.sentAtMs + earlyMs, lateMs);
      return Math.max(nowMs + 1_000, dueMs);
    }
    return nowMs + LATER_SCANS_EVERY_MS;
  }
}
