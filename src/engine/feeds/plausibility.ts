import {
  formatUnits,
  UNITS_PER_ONE,
  type Units,
  UNIT_DECIMALS,
  unitsOf,
  type TooFine,
  tooFineIn,
} from '../../domain/money.ts';
import type { VenueOrder } from '../../domain/order.ts';
import {
  isOpenStatus,
  type VenueProfile,
  type WalletReading,
  type WalletTransaction,
  type OwnList,
} from '../../venues/port.ts';
import type { OrderRecord } from '../../records/order.ts';
import { cursorOfOrder, isListId, cursorOf } from '../own-list.ts';
import { givenCurrencyOf, type VenueTrade, type PublicTrade } from '../../domain/trade.ts';
import type { Candle } from '../../domain/candle.ts';
import type { MarketStats, OrderBook } from '../../domain/order-book.ts';
import { fractionDigits, type DecimalText } from '../../domain/decimal-text.ts';
import { DAY_MS } from '../../domain/time-text.ts';

/** Largest float error in a difference of two amounts, in units of 1e-10. */
const DUST_UNITS = 10n;

/** Largest plausible fee, in percent of what is received: the largest known tier is 0.25 %. */
const LARGEST_FEE_PERCENT = 10n;

/**
 * Returns the issue with an order's record by itself, for our orders and those of others: amounts that do not
 * add up, a state that they contradict, totals that no price gives. Null if there is none. A single number
 * that was changed in transit mostly contradicts another one of the record.
 */
export function orderIssue(
  record: VenueOrder,
  venue: Pick<VenueProfile, 'statuses' | 'ownLists'>,
): ValidationIssue | null {
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
  if (venue.ownLists.orders.scope === 'market' && record.market === null)
    return { field: 'market', expected: 'a market, whose list is read', found: 'none that is known' };
  if (record.tooFine !== null) return finenessIssue(record.tooFine);
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
  return valueIssue(record);
}

function notPositive(field: string, units: Units): ValidationIssue {
  return { field, expected: 'more than 0', found: formatUnits(units) };
}

const soft = (field: string, expected: string, found: string): ValidationIssue => ({
  field,
  expected,
  found,
  isSoft: true,
});

/** Returns the issue with totals against prices, or with the fee against its source; null if none. */
function valueIssue(record: VenueOrder): ValidationIssue | null {
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
 * Returns the mismatch of a record that has the name or the id of an order of ours: it is somebody else's, or
 * a value was changed. Null if it fits. The exchange rounds an order once to its current steps: amounts down,
 * prices to the nearest. Two readings have to show the rounded values before they are believed, and they stay
 * from then on.
 */
export function orderMisfit(record: VenueOrder, order: OrderRecord): ValidationIssue | null {
  const { clientOrderId, side, market } = record;
  const isNamed = clientOrderId !== null;
  if (isNamed && clientOrderId !== order.clientOrderId) {
    return { field: 'clientOrderId', expected: order.clientOrderId ?? 'none', found: clientOrderId };
  }
  if (side !== order.side) return { field: 'side', expected: order.side, found: side };
  if (market !== null && market.symbol !== order.market) {
    return { field: 'market', expected: order.market, found: market.symbol };
  }
  const isFirst = order.venueStatus === null;
  const { amount } = record;
  if (amount !== order.amount) {
    const issue = { field: 'amount', expected: formatUnits(order.amount), found: formatUnits(amount) };
    const mayBeRounded = isFirst && amount < order.amount && amount >= order.filled;
    return mayBeRounded ? { ...issue, isSoft: true } : issue;
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
): ValidationIssue | null {
  if (own === null || reported === null || reported === own) return null;
  const issue = { field, expected: formatUnits(own), found: formatUnits(reported) };
  return isFirst && isAbout(reported, own) ? { ...issue, isSoft: true } : issue;
}

/** An issue with data of the exchange: the field, its expected value, and what was found. */
export interface ValidationIssue {
  /** Name of the field, as in `VenueOrder` and `VenueTrade`. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;
  /**
   * True if the contradicted field is used for nothing but this check of the others: data that two readings
   * agree on is believed, and the contradiction reported.
   */
  readonly isSoft?: true;
}

/** Returns the issue with a number that has more decimals than the books can hold. */
function finenessIssue({ field, text }: TooFine): ValidationIssue {
  return { field, expected: `at most ${UNIT_DECIMALS} decimals`, found: text };
}

/** True if two values agree within one percent: rounded prices and averages differ by far less. */
function isAbout(value: bigint, other: bigint): boolean {
  const difference = value > other ? value - other : other - value;
  const size = other > 0n ? other : -other;
  return difference * 100n <= size;
}

/** Maximum lead of a trade's time over ours, in ms: clocks differ, but not by a day. */
const LONGEST_AHEAD_MS = 86_400_000;

/**
 * Largest rounding error of a trade's total, in units of 1e-10: a total is the difference of two rounded
 * cumulative totals.
 */
const ROUNDING_UNITS = 2n;

/**
 * Returns the issue with a trade's record by itself: except for rounding, the total must be the price times
 * the amount, and a fee in the currency received must be a part of that. Null if there is none.
 */
export function tradeIssue(
  trade: VenueTrade,
  { trades }: Pick<VenueProfile['ownLists'], 'trades'>,
  nowMs: number,
): ValidationIssue | null {
  const { id, price, amount, total, fee, side, timeMs, market } = trade;
  if (!isListId(trades, id)) return { field: 'id', expected: 'the id of a trade', found: id };
  if (cursorOf(trades, trade) === null)
    return { field: 'timeMs', expected: 'a time, by which the list is read', found: 'none' };
  if (trade.tooFine !== null) return finenessIssue(trade.tooFine);
  if (market === null) return { field: 'market', expected: 'a market', found: 'none that is known' };
  for (const [field, units] of Object.entries({ price, amount, total })) {
    if (units <= 0n) return { field, expected: 'more than 0', found: formatUnits(units) };
  }
  if (timeMs !== null && timeMs > nowMs + LONGEST_AHEAD_MS)
    return { field: 'timeMs', expected: 'a time that has come', found: String(timeMs) };
  const value = (amount * price) / UNITS_PER_ONE;
  const difference = total - value;
  const size = difference < 0n ? -difference : difference;
  // Some deployments round a total to whole units of the quote currency; one with decimals was not rounded.
  const isWhole = total % UNITS_PER_ONE === 0n;
  const isRounded = size <= ROUNDING_UNITS || (isWhole && isAbout(total, value) && size <= UNITS_PER_ONE);
  if (!isRounded)
    return {
      field: 'total',
      expected: `${formatUnits(value)}, the price times the amount`,
      found: formatUnits(total),
    };
  // What a fee in another currency is worth is not known here.
  const isOther = trade.feeCurrency !== null && givenCurrencyOf(trade) !== null;
  const received = side === 'buy' ? amount : total;
  if (fee >= 0n && (isOther || fee * 100n <= received * LARGEST_FEE_PERCENT)) return null;
  const expected = isOther ? '0 or more' : `from 0 to ${LARGEST_FEE_PERCENT} % of what was received`;
  return { field: 'fee', expected, found: formatUnits(fee) };
}

/** Returns the mismatch of a trade that is reported for an order of ours; null if it fits. */
export function tradeMisfit(trade: VenueTrade, order: OrderRecord): ValidationIssue | null {
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

/**
 * Returns the issue with a book: every bid must be below every ask, and its best prices must have no more
 * decimals than units have.
 */
export function bookIssue({ bids, asks }: OrderBook): ValidationIssue | null {
  const bid = bids[0]?.[0] ?? null;
  const ask = asks[0]?.[0] ?? null;
  const fine =
    isTooFine(bid) || isTooFine(ask) ? tooFineIn({ 'the best bid': bid, 'the best ask': ask }) : null;
  if (fine !== null) return finenessIssue(fine);
  return bid !== null && ask !== null && unitsOf(bid) >= unitsOf(ask)
    ? { field: 'the best bid', expected: `below the best ask ${ask}`, found: bid }
    : null;
}

function isTooFine(text: DecimalText | null): boolean {
  return text !== null && fractionDigits(text) > UNIT_DECIMALS;
}

/** Age of a bar beyond which its time is wrong, in ms: no market here is as old. One alone fits any grid. */
const OLDEST_BAR_MS = 30 * 365 * DAY_MS;

/**
 * Returns the issue with a bar: the low must be its lowest price and the high its highest, and none may be 0
 * or less.
 */
export function candleIssue(candle: Candle, nowMs: number): ValidationIssue | null {
  const { open, high, low, close, openTimeMs } = candle;
  const fine = tooFineIn({ o: open, h: high, l: low, c: close });
  if (fine !== null) return finenessIssue(fine);
  if (openTimeMs > nowMs + DAY_MS || openTimeMs < Math.max(0, nowMs - OLDEST_BAR_MS))
    return { field: 't', expected: 'a time of the last thirty years', found: String(openTimeMs) };
  const bottom = unitsOf(low);
  const top = unitsOf(high);
  if (bottom <= 0n) return { field: 'l', expected: 'more than 0', found: low };
  for (const [field, text] of [
    ['o', open],
    ['c', close],
  ] as const) {
    const units = unitsOf(text);
    if (units < bottom || units > top)
      return { field, expected: `from the low ${low} to the high ${high}`, found: text };
  }
  return null;
}

/** Returns the issue with a trade of the public tape; null if there is none. */
export function tapeIssue({ price, amount }: PublicTrade): ValidationIssue | null {
  const fine = tooFineIn({ price });
  if (fine !== null) return finenessIssue(fine);
  for (const [field, text] of Object.entries({ price, volume: amount })) {
    if (text === '0' || text.startsWith('-')) return { field, expected: 'more than 0', found: text };
  }
  return null;
}

/** Returns the issue with the daily statistics of a market; null if there is none. */
export function statsIssue({ latest, bestBuy, bestSell }: MarketStats): ValidationIssue | null {
  const prices = { latest, bestBuy, bestSell };
  const fine = tooFineIn(prices);
  if (fine !== null) return finenessIssue(fine);
  for (const [field, text] of Object.entries(prices)) {
    if (text !== null && text.startsWith('-')) return { field, expected: 'not below 0', found: text };
  }
  return null;
}

/** Returns the issue with one wallet: the held amount must be from 0 to the total. Null if there is none. */
export function walletIssue(wallet: WalletReading): ValidationIssue | null {
  const { total, held } = wallet;
  if (wallet.tooFine !== null) return finenessIssue(wallet.tooFine);
  if (total < 0n) return { field: 'balance', expected: 'not below 0', found: formatUnits(total) };
  if (held >= 0n && held <= total) return null;
  return {
    field: 'blocked',
    expected: `from 0 to the balance ${formatUnits(total)}`,
    found: formatUnits(held),
  };
}

/** Returns the issue with a line of a wallet's history; null if there is none. */
export function lineIssue(
  line: WalletTransaction,
  wallet: string,
  list: OwnList<WalletTransaction['id']>,
): ValidationIssue | null {
  const { id, currency } = line;
  if (!isListId(list, id)) return { field: 'id', expected: 'the id of a line', found: id };
  if (currency !== '' && currency !== wallet) return { field: 'currency', expected: wallet, found: currency };
  return line.tooFine === null ? null : finenessIssue(line.tooFine);
}
