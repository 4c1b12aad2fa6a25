import { SarrafError } from '../domain/errors.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { formatUnits, type Units } from '../domain/money.ts';

/** A limit on a value, in units of 1e-10 by quote currency; null, or no entry, where that is not limited. */
export type ValueLimit = Readonly<Record<Currency, Units | null>>;

/**
 * A limit on an amount, in units of 1e-10, by base currency in lower case such as `btc`. A currency that is
 * not named is not limited.
 */
export type AmountLimit = Readonly<Record<string, Units>>;

/**
 * Limits of the bot. A limit that is null is not checked. An order that reaches a limit exactly is allowed;
 * one unit beyond it is refused. Limits are per strategy unless their name or sentence says otherwise. Made
 * by `createRiskLimits`, which refuses invalid values.
 */
export interface RiskLimits {
  /** The largest amount of one order. */
  readonly maxOrderAmount: AmountLimit | null;
  /** The largest value of one order, at the highest price it may trade at. */
  readonly maxOrderValue: ValueLimit | null;
  /**
   * The largest position of a strategy in a coin, over all its markets, long or short, once all its live
   * orders of the side have traded.
   */
  readonly maxPosition: AmountLimit | null;
  /** The largest value that all strategies together may come to hold in one market. */
  readonly maxMarketExposure: ValueLimit | null;
  /** The largest value that all strategies together may come to hold in all markets of a quote currency. */
  readonly maxTotalExposure: ValueLimit | null;
  /** The most orders of one strategy that may be live at once, planned ones included. */
  readonly maxOpenOrdersPerStrategy: number | null;
  /** The same of the whole bot. */
  readonly maxOpenOrdersInAll: number | null;
  /**
   * Maximum distance of a price beyond the best price on the other side of the last seen book, in hundredths
   * of a percent of that.
   */
  readonly collarBps: number | null;
  /**
   * Maximum distance of a waiting order from the best price of its own side, and of a stop from the best
   * price it waits for, in hundredths of a percent.
   */
  readonly passiveCollarBps: number | null;
  /** Maximum time since the book was read, in milliseconds. */
  readonly maxBookAgeMs: number | null;
  /**
   * Maximum age of the book by the exchange's own time, in milliseconds, if it has one. Not checked by
   * default: on some exchanges it is the time of the last change, which in a quiet market is long ago.
   */
  readonly maxBookVenueAgeMs: number | null;
  /**
   * Maximum age of a book by the exchange's own time while other data of its market, or of the exchange, is
   * newer, in milliseconds; also the maximum time that all of the exchange may stand still.
   */
  readonly maxStandstillMs: number | null;
  /** The largest loss since 00:00 UTC, as a positive value. */
  readonly maxDailyLoss: ValueLimit | null;
  /** The largest fall from the highest result there ever was, as a positive value. */
  readonly maxDrawdown: ValueLimit | null;
  /** The most orders that a strategy may plan within any 60 seconds. */
  readonly maxOrdersPerMinute: number | null;
  /** The same within any 60 minutes. */
  readonly maxOrdersPerHour: number | null;
  /**
   * After so many losing round trips in a row, no new risk for so many milliseconds from the last of them on.
   */
  readonly lossCooldown: { readonly losses: number; readonly pauseMs: number } | null;
  /** True to refuse an order that could trade with another order of this bot, of any strategy. */
  readonly refuseSelfCrossing: boolean;
}

/**
 * Limits that apply if nothing is configured: guards against mistakes that no strategy makes on purpose. Only
 * the owner knows how much money may be at risk, so no value is limited here.
 */
export const DEFAULT_RISK_LIMITS: RiskLimits = {
  maxOrderAmount: null,
  maxOrderValue: null,
  maxPosition: null,
  maxMarketExposure: null,
  maxTotalExposure: null,
  maxOpenOrdersPerStrategy: 50,
  maxOpenOrdersInAll: 200,
  collarBps: 1_000,
  passiveCollarBps: null,
  maxBookAgeMs: 30_000,
  maxBookVenueAgeMs: null,
  maxStandstillMs: 60_000,
  maxDailyLoss: null,
  maxDrawdown: null,
  maxOrdersPerMinute: 60,
  maxOrdersPerHour: null,
  lossCooldown: null,
  refuseSelfCrossing: false,
};

/** Beyond what any budget of the exchange lets through: more is a slip of the keyboard. */
const LARGEST_COUNT = 1_000_000;
const BPS_OF_ALL = 10_000;

/** The strictest of some limits; null where none of them limits anything. */
export function leastLimit(limits: readonly (number | null)[]): number | null {
  const given = limits.filter((limit) => limit !== null);
  return given.length === 0 ? null : Math.min(...given);
}

/**
 * Limits from those that differ from the defaults.
 * @throws SarrafError `INVALID_OPTIONS` for a count, time or distance that is no whole number of its range,
 * and for a negative value.
 */
export function createRiskLimits(wanted: Partial<RiskLimits> = {}): RiskLimits {
  const limits = { ...DEFAULT_RISK_LIMITS, ...wanted };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === 'number') refuseUnlessWhole(name, value);
    else if (value !== null && typeof value === 'object') refuseWrongParts(name, value);
  }
  return limits;
}

function refuseWrongParts(name: string, parts: object): void {
  for (const [part, value] of Object.entries(parts) as [string, unknown][]) {
    if (typeof value === 'number') refuseUnlessWhole(`${name}.${part}`, value);
    if (typeof value === 'bigint' && value < 0n) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected ${name}.${part} to be zero or more, or null for no limit, was ${formatUnits(value)}`,
      );
    }
  }
}

function refuseUnlessWhole(name: string, value: number): void {
  const most = largestOf(name);
  const least = name === 'lossCooldown.losses' ? 1 : 0;
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected ${name} to be a whole number from ${least} to ${most}, or null for no limit, was ${value}`,
  );
}

function largestOf(name: string): number {
  if (name === 'passiveCollarBps') return BPS_OF_ALL * 100;
  if (name.endsWith('Bps')) return BPS_OF_ALL;
  return name.endsWith('Ms') ? Number.MAX_SAFE_INTEGER : LARGEST_COUNT;
}
