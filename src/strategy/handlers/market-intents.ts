import type { Side } from '../../domain/order.ts';
import type {
  BracketWish,
  DcaWish,
  IcebergWish,
  LadderWish,
  LeaveWish,
  OcoWish,
  OrderWish,
  PegWish,
  ProtectWish,
  Quote,
  TargetWish,
  TwapWish,
  VwapWish,
} from '../intents.ts';

/** Functions that make the intents of a strategy in a market. */
export interface MarketIntents {
  /** Buys with a limit order, or without `price` at the market; with `stopPrice` it waits for that price. */
  readonly buy: (request: OrderWish) => void;
  /** Sells, with the same kinds of order as `buy`. */
  readonly sell: (request: OrderWish) => void;
  /** Places a limit order and a stop-limit order of which one cancels the other. */
  readonly oco: (side: Side, request: OcoWish) => void;
  /** Sets a holding to reach, with one order at a time. */
  readonly target: (request: TargetWish) => void;
  /** Sets the limit orders that should rest here from now on; an empty list cancels them. */
  readonly quotes: (wanted: readonly Quote[]) => void;
  /** Trades an amount in equal slices over a time, the first at once. */
  readonly twap: (side: Side, request: TwapWish) => void;
  /** Trades an amount in slices in proportion to usual volumes, which `volumeProfile` computes. */
  readonly vwap: (side: Side, request: VwapWish) => void;
  /** Places limit orders at even distances over a range of prices, each once. */
  readonly ladder: (side: Side, request: LadderWish) => void;
  /** Places a limit order that follows the best price of its own side up to a bound. */
  readonly peg: (side: Side, request: PegWish) => void;
  /** Buys for a fixed value at fixed times, the first at once. */
  readonly dca: (request: DcaWish) => void;
  /** Places a limit order of which only `visible` is shown at a time. */
  readonly iceberg: (side: Side, request: IcebergWish) => void;
  /** Buys with an exit, which is placed at the exchange after each fill. */
  readonly bracket: (request: BracketWish) => void;
  /** Adds an exit, as that of `bracket`, to what the strategy holds already. */
  readonly protect: (request: ProtectWish) => void;
  /**
   * Leaves the position in the coin of this market, or of a named one: ends all its algorithms and orders
   * there, its exits last, and sells what is held.
   */
  readonly exit: ((request?: LeaveWish) => void) & ((market: string, request?: LeaveWish) => void);
}

/** The intents as fields of a context: separate functions, since authors destructure a context. */
export const MarketIntentFields = function (this: object, intents: MarketIntents) {
  Object.assign(this, intents);
} as unknown as new (intents: MarketIntents) => MarketIntents;

Object.freeze(MarketIntentFields.prototype);
Object.freeze(MarketIntentFields);
