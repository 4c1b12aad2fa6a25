import type { DecimalText } from '../domain/decimal-text.ts';
import type { Amount, Price } from '../domain/money.ts';
import type { Side } from '../domain/order.ts';

/**
 * Where an order of ours stands. `sending`: the request is on its way or its outcome is not known; it counts as live. `open`: the exchange has
 * it. `settling`: it is closed, but its fills do not yet add up to its matched amount. `ended`: closed, and every fill is here. `refused`:
 * the exchange said no, so it never was.
 */
export type OwnOrderStage = 'sending' | 'open' | 'settling' | 'ended' | 'refused';

/** An order of ours, from the intent on. Amounts are in steps of its market. */
export interface OwnOrder {
  readonly clientOrderId: string;
  readonly strategy: string;
  readonly market: string;
  readonly side: Side;
  readonly execution: 'limit' | 'market';
  /** For a market order the price it may not be worse than, give or take the exchange's band. */
  readonly price: Price;
  readonly amount: Amount;
  readonly plannedAtMs: number;
  stage: OwnOrderStage;
  /** The exchange's own id; null until its reply is read. */
  venueId: number | null;
  /** The exchange's word. */
  status: string | null;
  /** As the exchange last said it. */
  matched: Amount;
  /** As the fills that we have read say it. */
  filled: Amount;
  isCancelling: boolean;
}

/** Whether it may still trade, as far as we know. */
export function isLive(order: OwnOrder): boolean {
  return order.stage === 'sending' || order.stage === 'open';
}

/** A fill of ours as read from the trades list. `total` is before the fee; the fee is in the currency received. */
export interface OwnFill {
  readonly tradeId: number;
  readonly order: OwnOrder;
  readonly timeMs: number;
  readonly price: DecimalText;
  readonly amount: DecimalText;
  readonly total: DecimalText;
  readonly fee: DecimalText;
}
