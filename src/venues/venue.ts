import type { Budget } from '../domain/rate-limit.ts';
import type { QueueWait } from '../budget/budget-queue.ts';
import type { CommitTimes } from '../budget/commit-times.ts';
import type { Limiter } from '../budget/limiter.ts';
import type { Market } from '../domain/market.ts';
import type { Transport } from '../exchange/transport.ts';
import type { Timeline } from '../virtual/virtual-time.ts';
import type { AccountReader } from './account-reader.ts';
import type { VenueProfile } from './port.ts';
import type { VenueCaller } from './venue-caller.ts';

/**
 * Trading venue of a bot, whichever mode it runs in: the connection, its limits, its markets and its time.
 */
export interface Venue {
  readonly profile: VenueProfile;
  readonly time: Timeline;
  readonly caller: VenueCaller;
  readonly limiter: Limiter;
  /** The limiter's clock. */
  readonly limiterMs: () => number;
  /** Takes down how long commits hold up the loop; left out where nothing real waits for it. */
  readonly commits?: CommitTimes;
  /** Returns the wait of cancels, if they wait for real; null if there are none. */
  readonly cancelWait?: () => QueueWait | null;
  /** The most slots that each budget ever had occupied at once, where that is known. */
  mostOccupied(): ReadonlyMap<string, number>;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Limits that the exchange has lowered and that hold now, by budget. */
  namedLimits(): ReadonlyMap<string, number>;
  readonly canLogIn: boolean;
  /** Reads the owner of the account; null where the exchange is in this process, and so is its account. */
  readonly accountReader: AccountReader | null;
  readonly markets: readonly Market[];
  /** True if the exchange begins anew with every run, so that earlier knowledge of it means nothing. */
  readonly isNew: boolean;
  /**
   * Factor by which its data changes more slowly than usual: a replay of a bar an hour needs no poll a
   * second.
   */
  readonly pollStretch: number;
  /** True if it has nothing more to show, as at the end of a recording. */
  isOver(): boolean;
  /** The ledger that it shares with other processes; null where it is in memory. */
  readonly ledgerFile: string | null;
  /** The use of every limit, where the ledger is in memory; left out where it is a file. */
  readonly ownBudgets?: () => readonly {
    readonly budget: string;
    readonly inUse: number;
    readonly limit: number;
  }[];
  /** By whom the ledger counts this bot's requests: its address and its account, hashed. */
  readonly ledgerSubjects: readonly string[];
  close(): Promise<void>;
}

/**
 * Puts something between the client and the way to the exchange, such as one that keeps replies. `nowMs` is
 * the time of the venue.
 */
export type WrapTransport = (inner: Transport, nowMs: () => number) => Transport;
