import type { DecimalText } from '../domain/decimal-text.ts';
import type { VenueOrder } from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { StoredReply, VenueAnswer, WalletReading, VenueCall } from '../venues/port.ts';
import { z } from 'zod';
import type { Sentence } from '../language/sentence.ts';
import { ENTRY_POLICIES } from './lock.ts';
import { isSignalId } from '../domain/figure-name.ts';
import { storedTimeMs, type Immutable } from '../domain/stored-json.ts';
import { shapeOf, STORED_CODECS } from '../records/field.ts';
import type { FeedPace } from '../scheduler/poll-queue.ts';
import { BY_HAND_ORDER, ORDER, type OrderRecord } from '../records/order.ts';
import { noteFields } from '../records/rows.ts';
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

export const POSITION_ACTS = ['adopt', 'write-off', 'move'] as const;

/** Longest reason that is stored, in characters. */
export const LONGEST_REASON = 500;

/** Longest name of a lock by hand, in characters. */
export const LONGEST_LOCK_NAME = 40;

/** Longest name of a person who gave a command, in characters. */
export const LONGEST_BY = 80;

const LONGEST_KEY = 100;

export const PROMOTION_ACTS = ['promote', 'undo', 'drop'] as const;

const reason: z.ZodType<Sentence> = z.string().max(LONGEST_REASON);
/** Name of a strategy or market, or key of an order. */
const name = z.string().max(LONGEST_KEY);
const decimal = z.string().regex(/^\d{1,30}(?:\.\d{1,20})?$/);

const byHand = {
  /** Key of the command. A command whose key was done before is not done again, also after a crash. */
  key: z.string().min(1).max(LONGEST_KEY),
  /** Person or program that gave the command. */
  by: z.string().max(LONGEST_BY).optional(),
};

/** Schema of an operator's command that is posted to a bot. */
export const postedCommand = z.discriminatedUnion('kind', [
  /** Accepts no new orders and cancels every own order. Lasts until `resume`, also over a restart. */
  z.strictObject({ kind: z.literal('halt'), reason, wholeAccount: z.boolean() }),
  z.strictObject({ kind: z.literal('resume') }),
  /** Starts a strategy again with the code and params that its runner has been given, whatever stopped it. */
  z.strictObject({ kind: z.literal('reload'), strategy: name, by: byHand.by }),
  /**
   * Says whose code and params a strategy has from now on: those of its shadow (`promote`), or its own again
   * (`undo`; `drop`: since the configuration has changed). The runners have been given them.
   */
  z.strictObject({
    kind: z.literal('promote'),
    act: z.enum(PROMOTION_ACTS),
    strategy: name,
    shadow: name,
    /** Mark of the code and params that both have in the configuration; the bot fills it in. */
    setups: z.string().max(LONGEST_KEY).default(''),
    by: byHand.by,
  }),
  /** Ends the run: accepts no new orders; the open ones are treated as `openOrders` requires. */
  z.strictObject({ kind: z.literal('drain'), openOrders: z.enum(DRAIN_POLICIES) }),
  /** Accepts the balances that the exchange shows now, after a person has reviewed a break. */
  z.strictObject({ kind: z.literal('accept-balances') }),
  /** Sets a lock by hand. A null `strategy` or `market` means all of them. */
  z.strictObject({
    kind: z.literal('lock'),
    name: z.string().max(LONGEST_LOCK_NAME),
    strategy: z.string().nullable(),
    market: z.string().nullable(),
    reason,
    untilMs: storedTimeMs,
    entries: z.enum(ENTRY_POLICIES),
    /** True if the strategy gets no events while the lock holds. Only for a lock on one strategy. */
    pauses: z.boolean().optional(),
    by: byHand.by,
  }),
  /** Ends locks: those of the name, or of any name (null). */
  z.strictObject({
    kind: z.literal('unlock'),
    name: z.string().max(LONGEST_LOCK_NAME).nullable(),
    strategy: z.string().nullable(),
    market: z.string().nullable(),
    /** True to end locks on any strategy and market. */
    isAll: z.boolean(),
  }),
  /** Cancels one order, by its key or the exchange's id, or all of a strategy and market (null: any). */
  z.strictObject({
    kind: z.literal('cancel'),
    ...byHand,
    order: name.nullable(),
    strategy: name.nullable(),
    market: name.nullable(),
  }),
  /**
   * Corrects the books as a person says: a strategy holds coins (`adopt`), no longer holds them
   * (`write-off`), or strategy `to` holds them (`move`). `amount` null: all that the strategy holds, and for
   * `adopt`: its position exists. `price` null: the current price.
   */
  z.strictObject({
    kind: z.literal('position'),
    ...byHand,
    act: z.enum(POSITION_ACTS),
    strategy: name,
    to: name.nullable(),
    market: name,
    amount: decimal.nullable(),
    price: decimal.nullable(),
  }),
  /** Closes a strategy's position in the base coin of a market; `market` null: in all of its coins. */
  z.strictObject({ kind: z.literal('close'), ...byHand, strategy: name, market: name.nullable() }),
  /** Places an order for a strategy; without prices it is a market order. */
  z.strictObject({
    kind: z.literal('place'),
    ...byHand,
    /** True to run the checks alone: nothing is placed, requested or stored. */
    isDryRun: z.boolean().optional(),
    ...shapeOf(ORDER, BY_HAND_ORDER, { ...STORED_CODECS, name, money: decimal, amount: decimal }),
  }),
  /** Decides on an entry that waits for a person, by the id of its intent. */
  z.strictObject({ kind: z.enum(['approve', 'decline']), ...byHand, intent: name }),
  /** Replaces a person's note and tags on a trade. */
  z.strictObject({ kind: z.literal('note'), ...byHand, ...noteFields.shape }),
  /** Gives a strategy a message from outside. */
  z.strictObject({
    kind: z.literal('signal'),
    strategy: name,
    /** Name of the signal, as the strategy declares it. */
    name,
    /** Id by the sender. A signal of the same strategy, name and id is delivered once. */
    id: z.string().refine(isSignalId),
    /** Any JSON value; not checked yet. */
    payload: z.unknown(),
    /** Time by the sender's clock, in ms since 1970; null if the sender gave none. */
    sentAtMs: storedTimeMs.nullable(),
    /** Name of the sender. */
    source: z.string().max(LONGEST_BY),
  }),
]);

type Posted = Immutable<z.output<typeof postedCommand>>;
type PostedOf<Kind extends Posted['kind']> = Extract<Posted, { readonly kind: Kind }>;

export type LockCommand = PostedOf<'lock' | 'unlock'>;
export type ReloadCommand = PostedOf<'reload'>;
export type PromoteCommand = PostedOf<'promote'>;
export type CancelCommand = PostedOf<'cancel'>;
export type CloseCommand = PostedOf<'close'>;
export type PlaceCommand = PostedOf<'place'>;
export type PositionCommand = PostedOf<'position'>;
export type ApprovalCommand = PostedOf<'approve' | 'decline'>;
export type NoteCommand = PostedOf<'note'>;

/** A person's command whose result is stored in the step that carries it out. */
export type AtOnceCommand = PositionCommand | ApprovalCommand | NoteCommand;

/** A person's command on orders, positions, entries and trades. */
export type ByHandCommand = CancelCommand | CloseCommand | PlaceCommand | AtOnceCommand;

/** A signal. `ageMs`: its age at its acceptance, by this machine's clock; 0 if omitted. */
export type SignalCommand = PostedOf<'signal'> & { readonly ageMs?: number | undefined };

/** A command of an operator. `compare-balances` compares balances at once, as at the end of a run. */
export type ControlCommand =
  | Exclude<Posted, { kind: 'signal' }>
  | SignalCommand
  | { readonly kind: 'compare-balances' };

export function isByHand(command: ControlCommand): command is ByHandCommand {
  return 'key' in command;
}

/** Events of one moment from a venue that pushes: first its answers, then the order updates. */
export type VenueEvent = Extract<EngineEvent, { kind: 'answer' | 'account' }>;
