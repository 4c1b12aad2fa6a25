import { lengthText } from '../domain/time-text.ts';
import type { VenueProfile } from '../venues/port.ts';
import { capacityOf, type PlanBudget } from './planned-budget.ts';

/** The part of the budgets for orders and for cancels that stops which follow the price may use. */
const TRAIL_SHARE = 0.5;

/** Stops of one strategy that follow the price: so many at once, each moved at most once in so long. */
export interface TrailDemand {
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
