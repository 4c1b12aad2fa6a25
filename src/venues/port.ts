import type { BarAnchors, Candle, Timeframe } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { ErrorCode, SarrafError } from '../domain/errors.ts';
import type { PoolReading, WalletSide } from '../records/margin.ts';
import type { MarketName, MarketNames } from '../domain/market-symbol.ts';
import type { MarketStats, OrderBook } from '../domain/order-book.ts';
import type { Units, TooFine } from '../domain/money.ts';
import type {
  Execution,
  VenueOrder,
  VenueOrderId,
  VenueTradeId,
  VenueWalletId,
  WalletTransactionId,
  ListCursor,
} from '../domain/order.ts';
import type { Budget, Charge } from '../domain/rate-limit.ts';
import type { PublicTrade, VenueTrade } from '../domain/trade.ts';
import type { OrderRecord, PricedOrder } from '../records/order.ts';
import type { BalanceRecord } from '../records/rows.ts';

/** Request for an order. Money is in units of 1e-10, on the market's steps. */
export interface OrderRequest extends Pick<
  OrderRecord,
  'side' | 'execution' | 'amount' | 'price' | 'stopPrice'
> {
  readonly clientOrderId: string;
  readonly base: string;
  readonly quote: string;
  /** True if the exchange must not refuse it as a repetition of an identical order; default false. */
  readonly pro?: boolean;
}

/** Both legs of an OCO: a limit order at `price`, and a stop-limit order that waits for `stopPrice`. */
export interface OcoRequest
  extends
    Pick<PricedOrder, 'side' | 'amount' | 'price'>,
    Pick<OrderRequest, 'clientOrderId' | 'base' | 'quote' | 'pro'> {
  readonly stopPrice: Units;
  readonly stopLimitPrice: Units;
}

/**
 * One order, in its market: by the exchange's id, or, while that is unknown, by its client order id among
 * open orders. `market` is null if the record that showed the id named none.
 */
export type AskedOrder =
  | { readonly market: string | null; readonly venueId: VenueOrderId; readonly clientOrderId: null }
  | { readonly market: string; readonly venueId: null; readonly clientOrderId: string };

/** A call of the engine to an exchange, which client, paper venue and simulator answer. */
export type VenueCall =
  | { readonly kind: 'place'; readonly order: OrderRequest }
  | { readonly kind: 'place-oco'; readonly order: OcoRequest }
  | ({ readonly kind: 'cancel' } & AskedOrder)
  | { readonly kind: 'cancel-old' }
  | ({ readonly kind: 'order' } & AskedOrder)
  /** One page by rising cursor, from `from` on; null: from the first item. `market`: as in `ListScope`. */
  | {
      readonly kind: 'orders';
      readonly status: 'open' | 'all';
      readonly market: string | null;
      readonly from: ListCursor | null;
    }
  /** One page by rising cursor, from `from` on. */
  | { readonly kind: 'trades'; readonly market: string | null; readonly from: ListCursor }
  | { readonly kind: 'wallets' }
  /** One page of a wallet's deposits and withdrawals, newest first. Pages count from 1. */
  | { readonly kind: 'transactions'; readonly walletId: VenueWalletId; readonly page: number }
  | { readonly kind: 'book'; readonly market: string }
  | { readonly kind: 'books' }
  | { readonly kind: 'stats'; readonly base: readonly string[]; readonly quote: readonly string[] }
  | { readonly kind: 'public-trades'; readonly market: string }
  /** The last `count` bars that begin before `toMs`, including the one that is not closed yet. */
  | {
      readonly kind: 'candles';
      readonly market: string;
      readonly timeframe: Timeframe;
      readonly toMs: number;
      readonly count: number;
    }
  | { readonly kind: 'options' }
  | { readonly kind: 'pools' }
  | { readonly kind: 'margin-wallets' }
  | { readonly kind: 'delegation-limit'; readonly currency: string }
  /** A transfer between the two wallets of a currency. It has no id: sent twice it moves twice. */
  | {
      readonly kind: 'transfer';
      readonly currency: string;
      readonly amount: Units;
      readonly from: WalletSide;
    };

export type VenueCallKind = VenueCall['kind'];

/** Calls for market data. Options are public, but a simulated exchange answers them with its account. */
export type MarketCallKind = 'book' | 'books' | 'stats' | 'public-trades' | 'candles';

/** Effect of each call: it reads what anyone may read, reads the account, or changes something. */
const CALLS: Readonly<Record<VenueCallKind, 'market' | 'account' | 'change'>> = {
  place: 'change',
  'place-oco': 'change',
  cancel: 'change',
  'cancel-old': 'change',
  order: 'account',
  orders: 'account',
  trades: 'account',
  wallets: 'account',
  transactions: 'account',
  book: 'market',
  books: 'market',
  stats: 'market',
  'public-trades': 'market',
  candles: 'market',
  options: 'market',
  pools: 'account',
  'margin-wallets': 'account',
  'delegation-limit': 'account',
  transfer: 'change',
};

export const CALL_KINDS = Object.keys(CALLS) as readonly VenueCallKind[];

const callsThat = (does: (typeof CALLS)[VenueCallKind]): ReadonlySet<VenueCallKind> =>
  new Set(CALL_KINDS.filter((kind) => CALLS[kind] === does));

/** Calls that anyone may make: their answers concern markets and no account. */
export const MARKET_CALLS = callsThat('market');

/** Calls that change something at the exchange; all others may be repeated. */
export const CHANGING_CALLS = callsThat('change');

/** Returns the answer to a call that failed: a failed read has changed nothing. */
export function failedCall(kind: VenueCallKind, { code, message, outcome }: SarrafError): VenueAnswer {
  return { outcome: 'failed', code, message, effect: CHANGING_CALLS.has(kind) ? outcome : 'none' };
}

/** Returns the call for statistics of some markets. The answer has all markets of their currencies. */
export function statsCall(
  names: readonly Pick<MarketName, 'base' | 'quote'>[],
): Extract<VenueCall, { kind: 'stats' }> {
  return {
    kind: 'stats',
    base: [...new Set(names.map(({ base }) => base))],
    quote: [...new Set(names.map(({ quote }) => quote))],
  };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null if the exchange does not tell. */
  readonly hasNext: boolean | null;
}

/** One wallet, in units of 1e-10. `held` is the part reserved for orders and withdrawals. */
export interface WalletReading extends Pick<BalanceRecord, 'currency' | 'total' | 'held'> {
  readonly walletId: VenueWalletId;
  /** Its number that is too fine for units of 1e-10; null if there is none. */
  readonly tooFine: TooFine | null;
}

/** One line of a wallet's history; `amount`, in units of 1e-10, is negative if it left the wallet. */
export interface WalletTransaction {
  readonly id: WalletTransactionId;
  readonly currency: string;
  readonly atMs: number;
  readonly amount: Units;
  readonly description: string;
  /** Its amount, if that is too fine for units of 1e-10; else null. */
  readonly tooFine: TooFine | null;
}

/** Steps and least value of one market, as the options give them; null if they do not. */
export interface MarketRule {
  readonly symbol: string;
  readonly priceStep: DecimalText | null;
  readonly amountStep: DecimalText | null;
  readonly minOrderValue: DecimalText | null;
}

/** Value that each call returns. */
export interface VenueValues {
  readonly place: VenueOrder;
  readonly 'place-oco': readonly [VenueOrder, VenueOrder];
  readonly cancel: { readonly status: string | null; readonly order: VenueOrder | null };
  readonly 'cancel-old': null;
  readonly order: VenueOrder;
  readonly orders: Page<VenueOrder>;
  readonly trades: Page<VenueTrade>;
  readonly wallets: readonly WalletReading[];
  readonly transactions: Page<WalletTransaction>;
  readonly book: OrderBook;
  readonly books: Readonly<Record<string, OrderBook>>;
  readonly stats: readonly MarketStats[];
  readonly 'public-trades': readonly PublicTrade[];
  readonly candles: readonly Candle[];
  readonly options: readonly MarketRule[];
  readonly pools: readonly PoolReading[];
  readonly 'margin-wallets': readonly WalletReading[];
  /** Limit in the currency of the call. */
  readonly 'delegation-limit': DecimalText;
  readonly transfer: null;
}

/** Possible effect of an unsuccessful call. */
export type Effect = 'none' | 'applied' | 'unknown';

/** A row of a list that could not be read, with what could be read of it. */
export interface UnreadRow {
  /** The list and the row, as a finding names them: `wallet btc`, `trade 17`. */
  readonly subject: string;
  readonly why: string;
  /** The order in the row, or the order of its trade. */
  readonly venueOrderId: VenueOrderId | null;
  readonly market: string | null;
  readonly currency: string | null;
}

/** Outcome of a call. */
export type VenueAnswer<Kind extends VenueCallKind = VenueCallKind> =
  /**
   * `unread`: rows that are missing in the value; left out if none are. `moveAtMs`: when a reply with candles
   * was written, by the exchange's clock, in whole seconds; left out if it does not tell.
   */
  | {
      readonly outcome: 'value';
      readonly value: VenueValues[Kind];
      readonly unread?: readonly UnreadRow[];
      readonly saidAtMs?: number;
    }
  /** The exchange refused the call. `status` and `order` come with a cancel that had no effect. */
  | {
      readonly outcome: 'refused';
      readonly code: string;
      readonly message: string;
      readonly effect: Effect;
      readonly status: string | null;
      readonly order: VenueOrder | null;
    }
  /** The call got no clear answer; `effect` is what it can have done. */
  | {
      readonly outcome: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly effect: Effect;
    }
  /**
   * The call never left: it waited too long, a newer one replaced it, the queue was full, or the bot ended.
   * `retryInMs`: shortest time until another may leave, if that is known.
   */
  | { readonly outcome: 'unsent'; readonly reason: string; readonly retryInMs?: number | null };

/**
 * Returns the earliest exchange time at which a request can have arrived: the time in its reply minus the
 * round trip, but at most `askedAtMs`. A reply without a time gives `askedAtMs`.
 */
export function exchangeAskedMs(
  saidAtMs: number | undefined,
  { askedAtMs, atMs }: { readonly askedAtMs: number; readonly atMs: number },
): number {
  return saidAtMs === undefined ? askedAtMs : Math.min(askedAtMs, saidAtMs - (atMs - askedAtMs));
}

/** A reply of the exchange, unchanged. It is for people: no code decides by it. */
export interface StoredReply {
  readonly endpoint: string;
  readonly httpStatus: number;
  /** The first characters of its body. */
  readonly body: string;
  /** Length of the whole body in characters. */
  readonly bodyLength: number;
}

/** Meaning of a status word of an order. `waiting`: a stop whose price was not reached yet. */
export type StatusMeaning = 'accepted' | 'working' | 'waiting' | 'filled' | 'canceled';

/**
 * Paging of a list of own orders, trades or wallet lines. By id: ids rise with time, and a page begins at an
 * id. By time: ids have no order, a page begins at a time of the venue's clock, and several items may have
 * the same time.
 */
export type OwnList<Id extends string = never> =
  | { readonly by: 'id'; readonly cursorOf: (id: Id) => ListCursor }
  | {
      readonly by: 'time';
      /** Longest time in ms by which an item may precede an earlier one: a reading begins so much before. */
      readonly overlapMs: number;
    };

/**
 * Contents of one list of own orders or trades: those of the whole venue, where a call for it has no market,
 * or those of the market that the call names. Cursors of two lists are never compared.
 */
export type ListScope = 'venue' | 'market';

/** Proof that an order without a clear answer never arrived. */
export interface AbsenceRule {
  /**
   * Age from which the venue itself refuses a late request, and its lists show one that arrived in time; null
   * if it promises nothing.
   */
  readonly refusedAfterMs: number | null;
  /** Number of complete readings of all orders that must lack the order, when it can no longer arrive. */
  readonly readings: number;
  /** True if the trades that are read after them must include none that may belong to the order. */
  readonly needsTrades: boolean;
}

/**
 * Dependency of an order's refusal. `price`: the order is on the wrong side of the market's price. `band`: it
 * is too far from that. `rule`: a rule of the market, such as its least value or steps. `funds`: the free
 * balance. `elsewhere`: facts that the bot cannot see, such as a closed market.
 */
export type RefusalCause = 'price' | 'band' | 'rule' | 'funds' | 'elsewhere';

/**
 * Facts of one exchange's interface, so that the engine has no knowledge of any exchange: each venue
 * publishes its own, and the engine gets it with its settings. Choices of the user are in the configuration.
 */
export interface VenueProfile {
  /** Name of the venue, which the mirror stores: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** Status words by meaning. Messages use the first of each. A word in no list has no known meaning. */
  readonly statuses: Readonly<Record<StatusMeaning, readonly string[]>>;
  /** Codes of refusals that reveal something about an order. */
  readonly refusals: {
    /** There is no such order. Any other code proves nothing, such as one for an order in an archive. */
    readonly noSuchOrder: string;
    /** An open order has the same client order id. */
    readonly clientOrderIdInUse: string;
    /** An identical order came a moment ago; null if identical orders are accepted. */
    readonly identicalOrder: string | null;
    /** Refusal codes by what they depend on: that has to change before the same order can be accepted. */
    readonly dependOn: Readonly<Record<RefusalCause, readonly string[]>>;
  };
  /** Largest distance of a limit order's price from the market's, in units of 1e-10; null for any. */
  readonly priceBand: Units | null;
  /** Time for which identical orders are refused, with a margin for clocks; 0 if they are accepted. */
  readonly identicalOrdersMs: number;
  readonly clientOrderId: {
    readonly longest: number;
    /** Pattern of a valid id. */
    readonly pattern: RegExp;
    /** True if an open order can be queried by this id. */
    readonly canBeQueried: boolean;
  };
  /** Kinds of orders that the exchange accepts. */
  readonly orderKinds: ReadonlySet<Execution | 'oco'>;
  readonly ownLists: {
    readonly orders: OwnList<VenueOrderId> & {
      readonly scope: ListScope;
      /** Scope of the list of open orders, which may differ. Without cursors of its scope it is one page. */
      readonly openScope: ListScope;
    };
    readonly trades: OwnList<VenueTradeId> & {
      readonly scope: ListScope;
      /** Usual greatest distance to the account's next trade id; an id beyond it may be misread. */
      readonly usualReach: ListCursor;
      /** Days for which a trade stays listed at least. */
      readonly listedDays: number;
    };
    /** Lines of each wallet's history, pages from the newest line; null if the exchange lists none. */
    readonly transactions: OwnList<WalletTransactionId> | null;
  };
  readonly absence: AbsenceRule;
  /** Maximum number of items on one page of a list, and most candles in one answer. */
  readonly pageSizes: Readonly<Record<'orders' | 'trades' | 'transactions' | 'candles', number>>;
  /** Names of its markets, its two quote currencies, and the bridge: the market between these two. */
  readonly marketNames: MarketNames;
  /** Timeframes of its candles. */
  readonly timeframes: ReadonlySet<Timeframe>;
  /** Anchors of its candles, as far as they are documented; its answers show the rest. */
  readonly barAnchors: BarAnchors;
  /** Time for which it repeats the same book: polling faster shows nothing new; 0 if it never does. */
  readonly bookCacheMs: number;
  /** The budget in which each call is counted, and whose queue it waits in. */
  readonly budgets: Readonly<Record<VenueCallKind, string>>;
  /** Most units that a call takes of each budget it charges; one of its own if left out. */
  readonly charges?: Partial<Readonly<Record<VenueCallKind, readonly Charge[]>>>;
  /** Other venues whose books the bot reads, by their names in the configuration; absent if none. */
  readonly others?: ReadonlyMap<string, OtherVenueFacts>;
  /** Calls that it does not answer, each with the reason as the end of a sentence; absent if none. */
  readonly unserved?: ReadonlyMap<VenueCallKind, string>;
}

/** Returns the most units that a call takes of each budget it charges, that of its queue first. */
export const chargesOf = (
  { budgets, charges }: Pick<VenueProfile, 'budgets' | 'charges'>,
  kind: VenueCallKind,
): readonly Charge[] => charges?.[kind] ?? [{ budget: budgets[kind], weight: 1 }];

/** Returns the most units that a call takes of the budget in whose queue it waits. */
export const weightOf = (venue: Pick<VenueProfile, 'budgets' | 'charges'>, kind: VenueCallKind): number =>
  chargesOf(venue, kind)[0]?.weight ?? 1;
/** Facts about another venue for the plan: the limit that counts its books, and what one takes of it. */
export interface OtherVenueFacts extends Pick<VenueProfile, 'bookCacheMs'> {
  /** Its name has that of the venue before it: `world:markets`. */
  readonly limit: Budget;
  readonly weight: number;
}

const OPEN: readonly StatusMeaning[] = ['accepted', 'working', 'waiting'];
const CLOSED: readonly StatusMeaning[] = ['filled', 'canceled'];

/** Returns true if an order may still fill. A word without a known meaning may: see `OrderEndings`. */
export function isOpenStatus({ statuses }: Pick<VenueProfile, 'statuses'>, status: string): boolean {
  for (const meaning of OPEN) if (statuses[meaning].includes(status)) return true;
  return false;
}

/** Returns true if a status word means that an order has ended. */
export function isClosedStatus({ statuses }: Pick<VenueProfile, 'statuses'>, status: string): boolean {
  for (const meaning of CLOSED) if (statuses[meaning].includes(status)) return true;
  return false;
}

const CAUSES: readonly RefusalCause[] = ['price', 'band', 'rule', 'funds', 'elsewhere'];

/** Returns the cause of an order's refusal by its code; null if it is unknown. */
export function refusalCauseOf(
  { refusals }: Pick<VenueProfile, 'refusals'>,
  code: string,
): RefusalCause | null {
  return CAUSES.find((cause) => refusals.dependOn[cause].includes(code)) ?? null;
}
