import type { AbsenceRule, OwnList } from '../../venues/port.ts';
import type { OrderRecord } from '../../records/order.ts';
import { readingFrom } from '../own-list.ts';
import type { ListCursor } from '../../domain/order.ts';

/**
 * Times after the send at which the list of all orders is read for an order without an answer: it may have
 * come and gone.
 */
const EARLY_SCANS_AFTER_MS = [1_000, 15_000, 60_000] as const;

/** Between two passes once the early ones are over and the late ones could not prove anything. */
const LATER_SCANS_EVERY_MS = 60_000;

interface UnknownOrdersSettings {
  /**
   * Longest time after its last send that a request may still arrive, if the venue itself guarantees nothing.
   */
  readonly lateArrivalMs: number;
  readonly scansApartMs: number;
  readonly rule: AbsenceRule;
  readonly list: OwnList;
}

/** Returns the longest time after its last send that a request may still arrive. */
export function latestArrivalMs(rule: AbsenceRule, configuredMs: number): number {
  return rule.refusedAfterMs ?? configuredMs;
}

interface Search {
  readonly key: string;
  readonly isRefused: boolean;
  readonly floor: ListCursor;
  readonly sentAtMs: number;
  scans: number;
  nextScanAtMs: number;
  /** Passes that can prove something and did not have it, and when the last of them was asked for. */
  absences: number;
  lastAbsenceMs: number | null;
  /** Time at which there were enough absences: from then on only the trades may still show it. */
  provenAtMs: number | null;
}

/** A reading of the whole list of orders from a cursor on. */
interface AbsenceScan {
  readonly from: ListCursor;
  /** Time its first page was requested; null until that is known. */
  askedAtMs: number | null;
  pages: number;
}

/** Pages of one pass at most, of a thousand orders each; beyond it the pass is given up and reported. */
export const MOST_SCAN_PAGES = 50;

/**
 * Orders whose request had no clear answer, on the way to the proof that they never arrived. An order is
 * absent only when as many complete passes over the list of all orders lack it as the venue's `AbsenceRule`
 * says, each asked for when it could no longer arrive and `scansApartMs` after the one before, and the
 * trades read after them hold none that could be its own, where the rule wants that too.
 */
export class UnknownOrders {
  readonly searches = new Map<string, Search>();
  private readonly settings: UnknownOrdersSettings;
  private readonly lateArrivalMs: number;
  /** The pass under way, if one is. */
  scan: AbsenceScan | null = null;

  constructor(settings: UnknownOrdersSettings) {
    this.settings = settings;
    this.lateArrivalMs = latestArrivalMs(settings.rule, settings.lateArrivalMs);
  }

  /** Searches for an order; one that was refused for a single pass. */
  track(order: OrderRecord, nowMs: number): void {
    const sentAtMs = order.sentAtMs ?? nowMs;
    this.searches.set(order.key, {
      key: order.key,
      isRefused: order.state === 'rejected',
      floor: order.orderFloor,
      sentAtMs,
      scans: 0,
      nextScanAtMs: Math.max(nowMs, sentAtMs + EARLY_SCANS_AFTER_MS[0]),
      absences: 0,
      lastAbsenceMs: null,
      provenAtMs: null,
    });
  }

  /** It was found, or its search is over. */
  forget(key: string): void {
    this.searches.delete(key);
  }

  /**
   * Returns the time the next pass is due; infinity while one is running or there is nothing to search for.
   */
  wakeAtMs(): number {
    if (this.scan !== null) return Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (const { nextScanAtMs } of this.searches.values()) next = Math.min(next, nextScanAtMs);
    return next;
  }

  /** Begins a pass if one is due: from the first place where any of them can stand. */
  begin(nowMs: number): AbsenceScan | null {
    if (this.wakeAtMs() > nowMs) return null;
    const floors = [...this.searches.values()].map(({ floor }) => floor);
    const from = readingFrom(this.settings.list, Math.min(...floors));
    this.scan = { from, askedAtMs: null, pages: 0 };
    return this.scan;
  }

  /** The pass could not be read to its end; another is begun a little later. */
  failed(nowMs: number): void {
    this.scan = null;
    for (const search of this.searches.values())
      search.nextScanAtMs = Math.max(search.nextScanAtMs, nowMs + 5_000);
  }

  /** The pass is complete; who was found in it has been forgotten already. */
  complete(nowMs: number): void {
    const { scan } = this;
    this.scan = null;
    const askedAtMs = scan?.askedAtMs ?? null;
    if (scan === null || askedAtMs === null) return;
    for (const search of this.searches.values()) {
      if (scan.from > readingFrom(this.settings.list, search.floor)) continue;
      if (search.isRefused) {
        this.forget(search.key);
        continue;
      }
      search.scans += 1;
      this.apply(search, askedAtMs, nowMs);
      search.nextScanAtMs = this.nextScanOf(search, nowMs);
    }
  }

  /** Orders that enough passes lack; where the trades count too, those read from the time given. */
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
