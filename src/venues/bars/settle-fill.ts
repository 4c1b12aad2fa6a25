import { feeOf } from '../../domain/fee-schedule.ts';
import { stepValue, valueHalfEven, valueUp } from '../../domain/market.ts';
import type { Units } from '../../domain/money.ts';
import type { RecentReceipts } from './recent-receipts.ts';
import { affordable, neededHold } from '../../simulator/settlement.ts';
import type { SimulatedOrder } from '../../simulator/market-state.ts';

/**
 * Amounts of one fill, in units: its total before the fee, the fee in the currency received, and the amount
 * received after it.
 */
interface SettledFill {
  readonly total: Units;
  readonly fee: Units;
  readonly received: bigint;
}

/**
 * Books a fill of one order against the market: its running totals, its hold, both wallets. The other side of
 * a bar is nobody, so nothing else changes. Totals are differences of the rounded cumulative total, as on the
 * exchange.
 */
export function settleFill(
  order: SimulatedOrder,
  fill: { readonly price: number; readonly amount: number; readonly rateMillionths: number },
): SettledFill {
  const { grid, payingWallet, receivingWallet } = order;
  const isBuy = order.side === 'buy';
  const amount = BigInt(fill.amount) * grid.amountStep;
  order.remaining -= fill.amount;
  order.filledSteps += stepValue(fill.price, fill.amount);
  const cumulative = valueHalfEven(grid, order.filledSteps);
  const total = (cumulative - order.total) as Units;
  order.total = cumulative;
  const received = isBuy ? amount : total;
  const fee = feeOf(received, fill.rateMillionths);
  order.fee += fee;
  const paid = isBuy ? total : amount;
  const released = isBuy ? releasedBy(order, paid) : paid;
  order.held -= released;
  payingWallet.held -= released;
  payingWallet.total -= paid;
  receivingWallet.total += received - fee;
  payingWallet.check('fill');
  return { total, fee, received: received - fee };
}

/**
 * Returns the part of a buy's hold that ends: all but what the rest still needs, or what is there of that.
 */
function releasedBy(order: SimulatedOrder, paid: bigint): bigint {
  const rest = neededHold(order);
  const afterPaying = order.held - paid;
  return order.held - (rest < afterPaying ? rest : afterPaying);
}

/**
 * Returns the part of a match that an order can pay, in amount steps. Other than on the exchange a market buy
 * may meet a price far beyond the one it was valued at: it then uses the free part of its wallet for what it
 * lacks, as far as that goes, except money received only after this match.
 */
export function payable(
  order: SimulatedOrder,
  match: {
    readonly price: number;
    readonly amount: number;
    readonly timeMs: number;
    readonly receipts: RecentReceipts;
  },
): number {
  if (order.side === 'sell' || !order.isMarket) return match.amount;
  const { grid, payingWallet } = order;
  // Where values can be no whole units, the half-even difference of two cumulative totals can exceed the
  // value of a match rounded up by one.
  const spare = grid.exactStepProduct === null && order.filledSteps > 0n ? 1n : 0n;
  const lacking = valueUp(grid, stepValue(match.price, match.amount)) + spare - order.held;
  if (lacking > 0n) {
    const free = payingWallet.free - match.receipts.after(payingWallet, match.timeMs);
    const taken = lacking < free ? lacking : free > 0n ? free : 0n;
    payingWallet.hold(taken);
    order.held += taken;
  }
  return affordable(order, match);
}
