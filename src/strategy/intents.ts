import type { Decimal } from 'decimal.js';
import type { Side } from '../domain/order.ts';
import type { WalletSide } from '../records/margin.ts';

/**
 * A number, a decimal text or a Decimal. A number is read as its shortest decimal of at most 15 digits, so
 * `0.1 + 0.2` is 0.3. A text and a Decimal keep every digit.
 */
export type DecimalInput = number | string | Decimal;

/** Size of an order, in one of three ways. All are rounded down to the market's step. */
export type Size =
  | {
      /** In the base currency. */
      readonly amount: DecimalInput;
      readonly value?: undefined;
      readonly equityShare?: undefined;
    }
  | {
      /** In the quote currency, before the fee, at the order's own price or else the best one. */
      readonly value: DecimalInput;
      readonly amount?: undefined;
      readonly equityShare?: undefined;
    }
  | {
      /** Share of the strategy's equity, 0 to 1, at the order's own price or else the best one. */
      readonly equityShare: DecimalInput;
      readonly amount?: undefined;
      readonly value?: undefined;
    };

/** An order that is wanted. Prices are in the quote currency, and fitted half-even to the market's step. */
export type OrderWish = Size & {
  /** Limit price. Without it the order is a market order. */
  readonly price?: DecimalInput;
  /** With it the order waits until the market has reached this price. */
  readonly stopPrice?: DecimalInput;
  /** A word of the author's own, of at most 32 characters, which comes back with the order and its events. */
  readonly tag?: string;
  /**
   * True if it may go within ten seconds of an order with the same terms. Without it the order waits until
   * those are over, at most 11.5 s, and is else rejected (`IdenticalOrder`). With it the exchange's own check
   * for repetitions is off for this order.
   */
  readonly allowIdentical?: boolean;
  /** Time at which the rest of it is canceled, in ms from now. Such an order waits for no identical one. */
  readonly expireAfterMs?: number;
  /** True if it is refused when it would trade at once, by the last seen book. */
  readonly postOnly?: boolean;
};

/**
 * A pair of which one leg ends the other: a limit order at `price`, and a stop-limit order. Prices in the
 * quote currency.
 */
export type OcoWish = Size & {
  /** Of the limit order, in the quote currency. */
  readonly price: DecimalInput;
  /** Price at which the stop-limit order begins, in the quote currency. */
  readonly stopPrice: DecimalInput;
  /** Limit price of the stop-limit order, in the quote currency. */
  readonly stopLimitPrice: DecimalInput;
  /** At most 32 characters; comes back with both orders and their events. */
  readonly tag?: string;
  /** As that of a single order. */
  readonly allowIdentical?: boolean;
};

/** One order of a desired set. */
export type Quote = Size & {
  readonly side: Side;
  /** In the quote currency. */
  readonly price: DecimalInput;
};

/** A holding to be reached, in one of three ways; 0 sells all of it. */
export type TargetWish = (
  | {
      /** In the base currency. */
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
  /** Limit price of its orders. Without it they are market orders. */
  readonly price?: DecimalInput;
};

/** Options for reaching a set of shares. */
export interface TargetsOptions {
  /** Permitted distance of each share from its target without a trade; computed from the fee if left out. */
  readonly band?: DecimalInput;
  /** Taker fee for that, in percent; 0.25 if left out. */
  readonly fee?: DecimalInput;
  /** The most orders at once, 1 to 20; 5 when left out. */
  readonly atOnce?: number;
}

/** An amount in equal slices over a time, each a market order, or a limit order at `price`. */
export type TwapWish = Size & {
  /** From the first slice to the end, in ms; 30 days at most. */
  readonly overMs: number;
  /** Number of orders, 1 to 1,000. */
  readonly slices: number;
  /** Limit price of each, in the quote currency. Without it they are market orders. */
  readonly price?: DecimalInput;
};

/** An amount over a time, in slices as large as the volume that is usual then. */
export type VwapWish = Size & {
  /** From the first slice to the end, in ms; 30 days at most. */
  readonly overMs: number;
  /** The volume that is usual in each slice, of which only the proportions count: 1 to 1,000 numbers. */
  readonly profile: readonly DecimalInput[];
  /** Limit price of each, in the quote currency. Without it they are market orders. */
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
  /** `equal` amounts, which is the default, or `linear`: one, two, three, … parts from the first on. */
  readonly scale?: 'equal' | 'linear';
  /** Time until the orders that still rest are canceled, in ms from now. */
  readonly expireAfterMs?: number;
};

/** A limit order that follows the best price of its own side. */
export type PegWish = Size & {
  /** The highest price of a buy, the lowest of a sale, in the quote currency. */
  readonly bound: DecimalInput;
  /** Price steps behind the best price; 0 when left out. */
  readonly offset?: number;
  /** Percent of the price by which it moves at least; any step of the price when left out. */
  readonly minStep?: DecimalInput;
  /** The least time between two moves, in ms; 10 s when left out. */
  readonly everyMs?: number;
  /** The part of the exchange's limit for orders that its moves may use; 0.1 when left out. */
  readonly share?: DecimalInput;
  /** Time until the rest of the order is canceled, in ms from now. */
  readonly expireAfterMs?: number;
};

/** Purchases for a value at fixed times. */
export interface DcaWish {
  /** Maximum cost of each purchase, in the quote currency, before the fee. */
  readonly value: DecimalInput;
  /** From one purchase to the next, in ms: a minute to a year. */
  readonly everyMs: number;
  /** Number of purchases; until ended when left out. */
  readonly times?: number;
  /** By what the value is multiplied once the price is so many percent below the highest that it saw. */
  readonly steps?: readonly { readonly belowPercent: DecimalInput; readonly factor: DecimalInput }[];
}

/** A limit order of which only `visible`, in the base currency, is shown at a time. */
export type IcebergWish = Size & { readonly visible: DecimalInput; readonly price: DecimalInput };

/** Distance from the average purchase price, given in one of these ways. */
export type Distance =
  | {
      /** Percent of the price: 2 is two percent. */
      readonly percent: DecimalInput;
      readonly price?: undefined;
      readonly distance?: undefined;
      readonly money?: undefined;
    }
  | {
      /** A price in the quote currency, wherever it was bought. */
      readonly price: DecimalInput;
      readonly percent?: undefined;
      readonly distance?: undefined;
      readonly money?: undefined;
    }
  | {
      /** Quote currency for one of the base currency, such as two times an average true range. */
      readonly distance: DecimalInput;
      readonly percent?: undefined;
      readonly price?: undefined;
      readonly money?: undefined;
    }
  | {
      /** Quote currency that the whole position wins or loses there, before fees. */
      readonly money: DecimalInput;
      readonly percent?: undefined;
      readonly price?: undefined;
      readonly distance?: undefined;
    };

/** A target from some time on, above what was paid; `percent: 0` is what was paid. */
type LaterTarget = Distance & {
  /** After the first fill, in ms. */
  readonly afterMs: number;
};

/** Exit of a position. At least one of `takeProfit`, `laterTargets`, `stopLoss`, `trail` and `timeStopMs`. */
export interface ExitWish {
  /** Above what was paid: a limit order rests there. */
  readonly takeProfit?: Distance;
  /** Targets that apply from a time after the first fill on; each is lower than the one before. */
  readonly laterTargets?: readonly LaterTarget[];
  /** Below what was paid: a stop order rests there. */
  readonly stopLoss?: Distance;
  /** A stop that follows the price up and never goes down. */
  readonly trail?: {
    /** Distance of the stop below the highest price; not a price. */
    readonly by: Distance;
    /** Rise above the purchase price before the stop follows; at once when left out. */
    readonly after?: Distance;
    /** Percent of the price by which it moves at least; 0.1 when left out. */
    readonly minStep?: DecimalInput;
    /** Prices that move the stop: closes or highs of bars, or each polled bid; `close` when left out. */
    readonly on?: 'close' | 'high' | 'poll';
  };
  /** Once the price is that far above what was paid, the stop goes to what was paid. */
  readonly breakEvenAt?: Distance;
  /** Time after the first fill at which the rest of the position is sold at the market, in ms. */
  readonly timeStopMs?: number;
  /** Percent by which the limit of the stop leg lies below its stop price; 1 when left out. */
  readonly stopSlip?: DecimalInput;
  /** Reaction when somebody else cancels the exit; `ask` when left out. */
  readonly whenCanceled?: 'ask' | 'replace' | 'leave';
  /** At most 32 characters; comes back with its orders, their fills and rejections. */
  readonly tag?: string;
}

/** A purchase with its exit. */
export type BracketWish = ExitWish & {
  readonly entry: Size & {
    /** Limit price. Without it the entry is a market order. */
    readonly price?: DecimalInput;
    /** Time until the rest of the entry is canceled, in ms from now. */
    readonly expireAfterMs?: number;
  };
};

/** An exit for a position that is there. */
export type ProtectWish = ExitWish & {
  /** In the base currency; all that the strategy has when left out. */
  readonly amount?: DecimalInput;
  /** Price paid for one unit; the strategy's own average when left out. */
  readonly averagePrice?: DecimalInput;
};

/** Immediate exit of a position, by the strategy's own decision. */
export interface LeaveWish {
  /** Reason shown to people: at most 100 characters. */
  readonly reason?: string;
  /** Limit price of the sale, in the quote currency. Without it the sale is a market order. */
  readonly price?: DecimalInput;
}

/**
 * Another price or amount for an open limit order; `amount` is the whole one, what was filled before
 * included.
 */
export interface Change {
  /** In the quote currency. */
  readonly price?: DecimalInput;
  /** In the base currency, with what was filled before. */
  readonly amount?: DecimalInput;
}

/** Money from one wallet of a currency to the other. */
export interface TransferWish {
  /** Lower case: `rls` or `usdt`, or any with a margin wallet. */
  readonly currency: string;
  /** In that currency; what is beyond 8 decimals is cut. */
  readonly amount: DecimalInput;
  readonly from: WalletSide;
  /** The other one. */
  readonly to: WalletSide;
}

/** An action that a strategy requests. */
export type Intent =
  | ({ readonly kind: 'place'; readonly market: string; readonly side: Side } & OrderWish)
  | ({ readonly kind: 'oco'; readonly market: string; readonly side: Side } & OcoWish)
  | { readonly kind: 'cancel'; readonly clientOrderId: string }
  /** All of the strategy's own orders, in one market or in all. Algorithms at work there end too. */
  | { readonly kind: 'cancel-all'; readonly market?: string }
  /**
   * Another price or amount for an open limit order: it is canceled, and what is then left of the wanted
   * amount is placed.
   */
  | ({ readonly kind: 'replace'; readonly clientOrderId: string } & Change)
  | ({ readonly kind: 'target'; readonly market: string } & TargetWish)
  /** Shares of the equity by market, of one quote currency; `market` is the first of them. */
  | ({
      readonly kind: 'targets';
      readonly market: string;
      readonly shares: Readonly<Record<string, DecimalInput>>;
    } & TargetsOptions)
  /** The set of limit orders that should rest in a market: what is there already stays in its queue place. */
  | { readonly kind: 'quotes'; readonly market: string; readonly quotes: readonly Quote[] }
  | ({ readonly kind: 'twap'; readonly market: string; readonly side: Side } & TwapWish)
  | ({ readonly kind: 'vwap'; readonly market: string; readonly side: Side } & VwapWish)
  | ({ readonly kind: 'ladder'; readonly market: string; readonly side: Side } & LadderWish)
  | ({ readonly kind: 'peg'; readonly market: string; readonly side: Side } & PegWish)
  | ({ readonly kind: 'dca'; readonly market: string } & DcaWish)
  /** The next part is placed once the last is filled. */
  | ({ readonly kind: 'iceberg'; readonly market: string; readonly side: Side } & IcebergWish)
  /** A purchase whose exit rests at the exchange after each fill. */
  | ({ readonly kind: 'bracket'; readonly market: string } & BracketWish)
  | ({ readonly kind: 'transfer' } & TransferWish)
  /** The same exit for what the strategy has already. */
  | ({ readonly kind: 'protect'; readonly market: string } & ProtectWish)
  /** The end of a position: own orders in its coin are taken down, and what is held is sold. */
  | ({ readonly kind: 'exit'; readonly market: string } & LeaveWish);
