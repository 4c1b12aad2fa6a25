import { feeOf, ratesOf } from '../domain/fee-schedule.ts';
import { stepValue, valueHalfEven, valueUp } from '../domain/market.ts';
import { UNITS_PER_ONE } from '../domain/money.ts';
import type { Accounts } from './accounts.ts';
import { holdFor } from './trading/order-plan.ts';
import type { SimulatedOrder, Trade } from './market-state.ts';

/**
 * Books a trade of two orders whose `remaining` is already less: their running totals and holds, all four
 * wallets, and the house.
 *
 * A buy pays the total in the quote currency and receives the amount less the fee; a sell pays the amount and
 * receives the total less the fee (deployments, "Fees"). The two totals of one trade are differences of two
 * cumulative values and can differ in the last digit; that digit goes to the house's rounding account.
 */
export function settleTrade(accounts: Accounts, trade: Trade): void {
  const { taker, maker } = trade;
  const { market } = taker;
  const amount = BigInt(trade.amount) * trade.grid.amountStep;
  const { quote } = market.rules;
  trade.takerTotal = addFill(taker, trade);
  trade.makerTotal = addFill(maker, trade);
  const takerBuys = taker.side === 'buy';
  trade.takerFee = feeOf(takerBuys ? amount : trade.takerTotal, ratesOf(taker.trader.fees, quote).taker);
  trade.makerFee = feeOf(takerBuys ? trade.makerTotal : amount, ratesOf(maker.trader.fees, quote).maker);
  taker.fee += trade.takerFee;
  maker.fee += trade.makerFee;
  if (takerBuys) {
    transfer(accounts, taker, {
      trade,
      paid: trade.takerTotal,
      received: amount - trade.takerFee,
      fee: trade.takerFee,
    });
    transfer(accounts, maker, {
      trade,
      paid: amount,
      received: trade.makerTotal - trade.makerFee,
      fee: trade.makerFee,
    });
    market.baseHouse.fees += trade.takerFee;
    market.quoteHouse.fees += trade.makerFee;
    if (trade.takerTotal !== trade.makerTotal)
      market.quoteHouse.rounding += trade.takerTotal - trade.makerTotal;
  } else {
    transfer(accounts, taker, {
      trade,
      paid: amount,
      received: trade.takerTotal - trade.takerFee,
      fee: trade.takerFee,
    });
    transfer(accounts, maker, {
      trade,
      paid: trade.makerTotal,
      received: amount - trade.makerFee,
      fee: trade.makerFee,
    });
    market.quoteHouse.fees += trade.takerFee;
    market.baseHouse.fees += trade.makerFee;
    if (trade.takerTotal !== trade.makerTotal)
      market.quoteHouse.rounding += trade.makerTotal - trade.takerTotal;
  }
}

/** Adds a fill to an order's running value; answers the fill's own total. */
function addFill(order: SimulatedOrder, trade: Trade): bigint {
  order.filledSteps += trade.steps;
  const cumulative = valueHalfEven(order.grid, order.filledSteps);
  const total = cumulative - order.total;
  order.total = cumulative;
  return total;
}

function transfer(
  accounts: Accounts,
  order: SimulatedOrder,
  of: { readonly trade: Trade; readonly paid: bigint; readonly received: bigint; readonly fee: bigint },
): void {
  const released = releasedBy(order, of.trade.price, of.paid);
  order.held -= released;
  order.payingWallet.held -= released;
  accounts.writeTrade(order.payingWallet, of.trade, -of.paid, 0n);
  accounts.writeTrade(order.receivingWallet, of.trade, of.received, of.fee);
}

/** Returns the part of an order's hold that ends with a fill. */
function releasedBy(order: SimulatedOrder, price: number, paid: bigint): bigint {
  // At its own limit a fill costs exactly what was held for it.
  if (order.side === 'sell' || (price === order.price && order.grid.exactStepProduct !== null)) return paid;
  const rest = neededHold(order);
  const afterPaying = order.held - paid;
  return order.held - (rest < afterPaying ? rest : afterPaying);
}

/**
 * Returns the hold that an open order still needs to be able to fill at its limit. If values are not whole
 * units, it is one unit more once the order has a fill, because the half-even difference of two cumulative
 * totals can exceed the rounded-up value of the rest by one.
 */
export function neededHold(order: SimulatedOrder): bigint {
  const { grid, remaining } = order;
  if (remaining === 0) return 0n;
  const spare = order.side === 'buy' && grid.exactStepProduct === null && order.filledSteps > 0n ? 1n : 0n;
  return holdFor(grid, order, remaining) + spare;
}

/**
 * Returns the part of a match that a taker can still pay: all of it, unless the money of a market buy runs
 * out within its band.
 */
export function affordable(
  taker: SimulatedOrder,
  match: { readonly price: number; readonly amount: number },
): number {
  if (taker.side === 'sell' || !taker.isMarket) return match.amount;
  const { grid } = taker;
  // A half-even difference of two cumulative totals can exceed the value of a match rounded up by one unit.
  const money = grid.exactStepProduct === null && taker.filledSteps > 0n ? taker.held - 1n : taker.held;
  if (valueUp(grid, stepValue(match.price, match.amount)) <= money) return match.amount;
  return money <= 0n ? 0 : Number((money * UNITS_PER_ONE) / (BigInt(match.price) * grid.stepProduct));
}
