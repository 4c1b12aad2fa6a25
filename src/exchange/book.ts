import { z } from 'zod';
import { tryDecimalText } from '../domain/decimal-text.ts';
import { orientBook, type BookLevel, type OrderBook, bothSides } from '../domain/order-book.ts';
import { decimalOrNull, timeMsOrNull } from './reply-types.ts';

const isNumeric = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/**
 * Reads pairs by hand: a book has some fifty of them and is polled all day. Empty levels are dropped; a price
 * of zero or a negative amount makes the whole book invalid.
 */
function readLevels(pairs: readonly unknown[]): readonly BookLevel[] | null {
  const levels: BookLevel[] = [];
  for (const pair of pairs) {
    if (!Array.isArray(pair)) return null;
    const [rawPrice, rawAmount] = pair as readonly unknown[];
    if (!isNumeric(rawPrice) || !isNumeric(rawAmount)) return null;
    const price = tryDecimalText(rawPrice);
    const amount = tryDecimalText(rawAmount);
    if (price === null || amount === null) return null;
    if (price === '0' || price.startsWith('-') || amount.startsWith('-')) return null;
    if (amount !== '0') levels.push([price, amount]);
  }
  return levels;
}

const levels = z
  .array(z.unknown())
  .meta({ items: { type: 'array', items: { type: ['string', 'number'] }, minItems: 2 } })
  .transform((pairs, context): readonly BookLevel[] => {
    const read = readLevels(pairs);
    if (read !== null) return read;
    context.addIssue({
      code: 'custom',
      message: 'expected [price, amount] pairs of positive decimals',
      input: pairs,
    });
    return z.NEVER;
  });

const sides = z.object({ lastUpdate: timeMsOrNull, ...bothSides(levels) });

/**
 * A book of the order-book endpoints, where sells arrive as `bids` and buys as `asks` ("Public market data").
 */
export const bookRecord = sides.transform((wire): OrderBook =>
  orientBook({ named: wire, updatedAtMs: wire.lastUpdate, buysAre: 'asks' }),
);

/**
 * A book of the third version of the order-book endpoint, where buys are `bids` and sells `asks`, with the
 * last price (deployments). A last price that is none costs no book.
 */
export const orientedBookRecord = sides
  .extend({ lastTradePrice: decimalOrNull.catch(null) })
  .transform((wire): OrderBook => {
    const book = orientBook({ named: wire, updatedAtMs: wire.lastUpdate, buysAre: 'bids' });
    const { lastTradePrice: last } = wire;
    return last === null || last === '0' || last.startsWith('-') ? book : { ...book, lastTradePrice: last };
  });

/** The sides of the depth endpoint, where the names are right. */
export const depthSides = sides;
