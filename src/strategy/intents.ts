import type { Decimal } from 'decimal.js';
import type { Side } from '../domain/order.ts';
import type { WalletSide } from '../records/margin.ts';

/**
 * A number, a decimal text or a Decimal. A number is read as its shortest decimal of at most 15 digits, so
 * `0.1 + 0.2` is 0.3. A text and a Decimal keep every digit.
 */
export type DecimalInput = number | string | Decimal;

/** Size of an order, given in one of three ways. Each is rounded down to the market's step. */
export type Size =
  | {
      /** Amount in the base currency. */
      readonly amount: DecimalInput;
      readonly value?: undefined;
      readonly equityShare?: undefined;
    }
  | {
      /** Value in the quote currency, before the fee, at the order's own price or else at the best price. */
      readonly value: DecimalInput;
      readonly amount?: undefined;
      readonly equityShare?: undefined;
    }
  | {
      /** Share of the strategy's equity, 0 to 1, at the order's own price or else at the best price. */
      readonly equityShare: DecimalInput;
      readonly amount?: undefined;
      readonly value?: undefined;
    };

/** A requested order. Prices are in the quote currency, and are rounded half-even to the market's step. */
export type OrderWish = Size & {
  /** Limit price. Without it the order is a market order. */
  readonly price?: DecimalInput;
  /** If given, the order waits until the market has reached this price. */
  readonly stopPrice?: DecimalInput;
  /** The author's own label, at most 32 characters; it comes back with the order and its events. */
  readonly tag?: string;
  /**
   * True if the order may be sent within ten seconds of one with the same terms. If left out, the order waits
   * until they are over, for at most 11.5 s, or is rejected (`IdenticalOrder`). If true, the exchange's own
   * check for repeated orders is off for this order.
   */
  readonly allowIdentical?: boolean;
  /** Time until the rest of it is canceled, in ms from now. Such an order waits for no identical one. */
  readonly expireAfterMs?: number;
  /** True to refuse the order if it would trade at once, by the last seen book. */
  readonly postOnly?: boolean;
};

/** A pair of orders of which one cancels the other: a limit order at `price`, and a stop-limit order. */
export type OcoWish = Size & {
  /** Price of the limit order, in the quote currency. */
  readonly price: DecimalInput;
  /** Price at which the stop-limit order becomes active, in the quote currency. */
  readonly stopPrice: DecimalInput;
  /** Limit price of the stop-limit order, in the quote currency. */
  readonly stopLimitPrice: DecimalInput;
  /** Label of at most 32 characters; it comes back with both orders and their events. */
  readonly tag?: string;
  /** Permission to repeat the order within ten seconds, as for a single order. */
  readonly allowIdentical?: boolean;
};

/** One order of a set of limit orders that should rest. */
export type Quote = Size & {
  readonly side: Side;
  /** Price in the quote currency. */
  readonly price: DecimalInput;
};

/** A holding to reach, given in one of three ways; 0 sells all of it. */
export type TargetWish = (
  | {
      /** Amount in the base currency. */
      readonly position: DecimalInput;
      readonly value?: undefined;
      readonly equityShare?: undefined;
    }
  | {
      /** Value in the quote currency, at `price` or else halfway between the best prices. */
      readonly value: DecimalInput;
      readonly position?: undefined;
      readonly equityShare?: undefined;
    }
  | {
      /** Share of the strategy's equity, 0 to 1, at `price` or else halfway between the best prices. */
      readonly equityShare: DecimalInput;
      readonly position?: undefined;
      readonly value?: undefined;
    }
) & {
  /** Limit price of its orders; if left out, they are market orders. */
  readonly price?: DecimalInput;
};

/** Options of `targets`. */
export interface TargetsOptions {
  /** Allowed distance of each share from its target without a trade; computed from the fee if left out. */
  readonly band?: DecimalInput;
  /** Taker fee for the default `band`, in percent; 0.25 if left out. */
  readonly fee?: DecimalInput;
  /** Maximum number of orders at the same time, 1 to 20; 5 if left out. */
  readonly atOnce?: number;
}

/** An amount to trade in equal slices over a time, each a market order, or a limit order at `price`. */
export type TwapWish = Size & {
  /** Time from the first slice to the end, in ms; at most 30 days. */
  readonly overMs: number;
  /** Number of orders, 1 to 1,000. */
  readonly slices: number;
  /** Limit price of each slice, in the quote currency; if left out, they are market orders. */
  readonly price?: DecimalInput;
};

/** An amount to trade over a time, in slices in proportion to the usual volume at each time of day. */
export type VwapWish = Size & {
  /** Time from the first slice to the end, in ms; at most 30 days. */
  readonly overMs: number;
  /** Usual volume in each slice: 1 to 1,000 numbers, of which only the proportions count. */
  readonly profile: readonly DecimalInput[];
  /** Limit price of each slice, in the quote currency; if left out, they are market orders. */
  readonly price?: DecimalInput;
};

/** Limit orders at even distances over a range of prices, each placed once. */
export type LadderWish = Size & {
  /** Price of the first order, in the quote currency. */
  readonly from: DecimalInput;
  /** Price of the last order, in the quote currency. */
  readonly to: DecimalInput;
  /** Number of orders, 2 to 50. */
  readonly orders: number;
  /** Amounts of the orders: `equal` (the default), or `linear`: 1, 2, 3, … parts from the first on. */
  readonly scale?: 'equal' | 'linear';
  /** Time until the orders that still rest are canceled, in ms from now. */
  readonly expireAfterMs?: number;
};

/** A limit order that follows the best price of its own side. */
export type PegWish = Size & {
  /** The highest price of a buy, or the lowest price of a sale, in the quote currency. */
  readonly bound: DecimalInput;
  /** Distance behind the best price, in price steps; 0 if left out. */
  readonly offset?: number;
  /** Least move of the price, in percent; if left out, one price step is enough. */
  readonly minStep?: DecimalInput;
  /** Least time between two moves, in ms; 10 s if left out. */
  readonly everyMs?: number;
  /** Share of the exchange's order limit that its moves may use; 0.1 if left out. */
  readonly share?: DecimalInput;
  /** Time until the rest of the order is canceled, in ms from now. */
  readonly expireAfterMs?: number;
};

/** Purchases for a fixed value at fixed times. */
export interface DcaWish {
  /** Maximum cost of each purchase, in the quote currency, before the fee. */
  readonly value: DecimalInput;
  /** Time from one purchase to the next, in ms: a minute to a year. */
  readonly everyMs: number;
  /** Number of purchases; if left out, they go on until canceled. */
  readonly times?: number;
  /** Factors for the value of a purchase, once the price is this many percent below the highest seen. */
  readonly steps?: readonly { readonly belowPercent: DecimalInput; readonly factor: DecimalInput }[];
}

/** A limit order of which only `visible`, in the base currency, is shown at a time. */
export type IcebergWish = Size & { readonly visible: DecimalInput; readonly price: DecimalInput };

/** Distance from the average purchase price, given in one of four ways. */
export type Distance =
  | {
      /** Percent of the price: 2 means two percent. */
      readonly percent: DecimalInput;
      readonly price?: undefined;
      readonly distance?: undefined;
      readonly money?: undefined;
    }
  | {
      /** A fixed price in the quote currency, whatever the purchase price was. */
      readonly price: DecimalInput;
      readonly percent?: undefined;
      readonly distance?: undefined;
      readonly money?: undefined;
    }
  | {
      /** Price difference in the quote currency, such as two times an average true range. */
      readonly distance: DecimalInput;
      readonly percent?: undefined;
      readonly price?: undefined;
      readonly money?: undefined;
    }
  | {
      /** Profit or loss of the whole position at that price, in the quote currency, before fees. */
      readonly money: DecimalInput;
      readonly percent?: undefined;
      readonly price?: undefined;
      readonly distance?: undefined;
    };

/** A target above the purchase price that applies after some time; `percent: 0` is the purchase price. */
type LaterTarget = Distance & {
  /** Time after the first fill, in ms. */
  readonly afterMs: number;
};

/** Exit of a position. At least one of `takeProfit`, `laterTargets`, `stopLoss`, `trail` and `timeStopMs`. */
export interface ExitWish {
  /** Target above the purchase price, where a limit order rests. */
  readonly takeProfit?: Distance;
  /** Targets that apply after some time from the first fill on; each is lower than the one before. */
  readonly laterTargets?: readonly LaterTarget[];
  /** Stop below the purchase price, where a stop order rests. */
  readonly stopLoss?: Distance;
  /** A stop that follows the price up and never goes down. */
  readonly trail?: {
    /** Distance of the stop below the highest price; `price` is refused here. */
    readonly by: Distance;
    /** Rise above the purchase price before the stop follows; if left out, it follows at once. */
    readonly after?: Distance;
    /** Least move of the stop, in percent of the price; 0.1 if left out. */
    readonly minStep?: DecimalInput;
    /** Prices that move the stop: closes or highs of bars, or each polled bid; `close` if left out. */
    readonly on?: 'close' | 'high' | 'poll';
  };
  /** Rise above the purchase price at which the stop moves to the purchase price. */
  readonly breakEvenAt?: Distance;
  /** Time after the first fill at which the rest of the position is sold at the market, in ms. */
  readonly timeStopMs?: number;
  /** Distance of the stop leg's limit price below its stop price, in percent; 1 if left out. */
  readonly stopSlip?: DecimalInput;
  /** Reaction if somebody else cancels the exit; `ask` if left out. */
  readonly whenCanceled?: 'ask' | 'replace' | 'leave';
  /** Label of at most 32 characters; it comes back with its orders, their fills and rejections. */
  readonly tag?: string;
}

/** A purchase with its exit. */
export type BracketWish = ExitWish & {
  readonly entry: Size & {
    /** Limit price; if left out, the entry is a market order. */
    readonly price?: DecimalInput;
    /** Time until the rest of the entry is canceled, in ms from now. */
    readonly expireAfterMs?: number;
  };
};

/** An exit for an existing position. */
export type ProtectWish = ExitWish & {
  /** Amount in the base currency; all that the strategy holds if left out. */
  readonly amount?: DecimalInput;
  /** Price paid for one unit; the strategy's own average if left out. */
  readonly averagePrice?: DecimalInput;
};

/** Immediate exit of a position, by the strategy's own decision. */
export interface LeaveWish {
  /** Reason shown to people: at most 100 characters. */
  readonly reason?: string;
  /** Limit price of the sale, in the quote currency; if left out, the sale is a market order. */
  readonly price?: DecimalInput;
}

/** New price or amount of an open limit order. */
export interface Change {
  /** New price, in the quote currency. */
  readonly price?: DecimalInput;
  /** New whole amount in the base currency, including what is already filled. */
  readonly amount?: DecimalInput;
}

/** A transfer of money between the spot and the margin wallet of one currency. */
export interface TransferWish {
  /** Currency in lower case: `rls`, `usdt` or another one with a margin wallet. */
  readonly currency: string;
  /** Amount in that currency; digits after the 8th decimal are cut. */
  readonly amount: DecimalInput;
  readonly from: WalletSide;
  readonly to: WalletSide;
}

/** An action that a strategy requests. */
export type Intent =
  | ({ readonly kind: 'place'; readonly market: string; readonly side: Side } & OrderWish)
  | ({ readonly kind: 'oco'; readonly market: string; readonly side: Side } & OcoWish)
  | { readonly kind: 'cancel'; readonly clientOrderId: string }
  /** Cancels all of the strategy's own orders, in one market or in all. Running algorithms there end, too. */
  | { readonly kind: 'cancel-all'; readonly market?: string }
  /** Changes an open limit order: it is canceled, and what is then left of the requested amount is placed. */
  | ({ readonly kind: 'replace'; readonly clientOrderId: string } & Change)
  | ({ readonly kind: 'target'; readonly market: string } & TargetWish)
  /** Shares of the equity by market, all in one quote currency; `market` is the first of them. */
  | ({
      readonly kind: 'targets';
      readonly market: string;
      readonly shares: Readonly<Record<string, DecimalInput>>;
    } & TargetsOptions)
  /** The limit orders that should rest in a market. One that rests there already keeps its queue place. */
  | { readonly kind: 'quotes'; readonly market: string; readonly quotes: readonly Quote[] }
  | ({ readonly kind: 'twap'; readonly market: string; readonly side: Side } & TwapWish)
  | ({ readonly kind: 'vwap'; readonly market: string; readonly side: Side } & VwapWish)
  | ({ readonly kind: 'ladder'; readonly market: string; readonly side: Side } & LadderWish)
  | ({ readonly kind: 'peg'; readonly market: string; readonly side: Side } & PegWish)
  | ({ readonly kind: 'dca'; readonly market: string } & DcaWish)
  /** A limit order in parts: the next part is placed once the last one is filled. */
  | ({ readonly kind: 'iceberg'; readonly market: string; readonly side: Side } & IcebergWish)
  /** A purchase whose exit is placed at the exchange after each fill. */
  | ({ readonly kind: 'bracket'; readonly market: string } & BracketWish)
  | ({ readonly kind: 'transfer' } & TransferWish)
  /** An exit as that of a `bracket`, for what the strategy holds already. */
  | ({ readonly kind: 'protect'; readonly market: string } & ProtectWish)
  /** Leaves a position: cancels own orders in its coin, and sells what is held. */
  | ({ readonly kind: 'exit'; readonly market: string } & LeaveWish);
