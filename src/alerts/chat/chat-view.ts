import type { ReconciliationState } from '../../mirror/read-reconciliation.ts';
import type { Alert } from '../core/alert.ts';

/** What a person can ask of a bot, as its files have it. Money and amounts are decimal texts. */
export interface ChatView {
  /** Null where there is no mirror yet, and where it can not be read. */
  readonly bot: BotView | null;
  /** Why it can not be read; null where it can, or is not there. */
  readonly fault: string | null;
  /** The last sign of life; null before any. */
  readonly lastSignMs: number | null;
  readonly isSilent: boolean;
  readonly openAlerts: readonly Alert[];
  readonly mutedUntilMs: number;
  /** Messages of people who may not command. */
  readonly strangers: number;
  /** Why every new order waits, by the ledger, as the terminal says it; null where one could leave now. */
  readonly waitsFor: string | null;
  /** What the cancels of a halt wait for; null where they do not wait long. */
  readonly haltWait: string | null;
  readonly budgets: readonly {
    readonly budget: string;
    readonly used: number;
    readonly limit: number;
    readonly isLockedOut: boolean;
  }[];
}

export interface BotView {
  readonly halt: { readonly reason: string; readonly sinceMs: number } | null;
  /** Why it places no new orders though it may trade; null where nothing keeps them back. */
  readonly noOrders: string | null;
  readonly books: ReconciliationState;
  readonly strategies: readonly {
    readonly name: string;
    readonly status: 'running' | 'paused' | 'stopped' | 'pausedByHand';
    readonly reason: string | null;
    readonly currency: string;
    readonly profit: string | null;
    readonly realised: string | null;
    readonly positions: Readonly<Record<string, string>>;
  }[];
  readonly orders: readonly {
    readonly strategy: string;
    readonly market: string;
    readonly quote: string;
    readonly side: 'buy' | 'sell';
    readonly amount: string;
    readonly price: string | null;
  }[];
  readonly openOrders: number;
  /** The newest first, of all strategies. */
  readonly decisions: readonly {
    readonly strategy: string;
    readonly atMs: number;
    readonly kind: string;
    readonly market: string | null;
    readonly status: 'working' | 'done' | 'refused';
    readonly reason: string | null;
  }[];
  readonly locks: readonly {
    readonly name: string;
    readonly of: string | null;
    readonly reason: string;
    /** Null where only a person ends it. */
    readonly endsAtMs: number | null;
  }[];
}
