import type { Subscription } from '../strategy/subscriptions.ts';
import { chargesOf, type VenueCallKind, type VenueProfile } from '../venues/port.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import { lengthText } from '../domain/time-text.ts';

/** Data that is read again after a restart, before the first order. */
interface RestartReading {
  /** Pages of the lists of orders and trades, from the point that the last run had read. */
  readonly orderPages: number;
  readonly tradePages: number;
  /** If the time before the start is unknown: ms until earlier requests have arrived. */
  readonly arrivedAfterMs: number;
}

/** Input from which a polling plan is made. */
export interface PlanInput {
  /** Subscriptions of every strategy. Timers cost nothing. */
  readonly subscriptions: readonly { readonly strategy: string; readonly subscription: Subscription }[];
  /** Markets in which strategies place orders: each needs a book, unless orders go by bars alone. */
  readonly traded: readonly { readonly strategy: string; readonly market: string }[];
  /** Strategies whose money is valued by the bridge's price, which the statistics have otherwise. */
  readonly bridged?: readonly string[];
  /** Trailing stops; left out if there are none. */
  readonly trails?: readonly TrailDemand[];
  readonly budgets: readonly PlanBudget[];
  /** Capabilities of the exchange, their limits, and the budget in which each call is counted. */
  readonly venue: Pick<
    VenueProfile,
    | 'budgets'
    | 'charges'
    | 'timeframes'
    | 'bookCacheMs'
    | 'marketNames'
    | 'ownLists'
    | 'pageSizes'
    | 'unserved'
    | 'others'
  >;
  /** True if orders are placed, so that orders, trades and wallets are polled. */
  readonly usesAccount: boolean;
  /** Longest time from a request to its reply in ordinary conditions. */
  readonly replyMs: number;
  readonly restart: RestartReading;
}

/** Share of a budget that a plan uses: the rest is for urgent requests and for clocks that differ. */
export const PLANNED_SHARE = 0.95;

/** Planned use of one budget. Rates are requests per minute; units, where requests have weights. */
export interface PlannedBudget extends PlanBudget {
  readonly limitPerMinute: number;
  readonly requestsPerMinute: number;
  readonly idleRequestsPerMinute: number;
  /** Left for placements, cancels and order queries; the latter two alone can use a reserve. */
  readonly leftPerMinute: number;
  /** Requests it is for, if no poll uses it: `placements`. */
  readonly purpose?: string;
}

/** Returns the requests per window that polls may use. */
export const capacityOf = ({ limit, reserve }: PlanBudget): number => Math.max(0, limit - reserve);

/** Returns the requests per ms that a plan may use of a budget. */
export const plannedRate = (budget: PlanBudget): number =>
  (PLANNED_SHARE * capacityOf(budget)) / budget.windowMs;

/** Returns how long a request occupies its slot: until its reply, then a window, then up to the next ms. */
export const occupiedMsOf = (budget: PlanBudget, replyMs: number): number => budget.windowMs + replyMs + 1;

/**
 * Returns the longest wait of a planned request for its slot. Requests of one interval are evenly spread:
 * while a slot is occupied (the window and the reply), a group of them sends its share of `perMs` and one
 * more. Several such groups (`paces`) can exceed the capacity by the part that the unused share does not
 * cover; each of those requests waits for a slot to be free.
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

/** Returns the wait for its slot of the last of several simultaneous requests. */
export function burstWaitMs(
  budget: PlanBudget,
  of: { readonly requests: number; readonly replyMs: number },
): number {
  const capacity = capacityOf(budget);
  if (of.requests === 0) return 0;
  if (capacity === 0) return Infinity;
  return (Math.ceil(of.requests / capacity) - 1) * occupiedMsOf(budget, of.replyMs);
}

/** A rate limit for a plan, with a definite reserve for cancels and resolutions. */
export type PlanBudget = RateLimit & { readonly reserve: number };

/** Share of the budgets for orders and for cancels that trailing stops may use. */
const TRAIL_SHARE = 0.5;

/** Trailing stops of one strategy: the most at once, and the shortest interval between moves of each. */
interface TrailDemand {
  readonly strategy: string;
  readonly most: number;
  readonly everyMs: number;
}

/** Moves a minute that trailing stops need, and that are available: an order and a cancel each. */
export interface TrailPlan {
  readonly demands: readonly TrailDemand[];
  readonly movesPerMinute: number;
  readonly mostPerMinute: number;
  /** Name of the budget that allows the fewest moves; null if none counts them. */
  readonly budget: string | null;
  readonly problems: readonly string[];
}

/**
 * Checks that all trailing stops can move as often as configured, within their share of the budgets. If not,
 * the problem names the number that can, for the first strategies first.
 */
export function planTrails(
  demands: readonly TrailDemand[],
  budgets: ReadonlyMap<string, PlanBudget>,
  venue: Pick<VenueProfile, 'budgets' | 'charges'>,
): TrailPlan {
  const movesPerMinute = demands.reduce((sum, { most, everyMs }) => sum + (most * 60_000) / everyMs, 0);
  const moves: readonly VenueCallKind[] = ['place', 'place-oco', 'cancel'];
  const counted = moves
    .flatMap((kind) => chargesOf(venue, kind))
    .flatMap(({ budget: name, weight }) => {
      const budget = budgets.get(name);
      return budget === undefined
        ? []
        : [{ ...budget, limit: budget.limit / weight, reserve: budget.reserve / weight }];
    });
  const [tightest] = counted.toSorted((left, right) => movesOf(left) - movesOf(right));
  const mostPerMinute = tightest === undefined ? Infinity : movesOf(tightest);
  const plan = { demands, movesPerMinute, mostPerMinute, budget: tightest?.name ?? null };
  if (tightest === undefined || movesPerMinute <= mostPerMinute) return { ...plan, problems: [] };
  return { ...plan, problems: [tooMany(tightest, plan)] };
}

const movesOf = (budget: PlanBudget): number => TRAIL_SHARE * (capacityOf(budget) / budget.windowMs) * 60_000;

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
