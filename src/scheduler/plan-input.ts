import type { Subscription } from '../strategy/subscriptions.ts';
import type { VenueProfile } from '../venues/port.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import { lengthText } from '../domain/time-text.ts';

/** Data read again after a restart, before anything is traded. */
interface RestartReading {
  /** Pages of the orders list and of the trades list, from where the last run had read to. */
  readonly orderPages: number;
  readonly tradePages: number;
  /**
   * If nothing is known of the time before the start: time after which earlier requests have arrived, so that
   * their window begins.
   */
  readonly arrivedAfterMs: number;
}

/** All that a plan of polls is made from. */
export interface PlanInput {
  /** Subscriptions of every strategy. Timers cost nothing. */
  readonly subscriptions: readonly { readonly strategy: string; readonly subscription: Subscription }[];
  /**
   * Markets in which strategies place orders. Each needs a book for the price collar, subscribed or not.
   * Empty where orders are held against bars alone.
   */
  readonly traded: readonly { readonly strategy: string; readonly market: string }[];
  /**
   * Strategies of which money is valued by the price of the bridge: it is read with the statistics where
   * nobody reads it otherwise.
   */
  readonly bridged?: readonly string[];
  /** Stops that follow the price; none where it is left out. */
  readonly trails?: readonly TrailDemand[];
  readonly budgets: readonly PlanBudget[];
  /** Capabilities of the exchange, their limits, and the budget in which each call is counted. */
  readonly venue: Pick<
    VenueProfile,
    'budgets' | 'timeframes' | 'bookCacheMs' | 'marketNames' | 'pageSizes' | 'unserved'
  >;
  /** True if orders are placed, so that orders, trades and wallets have to be followed. */
  readonly usesAccount: boolean;
  /** From sending a question to having its answer, at the longest in ordinary times. */
  readonly replyMs: number;
  readonly restart: RestartReading;
}

/**
 * The part of a budget that a plan uses up: the rest is for hastened questions and for clocks that differ.
 */
export const PLANNED_SHARE = 0.95;

/** Planned use of one budget. Rates are requests a minute. */
export interface PlannedBudget extends PlanBudget {
  readonly limitPerMinute: number;
  readonly requestsPerMinute: number;
  readonly idleRequestsPerMinute: number;
  /** For placements, cancels and looking orders up; of a reserve only the latter two get anything. */
  readonly leftPerMinute: number;
}

/** Requests of a window that polls may use. */
export function capacityOf({ limit, reserve }: PlanBudget): number {
  return Math.max(0, limit - reserve);
}

/** Requests per ms that a plan may use of a budget. */
export function plannedRate(budget: PlanBudget): number {
  return (PLANNED_SHARE * capacityOf(budget)) / budget.windowMs;
}

/** For how long a request has its slot: until its reply, for a window after that, and until the next ms. */
export function occupiedMsOf(budget: PlanBudget, replyMs: number): number {
  return budget.windowMs + replyMs + 1;
}

/**
 * Returns the longest wait of a planned request for its slot. Requests of one pace are spread evenly, so that
 * a group of them is like one of their joint pace: in the time for which a slot is occupied (the window and
 * the reply) it sends its share of `perMs` and one more. `paces` of such groups together can exceed the
 * capacity by the part that the unused share does not cover; each such request waits for a slot to be free.
 */
export function slotWaitMs(
  budget: PlanBudget,
  of: { readonly paces: number; readonly perMs: number; readonly replyMs: number },
): number {
  const capacity = capacityOf(budget);
  if (capacity === 0) return 0;
  const occupiedMs = occupiedMsOf(budget, of.replyMs);
  const sent = Math.floor(Math.min(of.perMs, plannedRate(budget)) * occupiedMs) + of.paces;
  return Math.ceil(Math.max(0, sent - capacity) * (occupiedMs / capacity));
}

/** Returns the wait for its slot of the last of requests that all come at once. */
export function burstWaitMs(
  budget: PlanBudget,
  of: { readonly requests: number; readonly replyMs: number },
): number {
  const capacity = capacityOf(budget);
  if (of.requests === 0) return 0;
  if (capacity === 0) return Infinity;
  return (Math.ceil(of.requests / capacity) - 1) * occupiedMsOf(budget, of.replyMs);
}

/** A rate limit of the plan: what it keeps for cancels and resolutions is said. */
export type PlanBudget = RateLimit & { readonly reserve: number };

/** The part of the budgets for orders and for cancels that stops which follow the price may use. */
const TRAIL_SHARE = 0.5;

/** Stops of one strategy that follow the price: so many at once, each moved at most once in so long. */
interface TrailDemand {
  readonly strategy: string;
  readonly most: number;
  readonly everyMs: number;
}

/**
 * Moves needed by moving stops, and moves available for them. Rates are moves a minute: an order and a
 * cancel.
 */
export interface TrailPlan {
  readonly demands: readonly TrailDemand[];
  readonly movesPerMinute: number;
  readonly mostPerMinute: number;
  /** The budget that gives the least, by its name; null where nothing is counted. */
  readonly budget: string | null;
  readonly problems: readonly string[];
}

/**
 * Checks that all stops can follow the price as often as configured, within their share of the budgets. If
 * they can not, the problem gives the number that can, those of the first strategy first.
 */
export function planTrails(
  demands: readonly TrailDemand[],
  budgets: ReadonlyMap<string, PlanBudget>,
  venue: Pick<VenueProfile, 'budgets'>,
): TrailPlan {
  const movesPerMinute = demands.reduce((sum, { most, everyMs }) => sum + (most * 60_000) / everyMs, 0);
  const counted = [venue.budgets.place, venue.budgets['place-oco'], venue.budgets.cancel].flatMap((name) => {
    const budget = budgets.get(name);
    return budget === undefined ? [] : [budget];
  });
  const [tightest] = counted.toSorted((left, right) => movesOf(left) - movesOf(right));
  const mostPerMinute = tightest === undefined ? Infinity : movesOf(tightest);
  const plan = { demands, movesPerMinute, mostPerMinute, budget: tightest?.name ?? null };
  if (tightest === undefined || movesPerMinute <= mostPerMinute) return { ...plan, problems: [] };
  return { ...plan, problems: [tooMany(tightest, plan)] };
}

function movesOf(budget: PlanBudget): number {
  return TRAIL_SHARE * (capacityOf(budget) / budget.windowMs) * 60_000;
}

function tooMany(
  budget: PlanBudget,
  { demands, movesPerMinute, mostPerMinute }: Pick<TrailPlan, 'demands' | 'movesPerMinute' | 'mostPerMinute'>,
): string {
  let left = mostPerMinute;
  const named = demands.map(({ strategy, most, everyMs }) => {
    const fit = Math.min(most, Math.floor((left * everyMs) / 60_000 + 1e-9));
    left -= (fit * 60_000) / everyMs;
    return `${most} of ${strategy} every ${lengthText(everyMs)}, of which ${fit} fit`;
  });
  const limit = `${TRAIL_SHARE * 100} % of ${capacityOf(budget)} in ${lengthText(budget.windowMs)}`;
  return `${budget.name}: expected at most ${rate(mostPerMinute)} moves of stops a minute (${limit}), found ${rate(movesPerMinute)}: ${named.join('; ')}: lower trailing.most, or raise trailing.everyMs`;
}

const rate = (perMinute: number): string => String(Number(perMinute.toFixed(2)));
