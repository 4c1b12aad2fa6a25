import type { BarAnchors, Candle, Timeframe } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { ErrorCode } from '../domain/errors.ts';
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
import type { PublicTrade, VenueTrade } from '../domain/trade.ts';
import type { OrderRecord, PricedOrder } from '../records/order.ts';
import type { BalanceRecord } from '../records/rows.ts';

/** An order as it is asked for. Money is in units of 1e-10, on the market's steps. */
export interface OrderRequest extends Pick<
  OrderRecord,
  'side' | 'execution' | 'amount' | 'price' | 'stopPrice'
> {
  readonly clientOrderId: string;
  readonly base: string;
  readonly quote: string;
  /** True if the exchange must not refuse it as a repetition of an identical order; false when left out. */
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

/** One order, by the exchange's id, or while that is not known, by its client order id among open orders. */
export type AskedOrder =
  | { readonly venueId: VenueOrderId; readonly clientOrderId: null }
  | { readonly venueId: null; readonly clientOrderId: string };

/**
 * A call of the engine to an exchange. This is the port: the client, the paper venue and the simulator's
 * typed interface all answer it.
 */
export type VenueCall =
  | { readonly kind: 'place'; readonly order: OrderRequest }
  | { readonly kind: 'place-oco'; readonly order: OcoRequest }
  | ({ readonly kind: 'cancel' } & AskedOrder)
  | { readonly kind: 'cancel-old' }
  | ({ readonly kind: 'order' } & AskedOrder)
  /** One page by rising cursor, from that one on, or from the first. */
  | { readonly kind: 'orders'; readonly status: 'open' | 'all'; readonly from: ListCursor | null }
  /** One page by rising cursor, from that one on. */
  | { readonly kind: 'trades'; readonly from: ListCursor }
  | { readonly kind: 'wallets' }
  /** One page of what came into and left a wallet, newest first. Pages count from 1. */
  | { readonly kind: 'transactions'; readonly walletId: VenueWalletId; readonly page: number }
  | { readonly kind: 'book'; readonly market: string }
  | { readonly kind: 'books' }
  | { readonly kind: 'stats'; readonly base: readonly string[]; readonly quote: readonly string[] }
  | { readonly kind: 'public-trades'; readonly market: string }
  /** The last `count` bars that begin before `toMs`, the one that is not closed yet among them. */
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
  /** From one wallet of a currency to the other. It has no id: sent twice it moves twice. */
  | {
      readonly kind: 'transfer';
      readonly currency: string;
      readonly amount: Units;
      readonly from: WalletSide;
    };

export type VenueCallKind = VenueCall['kind'];

/**
 * Calls about markets alone. Anybody can read the options too, but a simulated exchange answers them with its
 * account.
 */
export type MarketCallKind = 'book' | 'books' | 'stats' | 'public-trades' | 'candles';

/** Calls that anybody may make: they tell of markets, and of nobody's account. */
export const MARKET_CALLS: ReadonlySet<VenueCallKind> = new Set([
  'book',
  'books',
  'stats',
  'public-trades',
  'candles',
  'options',
]);

/**
 * The question for the statistics of some markets. Others whose currencies are all among theirs are answered
 * too.
 */
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
  /** Null where the exchange does not say. */
  readonly hasNext: boolean | null;
}

/** One wallet, in units of 1e-10. `held` is the part that orders and withdrawals have set aside. */
export interface WalletReading extends Pick<BalanceRecord, 'currency' | 'total' | 'held'> {
  readonly walletId: VenueWalletId;
  /** A number of it that the books can not hold; null where they hold all. */
  readonly tooFine: TooFine | null;
}

/** One line of a wallet's history; `amount`, in units of 1e-10, is negative for what went out. */
export interface WalletTransaction {
  readonly id: WalletTransactionId;
  readonly currency: string;
  readonly atMs: number;
  readonly amount: Units;
  readonly description: string;
  /** Its amount, where the books can not hold that; else null. */
  readonly tooFine: TooFine | null;
}

/** Steps and least value of one market, as the options tell them; null where they are silent. */
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
  /** In the currency that was asked about. */
  readonly 'delegation-limit': DecimalText;
  readonly transfer: null;
}

/** The effect that an unsuccessful call can have had. */
export type Effect = 'none' | 'applied' | 'unknown';

/** A row of a list that could not be read, with what could be read of it. */
export interface UnreadRow {
  /** The list and what of it, as a finding names it: `wallet btc`, `trade 17`. */
  readonly subject: string;
  readonly why: string;
  /** The order that it is, or that it is of. */
  readonly venueOrderId: VenueOrderId | null;
  readonly market: string | null;
  readonly currency: string | null;
}

/** Outcome of a call. */
export type VenueAnswer<Kind extends VenueCallKind = VenueCallKind> =
  /**
   * `unread`: rows that are not in the value; absent where none is missing. `moveAtMs`: when the reply with
   * candles says that it was written, by the exchange's clock, in whole seconds; absent where it does not.
   */
  | {
      readonly outcome: 'value';
      readonly value: VenueValues[Kind];
      readonly unread?: readonly UnreadRow[];
      readonly saidAtMs?: number;
    }
  /** The exchange's own no. `status` and `order` come with a cancel that did not apply. */
  | {
      readonly outcome: 'refused';
      readonly code: string;
      readonly message: string;
      readonly effect: Effect;
      readonly status: string | null;
      readonly order: VenueOrder | null;
    }
  /** There was no clear answer. */
  | {
      readonly outcome: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly effect: Effect;
    }
  /**
   * It never left: it waited too long, a newer one of its kind took its place, the queue was full, or the end
   * came. `retryInMs`: when the next may leave at the earliest, where that is known.
   */
  | { readonly outcome: 'unsent'; readonly reason: string; readonly retryInMs?: number | null };

/**
 * The exchange's time when a question reached it, at the earliest: as long before its reply was written as
 * the reply took. Where the reply names no time, or a later one than the asker's clock, that is believed.
 */
export function exchangeAskedMs(
  saidAtMs: number | undefined,
  { askedAtMs, atMs }: { readonly askedAtMs: number; readonly atMs: number },
): number {
  return saidAtMs === undefined ? askedAtMs : Math.min(askedAtMs, saidAtMs - (atMs - askedAtMs));
}

/** A reply of the exchange as it came. Nothing is decided by it: it is for people. */
export interface StoredReply {
  readonly endpoint: string;
  readonly httpStatus: number;
  /** The beginning of its body. */
  readonly body: string;
  /** Characters of the whole body. */
  readonly bodyLength: number;
}

/** Meaning of a status word of an order. `waiting`: a stop whose price was not reached yet. */
export type StatusMeaning = 'accepted' | 'working' | 'waiting' | 'filled' | 'canceled';

/**
 * Paging of a list of own orders, trades or wallet lines. By id: ids rise with time, and a page begins at an
 * id. By time: ids have no meaning, a page begins at a time of the venue's clock, and more than one item may
 * have the same time.
 */
export type OwnList<Id extends string = never> =
  | { readonly by: 'id'; readonly cursorOf: (id: Id) => ListCursor }
  | {
      readonly by: 'time';
      /**
       * Maximum time by which an item may precede one that the list showed earlier. Readings begin so much
       * before.
       */
      readonly overlapMs: number;
    };

/** Proof that an order without a clear answer never arrived. */
export interface AbsenceRule {
  /**
   * The venue itself refuses a request that arrives so long after it was sent; null where it promises
   * nothing, so that the configuration has to say how late one may arrive.
   */
  readonly refusedAfterMs: number | null;
  /**
   * Number of complete readings of all orders that must lack it, each requested when it can no longer arrive.
   */
  readonly readings: number;
  /** True if the trades read after them must include none that may be its own. */
  readonly needsTrades: boolean;
}

/**
 * On what the refusal of an order can depend: the market's price, where the order is too far from it (`band`)
 * or on its wrong side (`price`); a rule of the market, such as its least value or its steps; the free
 * balance (`funds`); or what the bot can not see (`elsewhere`), such as a closed market.
 */
export type RefusalCause = 'price' | 'band' | 'rule' | 'funds' | 'elsewhere';

/**
 * Particulars of one exchange, so that the engine knows no word of any: each venue publishes its own, and the
 * engine gets it with its settings. Everything here is a fact of the exchange's interface; the user's choices
 * are in the configuration.
 */
export interface VenueProfile {
  /**
   * Status words by what they mean. The first of each is the word that messages use. A word of none of them
   * has no known meaning.
   */
  readonly statuses: Readonly<Record<StatusMeaning, readonly string[]>>;
  /** Codes of refusals that say something of an order besides no. */
  readonly refusals: {
    readonly noSuchOrder: string;
    /** An open order has the client order id. */
    readonly clientOrderIdInUse: string;
    /** An identical order came a moment ago; null where identical orders are taken. */
    readonly identicalOrder: string | null;
    /** Codes by what has to change before the same order can be taken. A code of none: nobody knows. */
    readonly dependOn: Readonly<Record<RefusalCause, readonly string[]>>;
  };
  /**
   * Maximum distance of a limit order's price from that of the market, as a share of it: units of 1e-10. Null
   * if any price is accepted.
   */
  readonly priceBand: Units | null;
  /**
   * For how long an order is held against identical ones, with room for clocks and the way; 0 where they are
   * taken.
   */
  readonly identicalOrdersMs: number;
  readonly clientOrderId: {
    readonly longest: number;
    /** Pattern of a valid id. */
    readonly pattern: RegExp;
    /** True if an open order can be requested by it. */
    readonly canBeQueried: boolean;
  };
  /** Kinds of orders that it takes. */
  readonly orderKinds: ReadonlySet<Execution | 'oco'>;
  readonly ownLists: {
    readonly orders: OwnList<VenueOrderId>;
    readonly trades: OwnList<VenueTradeId> & {
      /** The account's next trade seldom stands further on: one that does may have been read wrong. */
      readonly usualReach: ListCursor;
      /** For how many days a trade is listed at least; how long it may come late. */
      readonly listedDays: number;
    };
    /** Lines of each wallet's history. Its pages are counted from the newest line. */
    readonly transactions: OwnList<WalletTransactionId>;
  };
  readonly absence: AbsenceRule;
  /** The most items that one page of a list has, and the most candles that one answer has. */
  readonly pageSizes: Readonly<Record<'orders' | 'trades' | 'transactions' | 'candles', number>>;
  /** Names of its markets, its two quote currencies, and the market in which they meet: the bridge. */
  readonly marketNames: MarketNames;
  /** Timeframes of its candles. */
  readonly timeframes: ReadonlySet<Timeframe>;
  /** Anchors of its candles, as far as outside sources give them; its answers show the rest. */
  readonly barAnchors: BarAnchors;
  /**
   * For how long it answers with the same book, so that asking more often shows nothing new; 0 for not at
   * all.
   */
  readonly bookCacheMs: number;
  /** The budget that each call is counted in. */
  readonly budgets: Readonly<Record<VenueCallKind, string>>;
  /** Calls that it does not answer, each with why, as the end of a sentence; absent where it answers all. */
  readonly unserved?: ReadonlyMap<VenueCallKind, string>;
}

const OPEN: readonly StatusMeaning[] = ['accepted', 'working', 'waiting'];
const CLOSED: readonly StatusMeaning[] = ['filled', 'canceled'];

/**
 * True if an order may still fill. A word without a meaning is neither open nor closed until its meaning is
 * found out: see `OrderEndings`.
 */
export function isOpenStatus({ statuses }: Pick<VenueProfile, 'statuses'>, status: string): boolean {
  for (const meaning of OPEN) if (statuses[meaning].includes(status)) return true;
  return false;
}

/** True if a status word means that an order has ended. */
export function isClosedStatus({ statuses }: Pick<VenueProfile, 'statuses'>, status: string): boolean {
  for (const meaning of CLOSED) if (statuses[meaning].includes(status)) return true;
  return false;
}

const CAUSES: readonly RefusalCause[] = ['price', 'band', 'rule', 'funds', 'elsewhere'];

/** Cause of the refusal of an order, by its code; null if it is unknown. */
export function refusalCauseOf(
  { refusals }: Pick<VenueProfile, 'refusals'>,
  code: string,
): RefusalCause | null {
  return CAUSES.find((cause) => refusals.dependOn[cause].includes(code)) ?? null;
}
