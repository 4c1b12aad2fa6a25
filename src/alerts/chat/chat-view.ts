import type { ReconciliationState } from '../../mirror/read-reconciliation.ts';
import type { Alert } from '../core/alert.ts';
import type { OrderWith } from '../../records/order.ts';
import type { Sentence } from '../../language/sentence.ts';

/** Data of a bot that a person can request, as its files have it. Money and amounts are decimal texts. */
export interface ChatView {
  /** Null where there is no mirror yet, and where it can not be read. */
  readonly bot: BotView | null;
  /** Reason the mirror cannot be read; null if it can or does not exist. */
  readonly fault: string | null;
  /** The last sign of life; null before any. */
  readonly lastSignMs: number | null;
  readonly isSilent: boolean;
  readonly openAlerts: readonly Alert[];
  readonly mutedUntilMs: number;
  /** Messages of people who may not command. */
  readonly strangers: number;
  /**
   * Reason every new order waits according to the ledger, worded as in the terminal; null if one could leave
   * now.
   */
  readonly waitsFor: Sentence | null;
  /** Reason the cancels of a halt wait; null if they do not wait long. */
  readonly haltWait: Sentence | null;
  readonly budgets: readonly {
    readonly budget: string;
    readonly used: number;
    readonly limit: number;
    readonly isLockedOut: boolean;
  }[];
}

export interface BotView {
  readonly halt: { readonly reason: Sentence; readonly sinceMs: number } | null;
  /** Reason it places no new orders although it may trade; null if nothing holds them back. */
  readonly noOrders: Sentence | null;
  readonly books: ReconciliationState;
  readonly strategies: readonly {
    readonly name: string;
    readonly status: 'running' | 'paused' | 'stopped' | 'pausedByHand';
    readonly reason: Sentence | null;
    readonly currency: string;
    readonly profit: string | null;
    readonly realised: string | null;
    readonly positions: Readonly<Record<string, string>>;
  }[];
  readonly orders: readonly (Pick<OrderWith<string>, 'strategy' | 'market' | 'side' | 'amount' | 'price'> & {
    readonly quote: string;
  })[];
  readonly openOrders: number;
  /** The newest first, of all strategies. */
  readonly decisions: readonly {
    readonly strategy: string;
    readonly atMs: number;
    readonly kind: string;
    readonly market: string | null;
    readonly status: 'working' | 'done' | 'refused';
    readonly reason: Sentence | null;
  }[];
  readonly locks: readonly {
    readonly name: string;
    readonly of: string | null;
    readonly reason: Sentence;
    /** Null where only a person ends it. */
    readonly endsAtMs: number | null;
  }[];
}
