import type { DecimalText } from './decimal-text.ts';
import type { MarketName } from './market-symbol.ts';
import type { VenueOrderId } from './venue-id.ts';

export type Side = 'buy' | 'sell';

export type Execution = 'limit' | 'market' | 'stop_limit' | 'stop_market';

export type TradeKind = 'Spot' | 'Margin' | 'Credit' | 'Debit';

export function oppositeOf(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/**
 * An order as the exchange reports it, normalised: decimals exact and canonical, the time in milliseconds.
 * Null where the reply leaves a field out (with `details=1` five of them are).
 */
export interface VenueOrder {
  readonly id: VenueOrderId | null;
  readonly side: Side;
  readonly execution: Execution | null;
  readonly tradeKind: TradeKind | null;
  readonly market: MarketName | null;
  /** Null for a market order without a price. */
  readonly price: DecimalText | null;
  readonly stopPrice: DecimalText | null;
  readonly amount: DecimalText;
  readonly matchedAmount: DecimalText;
  readonly unmatchedAmount: DecimalText | null;
  /** Value of what was traded so far, before the fee. */
  readonly total: DecimalText | null;
  /** Value of the whole order at its registered price. */
  readonly orderTotal: DecimalText | null;
  /** In the currency received. */
  readonly fee: DecimalText | null;
  readonly averagePrice: DecimalText | null;
  /** The exchange's own word: one of its profile's `statuses`, or any other. */
  readonly status: string | null;
  readonly partial: boolean | null;
  readonly createdAtMs: number | null;
  readonly clientOrderId: string | null;
  readonly pairId: VenueOrderId | null;
}
