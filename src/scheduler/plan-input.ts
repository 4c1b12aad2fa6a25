import type { Subscription } from '../strategy/subscriptions.ts';
import type { TrailDemand } from './plan-trails.ts';
import type { VenueProfile } from '../venues/port.ts';
import type { PlanBudget } from './planned-budget.ts';

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
