import { listText, present } from '../domain/errors.ts';
import {
  type PlanInput,
  PLANNED_SHARE,
  plannedRate,
  type PlanBudget,
  capacityOf,
  occupiedMsOf,
} from './plan-input.ts';
import { marginTopic } from '../records/margin.ts';
import { isOfMargin, routeOfSubscription, type Subscription } from '../strategy/subscriptions.ts';
import { weightOf, type VenueCallKind, type VenueProfile } from '../venues/port.ts';
import type { Feed, PlannedFeed } from './feed.ts';
import type { OwnListCounts } from './collect-feeds.ts';
import { lengthText } from '../domain/time-text.ts';

/** Maximum number of feeds that one sentence names; further ones are counted. */
const MOST_NAMED = 8;

/** Returns the problem of a budget with fewer requests than polls need at most (`perMs`). */
export function overloadProblem(
  budget: PlanBudget,
  { feeds, perMs }: { readonly feeds: readonly Feed[]; readonly perMs: number },
): string {
  const reserve = budget.reserve === 0 ? '' : ` less a reserve of ${budget.reserve}`;
  const limit = `${PLANNED_SHARE * 100} % of ${budget.limit} in ${lengthText(budget.windowMs)}${reserve}`;
  const named = listText(feeds.map(nameWithAge), MOST_NAMED);
  return `${budget.name}: expected at most ${aMinute(plannedRate(budget))} ${budget.isWeighted === true ? 'units' : 'requests'} a minute (${limit}), found ${aMinute(perMs)} for ${named}: ${remedyOf(feeds)}`;
}

/** Returns the problems of candles in timeframes that the exchange does not have. */
export function timeframeProblems({
  subscriptions,
  venue: { timeframes },
}: Pick<PlanInput, 'subscriptions' | 'venue'>): readonly string[] {
  return subscriptions.flatMap(({ strategy, subscription }) => {
    if (subscription.kind !== 'candles' || timeframes.has(subscription.timeframe)) return [];
    const { market, timeframe } = subscription;
    return [
      `candles ${market} ${timeframe}: expected one of the timeframes that the exchange has (${[...timeframes].join(', ')}), found ${timeframe} for ${strategy}; ask for another one`,
    ];
  });
}

/** The call that reads each kind of subscription. A timer and a signal need none. */
const CALL_OF: Readonly<Partial<Record<Subscription['kind'], VenueCallKind>>> = {
  book: 'book',
  trades: 'public-trades',
  stats: 'stats',
  universe: 'stats',
  candles: 'candles',
  pools: 'pools',
  'margin-wallets': 'margin-wallets',
  'delegation-limit': 'delegation-limit',
};

/** Returns the subscriptions that need a call which the venue does not answer, each with the reason. */
export function unservedSubscriptions(
  subscriptions: readonly Subscription[],
  { unserved }: Pick<VenueProfile, 'unserved'>,
): readonly { readonly subscription: Subscription; readonly why: string }[] {
  if (unserved === undefined) return [];
  return subscriptions.flatMap((subscription) => {
    const call = CALL_OF[subscription.kind];
    const why = call === undefined ? undefined : unserved.get(call);
    return why === undefined ? [] : [{ subscription, why }];
  });
}

/** Returns the problems of subscriptions that the venue does not answer. */
export function unservedProblems({
  subscriptions,
  venue,
}: Pick<PlanInput, 'subscriptions' | 'venue'>): readonly string[] {
  return subscriptions.flatMap(({ strategy, subscription: wanted }) =>
    unservedSubscriptions([wanted], venue).map(
      ({ subscription, why }) =>
        `${isOfMargin(subscription) ? marginTopic(subscription) : routeOfSubscription(subscription)}: it can not be asked for ${strategy}: ${why}`,
    ),
  );
}

/** Returns the problem of a feed that needs younger data than the time of a request allows. */
export function tooYoungProblem(feed: Feed, waitMs: number): string {
  const leastMs = waitMs + feed.cacheMs;
  const cache = feed.cacheMs === 0 ? '' : ` and the exchange repeats it for ${lengthText(feed.cacheMs)}`;
  return `${feed.key}: expected a longest age above ${lengthText(leastMs)}, found ${lengthText(feed.longestAgeMs)} for ${feed.askers.join(' and ')}: an answer takes up to ${lengthText(waitMs)}${cache}; raise maxAgeMs`;
}

/** Returns the problems of requests that take more units than their budget ever has. */
export const tooHeavyProblems = (budget: PlanBudget, feeds: readonly Feed[]): readonly string[] =>
  feeds
    .filter(({ weight }) => weight > 1 && weight > capacityOf(budget))
    .map(
      ({ key, weight }) =>
        `${key}: expected at most ${capacityOf(budget)} units of ${budget.name}, a request takes ${weight}: raise the limit if the exchange grants more`,
    );

/** Returns the problem of bars that come too late, because too many close at the same time. */
export function tooLateProblem(budget: PlanBudget, feed: PlannedFeed): string {
  const allowedMs = feed.longestAgeMs - feed.intervalMs;
  const lateMs = present(feed.latestAfterCloseMs, () => `a time after its close for the bars of ${feed.key}`);
  return `${feed.key}: expected at most ${lengthText(allowedMs)} after the close for ${feed.askers.join(' and ')}, found up to ${lengthText(lateMs)}: ${budget.name} answers ${budget.limit} in ${lengthText(budget.windowMs)}, and bars close together; ask for fewer or longer candles`;
}

function nameWithAge({ key, askers, kind, longestAgeMs }: Feed): string {
  const age = kind === 'candles' ? 'at every close' : `at most ${lengthText(longestAgeMs)} old`;
  return `${key} ${age} (${askers.join(', ')})`;
}

function remedyOf(feeds: readonly Feed[]): string {
  return feeds.some(({ kind }) => kind === 'candles')
    ? 'ask for fewer or longer candles, or raise the limit if the exchange grants more'
    : 'ask for fewer markets, allow older data with maxAgeMs, or raise the limit if the exchange grants more';
}

const aMinute = (perMs: number): string => String(Number((perMs * 60_000).toFixed(2)));

/** One list that is read after a restart. */
interface RestartStep {
  readonly what: string;
  readonly budget: string;
  readonly requests: number;
  /** Units of the budget that each takes. */
  readonly weight: number;
}

/** Requests of a restart before the first order, and the time that they need. */
export interface RestartPlan {
  readonly steps: readonly RestartStep[];
  readonly requests: number;
  /** Time of the restart if the budgets are free. */
  readonly soonestMs: number;
  /** Time of the restart if every window counts as full, because earlier requests are unknown. */
  readonly latestMs: number;
}

/**
 * Plans the reading of the account as a consistent cut: the wallets between two readings of the trades. Each
 * request follows the reply of the one before.
 */
export function planRestart(
  budgets: ReadonlyMap<string, PlanBudget>,
  {
    usesAccount,
    replyMs,
    restart,
    wallets,
    lists,
    venue,
  }: Pick<PlanInput, 'usesAccount' | 'replyMs' | 'restart' | 'venue'> & {
    readonly wallets: number;
    readonly lists: OwnListCounts;
  },
): RestartPlan {
  const stepOf = (kind: VenueCallKind, what: string, requests: number): RestartStep => ({
    what,
    budget: venue.budgets[kind],
    requests,
    weight: weightOf(venue, kind),
  });
  const all: readonly RestartStep[] = [
    stepOf('orders', 'open orders and those since', restart.orderPages * lists.orders),
    stepOf('trades', 'trades, before and after the wallets', (restart.tradePages + 1) * lists.trades),
    stepOf('wallets', 'balances', 1),
    stepOf('transactions', 'history of each wallet', venue.ownLists.transactions === null ? 0 : wallets),
  ];
  const steps = usesAccount ? all.filter(({ requests }) => requests > 0) : [];
  const requests = steps.reduce((sum, step) => sum + step.requests, 0);
  const soonestMs =
    requests * replyMs + steps.reduce((sum, step) => sum + windowsMs(step, budgets, replyMs), 0);
  const blindMs = Math.max(
    0,
    ...steps.map(({ budget }) => planned(budget, budgets).windowMs + restart.arrivedAfterMs),
  );
  return { steps, requests, soonestMs, latestMs: blindMs + soonestMs };
}

/** Returns the wait of a list for windows of its budget; infinity if no requests are left for it. */
function windowsMs(
  { budget: name, requests, weight }: RestartStep,
  budgets: ReadonlyMap<string, PlanBudget>,
  replyMs: number,
): number {
  const budget = planned(name, budgets);
  const capacity = capacityOf(budget);
  return capacity === 0
    ? Infinity
    : Math.floor(((requests - 1) * weight) / capacity) * occupiedMsOf(budget, replyMs);
}

const planned = (name: string, budgets: ReadonlyMap<string, PlanBudget>): PlanBudget =>
  present(budgets.get(name), () => `a budget ${name} among those of the plan`);
