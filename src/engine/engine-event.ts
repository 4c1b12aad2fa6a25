import type { DecimalText } from '../domain/decimal-text.ts';
import type { VenueOrder } from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { StoredReply, VenueAnswer, WalletReading } from '../venues/port.ts';
import type { EntryPolicy } from './lock.ts';
import type { FeedPace } from '../scheduler/poll-queue.ts';
import type { OrderWith, BY_HAND_ORDER } from '../records/order.ts';
import type { Sentence } from '../language/sentence.ts';

/** Input of the engine. Times are of one clock that never goes back, in ms since 1970. */
export type EngineEvent =
  /** Time has come, as asked for with `wake`. */
  | { readonly kind: 'tick'; readonly atMs: number }
  /**
   * A request came to its end. `sentAtMs`: the last instant at which it can have left; null when it never
   * did.
   */
  | {
      readonly kind: 'answer';
      readonly atMs: number;
      readonly requestId: number;
      readonly sentAtMs: number | null;
      readonly answer: VenueAnswer;
      /** The bytes behind the answer to a call about one order, where there were any. */
      readonly reply?: StoredReply;
    }
  | { readonly kind: 'control'; readonly atMs: number; readonly command: ControlCommand }
  /** Feeds of the plan are asked more or less often from now on: the exchange has changed a limit. */
  | { readonly kind: 'pace'; readonly atMs: number; readonly paces: readonly FeedPace[] }
  /**
   * Bars that have begun by `atMs` and are not over, pushed where something else happens or is due while they
   * run: their opens are the prices until they close at `untilMs`.
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
  /** Order updates pushed by a venue that pushes: changed orders, new trades, and the wallets after them. */
  | {
      readonly kind: 'account';
      readonly atMs: number;
      readonly orders: readonly VenueOrder[];
      readonly trades: readonly VenueTrade[];
      readonly wallets: readonly WalletReading[];
    };

/**
 * Handling of open orders at the end of a run. `keep-exits`: orders that only reduce a position stay, the
 * others are canceled.
 */
export const DRAIN_POLICIES = ['keep-exits', 'cancel', 'keep'] as const;

export type DrainPolicy = (typeof DRAIN_POLICIES)[number];

/** Command of an operator. */
export type ControlCommand =
  /** No new orders, and every own order canceled. Holds over a restart, until `resume`. */
  | { readonly kind: 'halt'; readonly reason: Sentence; readonly wholeAccount: boolean }
  | { readonly kind: 'resume' }
  /** The end of the run: no new orders; what becomes of own open orders is for the policy. */
  | { readonly kind: 'drain'; readonly openOrders: DrainPolicy }
  /** A break was looked at by a person: go on from what the exchange says now. */
  | { readonly kind: 'accept-balances' }
  /** Compares balances at once, as at the end of a run. */
  | { readonly kind: 'compare-balances' }
  | LockCommand
  | SignalCommand
  | ByHandCommand;

/** Locks by hand. A strategy or market that is null stands for all. */
export type LockCommand =
  | {
      readonly kind: 'lock';
      readonly name: string;
      readonly strategy: string | null;
      readonly market: string | null;
      readonly reason: Sentence;
      readonly untilMs: number;
      readonly entries: EntryPolicy;
      /** True if the one strategy that it is about gets no events while it holds. */
      readonly pauses?: boolean | undefined;
      /** Author of the command. */
      readonly by?: string | undefined;
    }
  | {
      readonly kind: 'unlock';
      /** Null: of any name. */
      readonly name: string | null;
      readonly strategy: string | null;
      readonly market: string | null;
      /** Whatever they are about. */
      readonly isAll: boolean;
    };

/** Message from outside to a strategy. */
export type SignalCommand = {
  readonly kind: 'signal';
  readonly strategy: string;
  /** Of the data that the strategy declares. */
  readonly name: string;
  /** Of the sender: with strategy and name it is told once. */
  readonly id: string;
  /** Any JSON value; not checked yet. */
  readonly payload: unknown;
  /** As the sender says; null where it says nothing. */
  readonly sentAtMs: number | null;
  /** Sender. */
  readonly source: string;
  /** Age when it is accepted, by the clock of the machine; 0 if omitted. */
  readonly ageMs?: number | undefined;
};

interface ByHandBase {
  /** Of the command itself: one that was done is not done again, also after a crash. */
  readonly key: string;
  /** Author of the command. */
  readonly by?: string | undefined;
}

/** Cancels one order by its key or the exchange's id, or all of a strategy and market: null is all. */
export type CancelCommand = ByHandBase & {
  readonly kind: 'cancel';
  readonly order: string | null;
  readonly strategy: string | null;
  readonly market: string | null;
};

/** Closes the position of a strategy in the coin of a market, or in all of its coins (null). */
export type CloseCommand = ByHandBase & {
  readonly kind: 'close';
  readonly strategy: string;
  readonly market: string | null;
};

/** An order in the book of a strategy. Numbers are decimal texts; without prices it is a market order. */
export type PlaceCommand = ByHandBase &
  Pick<OrderWith<string>, (typeof BY_HAND_ORDER)[number]> & { readonly kind: 'place' };

/**
 * Statement of a person about coins in the books: a strategy has them, no longer has them, or another one
 * (`to`) has them. Decimal texts; `amount` null: all that the strategy holds, and of `adopt`: what it holds
 * is there. `price` null: the current price.
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

/** Command of a person on orders and positions. */
export type ByHandCommand = CancelCommand | CloseCommand | PlaceCommand | PositionCommand;

const BY_HAND: ReadonlySet<string> = new Set(['cancel', 'close', 'place', 'position']);

export function isByHand(command: ControlCommand): command is ByHandCommand {
  return BY_HAND.has(command.kind);
}

/** Events of one moment from a venue that pushes: its answers, and then the order updates. */
export type VenueEvent = Extract<EngineEvent, { kind: 'answer' | 'account' }>;
