import { SarrafError } from '../domain/errors.ts';
import type { VenueCallKind, VenueProfile } from '../venues/port.ts';
import { allBooksFeed, collectFeeds, walletsOf } from './collect-feeds.ts';
import type { Feed, PlannedFeed } from './feed.ts';
import type { PlanInput } from './plan-input.ts';
import { timeframeProblems, unservedProblems, planRestart, type RestartPlan } from './plan-problems.ts';
import { planBudget, type BudgetPlan } from './plan-budget.ts';
import { type PlannedBudget, type PlanBudget, capacityOf } from './planned-budget.ts';
import type { UniverseSubscription } from '../strategy/subscriptions.ts';
import {
  newcomersOf,
  universesOf,
  withCandidates,
  type NewcomerPlan,
  type PlannedUniverse,
} from './pooled-feeds.ts';
import { planTrails, type TrailPlan } from './plan-trails.ts';

/** Polling intervals of all data, the resulting ages, and the rest of the budgets. */
export interface PollPlan {
  readonly feeds: readonly PlannedFeed[];
  readonly budgets: readonly PlannedBudget[];
  /** The largest ratio of what is given to what was wanted; 1 where everybody gets what it wants. */
  readonly largestStretch: number;
  readonly trails: TrailPlan;
  /** Reasons that the plan can not be run, a sentence each; empty if everything fits. */
  readonly problems: readonly string[];
  readonly restart: RestartPlan;
  /** Cost of a market that enters a universe, for each universe. */
  readonly newcomers: readonly NewcomerPlan[];
}

/** Calls that place, cancel and query orders: no poll uses their budgets. */
const ORDER_CALLS: readonly VenueCallKind[] = ['place', 'cancel', 'order', 'cancel-old'];

/**
 * The best ages that fit the budgets. In each budget every feed is stretched alike from what is wanted, and
 * none beyond its longest age while another has slack. One call for all books replaces those for each where
 * these can not have the ages they want: it never gives worse ones. Where something does not fit, the plan
 * still stays within the budgets that can be kept, and `problems` says what is too much.
 * @throws SarrafError `INVALID_OPTIONS` for a feed whose budget is not among those given, `INVALID_MARKET`
 * for an invalid traded market.
 */
export function planPolls(input: PlanInput): PollPlan {
  const universes = universesOf(input);
  const plan = planAll(input);
  return {
    ...plan,
    feeds: withCandidates(plan.feeds, universes),
    problems: [...plan.problems, ...(plan.problems.length === 0 ? [] : placesProblems(input, universes))],
    newcomers: newcomersOf(plan.feeds, universes, {
      ...input,
      candles: plan.budgets.find(({ name }) => name === input.venue.budgets.candles),
    }),
  };
}

/** With how many markets of a universe at once the limits could be kept, where they can at all. */
function placesProblems(input: PlanInput, universes: readonly PlannedUniverse[]): readonly string[] {
  return universes.flatMap(({ key, wanted, places }) => {
    let [fits, tooMany] = [0, places];
    while (tooMany - fits > 1) {
      const middle = (fits + tooMany) >> 1;
      if (planAll(withPlaces(input, wanted, middle)).problems.length === 0) fits = middle;
      else tooMany = middle;
    }
    if (fits === 0) return [];
    const { take, reserve } = wanted.rules;
    return [
      `${key}: expected at most ${fits} markets at once, found ${places} (take ${take}, reserve ${reserve}): take fewer, or candles and books of each less often`,
    ];
  });
}

function withPlaces(input: PlanInput, wanted: UniverseSubscription, places: number): PlanInput {
  const rules = { ...wanted.rules, take: places, reserve: 0 };
  return {
    ...input,
    subscriptions: input.subscriptions.map((one) =>
      one.subscription === wanted ? { ...one, subscription: { ...wanted, rules } } : one,
    ),
  };
}

function planAll(input: PlanInput): Omit<PollPlan, 'newcomers'> {
  const budgets = new Map(input.budgets.map((budget) => [budget.name, budget]));
  const byBudget = Map.groupBy(collectFeeds(input), ({ budget }) => budget);
  const plans = [...byBudget].map(([name, feeds]) => planOf(budgetNamed(budgets, name), feeds, input));
  const unused = ORDER_CALLS.flatMap((kind) => {
    const budget = budgets.get(input.venue.budgets[kind]);
    return budget === undefined || !input.usesAccount ? [] : [unusedBudget(budget)];
  });
  const trails = planTrails(input.trails ?? [], budgets, input.venue);
  return {
    feeds: plans.flatMap(({ feeds }) => feeds),
    budgets: [...plans.map(({ budget }) => budget), ...unused],
    largestStretch: Math.max(1, ...plans.map(({ slowdown }) => slowdown)),
    trails,
    problems: [
      ...timeframeProblems(input),
      ...unservedProblems(input),
      ...plans.flatMap(({ problems }) => problems),
      ...trails.problems,
    ],
    restart: planRestart(budgets, { ...input, wallets: walletsOf(input) }),
  };
}

function planOf(
  budget: PlanBudget,
  feeds: readonly Feed[],
  { replyMs, venue }: Pick<PlanInput, 'replyMs' | 'venue'>,
): BudgetPlan {
  const each = planBudget(budget, feeds, replyMs);
  if (
    budget.name !== venue.budgets.books ||
    feeds.length < 2 ||
    (each.slowdown <= 1 && each.problems.length === 0)
  )
    return each;
  return planBudget(budget, [allBooksFeed(feeds)], replyMs);
}

function budgetNamed(budgets: ReadonlyMap<string, PlanBudget>, name: string): PlanBudget {
  const budget = budgets.get(name);
  if (budget !== undefined) return budget;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected a budget named ${name}, there are ${[...budgets.keys()].join(', ')}`,
  );
}

function unusedBudget(budget: PlanBudget): PlannedBudget {
  const limitPerMinute = (budget.limit / budget.windowMs) * 60_000;
  return {
    ...budget,
    limitPerMinute,
    requestsPerMinute: 0,
    idleRequestsPerMinute: 0,
    leftPerMinute: limitPerMinute,
  };
}

/**
 * Returns the number of moves of an order that the limits allow a minute: a cancel and an order each. Null if
 * neither is counted.
 */
export function movesPerMinute(
  budgets: Iterable<PlanBudget>,
  { budgets: names }: Pick<VenueProfile, 'budgets'>,
): number | null {
  const { place, cancel } = names;
  const asksOf = (name: string): number => Number(name === place) + Number(name === cancel);
  const rates = [...budgets].flatMap((budget) => {
    const asks = asksOf(budget.name);
    return asks === 0 ? [] : [((capacityOf(budget) / budget.windowMs) * 60_000) / asks];
  });
  return rates.length === 0 ? null : Math.min(...rates);
}
