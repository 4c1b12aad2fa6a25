import type { DecimalText } from './decimal-text.ts';
import type { MarketName } from './market-symbol.ts';
import type { Side } from './order.ts';
import type { VenueOrderId, VenueTradeId } from './venue-id.ts';

/**
 * A trade of ours as the exchange reports it. `total` is before the fee; the fee is in the currency received.
 */
export interface VenueTrade {
  readonly id: VenueTradeId;
  readonly orderId: VenueOrderId | null;
  readonly market: MarketName | null;
  /** Null where what the exchange wrote is no time. */
  readonly timeMs: number | null;
  /** From our point of view. */
  readonly side: Side;
  readonly price: DecimalText;
  readonly amount: DecimalText;
  readonly total: DecimalText;
  readonly fee: DecimalText;
}

/** A trade of the public tape. It carries no id. `side` is the side of the order that took. */
export interface PublicTrade {
  readonly timeMs: number;
  readonly price: DecimalText;
  readonly amount: DecimalText;
  readonly side: Side;
}
