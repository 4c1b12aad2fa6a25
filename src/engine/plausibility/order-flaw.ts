import { formatUnits, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { type VenueOrder } from '../../domain/order.ts';
import { isOpenStatus, type VenueProfile } from '../../venues/port.ts';
import type { OrderRecord } from '../../records/order.ts';
import { cursorOfOrder, isListId } from '../own-list.ts';
import { fineFlaw, isAbout, type Flaw } from './flaw.ts';

/** Error of floats in a difference of two amounts. */
const DUST_UNITS = 10n;

/** A fee above this share of what is received is none: the largest tier that is known is 0.25 %. */
export const LARGEST_FEE_PERCENT = 10n;

/**
 * Returns the issue with an order's record by itself, whoever's it is: amounts that do not add up, a state
 * that they contradict, totals that no price gives. Null if there is none. A single number of a record that
 * was changed in transit mostly contradicts another one of it.
 */
export function orderFlaw(
  record: VenueOrder,
  venue: Pick<VenueProfile, 'statuses' | 'ownLists'>,
): Flaw | null {
  const {
    id,
    amount: whole,
    matchedAmount: matched,
    unmatchedAmount: unmatched,
    price,
    stopPrice,
    status,
  } = record;
  if (id === null || !isListId(venue.ownLists.orders, id))
    return { field: 'id', expected: 'the id of an order', found: String(id) };
  if (cursorOfOrder(venue, record) === null)
    return { field: 'createdAtMs', expected: 'a time, by which the list is read', found: 'none' };
  const fine = fineFlaw(record);
  if (fine !== null) return fine;
  if (whole <= 0n) return { field: 'amount', expected: 'more than 0', found: formatUnits(whole) };
  if (matched < 0n || matched > whole) {
    return {
      field: 'matchedAmount',
      expected: `from 0 to the amount ${formatUnits(whole)}`,
      found: formatUnits(matched),
    };
  }
  const left = whole - matched;
  if (unmatched !== null && (unmatched > left + DUST_UNITS || unmatched < left - DUST_UNITS)) {
    return soft('unmatchedAmount', formatUnits(left), formatUnits(unmatched));
  }
  if (price !== null && price <= 0n) return notPositive('price', price);
  if (stopPrice !== null && stopPrice <= 0n) return notPositive('stopPrice', stopPrice);
  const { filled } = venue.statuses;
  if (status !== null && filled.includes(status) && matched !== whole) {
    return soft(
      'status',
      `an order of which ${formatUnits(matched)} of ${formatUnits(whole)} is matched not to be ${status}`,
      status,
    );
  }
  if (status !== null && isOpenStatus(venue, status) && matched === whole) {
    return soft('status', `an order that is matched whole to be ${filled[0]}`, status);
  }
  return valueFlaw(record);
}

function notPositive(field: string, units: Units): Flaw {
  return { field, expected: 'more than 0', found: formatUnits(units) };
}

const soft = (field: string, expected: string, found: string): Flaw => ({
  field,
  expected,
  found,
  isSoft: true,
});

/** Totals against prices, and the fee against what it is paid from. */
function valueFlaw(record: VenueOrder): Flaw | null {
  const { amount: whole, matchedAmount: matched, total, averagePrice, orderTotal, price, fee } = record;
  const { side, execution } = record;
  if (total !== null) {
    if (total < 0n || (matched === 0n && total !== 0n)) {
      return soft('total', matched === 0n ? '0' : 'not below 0', formatUnits(total));
    }
    if (matched > 0n && averagePrice !== null) {
      const value = (matched * averagePrice) / UNITS_PER_ONE;
      if (!isAbout(total, value) && (total > value + 2n || total < value - 2n)) {
        const about = `about ${formatUnits(value)}, the matched amount at its average price`;
        return soft('total', about, formatUnits(total));
      }
    }
  }
  const isLimited = execution === 'limit' || execution === 'stop_limit';
  if (orderTotal !== null && price !== null && isLimited) {
    const value = (whole * price) / UNITS_PER_ONE;
    if (!isAbout(orderTotal, value)) {
      const about = `about ${formatUnits(value)}, the amount at its price`;
      return soft('orderTotal', about, formatUnits(orderTotal));
    }
  }
  if (fee === null) return null;
  const received = side === 'buy' ? matched : total;
  const isTooMuch = received !== null && fee * 100n > received * LARGEST_FEE_PERCENT;
  return fee < 0n || isTooMuch
    ? soft('fee', `from 0 to ${LARGEST_FEE_PERCENT} % of what was received`, formatUnits(fee))
    : null;
}

/**
 * Returns the mismatch of a record that has the name or the id of an order of ours: then it is somebody
 * else's, or something in it was changed. The exchange rounds what it was sent to its current steps, once:
 * amounts down, prices to the nearest. That needs two readings to be believed, and the values stay from then
 * on. Null if it fits.
 */
export function orderMisfit(record: VenueOrder, order: OrderRecord): Flaw | null {
  const { clientOrderId, side, market } = record;
  const isNamed = clientOrderId !== null;
  if (isNamed && clientOrderId !== order.clientOrderId) {
    return { field: 'clientOrderId', expected: order.clientOrderId ?? 'none', found: clientOrderId };
  }
  if (side !== order.side) return { field: 'side', expected: order.side, found: side };
  if (market !== null && market.symbol !== order.market) {
    return { field: 'market', expected: order.market, found: market.symbol };
  }
  return termsMisfit(record, order);
}

function termsMisfit(record: VenueOrder, order: OrderRecord): Flaw | null {
  const isFirst = order.venueStatus === null;
  const { amount } = record;
  if (amount !== order.amount) {
    const flaw = { field: 'amount', expected: formatUnits(order.amount), found: formatUnits(amount) };
    const mayBeRounded = isFirst && amount < order.amount && amount >= order.filled;
    return mayBeRounded ? { ...flaw, isSoft: true } : flaw;
  }
  const isLimited = order.execution === 'limit' || order.execution === 'stop_limit';
  return (
    (isLimited ? priceMisfit('price', order.price, { reported: record.price, isFirst }) : null) ??
    priceMisfit('stopPrice', order.stopPrice, { reported: record.stopPrice, isFirst })
  );
}

function priceMisfit(
  field: string,
  own: Units | null,
  { reported, isFirst }: { readonly reported: Units | null; readonly isFirst: boolean },
): Flaw | null {
  if (own === null || reported === null || reported === own) return null;
  const flaw = { field, expected: formatUnits(own), found: formatUnits(reported) };
  return isFirst && isAbout(reported, own) ? { ...flaw, isSoft: true } : flaw;
}
