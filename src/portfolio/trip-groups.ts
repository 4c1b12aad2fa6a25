import { NO_UNITS, type Units } from '../domain/money.ts';
import type { RoundTrip } from './round-trips.ts';

/** Closed trips with something in common. Money: their quote currency. */
export interface TripGroup<Key> {
  readonly key: Key;
  readonly trips: number;
  /** Number of trips with a profit. */
  readonly wins: number;
  readonly profit: Units;
  readonly fees: Units;
  /** Mean profit of the wins by the mean loss of the losses; null without both. */
  readonly payoff: number | null;
  /** Mean time from purchase to sale, in ms. */
  readonly lengthMs: number;
}

interface Sums {
  trips: number;
  wins: number;
  losses: number;
  won: bigint;
  lost: bigint;
  fees: bigint;
  lengthMs: number;
}

/** Groups closed trips by a key, in the order in which the keys first occur; open trips are left out. */
export function groupTrips<Trip extends RoundTrip, Key>(
  trips: readonly Trip[],
  keyOf: (trip: Trip, closedAtMs: number) => Key,
): readonly TripGroup<Key>[] {
  const groups = new Map<Key, Sums>();
  for (const trip of trips) {
    const { closedAtMs, openedAtMs, profit, fees } = trip;
    if (closedAtMs === null) continue;
    const key = keyOf(trip, closedAtMs);
    let sums = groups.get(key);
    if (sums === undefined)
      groups.set(key, (sums = { trips: 0, wins: 0, losses: 0, won: 0n, lost: 0n, fees: 0n, lengthMs: 0 }));
    sums.trips += 1;
    if (profit > 0n) sums.wins += 1;
    if (profit < 0n) sums.losses += 1;
    if (profit > 0n) sums.won += profit;
    else sums.lost -= profit;
    sums.fees += fees;
    sums.lengthMs += closedAtMs - openedAtMs;
  }
  return [...groups].map(([key, { trips: count, wins, losses, won, lost, fees, lengthMs }]) => ({
    key,
    trips: count,
    wins,
    profit: (NO_UNITS + won - lost) as Units,
    fees: fees as Units,
    payoff: wins === 0 || losses === 0 ? null : Number(won) / wins / (Number(lost) / losses),
    lengthMs: lengthMs / count,
  }));
}
