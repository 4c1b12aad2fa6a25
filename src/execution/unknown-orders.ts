import type { OrderRecord } from './order-record.ts';

/**
 * When the list of all orders is read for an order without an answer, after its send: it may have come and
 * gone.
 */
const EARLY_PASSES_AFTER_MS = [1_000, 15_000, 60_000] as const;

/** Between two passes once the early ones are over and the late ones could not prove anything. */
const LATER_PASSES_EVERY_MS = 60_000;

export interface UnknownOrdersSettings {
  readonly lateArrivalMs: number;
  readonly passesApartMs: number;
}

interface Search {
  readonly key: string;
  readonly floorId: number;
  readonly sentAtMs: number;
  passes: number;
  nextPassAtMs: number;
  /** When the first pass that can prove something, and did not have it, was asked for. */
  absentSinceMs: number | null;
  /** When the second one ended: from then on only the trades may still show it. */
  provenAtMs: number | null;
}

/** A reading of the whole list of orders from an id on. */
export interface AbsencePass {
  readonly fromId: number;
  /** When its first page was asked for; null until that is known. */
  askedAtMs: number | null;
  pages: number;
}

/** Pages of one pass at most, of a thousand orders each; beyond it the pass is given up and told. */
export const MOST_PASS_PAGES = 50;

/**
 * Orders whose request had no clear answer, on the way to the proof that they never arrived. An order is
 * absent only when two complete passes over the list of all orders lack it, both asked for when it could no
 * longer arrive (`lateArrivalMs` after its last send) and `passesApartMs` apart, and the trades read after
 * them hold none that could be its own. The exchange frees a clientOrderId once its order closes, so that
 * nobody knows the id proves nothing.
 */
export class UnknownOrders {
  private readonly searches = new Map<string, Search>();
  private readonly settings: UnknownOrdersSettings;
  /** The pass under way, if one is. */
  pass: AbsencePass | null = null;

  constructor(settings: UnknownOrdersSettings) {
    this.settings = settings;
  }

  get size(): number {
    return this.searches.size;
  }

  track(order: OrderRecord, nowMs: number): void {
    const sentAtMs = order.sentAtMs ?? nowMs;
    this.searches.set(order.key, {
      key: order.key,
      floorId: order.orderIdFloor,
      sentAtMs,
      passes: 0,
      nextPassAtMs: Math.max(nowMs, sentAtMs + EARLY_PASSES_AFTER_MS[0]),
      absentSinceMs: null,
      provenAtMs: null,
    });
  }

  /** It was found, or its search is over. */
  forget(key: string): void {
    this.searches.delete(key);
  }

  /** When the next pass is due; infinity while one is under way or there is nothing to look for. */
  wakeAtMs(): number {
    if (this.pass !== null) return Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (const { nextPassAtMs } of this.searches.values()) next = Math.min(next, nextPassAtMs);
    return next;
  }

  /** Begins a pass if one is due: from the lowest id that any of them can have. */
  begin(nowMs: number): AbsencePass | null {
    if (this.wakeAtMs() > nowMs) return null;
    const floors = [...this.searches.values()].map(({ floorId }) => floorId);
    this.pass = { fromId: Math.max(1, Math.min(...floors)), askedAtMs: null, pages: 0 };
    return this.pass;
  }

  /** The pass could not be read to its end; another is begun a little later. */
  failed(nowMs: number): void {
    this.pass = null;
    for (const search of this.searches.values())
      search.nextPassAtMs = Math.max(search.nextPassAtMs, nowMs + 5_000);
  }

  /** The pass is complete; who was found in it has been forgotten already. */
  complete(nowMs: number): void {
    const { pass } = this;
    this.pass = null;
    const askedAtMs = pass?.askedAtMs ?? null;
    if (pass === null || askedAtMs === null) return;
    for (const search of this.searches.values()) {
      if (pass.fromId > Math.max(1, search.floorId)) continue;
      search.passes += 1;
      this.take(search, askedAtMs, nowMs);
      search.nextPassAtMs = this.nextPassOf(search, nowMs);
    }
  }

  /** Orders for whose absence only the trades, read from the time given, are missing. */
  absentInLists(): readonly { readonly key: string; readonly sinceMs: number }[] {
    const absent: { key: string; sinceMs: number }[] = [];
    for (const { key, provenAtMs } of this.searches.values()) {
      if (provenAtMs !== null) absent.push({ key, sinceMs: provenAtMs });
    }
    return absent;
  }

  private take(search: Search, askedAtMs: number, nowMs: number): void {
    if (askedAtMs <= search.sentAtMs + this.settings.lateArrivalMs) return;
    if (search.absentSinceMs === null) search.absentSinceMs = askedAtMs;
    else if (askedAtMs - search.absentSinceMs >= this.settings.passesApartMs) search.provenAtMs ??= nowMs;
  }

  private nextPassOf(search: Search, nowMs: number): number {
    if (search.absentSinceMs !== null && search.provenAtMs === null) {
      return Math.max(nowMs, search.absentSinceMs + this.settings.passesApartMs);
    }
    const lateMs = search.sentAtMs + this.settings.lateArrivalMs + 1;
    const earlyMs = EARLY_PASSES_AFTER_MS[search.passes];
    if (nowMs < lateMs) {
      const dueMs = earlyMs === undefined ? lateMs : Math.min(search.sentAtMs + earlyMs, lateMs);
      return Math.max(nowMs + 1_000, dueMs);
    }
    return nowMs + LATER_PASSES_EVERY_MS;
  }
}
