import { SarrafError } from '../domain/errors.ts';
import { DEFAULT_LIQUIDITY, type FollowedRules } from './liquidity-model.ts';
import type { VenueCall } from './port.ts';

/** Round trips that were measured, in ms: drawn from anew for each request; half of one is the way out. */
export interface DrawnLatency {
  readonly kind: 'drawn';
  readonly roundTripsMs: readonly number[];
  /** Those of requests that place or cancel orders; as all others without it. */
  readonly orderTripsMs?: readonly number[];
  readonly seed: number;
}

/**
 * Measured latency of each call of a session, the first of a kind for the first and so on; further ones are
 * drawn. For a run of that very session.
 */
export interface ReplayedLatency {
  readonly kind: 'replayed';
  /** By `tripKey`, in ms, in the order in which the calls were sent. */
  readonly tripsMs: ReadonlyMap<string, readonly number[]>;
  readonly further: DrawnLatency;
  /**
   * Part of it that is the outward trip: half of it; or, as on paper, all of it for requests to the exchange
   * that is followed, which is only then known to have changed, and nothing for requests to the exchange in
   * the bot's own process.
   */
  readonly ways: 'half' | 'apart';
}

/** Duration of a request and its reply. */
export type Latency =
  | { readonly kind: 'constant'; readonly outMs: number; readonly backMs: number }
  | DrawnLatency
  | ReplayedLatency;

/** Calls of one key ask for the same thing again. */
export function tripKey(call: VenueCall): string {
  const { kind } = call;
  if (kind === 'candles') return `${kind} ${call.market} ${call.timeframe}`;
  return kind === 'book' || kind === 'public-trades' ? `${kind} ${call.market}` : kind;
}

/** Rules for fills, and for the age of data when it is seen, if books and trades were recorded. */
export interface PollRules extends FollowedRules {
  readonly latency: Latency;
}

export const DEFAULT_POLL_RULES: PollRules = {
  ...DEFAULT_LIQUIDITY,
  latency: { kind: 'constant', outMs: 50, backMs: 50 },
  own: 'shown',
  tradesLagMs: 0,
};

const MILLION = 1_000_000;

/** A request that takes longer than this is no latency any more. */
const MOST_MS = 3_600_000;

/** The default rules with some set otherwise. Throws `INVALID_OPTIONS` for a number out of its range. */
export function createPollRules(given: Partial<PollRules> = {}): PollRules {
  const rules = { ...DEFAULT_POLL_RULES, ...given };
  const { queue, latency, tradesLagMs } = rules;
  if (queue.kind === 'share' && !isWithin(queue.millionths, MILLION)) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected queue.millionths to be a whole number of 0 to ${MILLION}, was ${queue.millionths}: 500000 is the middle of the queue`,
    );
  }
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
  if (tripsMs.length === 0) {
    throw new SarrafError('INVALID_OPTIONS', `expected at least one round trip in ${name}, was none`);
  }
  for (const roundTripMs of tripsMs) checkMs(name, roundTripMs);
}

function checkMs(name: string, durationMs: number): void {
  if (isWithin(durationMs, MOST_MS)) return;
  throw new SarrafError('INVALID_OPTIONS', `expected ${name} of 0 to ${MOST_MS} whole ms, was ${durationMs}`);
}

function isWithin(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= most;
}
