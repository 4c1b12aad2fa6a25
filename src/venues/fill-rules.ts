import { invalidOptions } from '../domain/errors.ts';
import type { VenueCall } from './port.ts';

/** Order in which a bar is assumed to reach its high and its low. */
export type BarPath = 'worst-first' | 'open-high-low-close' | 'open-low-high-close' | 'nearest-first';

/** Cost of a taker order besides half the spread: a part of the price, or of the bar's range. */
type Slippage =
  | { readonly kind: 'bps'; readonly bps: number }
  | { readonly kind: 'range'; readonly millionths: number };

/** Fill rules for orders if only bars are known. */
export interface BarRules {
  /** Time at which an order reaches the exchange: the next bar's open, or the close of the last bar. */
  readonly arrival: 'next-open' | 'this-close';
  /** Spread between best bid and best ask, in bps. A taker pays half of it. At most two decimals. */
  readonly spreadBps: number;
  readonly slippage: Slippage;
  /** Price that fills a limit order: one beyond its own, or its own as well. */
  readonly limitFill: 'through' | 'touch';
  /** Fill price of a resting limit order if a bar opens beyond its price: that open, or its own price. */
  readonly limitGap: 'open' | 'own-price';
  readonly path: BarPath;
  /** Largest share of a bar's volume that the account's orders take together; null: no bound. */
  readonly volumeShareMillionths: number | null;
  /** `exchange` if a market order ends one percent beyond its valuation at placement, as on the exchange. */
  readonly marketBand: 'none' | 'exchange';
}

export const DEFAULT_CANDLE_RULES: BarRules = {
  arrival: 'next-open',
  spreadBps: 0,
  slippage: { kind: 'bps', bps: 0 },
  limitFill: 'through',
  limitGap: 'open',
  path: 'worst-first',
  volumeShareMillionths: 100_000,
  marketBand: 'none',
};

const MOST_BPS = 10_000;
const MILLION = 1_000_000;

/** Returns the default rules with some changed. Throws `INVALID_OPTIONS` for a number out of range. */
export function createBarRules(given: Partial<BarRules> = {}): BarRules {
  const rules = { ...DEFAULT_CANDLE_RULES, ...given };
  checkBps('spreadBps', rules.spreadBps);
  if (rules.slippage.kind === 'bps') checkBps('slippage.bps', rules.slippage.bps);
  else checkMillionths('slippage.millionths', rules.slippage.millionths, 0);
  if (rules.volumeShareMillionths !== null)
    checkMillionths('volumeShareMillionths', rules.volumeShareMillionths, 1);
  return rules;
}

/** Converts basis points to millionths. */
export const millionthsOfBps = (bps: number): number => Math.round(bps * 100);

function checkBps(name: string, bps: number): void {
  // A product such as 0.07 * 100 is off by the last bit of a float.
  const isWhole = Math.abs(bps * 100 - millionthsOfBps(bps)) < 1e-6;
  if (bps >= 0 && bps <= MOST_BPS && isWhole) return;
  throw invalidOptions(
    `expected ${name} of 0 to ${MOST_BPS} with at most two decimals, was ${bps}: set it to basis points, 1 is 0.01 %`,
  );
}

function checkMillionths(name: string, millionths: number, least: number): void {
  if (Number.isInteger(millionths) && millionths >= least && millionths <= MILLION) return;
  throw invalidOptions(
    `expected ${name} to be a whole number of ${least} to ${MILLION}, was ${millionths}: 100000 is 10 %`,
  );
}

/** Initial queue place of an own order at its price: behind what the book shows, before it, or amid it. */
export type QueuePlace =
  | { readonly kind: 'back' }
  | { readonly kind: 'front' }
  | { readonly kind: 'share'; readonly millionths: number };

/** Fill rules for a market followed by its books and trades, live on paper or from a recording. */
export interface LiquidityModel {
  readonly queue: QueuePlace;
  /** Amount of an own order that fills when the market passes its price: all, or what was traded beyond. */
  readonly through: 'whole' | 'volume';
  /** Time for which an amount that we took is missing: until a book changes it, or the next book. */
  readonly liquidity: 'until-change' | 'next-book';
}

export const DEFAULT_LIQUIDITY: LiquidityModel = {
  queue: { kind: 'back' },
  through: 'whole',
  liquidity: 'until-change',
};

/** Fill rules, and the visibility of our orders and trades. */
export interface FollowedRules extends LiquidityModel {
  /** `shown` if polled books and public trades include our own: on paper no one else sees them. */
  readonly own: 'shown' | 'hidden';
  /** Delay of our own trades list in ms. */
  readonly tradesLagMs: number;
}

/** Latency drawn for each request from measured round trips in ms; half of one is the outward trip. */
export interface DrawnLatency {
  readonly kind: 'drawn';
  readonly roundTripsMs: readonly number[];
  /** Round trips of requests that place or cancel orders; left out: as for all others. */
  readonly orderTripsMs?: readonly number[];
  readonly seed: number;
}

/**
 * Measured latency of each call of a session: the first for the first call of a kind, and so on; further ones
 * are drawn. It is used for a run of that very session.
 */
export interface ReplayedLatency {
  readonly kind: 'replayed';
  /** Round trips by `tripKey`, in ms, in the order in which the calls were sent. */
  readonly tripsMs: ReadonlyMap<string, readonly number[]>;
  readonly further: DrawnLatency;
  /**
   * Outward part of the round trip. `half`: half of it. `apart`, for paper: all of it for requests to the
   * followed exchange, whose change is known only then, and none for requests to the exchange in the bot's
   * own process.
   */
  readonly split: 'half' | 'apart';
}

/** Duration of a request and its reply. */
export type Latency =
  | { readonly kind: 'constant'; readonly outMs: number; readonly backMs: number }
  | DrawnLatency
  | ReplayedLatency;

/** Returns a key that is equal for calls that request the same data again. */
export function tripKey(call: VenueCall): string {
  const { kind } = call;
  if (kind === 'candles') return `${kind} ${call.market} ${call.timeframe}`;
  return kind === 'book' || kind === 'public-trades' ? `${kind} ${call.market}` : kind;
}

/** Rules for fills and for the age of data, if books and trades were recorded. */
export interface PollRules extends FollowedRules {
  readonly latency: Latency;
}

export const DEFAULT_POLL_RULES: PollRules = {
  ...DEFAULT_LIQUIDITY,
  latency: { kind: 'constant', outMs: 50, backMs: 50 },
  own: 'shown',
  tradesLagMs: 0,
};

/** Longest duration of a request that can be a latency. */
const MOST_MS = 3_600_000;

/** Returns the default rules with some changed. Throws `INVALID_OPTIONS` for a number out of range. */
export function createPollRules(given: Partial<PollRules> = {}): PollRules {
  const rules = { ...DEFAULT_POLL_RULES, ...given };
  const { queue, latency, tradesLagMs } = rules;
  if (queue.kind === 'share' && !isWithin(queue.millionths, MILLION))
    throw invalidOptions(
      `expected queue.millionths to be a whole number of 0 to ${MILLION}, was ${queue.millionths}: 500000 is the middle of the queue`,
    );
  checkMs('tradesLagMs', tradesLagMs);
  if (latency.kind === 'constant') {
    checkMs('latency.outMs', latency.outMs);
    checkMs('latency.backMs', latency.backMs);
    return rules;
  }
  const { roundTripsMs, orderTripsMs } = latency.kind === 'drawn' ? latency : latency.further;
  checkTrips('latency.roundTripsMs', roundTripsMs);
  if (orderTripsMs !== undefined) checkTrips('latency.orderTripsMs', orderTripsMs);
  return rules;
}

function checkTrips(name: string, tripsMs: readonly number[]): void {
  if (tripsMs.length === 0) throw invalidOptions(`expected at least one round trip in ${name}, was none`);
  for (const roundTripMs of tripsMs) checkMs(name, roundTripMs);
}

function checkMs(name: string, durationMs: number): void {
  if (isWithin(durationMs, MOST_MS)) return;
  throw invalidOptions(`expected ${name} of 0 to ${MOST_MS} whole ms, was ${durationMs}`);
}

const isWithin = (value: number, most: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= most;
