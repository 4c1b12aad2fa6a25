import { formatUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import type { VenueTrade } from '../../domain/trade.ts';
import type { OrderRecord } from '../../records/order.ts';
import { cursorOf, isListId } from '../own-list.ts';
import type { VenueProfile } from '../../venues/port.ts';
import { fineFlaw, isAbout, type Flaw } from './flaw.ts';
import { LARGEST_FEE_PERCENT } from './order-flaw.ts';

/** Maximum lead of a trade's time over ours: clocks differ, but not by a day. */
const LONGEST_AHEAD_MS = 86_400_000;

/**
 * Largest part of a unit in the total that rounding can make: cumulative totals are rounded, and a trade's is
 * the difference of two.
 */
const ROUNDING_UNITS = 2n;

/**
 * Returns the issue with a trade's record by itself: the total must be the price times the amount within
 * rounding, and the fee a part of what was received. Null if there is none.
 */
export function tradeFlaw(
  trade: VenueTrade,
  { trades }: Pick<VenueProfile['ownLists'], 'trades'>,
  nowMs: number,
): Flaw | null {
  const { id, price, amount, total, fee, side, timeMs, market } = trade;
  if (!isListId(trades, id)) return { field: 'id', expected: 'the id of a trade', found: id };
  if (cursorOf(trades, trade) === null)
    return { field: 'timeMs', expected: 'a time, by which the list is read', found: 'none' };
  const fine = fineFlaw(trade);
  if (fine !== null) return fine;
  if (market === null) return { field: 'market', expected: 'a market', found: 'none that is known' };
  for (const [field, units] of Object.entries({ price, amount, total })) {
    if (units <= 0n) return { field, expected: 'more than 0', found: formatUnits(units) };
  }
  if (timeMs !== null && timeMs > nowMs + LONGEST_AHEAD_MS)
    return { field: 'timeMs', expected: 'a time that has come', found: String(timeMs) };
  const value = (amount * price) / UNITS_PER_ONE;
  const difference = total - value;
  const size = difference < 0n ? -difference : difference;
  // Some deployments round a total to whole units of the quote currency. One that is not whole was not.
  const isWhole = total % UNITS_PER_ONE === 0n;
  const isRounded = size <= ROUNDING_UNITS || (isWhole && isAbout(total, value) && size <= UNITS_PER_ONE);
  if (!isRounded)
    return {
      field: 'total',
      expected: `${formatUnits(value)}, the price times the amount`,
      found: formatUnits(total),
    };
  const received = side === 'buy' ? amount : total;
  if (fee >= 0n && fee * 100n <= received * LARGEST_FEE_PERCENT) return null;
  const expected = `from 0 to ${LARGEST_FEE_PERCENT} % of what was received`;
  return { field: 'fee', expected, found: formatUnits(fee) };
}

/** Returns the mismatch of a trade that is reported for an order of ours. Null if it fits. */
export function tradeMisfit(trade: VenueTrade, order: OrderRecord): Flaw | null {
  const { side, market, price } = trade;
  if (side !== order.side) return { field: 'side', expected: order.side, found: side };
  const symbol = market?.symbol ?? '';
  if (symbol !== order.market) return { field: 'market', expected: order.market, found: symbol };
  const isLimited = order.execution === 'limit' || order.execution === 'stop_limit';
  if (!isLimited || order.price === null) return null;
  const isWorse = side === 'buy' ? price > order.price : price < order.price;
  if (!isWorse || isAbout(price, order.price)) return null;
  return {
    field: 'price',
    expected: `no worse than the order's ${formatUnits(order.price)}`,
    found: formatUnits(price),
  };
}
