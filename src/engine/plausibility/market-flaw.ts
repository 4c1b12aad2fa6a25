import type { Candle } from '../../domain/candle.ts';
import type { MarketStats } from '../../domain/market-stats.ts';
import { fractionDigits, type DecimalText } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS, unitsOf } from '../../domain/money.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import type { PublicTrade } from '../../domain/trade.ts';
import { tooFineIn } from '../../domain/too-fine.ts';
import { fineFlaw, type Flaw } from './flaw.ts';

/**
 * Returns the issue with a book: every bid must be below every ask, and the books must be able to hold its
 * best prices.
 */
export function bookFlaw({ bids, asks }: OrderBook): Flaw | null {
  const bid = bids[0]?.[0] ?? null;
  const ask = asks[0]?.[0] ?? null;
  if (isTooFine(bid) || isTooFine(ask))
    return fineFlaw({ tooFine: tooFineIn({ 'the best bid': bid, 'the best ask': ask }) });
  return bid !== null && ask !== null && unitsOf(bid) >= unitsOf(ask)
    ? { field: 'the best bid', expected: `below the best ask ${ask}`, found: bid }
    : null;
}

function isTooFine(text: DecimalText | null): boolean {
  return text !== null && fractionDigits(text) > UNIT_DECIMALS;
}

/**
 * Returns the issue with a bar: the low must be its lowest price and the high its highest, and none may be 0
 * or less.
 */
export function candleFlaw(candle: Candle, nowMs: number): Flaw | null {
  const { open, high, low, close, openTimeMs } = candle;
  const fine = fineFlaw({ tooFine: tooFineIn({ o: open, h: high, l: low, c: close }) });
  if (fine !== null) return fine;
  if (openTimeMs > nowMs + 86_400_000 || openTimeMs < 0)
    return { field: 't', expected: 'a time that has come', found: String(openTimeMs) };
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

/** Returns the issue with a trade of the public tape. */
export function tapeFlaw({ price, amount }: PublicTrade): Flaw | null {
  const fine = fineFlaw({ tooFine: tooFineIn({ price }) });
  if (fine !== null) return fine;
  for (const [field, text] of Object.entries({ price, volume: amount })) {
    if (text === '0' || text.startsWith('-')) return { field, expected: 'more than 0', found: text };
  }
  return null;
}

/** Returns the issue with the daily statistics of a market. */
export function statsFlaw({ latest, bestBuy, bestSell }: MarketStats): Flaw | null {
  const prices = { latest, bestBuy, bestSell };
  const fine = fineFlaw({ tooFine: tooFineIn(prices) });
  if (fine !== null) return fine;
  for (const [field, text] of Object.entries(prices)) {
    if (text !== null && text.startsWith('-')) return { field, expected: 'not below 0', found: text };
  }
  return null;
}
