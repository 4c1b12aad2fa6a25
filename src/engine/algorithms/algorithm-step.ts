import type { ExitKind, Side } from '../../domain/order.ts';
import type { Market } from '../../domain/market.ts';
import { type Units, addUnits, NO_UNITS } from '../../domain/money.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import { type OrderRecord, isFinal } from '../../records/order.ts';
import type { RefusalCause } from '../../venues/port.ts';
import type { SeenBook } from '../risk/risk-view.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { Tally } from '../algorithm-json.ts';

/** An order that an algorithm wants to place, not yet fitted to the steps of the market. Units of 1e-10. */
export interface AlgorithmOrder extends Pick<OrderRecord, 'side' | 'price' | 'amount' | 'stopPrice'> {
  /** Limit price of the stop leg of a pair, whose other leg has `price`; null for a single order. */
  readonly stopLimitPrice: Units | null;
  /** Kind of exit; for a pair, the kinds of the target leg and of the stop leg. Left out: no exit. */
  readonly exit?: ExitKind | null;
  readonly stopLegExit?: ExitKind | null;
  /** Market of the order, for an algorithm in several markets; left out: the algorithm's own market. */
  readonly market?: string;
}

/** Returns an order without a stop price. */
export function plainOrder(side: Side, amount: Units, price: Units | null): AlgorithmOrder {
  return { side, amount, price, stopPrice: null, stopLimitPrice: null };
}

/** A sale by the strategy's own exits in a market. The amount includes what they sell already. */
export interface ExitSale {
  readonly market: string;
  readonly amount: Units;
  readonly price: Units | null;
}

/** Close price of a bar, its high, and its close time. */
export interface Close {
  readonly price: Units;
  readonly high: Units;
  readonly atMs: number;
}

/** View of one market of an algorithm. */
export interface MarketSnapshot {
  readonly market: Market;
  readonly book: SeenBook | null;
  /** The strategy's position in the coin, and the part of it that its own exits hold. */
  readonly position: Units;
  readonly inExits: Units;
}

/** View of an algorithm that works in several markets of one quote currency. */
export interface PortfolioSnapshot {
  readonly of: (market: string) => MarketSnapshot;
  /** Returns the amount of the quote currency it may spend. */
  readonly spendable: () => Units;
}

/** Input of an algorithm for deciding its next step. */
export interface AlgorithmView {
  readonly nowMs: number;
  readonly market: Market;
  readonly book: SeenBook | null;
  /** All levels of the last book, own orders included; null if there are bars instead of a book. */
  readonly levels: OrderBook | null;
  /**
   * The algorithm's own orders, live and final, oldest first; for a replacement the order to be replaced
   * comes first.
   */
  readonly orders: readonly OrderRecord[];
  /**
   * The strategy's position in the coin over all its markets and its equity in the quote currency, as far as
   * fills were read. Null where no price is known.
   */
  readonly position: Units;
  readonly equity: Units | null;
  /** Part of the position held by the strategy's own exits. */
  readonly inExits: Units;
  /** Positions and money in all its markets; null for an algorithm of one market. */
  readonly portfolio: PortfolioSnapshot | null;
  /** Closed bars of this market that the strategy got since the algorithm's last step, oldest first. */
  readonly closes: readonly Close[];
  /**
   * Orders of this algorithm that were refused (by fitting, risk or the exchange) since its last step, newest
   * last.
   */
  readonly refusals: readonly {
    readonly order: AlgorithmOrder;
    readonly reason: Sentence;
    /** True if the order was not sent, as the cause of an earlier refusal has not changed yet. */
    readonly isHeldBack?: boolean;
  }[];
  /** Pause between a refusal and the next try, in ms. */
  readonly refusalPauseMs: number;
  /** Returns the condition that a refusal of the exchange depends on, by its code; null if unknown. */
  readonly refusalCauseOf: (reason: Sentence) => RefusalCause | null;
  /** Maximum distance of a limit price from the market's price, as a share of it; null: no maximum. */
  readonly priceBand: Units | null;
  /** True if the account has less of the coin than strategies hold of it. */
  readonly areCoinsMissing: boolean;
  /** True if orders are accepted now. If not, no order is canceled in order to be placed again. */
  readonly canPlace: boolean;
  /** Returns those of the given orders that have not ended yet. */
  readonly liveAmong: (keys: readonly string[]) => readonly string[];
}

/**
 * Next actions of an algorithm. It runs again when one of its orders changes, at its wake time, or on a new
 * book if it asks for that.
 */
export interface AlgorithmStep<Algorithm> {
  readonly algorithm: Algorithm;
  /**
   * Keys of own orders to cancel. One that is being canceled already may be named again; nothing happens
   * then.
   */
  readonly cancel: readonly string[];
  readonly place: readonly AlgorithmOrder[];
  /** Sales by the strategy's own exits out of what they hold. */
  readonly leave?: readonly ExitSale[];
  readonly wakeAtMs: number | null;
  readonly wantsBooks: boolean;
  /**
   * Least bid at which a book changes nothing although it wants books; null or left out if any book may. A
   * backtest spares the step of a bar that closes above it.
   */
  readonly restsAbove?: Units | null;
  /** Missing precondition for placing anything, as part of a sentence; left out if nothing is missing. */
  readonly missing?: Sentence;
  /** True if it waits for other orders of its strategy to end; left out if not. */
  readonly awaitsOthers?: boolean;
  /** True if exactly the orders it needs are resting: it has nothing to do until an order changes. */
  readonly isComplete?: boolean;
  /**
   * Reason it is over, in a few words such as "filled"; null while it is running. An algorithm that is over
   * does not run again.
   */
  readonly done: Sentence | null;
}

export const NO_TALLY: Tally = { filled: NO_UNITS, countedKey: null };

/** State of an algorithm's orders. */
export interface Stock {
  readonly tally: Tally;
  /** Orders that ended since the last step, oldest first. */
  readonly ended: readonly OrderRecord[];
  /** The order that has not ended; null if there is none, so that another one may be placed. */
  readonly live: OrderRecord | null;
}

/** Counts the fills of ended orders, oldest first. The first order that has not ended stops the count. */
export function countFills(tally: Tally, orders: readonly OrderRecord[]): Stock {
  const ended: OrderRecord[] = [];
  let { filled, countedKey } = tally;
  let live: OrderRecord | null = null;
  const first = countedKey === null ? 0 : orders.findLastIndex(({ key }) => key === countedKey) + 1;
  for (let index = first; index < orders.length; index += 1) {
    const order = orders[index];
    if (order === undefined) break;
    if (!isFinal(order)) {
      live = order;
      break;
    }
    ended.push(order);
    filled = addUnits(filled, order.filled);
    countedKey = order.key;
  }
  return { tally: ended.length === 0 ? tally : { filled, countedKey }, ended, live };
}

/** Shared empty list, so that a step with nothing to do costs no memory. */
export const NOTHING: readonly never[] = Object.freeze([]);

/** Result of creating an algorithm: the algorithm, or the reason there can be none, in one sentence. */
export type Creation<Algorithm> =
  | { readonly ok: true; readonly algorithm: Algorithm }
  | { readonly ok: false; readonly reason: Sentence };

export function refused(reason: Sentence): { readonly ok: false; readonly reason: Sentence } {
  return { ok: false, reason };
}

export const NO_EQUITY = sentence('no-equity');

export const noPriceOf = (market: string): Sentence => sentence('no-price', { market });

/** Waits for the next book, since nothing can be placed while `missing` is not known. */
export function waitingFor<Algorithm>(algorithm: Algorithm, missing: Sentence): AlgorithmStep<Algorithm> {
  return { ...waiting(algorithm, { wantsBooks: true }), missing };
}

/** Waits until an order changes, until `wakeAtMs`, or until a book arrives if `wantsBooks` is set. */
export function waiting<Algorithm>(
  algorithm: Algorithm,
  until: { readonly wakeAtMs?: number; readonly wantsBooks?: boolean } = {},
): AlgorithmStep<Algorithm> {
  const { wakeAtMs = null, wantsBooks = false } = until;
  return { algorithm, cancel: NOTHING, place: NOTHING, wakeAtMs, wantsBooks, done: null };
}

/** Ends an algorithm. Its live orders stay as they are. */
export function over<Algorithm>(algorithm: Algorithm, done: Sentence): AlgorithmStep<Algorithm> {
  return { algorithm, cancel: NOTHING, place: NOTHING, wakeAtMs: null, wantsBooks: false, done };
}

export function placing<Algorithm>(
  algorithm: Algorithm,
  order: AlgorithmOrder,
  wakeAtMs: number | null = null,
): AlgorithmStep<Algorithm> {
  return { algorithm, cancel: NOTHING, place: [order], wakeAtMs, wantsBooks: false, done: null };
}

export function canceling<Algorithm>(algorithm: Algorithm, key: string): AlgorithmStep<Algorithm> {
  return { algorithm, cancel: [key], place: NOTHING, wakeAtMs: null, wantsBooks: false, done: null };
}
