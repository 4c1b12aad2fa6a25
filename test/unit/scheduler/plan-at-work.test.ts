import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Slot } from '../../../src/budget/admission.ts';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import type { PlannedFeed } from '../../../src/scheduler/feed.ts';
import { planPolls } from '../../../src/scheduler/plan-polls.ts';
import { PollQueue } from '../../../src/scheduler/poll-queue.ts';
import { book, trades } from '../../../src/strategy/subscriptions.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { deepRuns } from '../../support/deep-runs.ts';

const LIMITS = {
  'v2/orderbook': 60,
  'v2/trades': 15,
  'market/stats': 100,
  'v2/options': 30,
  'market/udf/history': 30,
};
const budgets = Object.entries(LIMITS).map(([name, limit]) => ({
  name,
  limit,
  windowMs: 60_000,
  reserve: 0,
}));

const HOUR_MS = 3_600_000;

interface Sighting {
  readonly feed: PlannedFeed;
  /** Age of the feed's previous data when this answer came, in ms. */
  readonly ageMs: number;
  readonly atMs: number;
}

/** Runs a plan against the ledger for an hour of virtual time; returns answers but the first of a feed. */
function carryOut(feeds: readonly PlannedFeed[], replyMsOf: (request: number) => number): Sighting[] {
  const queue = new PollQueue(feeds, 0);
  const ledger = new BudgetLedger(budgets);
  const waiting: PlannedFeed[] = [];
  const flying: {
    readonly feed: PlannedFeed;
    readonly slot: Slot;
    readonly sentMs: number;
    readonly atMs: number;
  }[] = [];
  const sentMs = new Map<string, number>();
  const seen: Sighting[] = [];
  for (let nowMs = 0, requests = 0; nowMs < HOUR_MS;) {
    for (const answer of flying.filter(({ atMs }) => atMs === nowMs)) {
      flying.splice(flying.indexOf(answer), 1);
      const { feed, slot } = answer;
      ledger.settle(slot, 'answered', nowMs);
      queue.answered(feed.key, nowMs);
      const before = sentMs.get(feed.key);
      if (before !== undefined) seen.push({ feed, ageMs: nowMs - before, atMs: nowMs });
      sentMs.set(feed.key, answer.sentMs);
    }
    for (let feed = queue.due(nowMs); feed !== null; feed = queue.due(nowMs)) {
      queue.asked(feed.key, nowMs);
      waiting.push(feed);
    }
    let slotMs = Infinity;
    for (const feed of waiting.slice()) {
      const admission = ledger.admit({ budget: feed.budget, requestClass: feed.requestClass }, nowMs);
      if (!admission.admitted) slotMs = Math.min(slotMs, nowMs + (admission.waitMs ?? Infinity));
      else {
        waiting.splice(waiting.indexOf(feed), 1);
        flying.push({ feed, slot: admission.slot, sentMs: nowMs, atMs: nowMs + replyMsOf(requests) });
        requests += 1;
      }
    }
    nowMs = Math.ceil(Math.min(queue.wakeAtMs(), slotMs, ...flying.map(({ atMs }) => atMs)));
  }
  return seen;
}

describe('a plan at work under the ledger', () => {
  const market = fc.constantFrom(...Array.from({ length: 12 }, (_, index) => `C${index}IRT`));
  const everyMs = fc.constantFrom(1_500, 4_000, 10_000, 60_000, 120_000);
  const subscriptions = fc.array(
    fc.tuple(fc.constantFrom(book, trades), market, everyMs).map(([want, symbol, wantedMs]) => ({
      strategy: 's',
      subscription: want(symbol, { everyMs: wantedMs, maxAgeMs: 240_000 }),
    })),
    { minLength: 1, maxLength: 20 },
  );

  test('lets no data become older than the plan says by more than a gap of the fastest pace', () => {
    let answers = 0;
    fc.assert(
      fc.property(
        subscriptions,
        fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 7, maxLength: 7 }),
        (wanted, replies) => {
          const restart = { orderPages: 0, tradePages: 0, arrivedAfterMs: 0 };
          const { feeds, problems } = planPolls({
            venue: INTERFACE_PROFILE,
            subscriptions: wanted,
            traded: [],
            budgets,
            usesAccount: false,
            replyMs: 500,
            restart,
          });
          fc.pre(problems.length === 0);
          const settledMs =
            3 * Math.max(...feeds.map(({ key, intervalMs }) => (key === 'options' ? 0 : intervalMs)));
          for (const { feed, ageMs, atMs } of carryOut(feeds, (request) => replies[request % 7]!)) {
            if (atMs < settledMs || feed.key === 'options') continue;
            answers += 1;
            const cacheMs = feed.budget === 'v2/orderbook' ? 1_000 : 0;
            // The plan assumes slots to become free evenly; one may be later by a gap of the fastest pace.
            const gapsMs = feeds
              .filter(({ budget }) => budget === feed.budget)
              .map(
                ({ intervalMs }, _, all) =>
                  intervalMs / all.filter((of) => of.intervalMs === intervalMs).length,
              );
            expect(ageMs + cacheMs).toBeLessThanOrEqual(feed.worstAgeMs + Math.min(...gapsMs));
          }
        },
      ),
      { numRuns: deepRuns(12) },
    );
    expect(answers).toBeGreaterThan(deepRuns(2_000));
  });
});
