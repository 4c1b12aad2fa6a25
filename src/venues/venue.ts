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

/** Trading venue of a bot in any mode: the connection, its limits, its markets and its time. */
export interface Venue {
  readonly profile: VenueProfile;
  readonly time: Timeline;
  readonly caller: VenueCaller;
  readonly limiter: Limiter;
  /** The limiter's clock. */
  readonly limiterMs: () => number;
  /** Measures how long commits hold up the event loop; left out if nothing real waits for it. */
  readonly commits?: CommitTimes;
  /** Returns the waiting state of cancels in real time; null if none wait. */
  readonly cancelWait?: () => QueueWait | null;
  /** Returns the most slots that each budget ever had occupied at once, where that is known. */
  mostOccupied(): ReadonlyMap<string, number>;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Returns lowered limits of the exchange that hold now, by budget. */
  namedLimits(): ReadonlyMap<string, number>;
  readonly canLogIn: boolean;
  /** Reads the owner of the account; null if the exchange, with its account, is in this process. */
  readonly accountReader: AccountReader | null;
  readonly markets: readonly Market[];
  /** True if the exchange is new in every run, so that earlier knowledge of it means nothing. */
  readonly isNew: boolean;
  /** Factor by which its data changes slower than usual: a replay of hourly bars needs few polls. */
  readonly pollStretch: number;
  /** True if it has no more data, as at the end of a recording. */
  isOver(): boolean;
  /** The ledger that it shares with other processes; null if it is in memory. */
  readonly ledgerFile: string | null;
  /** Returns the use of every limit, if the ledger is in memory; left out if it is a file. */
  readonly ownBudgets?: () => readonly {
    readonly budget: string;
    readonly inUse: number;
    readonly limit: number;
  }[];
  /** The bot's address and account, hashed, under which the ledger counts its requests. */
  readonly ledgerSubjects: readonly string[];
  close(): Promise<void>;
}

/** Wraps the transport to the exchange, for example to store replies. `nowMs` is the venue's time. */
export type WrapTransport = (inner: Transport, nowMs: () => number) => Transport;
