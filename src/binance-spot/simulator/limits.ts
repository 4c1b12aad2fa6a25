import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time-text.ts';
import { SpotRefusal } from './refusal.ts';
import type { SpotRateLimit, SpotSettings } from './settings.ts';

type LimitSettings = SpotSettings['limits'];

const LENGTHS_MS = { SECOND: 1_000, MINUTE: MINUTE_MS, HOUR: HOUR_MS, DAY: DAY_MS } as const;

const lengthOf = (limit: SpotRateLimit): number => LENGTHS_MS[limit.interval] * limit.intervalNum;

/** Name of an interval in headers, such as `1M`. */
const shortName = ({ interval, intervalNum }: SpotRateLimit): string => `${intervalNum}${interval[0] ?? ''}`;

/** Count over one interval: fixed ones begin by the clock, a sliding one is always the last interval. */
class CountWindow {
  readonly limit: SpotRateLimit;
  readonly lengthMs: number;
  private readonly isSliding: boolean;
  private entries: { atMs: number; weight: number }[] = [];
  private sum = 0;

  constructor(limit: SpotRateLimit, isSliding: boolean) {
    this.limit = limit;
    this.lengthMs = lengthOf(limit);
    this.isSliding = isSliding;
  }

  used(nowMs: number): number {
    const fromMs = this.isSliding ? nowMs - this.lengthMs : this.startOf(nowMs) - 1;
    while (this.entries[0] !== undefined && this.entries[0].atMs <= fromMs) {
      this.sum -= this.entries[0].weight;
      this.entries.shift();
    }
    return this.sum;
  }

  add(weight: number, nowMs: number): void {
    this.used(nowMs);
    this.sum += weight;
    const last = this.entries.at(-1);
    const atMs = this.isSliding ? nowMs : this.startOf(nowMs);
    if (last !== undefined && last.atMs === atMs) last.weight += weight;
    else this.entries.push({ atMs, weight });
  }

  /** Subtracts from the count, but not below zero. */
  subtract(weight: number, nowMs: number): void {
    let left = Math.min(weight, this.used(nowMs));
    this.sum -= left;
    for (const entry of this.entries.toReversed()) {
      const part = Math.min(left, entry.weight);
      entry.weight -= part;
      left -= part;
    }
  }

  /** Whole seconds until some of the count is gone. */
  freeAfterS(nowMs: number): number {
    const first = this.entries[0]?.atMs ?? nowMs;
    const endMs = (this.isSliding ? first : this.startOf(nowMs)) + this.lengthMs;
    return Math.max(1, Math.ceil((endMs - nowMs) / 1_000));
  }

  private startOf(nowMs: number): number {
    return Math.floor(nowMs / this.lengthMs) * this.lengthMs;
  }
}

/** Counts of one address. */
interface AddressCounts {
  readonly weight: CountWindow;
  readonly raw: CountWindow;
  /** Requests over a limit since the last time below it. */
  refused: number;
  bannedUntilMs: number;
  lastBanMs: number;
}

/** Addresses that are remembered; beyond it the oldest is forgotten. */
const ADDRESSES_RETAINED = 10_000;

/** Weight and raw requests of each address, and bans. */
export class AddressLimits {
  private readonly settings: LimitSettings;
  private readonly addresses = new Map<string, AddressCounts>();

  constructor(settings: LimitSettings) {
    this.settings = settings;
  }

  /** Counts a request. Refuses it over a limit with 429, and during a ban with 418. */
  arrive(ip: string, weight: number, nowMs: number): void {
    const counts = this.of(ip);
    if (nowMs < counts.bannedUntilMs) throw this.banned(counts, nowMs);
    counts.weight.add(weight, nowMs);
    counts.raw.add(1, nowMs);
    const over = [counts.weight, counts.raw].find((window) => window.used(nowMs) > window.limit.limit);
    if (over === undefined) {
      counts.refused = 0;
      return;
    }
    counts.refused += 1;
    if (counts.refused > this.settings.refusalsBeforeBan) {
      this.ban(counts, nowMs);
      throw this.banned(counts, nowMs);
    }
    const { limit, interval, intervalNum } = over.limit;
    const what = over === counts.weight ? 'request weight' : 'raw requests';
    throw new SpotRefusal(
      -1003,
      `Too much request weight used; current limit is ${limit} ${what} per ${intervalNum} ${interval}. Please use WebSocket Streams for live updates to avoid polling the API.`,
      { status: 429, retryAfterS: over.freeAfterS(nowMs) },
    );
  }

  /** Takes the weight of an order request back, which cost nothing as it succeeded. */
  giveBack(ip: string, weight: number, nowMs: number): void {
    this.of(ip).weight.subtract(weight, nowMs);
  }

  /** Headers of every reply, except during a ban. */
  headers(ip: string, nowMs: number): Readonly<Record<string, string>> {
    const { weight, bannedUntilMs } = this.of(ip);
    if (nowMs < bannedUntilMs) return {};
    const used = String(weight.used(nowMs));
    return {
      'x-mbx-used-weight': used,
      [`x-mbx-used-weight-${shortName(weight.limit).toLowerCase()}`]: used,
    };
  }

  private of(ip: string): AddressCounts {
    const known = this.addresses.get(ip);
    if (known !== undefined) return known;
    const { weight, raw, windows } = this.settings;
    const isSliding = windows === 'sliding';
    const counts = {
      weight: new CountWindow(weight, isSliding),
      raw: new CountWindow(raw, isSliding),
      refused: 0,
      bannedUntilMs: 0,
      lastBanMs: 0,
    };
    this.addresses.set(ip, counts);
    const [oldest] = this.addresses.keys();
    if (this.addresses.size > ADDRESSES_RETAINED && oldest !== undefined) this.addresses.delete(oldest);
    return counts;
  }

  /** Bans an address, each time twice as long as the last time. */
  private ban(counts: AddressCounts, nowMs: number): void {
    const { firstBanMs, longestBanMs, banForgottenAfterMs } = this.settings;
    const isRepeated = counts.lastBanMs > 0 && nowMs < counts.bannedUntilMs + banForgottenAfterMs;
    counts.lastBanMs = isRepeated ? Math.min(counts.lastBanMs * 2, longestBanMs) : firstBanMs;
    counts.bannedUntilMs = nowMs + counts.lastBanMs;
    counts.refused = 0;
  }

  private banned({ bannedUntilMs }: AddressCounts, nowMs: number): SpotRefusal {
    return new SpotRefusal(
      -1003,
      `Way too much request weight used; IP banned until ${Math.ceil(bannedUntilMs)}. Please use WebSocket Streams for live updates to avoid bans.`,
      { status: 418, retryAfterS: Math.ceil((bannedUntilMs - nowMs) / 1_000) },
    );
  }
}

/** Unfilled orders of one account, counted over each interval. */
export class OrderCount {
  private readonly windows: readonly CountWindow[];
  private readonly settings: LimitSettings;
  /** Credits of fills that are not counted yet, oldest first. */
  private due: { readonly atMs: number; readonly credit: number }[] = [];

  constructor(settings: LimitSettings) {
    this.settings = settings;
    this.windows = settings.orders.map((limit) => new CountWindow(limit, false));
  }

  /** Returns the refusal of that many more orders; null if they are allowed. */
  refusal(orders: number, nowMs: number): SpotRefusal | null {
    this.apply(nowMs);
    const over = this.windows.find((window) => window.used(nowMs) + orders > window.limit.limit);
    if (over === undefined) return null;
    const { limit, intervalNum, interval } = over.limit;
    return new SpotRefusal(
      -1015,
      `Too many new orders; current limit is ${limit} orders per ${intervalNum} ${interval}.`,
      { status: 429, retryAfterS: over.freeAfterS(nowMs) },
    );
  }

  add(orders: number, nowMs: number): void {
    this.apply(nowMs);
    for (const window of this.windows) window.add(orders, nowMs);
  }

  /** Counts the first fill of an order. */
  fill(isMaker: boolean, nowMs: number): void {
    const { makerCredit, creditDelayMs } = this.settings;
    this.due.push({ atMs: nowMs + creditDelayMs, credit: isMaker ? makerCredit : 1 });
    this.apply(nowMs);
  }

  headers(nowMs: number): Readonly<Record<string, string>> {
    this.apply(nowMs);
    return Object.fromEntries(
      this.windows.map((window) => [
        `x-mbx-order-count-${shortName(window.limit).toLowerCase()}`,
        String(window.used(nowMs)),
      ]),
    );
  }

  rows(
    nowMs: number,
  ): readonly (SpotRateLimit & { readonly rateLimitType: 'ORDERS'; readonly count: number })[] {
    this.apply(nowMs);
    return this.windows.map((window) => ({
      rateLimitType: 'ORDERS',
      ...window.limit,
      count: window.used(nowMs),
    }));
  }

  private apply(nowMs: number): void {
    while (this.due[0] !== undefined && this.due[0].atMs <= nowMs) {
      const { credit } = this.due[0];
      this.due.shift();
      for (const window of this.windows) window.subtract(credit, nowMs);
    }
  }
}
