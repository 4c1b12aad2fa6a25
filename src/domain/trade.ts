import type { DecimalText } from './decimal-text.ts';
import type { MarketName } from './market-symbol.ts';
import type { Units } from './money.ts';
import type { Side } from './order.ts';
import type { TooFine } from './too-fine.ts';
import type { VenueOrderId, VenueTradeId } from './venue-id.ts';

/**
 * A trade of ours as the exchange reports it, with money in units of 1e-10. `total` is before the fee; the
 * fee is in the currency received.
 */
export interface VenueTrade {
  readonly id: VenueTradeId;
  readonly orderId: VenueOrderId | null;
  readonly market: MarketName | null;
  /** Null where what the exchange wrote is no time. */
  readonly timeMs: number | null;
  /** From our point of view. */
  readonly side: Side;
  readonly price: Units;
  readonly amount: Units;
  readonly total: Units;
  readonly fee: Units;
  /** A number of it that the books can not hold; null where they hold all. */
  readonly tooFine: TooFine | null;
}

/** A trade of the public tape. It carries no id. `side` is the side of the order that took. */
export interface PublicTrade {
  readonly timeMs: number;
  readonly price: DecimalText;
  readonly amount: DecimalText;
  readonly side: Side;
}
