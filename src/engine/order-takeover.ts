import type { VenueOrder } from '../domain/order.ts';
import { readStored } from '../domain/stored-json.ts';
import type { Page } from '../venues/port.ts';
import { KnownNames, storedNames } from '../execution/known-names.ts';
import { MOST_PASS_PAGES } from '../execution/unknown-orders.ts';
import type { MirrorState } from './mirror-change.ts';
import type { OrderReportMatcher, ReportContext } from './order-report-matcher.ts';
import type { Outbox } from './outbox.ts';

export const KEPT_NAMES = 'names';

const WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 3_000;

/** Strategies wait so long at most for the fills of orders that were taken over. */
const FILLS_WITHIN_MS = 60_000;

/**
 * Readings of one page until two of them say the same of every closed order; then it goes on with what they
 * agree in.
 */
const MOST_READINGS = 6;

export interface OrderTakeoverOptions {
  readonly outbox: Outbox;
  readonly reports: OrderReportMatcher;
  readonly take: (record: VenueOrder, way: ReportContext) => void;
}

/**
 * After the mirror was put back from a copy: reads the list of all orders from the last one that the copy
 * knew, and takes over those of this instance, ended ones too, with their fills. Each page is read twice,
 * since what is taken over once stays. Where it has got to outlives a restart.
 */
export class OrderTakeover {
  private readonly options: OrderTakeoverOptions;
  private fromId = 1;
  private pages = 0;
  /** The records of the page that is being read, by their id, as the last reading told them. */
  private readonly told = new Map<number, string>();
  private readings = 0;
  /** Whether the last reading said that more pages follow. */
  private toldNext: boolean | null = null;
  private isAsked = false;
  private nextAtMs = 0;
  /** Whether the mirror was put back from a copy since the last life. */
  isPutBack = false;
  /** When it ended in this life; null where it did not, or had nothing to do. */
  endedAtMs: number | null = null;

  constructor(options: OrderTakeoverOptions) {
    this.options = options;
  }

  get isUnderWay(): boolean {
    return this.options.reports.names.state.isSearching;
  }

  /** Whether orders and fills that a copy of the mirror lacked are still on their way into the positions. */
  isWaitedFor(areFillsWaiting: boolean): boolean {
    if (this.isUnderWay) return true;
    if (this.endedAtMs === null || !areFillsWaiting) return false;
    return this.options.outbox.nowMs < this.endedAtMs + FILLS_WITHIN_MS;
  }

  restore(state: MirrorState, lastRow: number): void {
    const { outbox, reports } = this.options;
    const json = state.kept[KEPT_NAMES];
    const names = new KnownNames(state.epoch);
    reports.names = names;
    this.isPutBack = names.restore(
      json === undefined ? null : readStored(storedNames, json, 'what is kept of names'),
      lastRow,
    );
    const known = [
      ...state.orders.map(({ venueId }) => venueId ?? 0),
      ...state.fills.map(({ venueOrderId }) => venueOrderId ?? 0),
    ];
    const highest = known.reduce((most, id) => Math.max(most, id), 0);
    // What is taken over from now on must not count as known after the next restart.
    if (this.isPutBack) names.tookOverTo(highest);
    if (json === undefined || this.isPutBack) this.keep();
    if (this.isPutBack) {
      outbox.warn(
        'the mirror was restored from a copy: the bot looks for newer orders of this instance, and takes them over',
      );
    }
    this.fromId = (names.state.takenOverTo ?? highest) + 1;
  }

  pump(nowMs: number): void {
    if (!this.isUnderWay || this.isAsked || this.nextAtMs > nowMs) return;
    this.isAsked = true;
    const way = { requestClass: 'resolve', dedupe: 'take over', withinMs: WITHIN_MS } as const;
    this.options.outbox.ask(
      { kind: 'orders', status: 'all', fromId: this.fromId },
      way,
      (answer, { atMs }) => {
        this.isAsked = false;
        if (answer.outcome === 'value') this.takePage(answer.value, atMs);
        else this.nextAtMs = atMs + AGAIN_AFTER_MS;
      },
    );
  }

  wakeAtMs(): number {
    return this.isUnderWay && !this.isAsked ? this.nextAtMs : Number.POSITIVE_INFINITY;
  }

  private takePage(page: Page<VenueOrder>, atMs: number): void {
    const { take, reports } = this.options;
    this.readings += 1;
    let isSure = this.readings > 1 && this.toldNext === page.hasNext;
    this.toldNext = page.hasNext;
    let missingId = Number.POSITIVE_INFINITY;
    for (const record of page.items) {
      const { id } = record;
      if (id === null) continue;
      const text = JSON.stringify(record);
      if (this.told.get(id) === text) take(record, { askedId: id });
      else isSure = false;
      this.told.set(id, text);
      if (reports.isMissing(record)) missingId = Math.min(missingId, id);
    }
    const isWhole = missingId === Number.POSITIVE_INFINITY;
    if (!(isSure && isWhole) && this.readings < MOST_READINGS) return;
    const readTo = page.items.reduce((last, { id }) => Math.max(last, id ?? 0), this.fromId - 1);
    // What could not be taken over is read again.
    const lastId = Math.min(readTo, missingId - 1);
    this.told.clear();
    this.readings = 0;
    this.pages += 1;
    this.options.reports.names.tookOverTo(lastId);
    this.fromId = lastId + 1;
    if (isWhole && (page.hasNext === false || page.items.length === 0)) this.end(atMs);
    else if (this.pages >= MOST_PASS_PAGES) {
      this.options.outbox.alarm(
        'the mirror was restored from a copy that is too old: the bot could not read all orders since',
      );
      this.end(atMs);
    }
    this.keep();
  }

  private end(atMs: number): void {
    this.options.reports.names.searched();
    this.endedAtMs = atMs;
    this.options.outbox.info('all orders that this instance placed after the copy are known again');
  }

  private keep(): void {
    this.options.outbox.keep(KEPT_NAMES, this.options.reports.names.state);
  }
}
