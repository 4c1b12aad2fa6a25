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
 * Choices after a handler of a strategy throws. `stop`: it gets no more events. `pause`: it continues after a
 * while. `cancel`: as `stop`, and its orders are canceled.
 */
export type ErrorPolicy = 'stop' | 'pause' | 'cancel';

/** Settings for entries of a strategy that wait until a person approves them. */
export interface ApprovalSettings {
  /** Value up to which an entry needs no approval, by quote currency; in a currency left out, all need it. */
  readonly above: Readonly<Partial<Record<Currency, Units>>>;
  /** Time after which an entry that nobody approved is dropped, in ms. */
  readonly expiresAfterMs: number;
  /** Rise of the best price up to which an entry without a price is approved, in hundredths of a percent. */
  readonly slippageBps: number;
}

/** Settings of one configured strategy. */
export interface StrategyInstanceSettings {
  readonly runner: StrategyPort;
  readonly onError: ErrorPolicy;
  /** Length of a pause after an error, in ms. */
  readonly pauseMs: number;
  readonly limits: RiskLimits;
  /** Capital of the strategy, by quote currency: the most it spends. Empty: the account's money. */
  readonly capital: Readonly<Partial<Record<Currency, Units>>>;
  /** Coins of the account that the strategy may sell, by asset; omitted: none. */
  readonly inventory?: Readonly<Record<string, Units>>;
  /** Lock rules that count and lock this strategy alone; omitted: none. */
  readonly locks?: readonly LockRule[];
  /** Settings for its approvals; omitted: its entries need none. */
  readonly approval?: ApprovalSettings | undefined;
}

/** A configured strategy that can not run. */
export interface LostStrategySettings {
  readonly name: string;
  readonly reason: Sentence;
  /** Quote currency of its market. */
  readonly quote: Currency;
}

/** Settings that do not change while an engine lives. */
export interface EngineSettings {
  /** Name of the bot: 1 to 6 lower-case letters and digits, the first part of every clientOrderId. */
  readonly instance: string;
  /** Properties of the exchange. */
  readonly venue: VenueProfile;
  readonly markets: readonly Market[];
  readonly instances: readonly StrategyInstanceSettings[];
  /** Configured strategies that can not run, which are stored as stopped; omitted: none. */
  readonly lost?: readonly LostStrategySettings[];
  /** Lock rules of the whole bot; omitted: none. */
  readonly locks?: readonly LockRule[];
  readonly feeds: readonly PlannedFeed[];
  /** Time after the last send in which a request may still arrive, in ms. */
  readonly lateArrivalMs: number;
  /** Minimum time between two complete scans that prove an order's absence, in ms. */
  readonly absencePassesApartMs: number;
  /** True if an order that never arrived is sent once more under the same id. */
  readonly resendUnknown: boolean;
  /** Maximum wait of an order for a slot, in ms: after a longer wait its price would be old. */
  readonly placeWithinMs: number;
  /** Number of moves of an order per minute that the limits allow; null or omitted: not counted. */
  readonly movesPerMinute?: number | null;
  /** True if all data for a restart is stored; default true. False in a backtest, which starts once. */
  readonly isRestartable?: boolean;
  /** True if the journal is written; default true. */
  readonly isJournaled?: boolean;
  /** True if somebody reads the notices; default true. */
  readonly isWatched?: boolean;
  /** Name of the credential; null or omitted if the exchange needs none. */
  readonly credential?: NamedCredential | null;
  /** Settings for the comparison of balances; null if the venue pushes every change, so none is needed. */
  readonly reconciliation: ReconciliationSettings | null;
  /** Settings for stored equity, profits, budgets and plots; null or omitted: none are stored. */
  readonly figures?: FigureSettings | null;
  /**
   * Time from which universes request statistics themselves, in ms since 1970, for a run that polls nothing;
   * omitted: they use the statistics of the poll plan.
   */
  readonly ranksFromMs?: number;
}

/** Settings for figures that are stored over time. */
export interface FigureSettings {
  /** Returns each rate limit with the number of requests that count against it now, and its maximum. */
  readonly budgets: () => readonly {
    readonly budget: string;
    readonly inUse: number;
    readonly limit: number;
    /** Requests of this process that were sent against it. */
    readonly sent: number;
  }[];
}

export interface ReconciliationSettings {
  readonly everyMs: number;
  /** Maximum delay of one list behind another, in ms: a difference that lasts longer is a break. */
  readonly lagMs: number;
  /** Time without a conclusive comparison after which an alert is sent, in ms. */
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

/** Part of an engine, with the settings and the other parts that it was made with. */
export abstract class EnginePart<Options> {
  protected readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }
}
