import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  LATE_ARRIVAL_MS,
  MOST_SEND_DELAY_MS,
  mostSendDelayMs,
  type Slot,
} from '../../src/budget/admission.ts';
import { BudgetLedger } from '../../src/budget/ledger.ts';
import { REQUEST_CLASSES } from '../../src/domain/rate-limit.ts';
import { deepRuns } from '../support/deep-runs.ts';

const BUDGET = 'orders/list';
const WINDOW_MS = 1_000;

/** A request as the exchange counts it. */
interface Counted {
  readonly atMs: number;
  readonly weight: number;
}

const once = (atMs: number): Counted => ({ atMs, weight: 1 });

/** Returns the most units in any window, both ends included. */
function mostInAnyWindow(counted: readonly Counted[], windowMs: number): number {
  const sorted = counted.toSorted((left, right) => left.atMs - right.atMs);
  let first = 0;
  let units = 0;
  let most = 0;
  for (const { atMs, weight } of sorted) {
    units += weight;
    for (let one = sorted[first]; one !== undefined && one.atMs < atMs - windowMs; one = sorted[first]) {
      units -= one.weight;
      first += 1;
    }
    most = Math.max(most, units);
  }
  return most;
}

/** Returns the most units in any window of a grid that begins at `offsetMs`. */
function mostInFixedWindow(counted: readonly Counted[], windowMs: number, offsetMs: number): number {
  const counts = new Map<number, number>();
  for (const { atMs, weight } of counted) {
    const window = Math.floor((atMs - offsetMs) / windowMs);
    counts.set(window, (counts.get(window) ?? 0) + weight);
  }
  return Math.max(0, ...counts.values());
}

interface Trip {
  readonly slot: Slot;
  readonly owner: number;
  readonly sentAtMs: number;
  /** When its owner settles it, or would have if it had not died. */
  readonly endsAtMs: number;
  readonly isAnswered: boolean;
  /** True if the exchange does not count it, as it says in its answer. */
  readonly isFree: boolean;
  /** When it arrives at the exchange; it is counted then, or at the end of a stall. */
  arrivesAtMs: number;
}

/** Time-out of a sender, in ms. */
const TIMEOUT_MS = 9_500;

/** Times in which the exchange stood still, in order. */
type Stalls = { readonly fromMs: number; readonly toMs: number }[];

/** When the exchange counts a request that arrives at a time. */
function countedAt(stalls: Stalls, arrivesAtMs: number): number {
  const stall = stalls.find(({ fromMs, toMs }) => fromMs < arrivesAtMs && arrivesAtMs < toMs);
  return stall?.toMs ?? arrivesAtMs;
}

/** Draws thousandths from 0 to `most`, evenly: doubles would nearly all be close to 0. */
const upTo = (most: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: most * 1_000 }).map((value) => value / 1_000);

const step = fc.record({
  gapMs: fc.oneof(
    { weight: 40, arbitrary: upTo(50) },
    { weight: 2, arbitrary: upTo(2_000) },
    { weight: 1, arbitrary: upTo(120_000) },
  ),
  tripMs: fc.oneof(fc.constant(0), upTo(200), upTo(9_000)),
  /** Time from admission to send, as a share of the longest allowed. */
  delay: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: upTo(1) }),
  countedAt: upTo(1),
  /** True if it is counted only after its socket was closed, as late as possible. */
  isLost: fc.boolean(),
  requestClass: fc.constantFrom(...REQUEST_CLASSES),
  /** Units, as a share of the limit. */
  weight: fc.oneof(fc.constant(0), upTo(1)),
  isFree: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  owner: fc.nat(2),
  event: fc.oneof(
    { weight: 20, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constant('crash' as const) },
    { weight: 1, arbitrary: fc.constant('stop' as const) },
    { weight: 1, arbitrary: fc.constant('stall' as const) },
  ),
  stallMs: fc.oneof(upTo(20_000), upTo(600_000)),
});

describe('a ledger shared by several owners', () => {
  test('never lets the exchange count more than the limit in any window, sliding or fixed', () => {
    let sent = 0;
    let crashes = 0;
    let stops = 0;
    let doubts = 0;
    let lateSends = 0;
    let heavy = 0;
    let given = 0;
    const run = fc.property(
      fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 60 })),
      fc.array(step, { minLength: 200, maxLength: 400 }),
      upTo(WINDOW_MS),
      (limit, steps, offsetMs) => {
        const ledger = new BudgetLedger([{ name: BUDGET, limit, windowMs: WINDOW_MS }]);
        let trips: Trip[] = [];
        const all: Trip[] = [];
        const lives = [0, 0, 0];
        const stoppedUntilMs = [0, 0, 0];
        const stalls: Stalls = [];
        let timeMs = 0;
        for (const each of steps) {
          const { gapMs, tripMs, isLost, requestClass, owner, event } = each;
          timeMs += gapMs;
          const nowMs = Math.floor(timeMs);
          const name = `${owner}.${lives[owner]}`;
          if (event === 'crash') {
            crashes += 1;
            // What a dead process has sent arrives within the bound or never; other requests never.
            for (const trip of trips.filter((trip) => trip.owner === owner)) {
              trip.arrivesAtMs =
                trip.sentAtMs > timeMs
                  ? Number.POSITIVE_INFINITY
                  : Math.min(trip.arrivesAtMs, timeMs + LATE_ARRIVAL_MS - 1);
            }
            trips = trips.filter((trip) => trip.owner !== owner);
            lives[owner] = (lives[owner] ?? 0) + 1;
            ledger.bury(name, nowMs);
            continue;
          }
          if (event === 'stop') {
            stops += 1;
            stoppedUntilMs[owner] = timeMs + 5_000;
          }
          // Requests under way were drawn as if there were no stall, so it begins once they have arrived.
          if (event === 'stall') {
            const fromMs = Math.max(
              timeMs,
              ...trips.map(({ endsAtMs }) => endsAtMs),
              stalls.at(-1)?.toMs ?? 0,
            );
            stalls.push({ fromMs, toMs: fromMs + each.stallMs });
          }
          const ended = trips.filter(
            (trip) => trip.endsAtMs <= timeMs && (stoppedUntilMs[trip.owner] ?? 0) <= timeMs,
          );
          // A stopped owner settles when it goes on: later than its reply came, never earlier.
          for (const { slot, owner: its, endsAtMs, isAnswered, isFree } of ended) {
            const atMs = Math.floor(Math.max(endsAtMs, stoppedUntilMs[its] ?? 0));
            const end = isFree ? 'uncounted' : 'answered';
            ledger.settle(slot, isAnswered ? end : 'unanswered', atMs);
            doubts += Number(!isAnswered);
            given += Number(isAnswered && isFree);
          }
          trips = trips.filter((trip) => !ended.includes(trip));
          if ((stoppedUntilMs[owner] ?? 0) > timeMs) continue;
          const weight = Math.max(1, Math.ceil(limit * each.weight));
          const admission = ledger.admit({ budget: BUDGET, requestClass, owner: name, weight }, nowMs);
          if (!admission.admitted) continue;
          sent += 1;
          heavy += Number(weight > 1);
          const delayMs = mostSendDelayMs(requestClass) * each.delay;
          lateSends += Number(delayMs > MOST_SEND_DELAY_MS);
          const sentAtMs = timeMs + delayMs;
          const isLate = isLost && tripMs > 5_000;
          const latestMs = isLate ? tripMs + LATE_ARRIVAL_MS - 1 : tripMs;
          const arrivesAtMs = sentAtMs + latestMs * each.countedAt;
          const answeredAtMs = countedAt(stalls, arrivesAtMs) + tripMs * (1 - each.countedAt);
          const isAnswered = !isLate && answeredAtMs <= sentAtMs + TIMEOUT_MS;
          const endsAtMs = isAnswered ? answeredAtMs : sentAtMs + (isLate ? tripMs : TIMEOUT_MS);
          const isFree = each.isFree && isAnswered;
          const { slot } = admission;
          const trip: Trip = { slot, owner, sentAtMs, endsAtMs, isAnswered, isFree, arrivesAtMs };
          trips.push(trip);
          all.push(trip);
        }
        const counted = all
          .filter(({ isFree }) => !isFree)
          .map(({ arrivesAtMs, slot: { weight } }) => ({ atMs: countedAt(stalls, arrivesAtMs), weight }))
          .filter(({ atMs }) => atMs < Number.POSITIVE_INFINITY);
        expect(mostInAnyWindow(counted, WINDOW_MS)).toBeLessThanOrEqual(limit);
        expect(mostInFixedWindow(counted, WINDOW_MS, offsetMs)).toBeLessThanOrEqual(limit);
        expect(ledger.usage()[0]?.most).toBeLessThanOrEqual(limit);
      },
    );
    fc.assert(run, { numRuns: deepRuns(125, 250), endOnFailure: true });
    // The counts are random, so each must only be large enough.
    expect(Math.min(sent, crashes, stops, doubts, lateSends, heavy, given)).toBeGreaterThan(deepRuns(5, 10));
  });

  test('keeps the limit together with an owner that it does not know of, whose requests arrive before its first answer', () => {
    let questions = 0;
    let others = 0;
    const trip = fc.record({
      gapMs: fc.oneof(upTo(400), upTo(30_000)),
      tripMs: upTo(200),
      isLost: fc.boolean(),
    });
    const run = fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(trip, { minLength: 10, maxLength: 40 }),
      fc.array(trip, { minLength: 20, maxLength: 60 }),
      (limit, before, after) => {
        const budgets = [{ name: BUDGET, limit, statedLimit: limit + 1, windowMs: WINDOW_MS }];
        const ask = { budget: BUDGET, requestClass: 'cancel' } as const;
        const unknown = new BudgetLedger(budgets);
        let timeMs = 0;
        const arrivals: number[] = [];
        for (const { gapMs, tripMs, isLost } of before) {
          timeMs += gapMs;
          const admission = unknown.admit(ask, Math.floor(timeMs));
          if (!admission.admitted) continue;
          const endsAtMs = timeMs + tripMs;
          arrivals.push(isLost ? endsAtMs + LATE_ARRIVAL_MS - 1 : endsAtMs);
          unknown.settle(admission.slot, isLost ? 'unanswered' : 'answered', Math.floor(endsAtMs));
        }
        // Its ledger is lost, and its process is dead: what that has sent arrives within the bound.
        const lostAtMs = Math.floor(timeMs);
        const ledger = new BudgetLedger(budgets, { fullSinceMs: lostAtMs });
        let heardAtMs = lostAtMs + LATE_ARRIVAL_MS;
        const own: number[] = [];
        const open: { slot: Slot; endsAtMs: number; isLost: boolean }[] = [];
        for (const { gapMs, tripMs, isLost } of after) {
          timeMs += gapMs;
          for (const { slot, endsAtMs, isLost: isGone } of open.splice(0)) {
            ledger.settle(slot, isGone ? 'unanswered' : 'answered', Math.floor(endsAtMs));
            if (!isGone) heardAtMs = Math.min(heardAtMs, endsAtMs);
            timeMs = Math.max(timeMs, endsAtMs);
          }
          const admission = ledger.admit(ask, Math.floor(timeMs));
          if (!admission.admitted) continue;
          if (heardAtMs > timeMs) questions += 1;
          own.push(timeMs + tripMs / 2);
          open.push({ slot: admission.slot, endsAtMs: timeMs + tripMs, isLost });
        }
        others += arrivals.filter((atMs) => atMs > lostAtMs).length;
        const counted = [
          ...arrivals.map((atMs) => Math.min(atMs, Math.max(heardAtMs, lostAtMs))),
          ...own,
        ].map(once);
        expect(mostInAnyWindow(counted, WINDOW_MS)).toBeLessThanOrEqual(limit + 1);
      },
    );
    fc.assert(run, { numRuns: deepRuns(125, 250), endOnFailure: true });
    expect(Math.min(questions, others)).toBeGreaterThan(deepRuns(25, 50));
  });

  test.each([
    ['orders/add', 'place', 300, 600_000, 300],
    ['orders/list', 'cancel', 30, 60_000, 30],
    ['orders/list', 'market', 30, 60_000, 27],
  ] as const)(
    'delivers 98 of 100 to %s for %s, less the reserve',
    (name, requestClass, limit, windowMs, usable) => {
      const ledger = new BudgetLedger([{ name, limit, windowMs, hasReserve: name === 'orders/list' }]);
      const windows = 10;
      let waiting: { readonly slot: Slot; readonly endsAtMs: number }[] = [];
      let sent = 0;
      for (let nowMs = 0; nowMs < windows * windowMs; nowMs += windowMs / 2_000) {
        for (const { slot, endsAtMs } of waiting.filter((trip) => trip.endsAtMs <= nowMs))
          ledger.settle(slot, 'answered', endsAtMs);
        waiting = waiting.filter((trip) => trip.endsAtMs > nowMs);
        for (;;) {
          const admission = ledger.admit({ budget: name, requestClass }, nowMs);
          if (!admission.admitted) break;
          sent += 1;
          waiting.push({ slot: admission.slot, endsAtMs: nowMs + windowMs / 125 });
        }
      }
      expect(sent / windows).toBeGreaterThanOrEqual(usable * 0.98);
      expect(sent / windows).toBeLessThanOrEqual(usable);
    },
  );
});
