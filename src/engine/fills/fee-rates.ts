import type { Side } from '../../domain/order.ts';
import type { VenueTrade } from '../../domain/trade.ts';
import { keepNewest } from '../../domain/keep-newest.ts';

/** Rates are counted in millionths. */
const ONE = 1_000_000n;

/** An account pays as maker and as taker in two kinds of markets, and its tier changes now and then. */
const MOST_RATES = 64;

interface Paid {
  readonly side: Side;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
}

/**
 * The rates that this account's fees have had. A fee of another rate may be right, as after a change of the
 * tier, and is read twice.
 */
export class SeenFeeRates {
  private readonly rates = new Set<bigint>();

  learn({ side, amount, total, fee }: Paid): void {
    const received = side === 'buy' ? amount : total;
    if (received <= 0n) return;
    const rate = (fee * ONE + received / 2n) / received;
    if (!isAt(rate, received, fee) || this.rates.has(rate)) return;
    this.rates.add(rate);
    keepNewest(this.rates, MOST_RATES);
  }

  /** True if a trade's fee matches a known rate; while none is known, if there is a fee at all. */
  isUsual({ side, amount, total, fee }: VenueTrade): boolean {
    if (this.rates.size === 0) return fee > 0n;
    const received = side === 'buy' ? amount : total;
    for (const rate of this.rates) if (isAt(rate, received, fee)) return true;
    return false;
  }
}

/** Fees are rounded to a unit. */
function isAt(rate: bigint, received: bigint, fee: bigint): boolean {
  const difference = fee * ONE - received * rate;
  return difference <= ONE && difference >= -ONE;
}
