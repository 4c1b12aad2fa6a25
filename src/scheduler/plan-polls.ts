import { present, invalidOptions } from '../domain/errors.ts';
import { chargesOf, weightOf, type VenueCallKind, type VenueProfile } from '../venues/port.ts';
import {
  allBooksFeed,
  collectFeeds,
  ownListsOf,
  walletsOf,
  newcomersOf,
  universesOf,
  withCandidates,
  type NewcomerPlan,
  type PlannedUniverse,
} from './collect-feeds.ts';
import { type Feed, type PlannedFeed, BAR_RETRY_MS } from './feed.ts';
import {
  type PlanInput,
  type PlannedBudget,
  type PlanBudget,
  capacityOf,
  planTrails,
  type TrailPlan,
  burstWaitMs,
  plannedRate,
  slotWaitMs,
} from './plan-input.ts';
import {
  timeframeProblems,
  unservedProblems,
  planRestart,
  type RestartPlan,
  overloadProblem,
  tooHeavyProblems,
  tooLateProblem,
  tooYoungProblem,
} from './plan-problems.ts';
import type { UniverseSubscription } from '../strategy/subscriptions.ts';

/** Polling intervals of all data, the resulting ages, and the rest of the budgets. */
export interface PollPlan {
  readonly feeds: readonly PlannedFeed[];
  readonly budgets: readonly PlannedBudget[];
  /** The largest ratio of a planned interval to the target; 1 if every feed gets its target. */
  readonly largestStretch: number;
  readonly trails: TrailPlan;
  /** Reasons that the plan cannot be run, one sentence each; empty if everything fits. */
  readonly problems: readonly string[];
  readonly restart: RestartPlan;
  /** Cost of a market that enters a universe, for each universe. */
  readonly newcomers: readonly NewcomerPlan[];
}

/** Calls that place, cancel and query orders, with their purpose: mostly no poll uses their budgets. */
const ORDER_CALLS: readonly (readonly [VenueCallKind, string])[] = [
  ['place', 'placements'],
  ['cancel', 'cancels'],
  ['order', 'look-ups of orders'],
  ['cancel-old', 'cancels'],
];

/**
 * Plans the best ages that fit the budgets. In each budget all feeds are slowed by the same factor, and none
 * beyond its longest age while another has room. One request for all books replaces those for each if that
 * gives better ages. If something does not fit, the plan stays within the budgets, and `problems` names the
 * excess.
 * @throws SarrafError `INVALID_OPTIONS` for a feed whose budget is not given, `INVALID_MARKET` for an invalid
 * traded market.
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

/** Returns problems of universes: with how many markets the limits could be kept, if with any. */
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
  const others = input.usesAccount
    ? Map.groupBy(ORDER_CALLS, ([kind]) => input.venue.budgets[kind])
    : new Map<string, typeof ORDER_CALLS>();
  const unused = [...others].flatMap(([name, calls]) => {
    const budget = byBudget.has(name) ? undefined : budgets.get(name);
    const purpose = [...new Set(calls.map(([, what]) => what))].join(', ');
    return budget === undefined ? [] : [{ ...unusedBudget(budget), purpose }];
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
    restart: planRestart(budgets, { ...input, wallets: walletsOf(input), lists: ownListsOf(input) }),
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
    venue.unserved?.has('books') === true ||
    feeds.length < 2 ||
    (each.slowdown <= 1 && each.problems.length === 0)
  )
    return each;
  return planBudget(budget, [allBooksFeed(feeds, weightOf(venue, 'books'))], replyMs);
}

function budgetNamed(budgets: ReadonlyMap<string, PlanBudget>, name: string): PlanBudget {
  const budget = budgets.get(name);
  if (budget !== undefined) return budget;
  throw invalidOptions(`expected a budget named ${name}, there are ${[...budgets.keys()].join(', ')}`);
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

/** Returns the order moves a minute that limits allow: a cancel and an order each. Null: no limits. */
export function movesPerMinute(
  budgets: Iterable<PlanBudget>,
  venue: Pick<VenueProfile, 'budgets' | 'charges'>,
): number | null {
  const charges = [...chargesOf(venue, 'place'), ...chargesOf(venue, 'cancel')];
  const asksOf = (name: string): number =>
    charges.reduce((sum, { budget, weight }) => sum + (budget === name ? weight : 0), 0);
  const rates = [...budgets].flatMap((budget) => {
    const asks = asksOf(budget.name);
    return asks === 0 ? [] : [((capacityOf(budget) / budget.windowMs) * 60_000) / asks];
  });
  return rates.length === 0 ? null : Math.min(...rates);
}

/** Plan of one budget and its feeds. */
interface BudgetPlan {
  readonly feeds: readonly PlannedFeed[];
  readonly budget: PlannedBudget;
  readonly slowdown: number;
  readonly problems: readonly string[];
}

/** Shares one budget among its feeds. Bars come first, since their interval is fixed; others get the rest. */
function planBudget(budget: PlanBudget, feeds: readonly Feed[], replyMs: number): BudgetPlan {
  const bars = planBars(
    budget,
    feeds.filter(({ kind }) => kind === 'candles'),
    replyMs,
  );
  const polls = planSlowed(
    budget,
    feeds.filter(({ kind }) => kind !== 'candles'),
    { replyMs, perMs: plannedRate(budget) - bars.perMs },
  );
  const planned = [...bars.feeds, ...polls.feeds];
  const rateOf = (intervalOf: (feed: PlannedFeed) => number): number =>
    60_000 * (bars.perMs + polls.feeds.reduce((sum, feed) => sum + unitsOf(feed) / intervalOf(feed), 0));
  const requestsPerMinute = rateOf(({ intervalMs }) => intervalMs);
  const limitPerMinute = (budget.limit / budget.windowMs) * 60_000;
  return {
    feeds: planned,
    budget: {
      ...budget,
      limitPerMinute,
      requestsPerMinute,
      idleRequestsPerMinute: rateOf(({ idleIntervalMs }) => idleIntervalMs),
      leftPerMinute: Math.max(0, limitPerMinute - requestsPerMinute),
    },
    slowdown: polls.slowdown,
    problems: [...tooHeavyProblems(budget, feeds), ...bars.problems, ...polls.problems],
  };
}

/** Returns the units of one poll. */
const unitsOf = ({ lists, weight }: Feed): number => lists * weight;

interface Given {
  readonly feeds: readonly PlannedFeed[];
  readonly problems: readonly string[];
  /** Requests per ms. */
  readonly perMs: number;
}

/**
 * Plans bars. Those of one length close together, and those of every length at midnight: then each waits for
 * all of its length or shorter, since the most overdue relative to its length is requested first, and each
 * may need two requests.
 */
function planBars(budget: PlanBudget, feeds: readonly Feed[], replyMs: number): Given {
  const perMs = feeds.reduce(
    (sum, { turns, weight, wantedAgeMs }) => sum + (turns * weight) / wantedAgeMs,
    0,
  );
  const given = feeds.map((feed) => {
    const before = feeds.filter(({ wantedAgeMs }) => wantedAgeMs <= feed.wantedAgeMs);
    const requests = before.reduce((sum, { turns, weight }) => sum + turns * weight, 0);
    const lateMs = BAR_RETRY_MS + burstWaitMs(budget, { requests, replyMs }) + replyMs;
    return barFeed(feed, lateMs);
  });
  const problems = given
    .filter(({ worstAgeMs, longestAgeMs }) => worstAgeMs > longestAgeMs)
    .map((feed) => tooLateProblem(budget, feed));
  if (perMs <= plannedRate(budget)) return { feeds: given, problems, perMs };
  return { feeds: given, problems: [overloadProblem(budget, { feeds, perMs })], perMs };
}

function barFeed(feed: Feed, lateMs: number): PlannedFeed {
  const lengthMs = feed.wantedAgeMs;
  return {
    ...feed,
    intervalMs: lengthMs,
    idleIntervalMs: lengthMs,
    worstAgeMs: lengthMs + lateMs,
    latestAfterCloseMs: lateMs,
  };
}

function planSlowed(
  budget: PlanBudget,
  feeds: readonly Feed[],
  { replyMs, perMs }: { readonly replyMs: number; readonly perMs: number },
): Given & { readonly slowdown: number } {
  const waitMs = replyMs + waitOf(budget, feeds, replyMs);
  const demands = feeds.map((feed) => demandOf(feed, waitMs * feed.lists));
  const { intervalsMs, slowdown, leastRate } = shareBudget(demands, Math.max(0, perMs));
  const given = feeds.map((feed, index): PlannedFeed => {
    const { longestMs } = present(demands[index], 'a demand for each feed');
    const intervalMs = feed.lists * present(intervalsMs[index], 'an interval for each demand');
    const idleMs = Math.min(Math.floor(feed.idleAgeMs / feed.turns), longestMs * feed.lists);
    const idleIntervalMs = Math.max(intervalMs, idleMs);
    const worstAgeMs = intervalMs * feed.turns + waitMs * feed.lists + feed.cacheMs;
    return { ...feed, intervalMs, idleIntervalMs, worstAgeMs, latestAfterCloseMs: null };
  });
  const tooYoung = feeds.filter(
    ({ longestAgeMs, cacheMs, lists }) => longestAgeMs <= waitMs * lists + cacheMs,
  );
  const problems = tooYoung.map((feed) => tooYoungProblem(feed, waitMs * feed.lists));
  if (problems.length === 0 && leastRate > perMs)
    problems.push(overloadProblem(budget, { feeds, perMs: leastRate }));
  return { feeds: given, problems, perMs: leastRate, slowdown };
}

/**
 * Returns the longest wait of a request for its slot. It is estimated twice: with the budget used up, and
 * then with every feed polled at the target interval that this allows.
 */
function waitOf(budget: PlanBudget, feeds: readonly Feed[], replyMs: number): number {
  // Requests of one poll of several lists come together, as if each list had a pace of its own.
  const paces = new Map(
    feeds.map(({ wantedAgeMs, longestAgeMs, turns, lists, weight }) => [
      `${wantedAgeMs} ${longestAgeMs} ${turns} ${lists} ${weight}`,
      lists * weight,
    ]),
  )
    .values()
    .reduce((sum, units) => sum + units, 0);
  const mostMs = slotWaitMs(budget, { paces, perMs: Infinity, replyMs });
  const perMs = feeds.reduce(
    (sum, feed) => sum + feed.weight / demandOf(feed, (replyMs + mostMs) * feed.lists).wantedMs,
    0,
  );
  return slotWaitMs(budget, { paces, perMs, replyMs });
}

/**
 * Returns the interval of a feed's requests, so that its data is no older than permitted at the next reply.
 * `waitMs`: time until the last reply of a poll.
 */
function demandOf(
  { wantedAgeMs, longestAgeMs, cacheMs, turns, lists, weight }: Feed,
  waitMs: number,
): PaceDemand {
  const longestMs = Math.max(1, Math.floor((longestAgeMs - waitMs - cacheMs) / turns / lists));
  return { wantedMs: Math.min(Math.max(1, wantedAgeMs / turns / lists), longestMs), longestMs, weight };
}

/** Target and longest interval of a repeated request, in ms: positive, the target at most the longest. */
export interface PaceDemand {
  readonly wantedMs: number;
  readonly longestMs: number;
  /** Units that each request takes. */
  readonly weight: number;
}

interface PaceShares {
  /** An interval for each demand, in their order: whole ms; infinity if nothing may be requested. */
  readonly intervalsMs: readonly number[];
  /** The largest ratio of interval to target; 1 if every demand gets its target. */
  readonly slowdown: number;
  /** Units per ms at the longest intervals. If it is above the available rate, the demands do not fit. */
  readonly leastRate: number;
}

/**
 * Shares a rate so that the largest ratio of interval to target is as small as possible: all are slowed
 * alike, but none beyond its longest interval while another has room. The rates together never exceed
 * `perMs`. If not even the longest intervals fit, these are slowed alike.
 */
export function shareBudget(demands: readonly PaceDemand[], perMs: number): PaceShares {
  const leastRate = sumOf(demands, ({ longestMs, weight }) => weight / longestMs);
  if (leastRate > perMs) {
    const excess = perMs > 0 ? leastRate / perMs : Infinity;
    return {
      intervalsMs: demands.map(({ longestMs }) => Math.ceil(longestMs * excess)),
      slowdown: Math.max(...demands.map(({ wantedMs, longestMs }) => (longestMs * excess) / wantedMs)),
      leastRate,
    };
  }
  const slowdown = smallestSlowdown(demands, perMs);
  return {
    // Rounded up, so that the rate stays below the bound; this never exceeds a whole longest interval.
    intervalsMs: demands.map(({ wantedMs, longestMs }) =>
      Math.min(Math.ceil(wantedMs * slowdown), longestMs),
    ),
    slowdown,
    leastRate,
  };
}

/** Returns the smallest slowdown, at least 1, that keeps all demands, which can fit, within `perMs`. */
function smallestSlowdown(demands: readonly PaceDemand[], perMs: number): number {
  const byLimit = demands.toSorted(
    (left, right) => left.longestMs * right.wantedMs - right.longestMs * left.wantedMs,
  );
  let limitedRate = 0;
  let slowedRate = sumOf(demands, ({ wantedMs, weight }) => weight / wantedMs);
  let slowdown = 1;
  for (const { wantedMs, longestMs, weight } of byLimit) {
    if (perMs > limitedRate) slowdown = Math.max(1, slowedRate / (perMs - limitedRate));
    if (perMs > limitedRate && slowdown <= longestMs / wantedMs) return slowdown;
    // This demand reaches its longest interval before the others are slowed enough, and stays there.
    limitedRate += weight / longestMs;
    slowedRate -= weight / wantedMs;
    slowdown = longestMs / wantedMs;
  }
  return slowdown;
}

function sumOf(demands: readonly PaceDemand[], of: (demand: PaceDemand) => number): number {
  let sum = 0;
  for (const demand of demands) sum += of(demand);
  return sum;
}
