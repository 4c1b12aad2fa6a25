import { feeOf } from '../../../domain/fee-schedule.ts';
import { valueHalfEven, valueUp } from '../../../domain/market.ts';
import type { Accounts } from '../accounts.ts';
import type { MarketState } from '../market/market-state.ts';
import type { SimulatedOrder } from './order.ts';

/**
 * Books one fill of one order whose `remaining` is already less: its running totals, its hold, and both wallets. Answers the fill's own total and fee.
 *
 * A buy pays the total in the quote currency and receives the amount less the fee; a sell pays the amount and receives the total less the
 * fee. The total is before the fee (deployments, "Fees").
 */
export function settleFill(
  accounts: Accounts,
  order: SimulatedOrder,
  fill: {
    readonly price: number;
    readonly amount: number;
    readonly rate: number;
    readonly timeMs: number;
    readonly tradeId: number;
  },
): { readonly total: bigint; readonly fee: bigint } {
  const { grid } = order;
  const amount = BigInt(fill.amount) * grid.amountStep;
  order.filledSteps += BigInt(fill.price) * BigInt(fill.amount);
  const cumulative = valueHalfEven(grid, order.filledSteps);
  const total = cumulative - order.total;
  order.total = cumulative;
  const isBuy = order.side === 'buy';
  const fee = feeOf(isBuy ? amount : total, fill.rate);
  order.fee += fee;
  const paying = isBuy ? order.dstWallet : order.srcWallet;
  const receiving = isBuy ? order.srcWallet : order.dstWallet;
  const paid = isBuy ? total : amount;
  const released = releasedBy(order, { left: order.remaining, paid, held: order.held });
  order.held -= released;
  paying.held -= released;
  accounts.write(paying, { units: -paid, description: 'Trade', timeMs: fill.timeMs, tradeId: fill.tradeId });
  accounts.write(receiving, {
    units: (isBuy ? amount : total) - fee,
    fee,
    description: 'Trade',
    timeMs: fill.timeMs,
    tradeId: fill.tradeId,
  });
  return { total, fee };
}

/**
 * How much of an order's hold ends with a fill. What stays must cover the rest at the limit; where values are not whole units, one unit more
 * stays, because the half-even difference of two cumulative totals can exceed the rounded-up value of the rest by one.
 */
function releasedBy(
  order: SimulatedOrder,
  fill: { readonly left: number; readonly paid: bigint; readonly held: bigint },
): bigint {
  const afterPaying = fill.held - fill.paid;
  if (order.side === 'sell') return fill.paid;
  const { grid } = order;
  const rest =
    valueUp(grid, BigInt(order.limit) * BigInt(fill.left)) +
    (grid.exactStepProduct === null && fill.left > 0 ? 1n : 0n);
  return fill.held - (rest < afterPaying ? rest : afterPaying);
}

/** Books what belongs to the house in one trade: both fees, and the last digit by which the two totals may differ. */
export function settleHouse(
  market: MarketState,
  trade: { readonly buyTotal: bigint; readonly sellTotal: bigint; readonly buyFee: bigint; readonly sellFee: bigint },
): void {
  market.srcHouse.fees += trade.buyFee;
  market.dstHouse.fees += trade.sellFee;
  market.dstHouse.rounding += trade.buyTotal - trade.sellTotal;
}
