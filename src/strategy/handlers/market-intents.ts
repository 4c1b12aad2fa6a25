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

/** The ways to want something in a market. */
export interface MarketIntents {
  /**
   * A limit order; without `price` a market order; with `stopPrice` it waits until the market has come there.
   */
  readonly buy: (request: OrderWish) => void;
  /** The same on the other side. */
  readonly sell: (request: OrderWish) => void;
  /** A limit order and a stop-limit order of which one ends the other. */
  readonly oco: (side: Side, request: OcoWish) => void;
  /** A holding to be reached, one order at a time. */
  readonly target: (request: TargetWish) => void;
  /** The limit orders that should rest here from now on, until others are named; none at all cancels them. */
  readonly quotes: (wanted: readonly Quote[]) => void;
  /** An amount in equal slices over a time, the first at once. */
  readonly twap: (side: Side, request: TwapWish) => void;
  /** The same in slices as large as the volume that is usual then; `volumeProfile` works that out. */
  readonly vwap: (side: Side, request: VwapWish) => void;
  /** Limit orders at even distances over a range of prices, each placed once. */
  readonly ladder: (side: Side, request: LadderWish) => void;
  /** A limit order that follows the best price of its own side up to a bound. */
  readonly peg: (side: Side, request: PegWish) => void;
  /** Purchases for a value at fixed times, the first at once. */
  readonly dca: (request: DcaWish) => void;
  /** A limit order of which only `visible` is shown at a time. */
  readonly iceberg: (side: Side, request: IcebergWish) => void;
  /** A purchase with its exit, which rests at the exchange after each fill. */
  readonly bracket: (request: BracketWish) => void;
  /** The same exit for what the strategy has already. */
  readonly protect: (request: ProtectWish) => void;
  /**
   * Leaves the position in the coin of this market, or of one that is named: ends all that the strategy has
   * at work and open in it, its exits last, and sells what is held.
   */
  readonly exit: ((request?: LeaveWish) => void) & ((market: string, request?: LeaveWish) => void);
}

/** The intents as fields of a context: separate functions, since authors destructure a context. */
export class MarketIntentFields implements MarketIntents {
  readonly buy: MarketIntents['buy'];
  readonly sell: MarketIntents['sell'];
  readonly oco: MarketIntents['oco'];
  readonly target: MarketIntents['target'];
  readonly quotes: MarketIntents['quotes'];
  readonly twap: MarketIntents['twap'];
  readonly vwap: MarketIntents['vwap'];
  readonly ladder: MarketIntents['ladder'];
  readonly peg: MarketIntents['peg'];
  readonly dca: MarketIntents['dca'];
  readonly iceberg: MarketIntents['iceberg'];
  readonly bracket: MarketIntents['bracket'];
  readonly protect: MarketIntents['protect'];
  readonly exit: MarketIntents['exit'];

  constructor(intents: MarketIntents) {
    this.buy = intents.buy;
    this.sell = intents.sell;
    this.oco = intents.oco;
    this.target = intents.target;
    this.quotes = intents.quotes;
    this.twap = intents.twap;
    this.vwap = intents.vwap;
    this.ladder = intents.ladder;
    this.peg = intents.peg;
    this.dca = intents.dca;
    this.iceberg = intents.iceberg;
    this.bracket = intents.bracket;
    this.protect = intents.protect;
    this.exit = intents.exit;
  }
}

Object.freeze(MarketIntentFields.prototype);
Object.freeze(MarketIntentFields);
