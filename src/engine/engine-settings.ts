import type { Market } from '../domain/market.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import type { LockRule } from './lock.ts';
import type { RiskLimits } from './risk-limits.ts';
import type { PlannedFeed } from '../scheduler/feed.ts';
import type { NamedCredential } from './request-watches.ts';
import type { StrategyPort } from '../strategy/strategy-port.ts';
import type { VenueProfile } from '../venues/port.ts';
import type { Sentence } from '../language/sentence.ts';

/**
 * Handling of a strategy whose handler threw: it gets nothing more; or it goes on after a while; or its
 * orders are canceled as well.
 */
export type ErrorPolicy = 'stop' | 'pause' | 'cancel';

/** One strategy at work. */
export interface StrategyInstanceSettings {
  readonly runner: StrategyPort;
  readonly onError: ErrorPolicy;
  /** Length of a pause. */
  readonly pauseMs: number;
  readonly limits: RiskLimits;
  /** Capital of its own, by quote currency; null: the account's balance. It spends no more. */
  readonly capital: Readonly<Partial<Record<Currency, Units>>>;
  /** Coins of the account that it is given to sell, by asset; none without it. */
  readonly inventory?: Readonly<Record<string, Units>>;
  /** Rules of locks that count and lock this strategy alone; none without it. */
  readonly locks?: readonly LockRule[];
}

/** A configured strategy that can not run. */
export interface LostStrategySettings {
  readonly name: string;
  readonly reason: Sentence;
  /** The quote currency that it would trade in. */
  readonly quote: Currency;
}

/** Settings that do not change while an engine lives. */
export interface EngineSettings {
  /** One to six letters and digits of the lower case: the first part of every clientOrderId. */
  readonly instance: string;
  /** Particulars of the exchange. */
  readonly venue: VenueProfile;
  readonly markets: readonly Market[];
  readonly instances: readonly StrategyInstanceSettings[];
  /** Strategies that can not run, which are noted down as stopped; none without it. */
  readonly lost?: readonly LostStrategySettings[];
  /** Rules of locks of the whole bot; none without it. */
  readonly locks?: readonly LockRule[];
  readonly feeds: readonly PlannedFeed[];
  /** Time after its last send within which a request may still arrive. */
  readonly lateArrivalMs: number;
  /** The least time between the two complete passes that prove an absence. */
  readonly absencePassesApartMs: number;
  /** True if an order that never arrived is sent once more under its own id. */
  readonly resendUnknown: boolean;
  /** Maximum wait of an order for a slot: after a longer wait it would be priced by an old book. */
  readonly placeWithinMs: number;
  /**
   * Number of times per minute the limits allow an order to be moved; null or omitted: nothing is counted.
   */
  readonly movesPerMinute?: number | null;
  /** True if everything a restart needs is written; default true. A backtest begins once. */
  readonly isRestartable?: boolean;
  /** True if the journal is written; default true. */
  readonly isJournaled?: boolean;
  /** True if anybody reads notices; default true. */
  readonly isWatched?: boolean;
  /** Name of the credential if the exchange asks for one. */
  readonly credential?: NamedCredential | null;
  /** Null where the venue tells of every change by itself, so that there is nothing to compare. */
  readonly reconciliation: ReconciliationSettings | null;
  /** Null or left out: nothing is written of equity, profits, budgets and plots. A backtest has its own. */
  readonly figures?: FigureSettings | null;
  /**
   * Since when universes ask for statistics by themselves, in ms since 1970, in a run that polls nothing;
   * without it they wait for those of the poll plan.
   */
  readonly ranksFromMs?: number;
}

/** Figures written over time for readers. */
export interface FigureSettings {
  /** Requests that count now against each limit, and how many may. */
  readonly budgets: () => readonly {
    readonly budget: string;
    readonly inUse: number;
    readonly limit: number;
  }[];
}

export interface ReconciliationSettings {
  readonly everyMs: number;
  /** Maximum lag of lists behind one another: a difference that outlasts it is a break. */
  readonly lagMs: number;
  /** Time without a conclusion until an alert. */
  readonly alertAfterMs: number;
}

export const DEFAULT_RECONCILIATION: ReconciliationSettings = {
  everyMs: 60_000,
  lagMs: 30_000,
  alertAfterMs: 600_000,
};

export const DEFAULT_ENGINE_TIMES = {
  lateArrivalMs: 120_000,
  absencePassesApartMs: 10_000,
  resendUnknown: false,
  placeWithinMs: 3_000,
} as const;
