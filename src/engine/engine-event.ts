import type { DecimalText } from '../domain/decimal-text.ts';
import type { VenueOrder } from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { StoredReply, VenueAnswer, WalletReading, VenueCall } from '../venues/port.ts';
import type { EntryPolicy } from './lock.ts';
import type { FeedPace } from '../scheduler/poll-queue.ts';
import type { OrderWith, BY_HAND_ORDER, OrderRecord } from '../records/order.ts';
import type { Sentence } from '../language/sentence.ts';
import type { RequestClass } from '../domain/rate-limit.ts';
import type { FillRecord } from '../records/fill.ts';
import type { MirrorChange } from './mirror-change.ts';
import type { Units } from '../domain/money.ts';

/**
 * Price of a market without a book: the close of its last bar. The engine reads it only when needed: a
 * backtest has millions of bars, and most of their prices are never read.
 */
export interface BarPrices {
  /** End of the last bar, in ms since 1970; minus infinity before the first. */
  readonly closedMs: number;
  /** End of the next bar, in ms since 1970. */
  readonly nextClosedMs: number;
  /** Close of the last bar; null before the first. */
  readonly close: Units | null;
}

/** A request that the engine wants sent, once its budget allows it. */
export interface EngineRequest {
  readonly id: number;
  readonly call: VenueCall;
  readonly requestClass: RequestClass;
  /** Key of the request: a newer one with this key replaces it while it waits; null: none does. */
  readonly dedupe: string | null;
  /** Time in ms since 1970 after which the request is no longer sent. */
  readonly expiresAtMs: number;
}

/**
 * Output of one step, which the shell carries out in this order: it writes the changes in one transaction; if
 * `isDurable`, it waits until they are on the disk; then it sends the requests.
 */
export interface EngineOutput {
  readonly changes: readonly MirrorChange[];
  /**
   * True if changes must be on the disk first: a request may change the exchange, or no change may be lost.
   */
  readonly isDurable: boolean;
  readonly requests: readonly EngineRequest[];
  /** Latest time of the next tick, in ms since 1970; infinity if the engine only waits for answers. */
  readonly wakeAtMs: number;
  /** Messages for people, for the log and the screen. */
  readonly notices: readonly EngineNotice[];
}

export type EngineNotice =
  | {
      readonly kind: 'notice';
      readonly level: 'info' | 'warning' | 'error';
      readonly message: string;
      readonly subject: string | null;
      /** Parts of the message, for programs. */
      readonly details?: Readonly<Record<string, unknown>>;
      /** Stack trace of the error, for developers. */
      readonly stack?: string;
    }
  | { readonly kind: 'order'; readonly order: OrderRecord }
  | { readonly kind: 'fill'; readonly fill: FillRecord };

/** Input of the engine. Times are of one clock that never goes back, in ms since 1970. */
export type EngineEvent =
  /** A tick: the time that `wakeAtMs` asked for has come. */
  | { readonly kind: 'tick'; readonly atMs: number }
  /** The end of a request. `sentAtMs` is the latest time at which it can have left; null if it never did. */
  | {
      readonly kind: 'answer';
      readonly atMs: number;
      readonly requestId: number;
      readonly sentAtMs: number | null;
      readonly answer: VenueAnswer;
      /** Bytes of the reply to a call about one order; missing if there were none. */
      readonly reply?: StoredReply;
    }
  | { readonly kind: 'control'; readonly atMs: number; readonly command: ControlCommand }
  /** New poll intervals of feeds, because the exchange has changed a limit. */
  | { readonly kind: 'pace'; readonly atMs: number; readonly paces: readonly FeedPace[] }
  /**
   * Opening prices of bars that run at `atMs` and close at `untilMs`. They are pushed only if something else
   * happens or is due while the bars run. Each open is the price of its market until `untilMs`.
   */
  | {
      readonly kind: 'opens';
      readonly atMs: number;
      readonly opens: readonly {
        readonly market: string;
        readonly price: DecimalText;
        readonly untilMs: number;
      }[];
    }
  /** Changes pushed by a venue that pushes: changed orders, new trades, and the wallets after them. */
  | {
      readonly kind: 'account';
      readonly atMs: number;
      readonly orders: readonly VenueOrder[];
      readonly trades: readonly VenueTrade[];
      readonly wallets: readonly WalletReading[];
    };

/**
 * Choices for open orders at the end of a run. `keep-exits`: those that only reduce a position stay, the
 * others are canceled. `cancel`: all are canceled. `keep`: all stay.
 */
export const DRAIN_POLICIES = ['keep-exits', 'cancel', 'keep'] as const;

export type DrainPolicy = (typeof DRAIN_POLICIES)[number];

/** A command of an operator. */
export type ControlCommand =
  /** Accepts no new orders and cancels every own order. Lasts until `resume`, also over a restart. */
  | { readonly kind: 'halt'; readonly reason: Sentence; readonly wholeAccount: boolean }
  | { readonly kind: 'resume' }
  /** Ends the run: accepts no new orders; the open ones are treated as `openOrders` requires. */
  | { readonly kind: 'drain'; readonly openOrders: DrainPolicy }
  /** Accepts the balances that the exchange shows now, after a person has reviewed a break. */
  | { readonly kind: 'accept-balances' }
  /** Compares balances at once, as at the end of a run. */
  | { readonly kind: 'compare-balances' }
  | LockCommand
  | SignalCommand
  | ByHandCommand;

/** Sets or ends locks by hand. A null `strategy` or `market` means all of them. */
export type LockCommand =
  | {
      readonly kind: 'lock';
      readonly name: string;
      readonly strategy: string | null;
      readonly market: string | null;
      readonly reason: Sentence;
      readonly untilMs: number;
      readonly entries: EntryPolicy;
      /** True if the strategy gets no events while the lock holds. Only for a lock on one strategy. */
      readonly pauses?: boolean | undefined;
      /** Person or program that gave the command. */
      readonly by?: string | undefined;
    }
  | {
      readonly kind: 'unlock';
      /** Name of the locks to end; null: locks of any name. */
      readonly name: string | null;
      readonly strategy: string | null;
      readonly market: string | null;
      /** True to end locks on any strategy and market. */
      readonly isAll: boolean;
    };

/** A message from outside to a strategy. */
export type SignalCommand = {
  readonly kind: 'signal';
  readonly strategy: string;
  /** Name of the signal, as the strategy declares it. */
  readonly name: string;
  /** Id by the sender. A signal of the same strategy, name and id is delivered once. */
  readonly id: string;
  /** Any JSON value; not checked yet. */
  readonly payload: unknown;
  /** Time by the sender's clock, in ms since 1970; null if the sender gave none. */
  readonly sentAtMs: number | null;
  /** Name of the sender. */
  readonly source: string;
  /** Age in ms at its acceptance, by this machine's clock; 0 if omitted. */
  readonly ageMs?: number | undefined;
};

interface ByHandBase {
  /** Key of the command. A command whose key was done before is not done again, also after a crash. */
  readonly key: string;
  /** Person or program that gave the command. */
  readonly by?: string | undefined;
}

/** Cancels one order, by its key or the exchange's id, or all of a strategy and market (null: any). */
export type CancelCommand = ByHandBase & {
  readonly kind: 'cancel';
  readonly order: string | null;
  readonly strategy: string | null;
  readonly market: string | null;
};

/** Closes a strategy's position in the base coin of a market; `market` null: in all of its coins. */
export type CloseCommand = ByHandBase & {
  readonly kind: 'close';
  readonly strategy: string;
  readonly market: string | null;
};

/** Places an order for a strategy. Numbers are decimal texts; without prices it is a market order. */
export type PlaceCommand = ByHandBase &
  Pick<OrderWith<string>, (typeof BY_HAND_ORDER)[number]> & { readonly kind: 'place' };

/**
 * Corrects the books as a person says: a strategy holds coins (`adopt`), no longer holds them (`write-off`),
 * or strategy `to` holds them (`move`). Amounts and prices are decimal texts. `amount` null: all that the
 * strategy holds, and for `adopt`: its position exists. `price` null: the current price.
 */
export type PositionCommand = ByHandBase & {
  readonly kind: 'position';
  readonly act: (typeof POSITION_ACTS)[number];
  readonly strategy: string;
  readonly to: string | null;
  readonly market: string;
  readonly amount: string | null;
  readonly price: string | null;
};

export const POSITION_ACTS = ['adopt', 'write-off', 'move'] as const;

/** A person's command on orders and positions. */
export type ByHandCommand = CancelCommand | CloseCommand | PlaceCommand | PositionCommand;

const BY_HAND: ReadonlySet<string> = new Set(['cancel', 'close', 'place', 'position']);

export function isByHand(command: ControlCommand): command is ByHandCommand {
  return BY_HAND.has(command.kind);
}

/** Events of one moment from a venue that pushes: first its answers, then the order updates. */
export type VenueEvent = Extract<EngineEvent, { kind: 'answer' | 'account' }>;
