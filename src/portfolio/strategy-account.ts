import type { Side } from '../domain/order.ts';

/** A fill in units: `amount` of the source currency, `total` of the quote currency before the fee, the fee in the currency received. */
export interface AccountedFill {
  readonly side: Side;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
}

/** What one strategy has made of one market: its own position and money flow, whatever the account beside it does. All in units. */
export class StrategyAccount {
  /** Source currency: bought less sold, fees taken off. Negative when it sold what others held. */
  position = 0n;
  /** Quote currency: received less paid, fees taken off. */
  cash = 0n;
  /** Fees paid in the source currency (by buys) and in the quote currency (by sells). */
  sourceFees = 0n;
  quoteFees = 0n;
  fills = 0;

  apply(fill: AccountedFill): void {
    this.fills += 1;
    if (fill.side === 'buy') {
      this.position += fill.amount - fill.fee;
      this.cash -= fill.total;
      this.sourceFees += fill.fee;
    } else {
      this.position -= fill.amount;
      this.cash += fill.total - fill.fee;
      this.quoteFees += fill.fee;
    }
  }

  /** Money flow plus the position at a price (units of the quote currency for one of the source currency). */
  profitAt(price: bigint): bigint {
    return this.cash + (this.position * price) / 10_000_000_000n;
  }
}
