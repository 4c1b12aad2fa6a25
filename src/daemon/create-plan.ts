import type { StrategyPort } from '../strategy/strategy-port.ts';
import type { Budget } from '../domain/rate-limit.ts';
import { LATE_ARRIVAL_MS, reserveOf } from '../budget/admission.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { marketsOf, requiredMarkets } from '../engine/strategy-instance.ts';
import { hasHeadroom } from '../budget/doubt.ts';
import { USUAL_REPLY_MS, type PlannedFeed } from '../scheduler/feed.ts';
import type { PlanInput } from '../scheduler/plan-input.ts';
import type { VenueProfile } from '../venues/port.ts';

/**
 * Pages of orders and of trades that a bot has to read after a restart: those unsettled before, and newer
 * ones.
 */
const PAGES_BEHIND = 2;

/** Builds the input of a plan from the strategies' needs and the limits. */
export function planInputOf(
  runners: readonly StrategyPort[],
  budgets: Iterable<Budget>,
  venue: VenueProfile,
): PlanInput {
  const own = [...budgets];
  const others = new Map([...(venue.others?.values() ?? [])].map(({ limit }) => [limit.name, limit]));
  return {
    subscriptions: runners.flatMap(({ name, subscriptions }) =>
      subscriptions.map((subscription) => ({ strategy: name, subscription })),
    ),
    traded: runners.flatMap((runner) =>
      // Only the members of a universe have books, not its other candidates.
      requiredMarkets(runner).map((market) => ({ strategy: runner.name, market })),
    ),
    bridged: bridgedOf(runners, venue),
    trails: runners.flatMap(({ name, trailing }) =>
      trailing === null ? [] : [{ strategy: name, ...trailing }],
    ),
    // Of a limit that is given twice the last one counts, which may be lowered.
    budgets: [...others.values(), ...own].map((budget) => {
      const { name, limit, windowMs } = budget;
      return { name, limit, windowMs, reserve: reserveOf(budget) };
    }),
    venue,
    usesAccount: true,
    replyMs: USUAL_REPLY_MS,
    restart: {
      orderPages: PAGES_BEHIND,
      tradePages: PAGES_BEHIND,
      // An exchange with headroom answers the first request after all that were sent before it.
      arrivedAfterMs: own.some((budget) => !others.has(budget.name) && hasHeadroom(budget))
        ? USUAL_REPLY_MS
        : LATE_ARRIVAL_MS,
    },
  };
}

/**
 * Returns the names of strategies with tether markets in a bot that has rial markets too. Its equity, and the
 * profit of a strategy in both, need the price of tether in rial; no other bot needs it.
 */
export function bridgedOf(
  runners: readonly StrategyPort[],
  { marketNames }: Pick<VenueProfile, 'marketNames'>,
): readonly string[] {
  const { base, quote } = marketNames.bridge;
  const inTether = runners.filter((runner) => quotesOf(runner).has(base));
  const isInRial = runners.some((runner) => quotesOf(runner).has(quote));
  return isInRial ? inTether.map(({ name }) => name) : [];
}

const quotesOf = (runner: StrategyPort): ReadonlySet<string> =>
  new Set(marketsOf(runner).map((market) => parseMarket(market).quote));

/**
 * Returns the plan with intervals `factor` times as long: if the market has one bar an hour, polling each
 * second shows nothing more. Candles keep their interval.
 */
export function slowed(feeds: readonly PlannedFeed[], factor: number): readonly PlannedFeed[] {
  if (factor <= 1) return feeds;
  return feeds.map((feed) =>
    feed.kind === 'candles'
      ? feed
      : {
          ...feed,
          intervalMs: feed.intervalMs * factor,
          idleIntervalMs: feed.idleIntervalMs * factor,
          worstAgeMs: feed.worstAgeMs * factor,
        },
  );
}
