import type { Currency } from '../domain/market-symbol.ts';
import { subtractUnits, type Units } from '../domain/money.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import type { Exit } from '../execution/locks/trade-counts.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import { endsTrip, type Holding } from '../portfolio/holding.ts';
import { partOf, takeMoney } from '../portfolio/quote-money.ts';

export interface BookedFill {
  readonly fill: FillRecord;
  readonly order: OrderRecord;
  /** Strategy's holding of the coin before and after the fill. */
  readonly before: Holding;
  readonly after: Holding;
  /** The smallest amount that can be an order in the market. */
  readonly leastAmount: Units;
  /** In which the strategy's costs are kept. */
  readonly currency: Currency;
  /** True if a bracket sells with the order. */
  readonly isOfBracket: boolean;
}

/** Returns the part of a position that a fill closed, for the rules of locks; null if it closed nothing. */
export function exitOfFill(booked: BookedFill): Exit | null {
  const { fill, order, before, after, leastAmount, isOfBracket } = booked;
  const isLess = size(after.held) < size(before.held) || (before.held > 0n && after.held < 0n);
  const isTurned = before.held < 0n && after.held > 0n;
  if (before.held === 0n || (!isLess && !isTurned)) return null;
  const isBracketAtMarket = isOfBracket && order.execution === 'market' && order.exit !== 'decision';
  return {
    strategy: order.strategy,
    market: order.market,
    atMs: fill.atMs,
    intentId: order.intentId,
    isStop: order.stopPrice !== null || isBracketAtMarket,
    endsPosition: endsTrip(before, after, leastAmount),
    result: resultOf(booked),
  };
}

/** Null while a part is in a currency that is not turned over yet. */
function resultOf({ before, after, currency }: BookedFill): Exit['result'] {
  const realised = takeMoney(after.realised, before.realised);
  const isTurned = before.held > 0n !== after.held > 0n && after.held !== 0n;
  const closed = isTurned ? before.cost : takeMoney(before.cost, after.cost);
  const others = [...Object.keys(realised), ...Object.keys(closed)].filter((one) => one !== currency);
  if (others.some((other) => partOf(realised, other) !== 0n || partOf(closed, other) !== 0n)) return null;
  const cost = partOf(closed, currency);
  const profit = partOf(realised, currency);
  return { currency, profit, cost: cost < 0n ? subtractUnits(0n as Units, cost) : cost };
}

function size(units: bigint): bigint {
  return units < 0n ? -units : units;
}
