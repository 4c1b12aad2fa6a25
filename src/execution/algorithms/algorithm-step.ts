import type { ExitKind } from '../../domain/exit-kind.ts';
import type { Market } from '../../domain/market.ts';
import type { Units } from '../../domain/money.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import type { Side } from '../../domain/order.ts';
import type { OrderRecord } from '../order-record.ts';
import type { RefusalCause } from '../../venues/port.ts';
import type { SeenBook } from '../risk/risk-view.ts';

/** An order that an algorithm wants placed. Not yet fitted to the steps of the market. Units of 1e-10. */
export interface AlgorithmOrder {
  readonly side: Side;
  /** Null: a market order, or, with a stop price, a stop-market order. */
  readonly price: Units | null;
  readonly amount: Units;
  /** Null: no stop order, and no pair. */
  readonly stopPrice: Units | null;
  /** The limit of the stop leg of an OCO, whose other leg has `price`. Null for a single order. */
  readonly stopLimitPrice: Units | null;
  /** Which exit of a position it is, and of a pair its stop leg. Left out: none. */
  readonly exit?: ExitKind | null;
  readonly stopLegExit?: ExitKind | null;
  /** Where an algorithm works in several markets; left out, the algorithm's own. */
  readonly market?: string;
}

/** An order without a stop price. */
export function plainOrder(side: Side, amount: Units, price: Units | null): AlgorithmOrder {
  return { side, amount, price, stopPrice: null, stopLimitPrice: null };
}

/** A sale by the strategy's own exits in a market: so much together with what they sell already. */
export interface ExitSale {
  readonly market: string;
  readonly amount: Units;
  readonly price: Units | null;
}

/** What a bar closed at, its high, and when it closed. */
export interface Close {
  readonly price: Units;
  readonly high: Units;
  readonly atMs: number;
}

/** What an algorithm sees of one of its markets. */
export interface MarketLook {
  readonly market: Market;
  readonly book: SeenBook | null;
  /** The strategy's position in the coin, and what of it its own exits hold. */
  readonly position: Units;
  readonly inExits: Units;
}

/** What an algorithm sees that works in several markets of one quote currency. */
export interface PortfolioLook {
  readonly of: (market: string) => MarketLook;
  /** What it may spend of the quote currency. */
  readonly spendable: () => Units;
}

/** What an algorithm sees when it is asked what to do next. */
export interface AlgorithmView {
  readonly nowMs: number;
  readonly market: Market;
  readonly book: SeenBook | null;
  /** All levels of the book as it was seen last, own orders among them; null where there are bars instead. */
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
  /** What of the position the strategy's own exits hold. */
  readonly inExits: Units;
  /** Null for an algorithm of one market. */
  readonly portfolio: PortfolioLook | null;
  /** Bars of this market that the strategy was shown since this algorithm was last asked, oldest first. */
  readonly closes: readonly Close[];
  /**
   * Orders of this algorithm that were refused (by fitting, risk or the exchange) since it was last asked,
   * newest last.
   */
  readonly refusals: readonly {
    readonly order: AlgorithmOrder;
    readonly reason: string;
    /** Whether it only waits until something has changed on which an earlier refusal depends. */
    readonly isHeldBack?: boolean;
  }[];
  /** How long what was refused is left alone. */
  readonly refusalPauseMs: number;
  /** On what a refusal of the exchange depends, by its code; null where nobody knows. */
  readonly refusalCauseOf: (code: string) => RefusalCause | null;
  /** How far a limit price may be from that of the market, as a share of it; null: as far as one likes. */
  readonly priceBand: Units | null;
  /** Whether the account has less of the coin than strategies hold of it. */
  readonly areCoinsMissing: boolean;
  /** Whether orders are taken now: while they are not, nothing is canceled to be placed anew. */
  readonly canPlace: boolean;
  /** Which of these orders have not ended yet. */
  readonly liveAmong: (keys: readonly string[]) => readonly string[];
}

/**
 * What an algorithm wants now. It is asked again when one of its orders changes, when its time has come, or
 * when a book arrives if it says so.
 */
export interface AlgorithmStep<Algorithm> {
  readonly algorithm: Algorithm;
  /**
   * Keys of own orders to cancel. One that is being canceled already may be named again; nothing happens
   * then.
   */
  readonly cancel: readonly string[];
  readonly place: readonly AlgorithmOrder[];
  /** What the strategy's own exits are to sell of what they hold. */
  readonly leave?: readonly ExitSale[];
  readonly wakeAtMs: number | null;
  readonly wantsBooks: boolean;
  /** What it can place nothing without, as a part of a sentence; left out where it lacks nothing. */
  readonly lacks?: string;
  /** Whether it waits for the ends of other orders of its strategy; left out where it does not. */
  readonly awaitsOthers?: boolean;
  /** Whether all that it wants rests, and nothing else: until an order changes it has nothing to do. */
  readonly isComplete?: boolean;
  /**
   * Why it is over, in a few words such as "filled"; null while it goes on. An algorithm that is over is not
   * asked again.
   */
  readonly done: string | null;
}
