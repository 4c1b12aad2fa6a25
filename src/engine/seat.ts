import type { Market } from '../domain/market.ts';
import type { QuoteCurrency } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { noResults, resultsAfterFill, resultsAtPrice, viewOf, type Results } from '../execution/risk/results.ts';
import type { ResultsView } from '../execution/risk/risk-view.ts';
import type { StrategyRunner } from '../strategy/runner.ts';
import { nextDueMs } from '../strategy/timers.ts';
import type { SeatSettings } from './engine-settings.ts';
import type { StrategyRecord } from './mirror-change.ts';

/** Planning times that are kept: as far back as the checks look. */
const PLANNED_KEPT_MS = 3_600_000;
const MOST_PLANNED = 10_000;

const COMPLAINS_EVERY_MS = 60_000;

export interface Timer {
  readonly name: string;
  readonly cron: string;
  nextMs: number;
}

/** What is written of a strategy besides its state. */
interface StoredSeat {
  readonly state: unknown;
  readonly results: Readonly<Record<QuoteCurrency, unknown>>;
  readonly requests: number;
  readonly fills: number;
  readonly orders: number;
  readonly fees: Readonly<Record<string, bigint>>;
}

/** One strategy at its place: its runner, what it has made of its markets, and what it has spent on it. */
export class Seat {
  readonly settings: SeatSettings;
  readonly runner: StrategyRunner;
  readonly name: string;
  readonly timers: readonly Timer[];
  status: StrategyRecord['status'] = 'running';
  reason: string | null = null;
  resumesAtMs = Number.POSITIVE_INFINITY;
  /** When its orders were planned, rising. */
  readonly plannedAtMs: number[] = [];
  /** Requests that its orders have cost, and fills that these have brought. */
  requests = 0;
  fills = 0;
  orders = 0;
  /** Paid so far, by currency: purchases pay in the coin, sales in the quote currency. */
  readonly fees = new Map<string, bigint>();
  isDirty = true;
  private complainedAtMs = Number.NEGATIVE_INFINITY;
  private results: Record<QuoteCurrency, Results> = { rls: noResults('rls'), usdt: noResults('usdt') };

  constructor(settings: SeatSettings) {
    this.settings = settings;
    this.runner = settings.runner;
    this.name = settings.runner.name;
    this.timers = this.runner.subscriptions.flatMap((wanted) =>
      wanted.kind === 'timer' ? [{ name: wanted.name, cron: wanted.cron, nextMs: Number.POSITIVE_INFINITY }] : [],
    );
  }

  /** What its fills bought of a market's coin less what they sold, fees taken off. */
  position(market: string, quote: QuoteCurrency): Units {
    return this.results[quote].markets[market]?.position ?? NOTHING;
  }

  /** What its fills brought of the quote currency less what they took, fees taken off. */
  cash(market: string, quote: QuoteCurrency): Units {
    return this.results[quote].markets[market]?.cash ?? NOTHING;
  }

  resultsView(quote: QuoteCurrency, nowMs: number): ResultsView {
    return viewOf(this.results[quote], nowMs);
  }

  takeFill(fill: FillRecord, market: Market): void {
    this.fills += 1;
    const currency = fill.side === 'buy' ? market.src : market.dst;
    this.fees.set(currency, (this.fees.get(currency) ?? 0n) + fill.fee);
    this.results[market.dst] = resultsAfterFill(this.results[market.dst], { fill, market });
    this.isDirty = true;
  }

  takePrice(market: Market, price: Units, atMs: number): void {
    const { symbol, dst } = market;
    this.results[dst] = resultsAtPrice(this.results[dst], { market: symbol, price, atMs });
  }

  /** An order was planned. */
  planned(nowMs: number): void {
    const times = this.plannedAtMs;
    this.orders += 1;
    times.push(nowMs);
    let old = 0;
    while (old < times.length && ((times[old] ?? 0) < nowMs - PLANNED_KEPT_MS || times.length - old > MOST_PLANNED))
      old += 1;
    if (old > 0) times.splice(0, old);
  }

  /** Whether it is time to say again that its orders are not taken. */
  mayComplain(nowMs: number): boolean {
    if (nowMs - this.complainedAtMs < COMPLAINS_EVERY_MS) return false;
    this.complainedAtMs = nowMs;
    return true;
  }

  /** Sets the timers to their next moments. */
  setTimers(nowMs: number): void {
    for (const timer of this.timers) this.setTimer(timer, nowMs);
  }

  setTimer(timer: Timer, nowMs: number): void {
    timer.nextMs = nextDueMs(timer.cron, nowMs);
  }

  /** What a restart is given back; null when nothing changed since the last call. */
  takeRecord(nowMs: number): StrategyRecord | null {
    const state = this.runner.takeChangedState();
    if (state === null && !this.isDirty) return null;
    this.isDirty = false;
    const { results, requests, fills, orders } = this;
    const stored = JSON.stringify(
      { results, requests, fills, orders, fees: Object.fromEntries(this.fees) },
      (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
    );
    const json = `{"state":${this.runner.stateJson()},${stored.slice(1)}`;
    return { name: this.name, status: this.status, reason: this.reason, json, atMs: nowMs };
  }

  restore(record: StrategyRecord): void {
    const stored = JSON.parse(record.json, (_, value: unknown) =>
      typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
    ) as StoredSeat;
    const state = (JSON.parse(record.json) as StoredSeat).state;
    this.runner.restore(JSON.stringify(state));
    this.results = stored.results as Record<QuoteCurrency, Results>;
    this.requests = stored.requests;
    this.fills = stored.fills;
    this.orders = stored.orders;
    for (const [currency, units] of Object.entries(stored.fees)) this.fees.set(currency, units);
    this.isDirty = false;
  }
}

const NOTHING = 0n as Units;
